//! What an output says beside its rows.

use super::*;
use crate::evidence::{OutOfBounds, SizeRange};

#[test]
fn all_that_a_whole_output_says() {
    let read = read(WHOLE);
    assert_eq!(read.sources, ["t.txt"]);
    assert_eq!(read.tool.as_deref(), Some("nccl-tests 2.19.6"));
    assert_eq!(read.operation.as_deref(), Some("all_reduce"));
    assert_eq!(read.library, "2.30.7".parse().ok());
    assert_eq!(read.range, Some(SizeRange { from: 1_000_000, to: 2_000_000 }));
    assert_eq!((read.iterations, read.warmup, read.validation), (Some(20), Some(1), Some(true)));
    assert_eq!(read.out_of_bounds, Some(OutOfBounds { count: 0, ok: true }));
    assert_eq!((read.whole_ranks(), read.hosts()), (Some(2), Some(1)));
    let rank = &read.ranks[1];
    assert_eq!((rank.rank, rank.device), (1, Some(1)));
    assert_eq!((rank.host.as_deref(), rank.name.as_deref()), (Some("gpu-07"), Some("NVIDIA H200")));
    assert_eq!(rank.pci.as_deref(), Some("0000:2c:00"));
}

#[test]
fn rccl_tests_say_it_without_a_hash() {
    let read = read_lines(&[
        "rccl-tests: Version develop:1a2b3c4",
        "RCCL version : 2.21.5-HEAD:5d6e7f",
        HEADER,
        FIRST,
        "# Errors with asterisks indicate errors that have exceeded the maximum threshold.",
        END,
    ]);
    assert_eq!(read.tool.as_deref(), Some("rccl-tests develop:1a2b3c4"));
    assert_eq!(read.library, "2.21.5".parse().ok());
    assert_eq!((read.rows.len(), read.damage), (1, vec![]));
}

#[test]
fn versions_of_two_libraries_are_none() {
    let read = read(&format!("{WHOLE}NCCL version 2.23.4+cuda12.6\n"));
    assert_eq!(read.library, None);
}

#[test]
fn two_operations_are_doubtful() {
    let read = read(&WHOLE.replace("concluded: all_reduce_perf", "concluded: sendrecv_perf"));
    assert_eq!(read.operation, None);
    assert_eq!(read.rows_doubt.as_deref(), Some("it names several operations"));
}

#[test]
fn without_validation_nothing_is_checked() {
    let read = read(&WHOLE.replace("validation: 1", "validation: 0"));
    assert_eq!(wrongs(&read), [(Some(Wrong::Unchecked), Some(Wrong::Unchecked)); 2]);
    assert_eq!(read.validation, Some(false));
}

#[test]
fn an_output_without_its_end_is_unfinished() {
    let (begin, _) = WHOLE.split_once("# Out of").unwrap();
    assert_eq!(read(begin).unfinished.as_deref(), Some("it has no `# Out of bounds values` line"));
    let cut = read(&format!("{begin}# Out of bounds values : 0"));
    assert_eq!((cut.unfinished.is_some(), cut.out_of_bounds, cut.damage.len()), (true, None, 1));
    let failed = read(&WHOLE.replace("0 OK", "3 FAILED"));
    assert_eq!((failed.unfinished, failed.out_of_bounds), (None, Some(OutOfBounds { count: 3, ok: false })));
}

#[test]
fn a_failure_is_quoted() {
    let failure = "gpu-07: Test NCCL failure common.cu:958 'unhandled system error'";
    let read = read(&format!("{WHOLE}{failure}\n .. gpu-07 pid 9: Test failure common.cu:11\n"));
    assert_eq!(read.unfinished, Some(format!("it says {failure:?}")));
}

#[test]
fn a_list_of_ranks_that_is_not_whole_is_doubtful() {
    let rank =
        |rank: u32| format!("#  Rank {rank:2} Group  0 Pid   4021 on     gpu-07 device {rank:2} [0x1b] NVIDIA H200");
    let list = |lines: &[String]| read(&format!("# Using devices\n{}\n#\n{HEADER}\n{FIRST}\n{END}", lines.join("\n")));
    assert_eq!(list(&[rank(0), rank(1)]).whole_ranks(), Some(2));
    let left_out = list(&[rank(0), rank(1), "...".to_owned()]);
    assert_eq!(left_out.ranks_doubt.as_deref(), Some("ranks are left out of the list"));
    assert_eq!((left_out.whole_ranks(), damaged(&left_out)), (None, vec![4]));
    let bad = list(&[rank(0), rank(1), rank(2).replace("device", "devi")]);
    assert_eq!((bad.whole_ranks(), damaged(&bad)), (None, vec![4]));
    assert!(bad.ranks_doubt.is_some());
    assert_eq!(list(&[rank(3), rank(4)]).whole_ranks(), None);
    let hole = WHOLE.lines().filter(|line| !line.contains("Rank  1")).collect::<Vec<_>>().join("\n");
    assert_eq!(read(&hole).ranks_doubt.as_deref(), Some("the list of ranks lacks some of a process"));
}

#[test]
fn lists_of_separate_jobs_are_kept_whole() {
    let ranks: Vec<&str> = WHOLE.lines().filter(|line| line.contains("Using") || line.contains("Rank  0")).collect();
    let read = read_lines(&[&ranks[..], &ranks, &[HEADER, FIRST, END]].concat());
    assert_eq!((read.ranks.len(), read.whole_ranks()), (2, None));
    assert_eq!(read.rows_doubt.as_deref(), Some("there are 2 lists of ranks in it"));
}

#[test]
fn a_log_line_right_after_a_rank_does_not_change_its_name() {
    let text = WHOLE.replace("[0000:2c:00] NVIDIA H200\n", "[0000:2c:00] NVIDIA H200 gpu-07:9:9 [0] NCCL INFO x\n");
    assert_eq!(read(&text).ranks, read(WHOLE).ranks);
    let glued = WHOLE.replace("[0000:2c:00] NVIDIA H200\n", "[0000:2c:00] NVIDIA H200gpu-07:9:9 [0] NCCL INFO x\n");
    assert_eq!(read(&glued).ranks, read(WHOLE).ranks);
    let unknown = glued.replace("gpu-07:9:9", "vm:9:9");
    assert_eq!((read(&unknown).whole_ranks(), read(&unknown).damage.len()), (None, 1));
}
