//! Names that the kernel and its clients agree on. At the bottom of the crate.

/// The crate that notebooks load.
pub const CRATE: &str = "workbench";
/// Name of the kernel in notebooks' metadata.
pub const KERNEL_NAME: &str = "workbench";
/// Name that readers see.
pub const DISPLAY_NAME: &str = "Rust (Workbench)";
/// The field of a request's metadata in which a client tells the sources of the cells that it will ask for next. It may: a client
/// that sends them one by one, as our runner does, would otherwise have each compiled while it waits.
pub const NEXT_CELLS: &str = "nextCells";
/// Set for kernels of which nobody asks questions about code.
pub const UNASKED_ENV: &str = "WORKBENCH_UNASKED";

/// Whether a reader begins with a notebook of this name: the tour, or the main ideas of a document.
pub fn is_a_beginning(notebook: &str) -> bool {
    notebook == "tour" || notebook.starts_with("ideas-")
}
