//! Nothing: see `kernel/analysis/README.md`.
