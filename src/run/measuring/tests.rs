use std::collections::BTreeMap;

use super::{
    cell::Cell,
    order::order,
    sweep::{choices, sweep},
    wanted::Wanted,
};
use crate::{
    collective::{Datatype, Reduction},
    facts::{Fact, Facts, Origin},
    plan::{Case, OperatorEnvironment, Selection, plan},
    spec::{Collective, Kind, load_texts},
};

/// The cases of a suite of these tests.
fn cases(tests: &str) -> Vec<Case> {
    let text = format!("linkspec: 1\nsuite: one\ntests:\n{tests}");
    let loaded = load_texts(&[("one.yaml", &text)], &[]).unwrap();
    plan(&loaded.suite.unwrap(), &Selection::default()).unwrap().cases
}

/// The case of one collective with more keys of the test and of the collective.
fn case(test: &str, collective: &str) -> Case {
    let collective = format!("{{ op: all_reduce, sizes: [8, 1K], expect: {{ latency: {{ 8: 50 us }} }}{collective} }}");
    cases(&format!("  - {{ name: a, pin: none{test}, collective: {collective} }}\n")).remove(0)
}

fn collective(case: &Case) -> &Collective {
    let Kind::Collective(collective) = &*case.kind else { panic!("no collective") };
    collective
}

fn machine(gpus: u32) -> Facts {
    let mut facts = Facts::new(Origin::Saved { path: "ticket".into() });
    facts.gpu_count = Fact::known(gpus, "tool.txt");
    for index in 0..gpus {
        facts.gpu_mut(index);
    }
    facts
}

fn operator(inherited: &[(&str, &str)]) -> OperatorEnvironment {
    let inherited = inherited.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    OperatorEnvironment { inherited: inherited.collect(), ..OperatorEnvironment::default() }
}

fn cell(case: &Case, gpus: u32, operator: &OperatorEnvironment) -> Result<Cell, String> {
    Cell::of(case, operator, &machine(gpus))
}

#[test]
fn a_collective_has_the_gpus_that_it_asks_for() {
    let of = |test: &str, gpus| cell(&case(test, ""), gpus, &operator(&[])).map(|cell| cell.gpus);
    assert_eq!(of("", 4), Ok(vec![0, 1, 2, 3]));
    assert_eq!(of(", gpus: 2", 2), Ok(vec![0, 1]));
    assert_eq!(of(", gpus: [1, 3]", 4), Ok(vec![1, 3]));
    assert_eq!(of(", gpus: 3", 2), Err("the case asks for 3 GPUs, 2 are known".to_owned()));
    assert_eq!(of(", gpus: [1, 2]", 2), Err("the case asks for GPU2, which is not there".to_owned()));
    let one = "a collective needs 2 GPUs at least: one rank has no bus bandwidth".to_owned();
    assert_eq!((of("", 1), of(", gpus: [1]", 4)), (Err(one.clone()), Err(one)));
}

#[test]
fn a_variable_of_each_rank_has_as_many_values_as_ranks() {
    let asked = case(", env: { NCCL_IB_HCA: { per_rank: [mlx5_0, mlx5_1] } }", "");
    let cell_of_two = cell(&asked, 2, &operator(&[])).unwrap();
    let of = |rank| cell_of_two.with_engine(rank, Vec::new());
    assert_eq!(of(1), [("NCCL_IB_HCA".to_owned(), Some("mlx5_1".to_owned()))]);
    assert_eq!(cell(&asked, 3, &operator(&[])), Err("NCCL_IB_HCA has 2 values for 3 ranks".to_owned()));
}

#[test]
fn the_engines_variables_give_way_to_what_is_asked_for_and_not_to_what_is_inherited() {
    let engine =
        || vec![("NCCL_DEBUG".to_owned(), "INFO".to_owned()), ("NCCL_DEBUG_FILE".to_owned(), "log".to_owned())];
    let of = |test: &str| {
        let cell =
            cell(&case(test, ""), 2, &operator(&[("NCCL_DEBUG", "VERSION"), ("NCCL_P2P_LEVEL", "SYS")])).unwrap();
        let variables: BTreeMap<String, Option<String>> = cell.with_engine(0, engine()).into_iter().collect();
        ["NCCL_DEBUG", "NCCL_DEBUG_FILE", "NCCL_P2P_LEVEL"].map(|name| variables[name].clone())
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(of(""), [some("INFO"), some("log"), some("SYS")]);
    assert_eq!(of(", env: { NCCL_DEBUG: TRACE }"), [some("TRACE"), some("log"), some("SYS")]);
    assert_eq!(of(", env: { NCCL_DEBUG: ~ }"), [None, some("log"), some("SYS")]);
}

#[test]
fn choices_are_looked_at_where_they_are_judged_or_asked_for() {
    let matter = |test: &str, rest: &str, inherited: &[(&str, &str)]| {
        let case = case(test, rest);
        Wanted::of(&case, collective(&case), &operator(inherited)).choices
    };
    assert!(!matter("", "", &[]));
    assert!(!matter("", "", &[("NCCL_ALGO", "Ring")]));
    assert!(!matter(", env: { NCCL_ALGO: ~ }", "", &[("NCCL_ALGO", "Ring")]));
    assert!(!matter(", env: { NCCL_NVLS_ENABLE: 0 }", "", &[]));
    assert!(matter(", env: { NCCL_ALGO: Ring }", "", &[]));
    assert!(matter(", env: { NCCL_PROTO: Simple }", "", &[]));
}

#[test]
fn what_only_reads_comes_first_and_cases_of_one_session_follow_one_another() {
    let tests =
        "  - { name: a, pin: none, collective: { op: all_reduce, sizes: [8], expect: { latency: { 8: 50 us } } } }
  - { name: b, pin: 'node:0', collective: { op: all_reduce, sizes: [8], expect: { latency: { 8: 50 us } } } }
  - { name: c, pin: none, collective: { op: all_reduce, sizes: [8], expect: { busbw: { 8: { at_least: 50%, of: { test: a } } } } } }
  - { name: d, pin: none, collective: { op: all_reduce, sizes: [8], expect: { latency: { 8: 60 us } } } }
  - { name: e, command: { run: [/bin/true] } }
";
    let cases = cases(tests);
    let cases: Vec<(usize, &Case)> = cases.iter().enumerate().collect();
    let turns = order(&cases, &operator(&[]), &|case| matches!(&*case.kind, Kind::Collective(_)));
    let turns: Vec<(usize, bool)> = turns.iter().map(|turn| (turn.at, turn.last)).collect();
    // e; a and d of one session; b of another; c, which needs a's figures.
    assert_eq!(turns, [(4, true), (0, false), (3, true), (1, true), (2, true)]);
}

#[test]
fn a_sweep_is_as_nccl_tests_where_the_spec_writes_nothing() {
    let of = |rest: &str| sweep(collective(&case("", rest)), true);
    let usual = of("").unwrap();
    assert_eq!(
        (usual.datatype, usual.reduction, usual.sizes.as_slice()),
        (Datatype::Float, Reduction::Sum, &[8, 1024][..])
    );
    assert_eq!((usual.iterations, usual.warmup, usual.root), (20, 1, 0));
    assert_eq!((usual.out_of_place, usual.in_place, usual.checked, usual.whole_check), (true, true, true, 256 << 20));
    let places = |rest: &str| of(rest).map(|sweep| (sweep.out_of_place, sweep.in_place)).unwrap();
    assert_eq!([places(", in_place: only"), places(", in_place: never")], [(false, true), (true, false)]);
    let other = of(", datatype: half, redop: max, iterations: 5, warmup: 0").unwrap();
    assert_eq!(
        (other.datatype, other.reduction, other.iterations, other.warmup),
        (Datatype::Half, Reduction::Max, 5, 0)
    );
}

#[test]
fn the_run_for_choices_has_one_operation_for_each_size() {
    let short = choices(&sweep(collective(&case("", "")), true).unwrap());
    assert_eq!((short.iterations, short.warmup, short.sizes.as_slice()), (1, 0, &[8, 1024][..]));
    assert_eq!((short.out_of_place, short.in_place, short.checked), (true, false, false));
}
