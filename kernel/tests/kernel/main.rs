//! Tests of the kernel and the runner as processes: what they say over the protocol, what they leave on disk, what they survive. One
//! program, linked once; each file is about one thing that can go wrong.

mod common;
#[path = "../../client/src/fake_kernel.rs"]
mod fake_kernel;
#[path = "../../fuzz/numbers.rs"]
mod numbers;
#[path = "../../fuzz/texts.rs"]
mod parsers;
#[path = "../../fuzz/properties.rs"]
mod properties;

mod ahead;
mod anywhere;
mod cells;
mod channel;
#[cfg(target_os = "linux")]
mod chaos;
mod conformance;
mod datasets;
mod driver;
mod export;
mod faults;
mod features;
mod foreign;
mod inference;
mod kept;
mod kernel;
mod language;
mod large;
mod licences;
mod lifecycle;
mod live;
mod moves;
mod own_library;
mod own_project;
mod protocol;
mod protocol_security;
#[cfg(target_os = "linux")]
mod record;
mod run;
mod run_options;
mod rustdoc;
mod streams;
mod texts;
mod widgets;
