//! `linkspec parity` where nothing can be compared.

use std::fs;

use crate::support::Bench;

/// A folder with an nccl-tests that nobody gets to run, and a machine with nothing in it.
fn bench() -> Bench {
    Bench::new().file("tests/build/all_reduce_perf", "").file("root/etc/hostname", "bare\n")
}

#[test]
fn wrong_usage_is_told_with_its_cure() {
    let bench = bench();
    bench.run(&["parity"]).expect(2, &["--nccl-tests <DIR>"]);
    let usage = |options: &[&str], texts: &[&str]| {
        bench.run(&[&["parity", "--nccl-tests", "tests"], options].concat()).expect(2, texts);
    };
    let missing = bench.run(&["parity", "--nccl-tests", "none"]);
    missing
        .expect(2, &["--nccl-tests none: neither all_reduce_perf nor build/all_reduce_perf is there", "`make MPI=1`"]);
    usage(&["--op", "reduce"], &["all_reduce is the one"]);
    usage(&["--to", "33"], &["--to 33: 8 and its multiples by 2 do not arrive there"]);
    usage(&["--from", "2"], &["--from 2: an element of float takes 4 bytes"]);
    usage(&["--factor", "1"], &["--factor"]);
    usage(&["--pairs", "0"], &["--pairs"]);
    usage(&["--gpus", "some"], &["--gpus"]);
    usage(&["--pin", "near"], &["gpu-local, gpu-remote, node:N, cpus:LIST or none"]);
    usage(&["--datatype", "real"], &["one of int8, "]);
    usage(&["--without", "noise"], &["one of rotation, library-memory"]);
    usage(&["--launcher", "srun -n 2"], &["{ranks} has to stand where the number of processes is said"]);
    usage(&["--env", "A=1", "--pin-env", "A=2"], &["--env: A is set to \"1\", but pinned to \"2\""]);
    usage(&["--env", "A", "--pin-env", "A=2"], &["--env: A is removed, but pinned to \"2\""]);
    usage(&["--out", "root/etc/hostname"], &["is a file, not a folder"]);
}

#[test]
fn a_report_of_an_earlier_comparison_does_not_stand_in() {
    let bench =
        bench().file("out/parity.md", "WITHIN").file("out/nccl-tests-3.json", "{}").file("out/notes.md", "mine");
    let options = ["parity", "--nccl-tests", "tests", "--sysroot", "root", "--out", "out"];
    bench.run(&options).expect(3, &["error: not compared: "]);
    let left: Vec<_> = fs::read_dir(bench.path("out")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["notes.md"]);
}

#[test]
fn help_names_the_verb() {
    bench().run(&["help"]).expect(0, &["parity", "of `parity` that the figures agree"]);
    bench().run(&["completions", "bash"]).expect(0, &["parity"]);
}
