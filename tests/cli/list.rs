//! Listing: names only, and no machine looked at.

use crate::support::Bench;

const SPEC: &str = "\
linkspec: 1
suite: s
tests:
  - name: cells
    collective: { op: all_reduce, sizes: [8M] }
    matrix:
      env: { NCCL_PROTO: [~, LL128], NCCL_ALGO: [~, Ring] }
      exclude: [{ NCCL_ALGO: Ring, NCCL_PROTO: LL128 }]
  - name: quick
    level: quick
    tags: [links]
    topology: { between: [gpu, gpu], require: NVLink }
  - name: long
    level: full
    ignore: takes an hour
    topology: { between: [gpu, gpu], require: NVLink }
";

fn bench() -> Bench {
    Bench::new().file("s.yaml", SPEC)
}

#[test]
fn one_full_name_per_line_with_keys_in_byte_order() {
    let names = "s::cells\ns::cells[NCCL_PROTO=LL128]\ns::cells[NCCL_ALGO=Ring]\ns::quick\n";
    for format in [&["list", "s.yaml"][..], &["list", "s.yaml", "--format", "terse"]] {
        assert_eq!(bench().run(format).expect(0, &[]).stdout, names);
    }
}

#[test]
fn libtest_gets_its_own_lines() {
    let ran = bench().run(&["s.yaml", "--list", "--format", "terse"]).expect(0, &[]);
    assert_eq!(ran.stdout.lines().next(), Some("s::cells: test"));
    let ran = bench().run(&["s.yaml", "--list", "--format", "terse", "--ignored", "--level", "full"]).expect(0, &[]);
    assert_eq!(ran.stdout, "s::long: test\n");
}

#[test]
fn selections() {
    let listed = |arguments: &[&str]| bench().run(&[&["list", "s.yaml"], arguments].concat());
    assert_eq!(listed(&["Ring"]).stdout, "s::cells[NCCL_ALGO=Ring]\n");
    assert_eq!(listed(&["s::cells", "--exact"]).stdout, "s::cells\n");
    assert_eq!(listed(&["--skip", "cells"]).stdout, "s::quick\n");
    assert_eq!(listed(&["--level", "quick"]).stdout, "s::quick\n");
    assert_eq!(listed(&["--tag", "links"]).stdout, "s::quick\n");
    assert_eq!(listed(&["--level", "full"]).stdout.lines().last(), Some("s::long"));
    assert_eq!(listed(&["nothing"]).code, 4);
}

#[test]
fn json_tells_the_cells() {
    let ran = bench().run(&["list", "s.yaml", "--format", "json"]).expect(0, &[]);
    let listed: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(listed[2]["name"], "s::cells[NCCL_ALGO=Ring]");
    assert_eq!(listed[2]["cell"]["NCCL_ALGO"], "Ring");
}

#[test]
fn what_a_run_would_refuse_is_refused() {
    bench().run(&["list", "s.yaml", "--env", "=x"]).expect(2, &["--env"]);
    bench().run(&["list", "s.yaml", "--pin-env", "A"]).expect(2, &["is not NAME=VALUE"]);
}

#[test]
fn explain_shows_the_bounds_that_hold_in_a_cell() {
    let spec = "linkspec: 1
suite: s
tests:
  - name: t
    collective: { op: all_reduce, sizes: [1G, 8G], expect: { busbw: { 1G: 440 GB/s, 8G: 460 GB/s } } }
    matrix:
      env: { NCCL_ALGO: [~, Ring] }
      override: [{ when: { NCCL_ALGO: Ring }, expect: { busbw: { 1G: ~, 8G: { max: 340 GB/s } } } }]
";
    let bench = Bench::new().file("s.yaml", spec);
    let ran =
        bench.run(&["explain", "s.yaml", "s::t[NCCL_ALGO=Ring]", "--exact"]).expect(0, &["NCCL_ALGO=Ring (cell)"]);
    assert!(ran.stdout.contains("busbw at 8G: at most 340 GB/s"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("busbw at 1G:"), "{}", ran.stdout);
    bench.run(&["explain", "s.yaml", "s::t", "--exact"]).expect(0, &["busbw at 1G: at least 440 GB/s"]);
}
