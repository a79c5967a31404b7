//! The architecture as the document defines it, one prompt at a time in plain arrays: the single definition that everything else
//! is compared with.

pub(super) mod architecture;
pub(super) mod attention;
pub(super) mod forward;
pub(super) mod memory;
pub(super) mod pairs;
pub(super) mod parameters;
pub(super) mod transformer;
