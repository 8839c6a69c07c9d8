//! The library's own version: `NCCL version 2.30.7+cuda13.0`, `RCCL version : 2.21.5-HEAD:hash`.

use super::{super::LibraryLog, scan::Scan, settings::keep};

/// A line or a message that says the version; the version is kept without what was added when it was built.
pub(super) fn bare(message: &str, log: &mut LibraryLog) -> Option<()> {
    let mut scan = Scan(message);
    let rccl = scan.skip_if("RCCL");
    if !rccl {
        scan.skip("NCCL")?;
    }
    scan.skip(" version ")?;
    scan.skip_if(": ");
    let version = scan.take(|byte| byte.is_ascii_digit() || byte == b'.');
    // A cut version would name another one; builds for AMD's GPUs of old call themselves NCCL.
    let whole = version.split('.').count() == 3 && version.split('.').all(|part| !part.is_empty());
    let ends = scan.is_empty() || scan.0.starts_with(['+', '-', ' ']);
    if !whole || !ends {
        return None;
    }
    let library = if rccl || scan.0.starts_with("+hip") { "RCCL" } else { "NCCL" };
    keep(&mut log.libraries, &format!("{library} {version}"));
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_both_libraries() {
        let lines = [
            ("NCCL version 2.19.4+cuda12.2", "NCCL 2.19.4"),
            ("NCCL version 2.31.1", "NCCL 2.31.1"),
            ("RCCL version : 2.22.3-HEAD:0a1b2c3", "RCCL 2.22.3"),
            ("RCCL version 2.18.6+hip6.0 HEAD:0a1b2c3+", "RCCL 2.18.6"),
            ("NCCL version 2.18.6+hip5.7", "RCCL 2.18.6"),
        ];
        for (line, library) in lines {
            let mut log = LibraryLog::default();
            assert_eq!(bare(line, &mut log), Some(()), "{line}");
            assert_eq!(log.libraries, [library.to_owned()].into(), "{line}");
        }
    }

    #[test]
    fn what_is_no_version() {
        for line in ["NCCL version 2.2", "NCCL version 2.19.", "NCCL version mismatch", "NCCL git version main 0a1b"] {
            assert_eq!(bare(line, &mut LibraryLog::default()), None, "{line}");
        }
    }
}
