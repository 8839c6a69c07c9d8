use std::path::{Path, PathBuf};

/// A stand-in for a vendor's library, such as `fake_nvml`. Plain `cargo test` builds the examples; what builds one test
/// takes those that are there.
pub fn stand_in(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_BIN_EXE_linkspec")).with_file_name("examples").join(format!("lib{name}.so"));
    assert!(path.exists(), "{} is not there: `cargo build --examples` makes it", path.display());
    path
}
