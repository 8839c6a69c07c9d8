//! What an output says of itself around its table: versions, operation, options.

use crate::{evidence::SizeRange, units::Version};

/// What the line of options says; `None` for what it does not, or not whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Options {
    pub(super) range: Option<SizeRange>,
    pub(super) iterations: Option<u32>,
    pub(super) warmup: Option<u32>,
    pub(super) validation: Option<bool>,
    /// Ranks of one process: threads times GPUs.
    pub(super) ranks_per_process: Option<u64>,
}

impl Options {
    /// Whether nothing is missing that every release prints.
    pub(super) fn whole(&self) -> bool {
        self.range.is_some() && self.iterations.is_some() && self.validation.is_some()
    }
}

pub(super) fn is_options(comment: &str) -> bool {
    comment.contains("minBytes ") && comment.contains("maxBytes ")
}

/// Reads `nThread 1 nGpus 8 minBytes 8 maxBytes 1024 step: 2(factor) warmup iters: 5 iters: 20 validation: 1`.
pub(super) fn options(comment: &str) -> Options {
    let words: Vec<&str> = comment.split_whitespace().collect();
    // A number that ends the line may be cut; what every release prints after it shows that it is whole.
    let after = |names: &[&str]| -> Option<u64> {
        let at = words.windows(names.len()).position(|window| window == names)?;
        let value = words.get(at + names.len())?.parse().ok()?;
        words.get(at + names.len() + 1).map(|_| value)
    };
    let small = |value: u64| u32::try_from(value).ok();
    let iterations = words.windows(3).find(|window| window[1] == "iters:" && !matches!(window[0], "warmup" | "agg"));
    let iterations = iterations.and_then(|window| window[2].parse().ok()).filter(|_| words.contains(&"validation:"));
    let validation = words.windows(2).find(|window| window[0] == "validation:");
    let range = after(&["minBytes"]).zip(after(&["maxBytes"])).map(|(from, to)| SizeRange { from, to });
    Options {
        range,
        iterations,
        warmup: after(&["warmup", "iters:"]).and_then(small),
        validation: validation.and_then(|window| window[1].parse::<u32>().ok()).map(|checks| checks > 0),
        ranks_per_process: after(&["nThread"]).zip(after(&["nGpus"])).and_then(|(a, b)| a.checked_mul(b)),
    }
}

/// The tool and the library of `nccl-tests version X nccl-headers=N nccl-library=N` and `rccl-tests: Version X`.
pub(super) fn tool(text: &str) -> Option<(String, Option<Version>)> {
    if let Some(rest) = text.strip_prefix("nccl-tests version ") {
        let version = rest.split_whitespace().next()?;
        let library = rest.split_whitespace().find_map(|word| word.strip_prefix("nccl-library="));
        return Some((format!("nccl-tests {version}"), library.and_then(library_of_code)));
    }
    let version = text.strip_prefix("rccl-tests: Version ")?.split_whitespace().next()?;
    let tool = "rccl-tests".to_owned();
    Some((if version == "Unknown" { tool } else { format!("{tool} {version}") }, None))
}

/// 23007 is 2.30.7: from 2.9 on, 10000 for the first number and 100 for the second. A code of fewer digits is cut, or
/// older than every release that prints it.
fn library_of_code(code: &str) -> Option<Version> {
    let code: u32 = code.parse().ok().filter(|code| (20_000..1_000_000).contains(code))?;
    format!("{}.{}.{}", code / 10_000, code / 100 % 100, code % 100).parse().ok()
}

/// The library's version of `NCCL version 2.23.4+cuda12.6` and `RCCL version : 2.21.5-HEAD:1a2b3c`.
pub(super) fn library(text: &str) -> Option<Version> {
    let rest = text.strip_prefix("NCCL version ").or_else(|| text.strip_prefix("RCCL version "))?;
    let rest = rest.trim_start_matches([':', ' ']);
    // What follows the numbers shows that the last one is whole.
    let numbers = &rest[..rest.find(['+', '-'])?];
    (numbers.split('.').count() == 3).then(|| numbers.parse().ok()).flatten()
}

/// The operation of `Collective test starting: all_reduce_perf` and its end. `Some(None)` where its name is damaged.
pub(super) fn operation(comment: &str) -> Option<Option<&str>> {
    let rest = comment.strip_prefix("Collective test ")?;
    let (_, program) = rest.split_once(':')?;
    let program = program.trim();
    let program = program.rsplit('/').next().unwrap_or(program);
    let name = program.strip_suffix("_mpi").unwrap_or(program).strip_suffix("_perf");
    Some(name.filter(|name| !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_every_generation() {
        let new = options(
            "nThread 2 nGpus 4 minBytes 8 maxBytes 1024 step: 2(factor) warmup iters: 1 iters: 20 agg iters: 1 validation: 1 graph: 0 unalign: 0",
        );
        assert_eq!(new.range, Some(SizeRange { from: 8, to: 1024 }));
        assert_eq!(
            (new.iterations, new.warmup, new.validation, new.ranks_per_process),
            (Some(20), Some(1), Some(true), Some(8))
        );
        assert!(new.whole());
        let old = options(
            "nThread 1 nGpus 8 minBytes 1 maxBytes 64 step: 1048576(bytes) warmup iters: 5 iters: 100 validation: 0",
        );
        assert_eq!((old.iterations, old.warmup, old.validation), (Some(100), Some(5), Some(false)));
    }

    #[test]
    fn a_cut_line_of_options_gives_no_cut_number() {
        let line = "nThread 1 nGpus 8 minBytes 16 maxBytes 1024 step: 2(factor) warmup iters: 25 iters: 20 agg iters: 1 validation: 1";
        for at in 0..line.len() {
            let cut = options(&line[..at]);
            assert!(cut.range.is_none_or(|range| range == SizeRange { from: 16, to: 1024 }), "{at}");
            assert!(cut.iterations.is_none_or(|iterations| iterations == 20), "{at}");
            assert!(cut.warmup.is_none_or(|warmup| warmup == 25), "{at}");
            assert!(!cut.whole(), "{at}");
        }
    }

    #[test]
    fn versions_of_tools_and_libraries() {
        let (name, version) = tool("nccl-tests version 2.19.6 nccl-headers=22809 nccl-library=23007").unwrap();
        assert_eq!((name.as_str(), version), ("nccl-tests 2.19.6", "2.30.7".parse().ok()));
        assert_eq!(tool("nccl-tests version 2.19.6 nccl-headers=22809 nccl-library=2300").unwrap().1, None);
        assert_eq!(tool("rccl-tests: Version develop:83d38d9").unwrap().0, "rccl-tests develop:83d38d9");
        assert_eq!(tool("rccl-tests: Version Unknown").unwrap().0, "rccl-tests");
        assert_eq!(library("NCCL version 2.23.4+cuda12.6"), "2.23.4".parse().ok());
        assert_eq!(library("RCCL version : 2.21.5-HEAD:1a2b3c"), "2.21.5".parse().ok());
        for text in ["NCCL version 2.23", "NCCL version 2.23.4", "NCCL version 2.2+cuda12", "NCCL version", "x"] {
            assert_eq!(library(text), None, "{text}");
        }
    }

    #[test]
    fn operations_by_the_name_of_the_program() {
        assert_eq!(operation("Collective test starting: all_reduce_perf"), Some(Some("all_reduce")));
        assert_eq!(operation("Collective test concluded: alltoall_perf"), Some(Some("alltoall")));
        assert_eq!(operation("Collective test starting: /opt/x/sendrecv_perf_mpi"), Some(Some("sendrecv")));
        assert_eq!(operation("Collective test starting: all_reduce_pe"), Some(None));
        assert_eq!(operation("Using devices"), None);
    }
}
