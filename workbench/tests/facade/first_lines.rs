//! The lines that users of NumPy, polars and PyTorch type first: what stands beside them in the examples is computed.

#[path = "../../examples/from_numpy.rs"]
mod from_numpy;
#[path = "../../examples/from_polars.rs"]
mod from_polars;
#[path = "../../examples/from_pytorch.rs"]
mod from_pytorch;

#[test]
fn numpy() {
    from_numpy::main().unwrap();
}

#[test]
fn polars() {
    from_polars::main().unwrap();
}

#[test]
fn pytorch() {
    from_pytorch::main().unwrap();
}
