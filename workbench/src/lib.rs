pub mod timing;
