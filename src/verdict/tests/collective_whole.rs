//! What keeps a measurement from passing as a whole: ranks, end, data, another operation.

use crate::{
    evidence::{Measurement, OutOfBounds, Wrong},
    facts::{Fact, Facts},
    plan::Case,
    spec::{Collective, GpuSelection, Kind, Operation, Unchecked},
    verdict::{
        FindingCode, Outcome, Severity, Verdict,
        testing::{case_with, failures, placed, server},
        testing_measured::{
            all_reduce, collective, figure, judged, judged_among, measured, measured_with, messages, nothing_known,
            rank,
        },
    },
};

/// A floor of 440 GB/s at 1G.
fn asked() -> Collective {
    all_reduce(&[("1G", 440.0)])
}

/// Eight ranks that reach it.
fn good() -> Measurement {
    measured(8, &[("1G", 460.0, 460.0)])
}

/// Eight ranks that miss it.
fn slow() -> Measurement {
    measured(8, &[("1G", 400.0, 400.0)])
}

fn on(gpus: GpuSelection, facts: &Facts, measurement: &Measurement) -> Verdict {
    let case: Case = case_with(Kind::Collective(asked()), None, |test| {
        test.name = "all-reduce".into();
        test.gpus = gpus;
    });
    judged_among(&case, facts, &[("all-reduce", measurement.clone())])
}

/// A change that keeps a measurement from passing, and does not hide that a floor is missed.
fn can_fail_but_not_pass(code: FindingCode, change: impl Fn(&mut Measurement)) {
    let mut measurement = good();
    change(&mut measurement);
    let verdict = judged(&asked(), &measurement);
    assert_eq!(verdict.outcome, Outcome::Error, "{code}");
    assert_eq!(verdict.findings[0].code, code);
    let mut measurement = slow();
    change(&mut measurement);
    assert_eq!(judged(&asked(), &measurement).outcome, Outcome::Fail, "{code}");
}

#[test]
fn a_list_of_ranks_with_a_gap_a_repetition_or_a_doubt_cannot_pass() {
    can_fail_but_not_pass(FindingCode::Ranks, |measurement| measurement.ranks.clear());
    can_fail_but_not_pass(FindingCode::Ranks, |measurement| {
        measurement.ranks.remove(3);
    });
    can_fail_but_not_pass(FindingCode::Ranks, |measurement| measurement.ranks[1] = rank(0));
    can_fail_but_not_pass(FindingCode::Ranks, |measurement| {
        measurement.ranks_doubt = Some("a line of it is cut".into());
    });
}

#[test]
fn ranks_may_be_left_unchecked_where_the_spec_says_so() {
    let mut asked = asked();
    asked.expect.ranks = Some(placed(Unchecked::Yes));
    let mut measurement = good();
    measurement.ranks.clear();
    assert_eq!(judged(&asked, &measurement).outcome, Outcome::Pass);
    let mut alone = measured(8, &[("1G", 460.0, 460.0)]);
    alone.ranks.truncate(1);
    assert_eq!(judged(&asked, &alone).outcome, Outcome::Error, "one rank has no bus bandwidth all the same");
}

#[test]
fn one_rank_or_several_jobs_of_one_rank_have_no_bus_bandwidth() {
    for (ranks, says) in [(vec![rank(0)], "one rank"), (vec![rank(0), rank(0)], "separate jobs")] {
        let mut measurement = good();
        measurement.ranks = ranks;
        measurement.rows[0].out_of_place.as_mut().unwrap().busbw = figure(0.0);
        let verdict = judged(&asked(), &measurement);
        assert_eq!(verdict.outcome, Outcome::Error);
        assert_eq!(verdict.findings[0].code, FindingCode::Ranks);
        assert!(verdict.findings[0].message.contains(says), "{}", verdict.findings[0].message);
    }
    let mut cut = slow();
    (cut.ranks, cut.ranks_doubt) = (vec![rank(0), rank(0)], Some("a line of it is cut".into()));
    assert_eq!(judged(&asked(), &cut).outcome, Outcome::Error, "a third line would not make it one job");
    let mut unlisted = good();
    unlisted.ranks.clear();
    unlisted.rows[0].out_of_place.as_mut().unwrap().busbw = figure(0.0);
    let verdict = judged(&asked(), &unlisted);
    assert_eq!(verdict.outcome, Outcome::Error, "a bandwidth of 0 beside another is no proof of a slow machine");
}

#[test]
fn as_many_ranks_as_gpus_are_asked_for() {
    let seven = measured(7, &[("1G", 460.0, 460.0)]);
    assert_eq!(on(GpuSelection::All, &server(8), &good()).outcome, Outcome::Pass);
    let verdict = on(GpuSelection::All, &server(8), &seven);
    assert_eq!(messages(&verdict, Severity::Error), ["7 ranks ran on node0, the machine has 8 GPUs"]);
    assert_eq!(
        on(GpuSelection::All, &nothing_known(), &seven).outcome,
        Outcome::Pass,
        "nothing tells how many there are"
    );
    assert_eq!(on(GpuSelection::Count(8), &nothing_known(), &seven).outcome, Outcome::Error);
    assert_eq!(on(GpuSelection::Count(7), &nothing_known(), &seven).outcome, Outcome::Pass);
    let mut spread = measured(8, &[("1G", 460.0, 460.0)]);
    for rank in &mut spread.ranks[4..] {
        rank.host = Some("node1".into());
    }
    assert_eq!(on(GpuSelection::Count(4), &nothing_known(), &spread).outcome, Outcome::Pass);
    assert_eq!(on(GpuSelection::Count(8), &nothing_known(), &spread).outcome, Outcome::Error);
    assert_eq!(on(GpuSelection::All, &server(8), &spread).outcome, Outcome::Pass, "the facts are of one of the hosts");
}

#[test]
fn a_list_of_gpus_means_those() {
    let list = || GpuSelection::List([4, 5].into_iter().collect());
    let mut measurement = measured(2, &[("1G", 460.0, 460.0)]);
    assert_eq!(on(list(), &nothing_known(), &measurement).outcome, Outcome::Error);
    let visible = [("CUDA_VISIBLE_DEVICES".to_owned(), "4,5".to_owned())];
    measurement.environment = Some(visible.into_iter().collect());
    assert_eq!(on(list(), &nothing_known(), &measurement).outcome, Outcome::Pass);
    measurement.environment = None;
    for (at, rank) in (4..).zip(&mut measurement.ranks) {
        rank.pci = Some(format!("0000:{:02x}:00", 0x10 * (at + 1)));
    }
    assert_eq!(on(list(), &server(8), &measurement).outcome, Outcome::Pass, "the PCI address tells");
}

#[test]
fn a_row_whose_bandwidths_contradict_each_other_neither_passes_nor_fails() {
    for busbw in [440.0, 300.0] {
        let mut measurement = good();
        measurement.rows[0].in_place.as_mut().unwrap().busbw = figure(busbw);
        let verdict = judged(&asked(), &measurement);
        assert_eq!(verdict.outcome, Outcome::Error, "{busbw}");
        let message = &verdict.findings[0].message;
        assert!(message.contains("all-reduce.txt:10") && message.contains("1.75"), "{message}");
    }
    let mut rounded = good();
    rounded.rows[0].in_place.as_mut().unwrap().busbw = figure(460.01);
    assert_eq!(judged(&asked(), &rounded).outcome, Outcome::Pass, "within what printing rounds");
    let mut doubtful = slow();
    doubtful.rows[0].doubt = Some("a.txt says 400, b.json says 460".into());
    assert_eq!(judged(&asked(), &doubtful).outcome, Outcome::Error);
}

#[test]
fn a_run_that_did_not_end_can_fail_but_not_pass() {
    can_fail_but_not_pass(FindingCode::Unfinished, |measurement| {
        measurement.unfinished = Some("the footer is missing".into());
    });
    can_fail_but_not_pass(FindingCode::Unknown, |measurement| {
        measurement.rows_doubt = Some("the header row is cut".into());
    });
}

#[test]
fn wrong_data_fails_whatever_the_bandwidth_and_at_sizes_that_are_not_named_too() {
    let mut measurement = measured(8, &[("512M", 460.0, 460.0), ("1G", 460.0, 460.0)]);
    measurement.rows[0].in_place.as_mut().unwrap().wrong = Wrong::Elements(12);
    let verdict = judged(&asked(), &measurement);
    assert_eq!(failures(&verdict), [FindingCode::WrongData]);
    assert_eq!(verdict.findings[0].message, "data at 512M in place: 12 wrong elements, expected 0");
    let mut failed = good();
    failed.out_of_bounds = Some(OutOfBounds { count: 3, ok: false });
    assert_eq!(failures(&judged(&asked(), &failed)), [FindingCode::WrongData]);
    let mut unchecked = asked();
    unchecked.expect.wrong = Some(placed(Unchecked::Yes));
    assert_eq!(judged(&unchecked, &measurement).outcome, Outcome::Pass);
    assert_eq!(judged(&unchecked, &failed).outcome, Outcome::Pass);
}

#[test]
fn wrong_data_in_a_doubtful_row_that_is_not_named_is_not_passed_over() {
    let mut measurement = measured(8, &[("512M", 460.0, 460.0), ("1G", 460.0, 460.0)]);
    measurement.rows[0].in_place.as_mut().unwrap().wrong = Wrong::Elements(12);
    measurement.rows[0].doubt = Some("two outputs disagree".into());
    assert_eq!(judged(&asked(), &measurement).outcome, Outcome::Error);
}

#[test]
fn data_that_was_not_checked_does_not_pass() {
    let mut measurement = good();
    measurement.rows[0].out_of_place.as_mut().unwrap().wrong = Wrong::Unchecked;
    let verdict = judged(&asked(), &measurement);
    assert_eq!(messages(&verdict, Severity::Error), ["the data was not checked out of place: 1G"]);
    let off = Measurement { validation: Some(false), ..good() };
    assert_eq!(judged(&asked(), &off).findings[0].code, FindingCode::DataUnchecked);
    let mut unchecked = asked();
    unchecked.expect.wrong = Some(placed(Unchecked::Yes));
    assert_eq!(judged(&unchecked, &measurement).outcome, Outcome::Pass);
    assert_eq!(judged(&unchecked, &off).outcome, Outcome::Pass);
}

#[test]
fn a_relative_deviation_is_judged_by_the_footer_alone() {
    let mut measurement = good();
    measurement.rows[0].out_of_place.as_mut().unwrap().wrong = Wrong::Deviation(2e-7);
    assert_eq!(judged(&asked(), &measurement).outcome, Outcome::Pass);
    measurement.out_of_bounds = None;
    assert_eq!(judged(&asked(), &measurement).outcome, Outcome::Error);
    measurement.out_of_bounds = Some(OutOfBounds { count: 1, ok: false });
    assert_eq!(judged(&asked(), &measurement).outcome, Outcome::Fail);
}

#[test]
fn an_output_of_another_operation_is_an_error_and_nothing_of_it_is_judged() {
    let other = measured_with(Operation::AllGather, 8, 7.0 / 8.0, &[("1G", 1.0, 1.0)]);
    let verdict = judged(&asked(), &other);
    let codes: Vec<FindingCode> = verdict.findings.iter().map(|finding| finding.code).collect();
    assert_eq!(codes, [FindingCode::OtherOperation]);
    let mut half = slow();
    half.rows[0].datatype = Some("half".into());
    let verdict = judged(&asked(), &half);
    assert_eq!((verdict.outcome, verdict.findings.len()), (Outcome::Error, 1), "{:?}", verdict.findings);
    let mut product = good();
    product.rows[0].redop = Some("prod".into());
    assert_eq!(judged(&asked(), &product).findings[0].code, FindingCode::OtherOperation);
}

#[test]
fn rows_of_another_type_beside_the_right_ones_are_told_and_not_judged() {
    let mut measurement = measured(8, &[("1G", 460.0, 460.0), ("1G", 1.0, 1.0)]);
    measurement.rows[1].datatype = Some("half".into());
    let verdict = judged(&asked(), &measurement);
    assert_eq!(verdict.outcome, Outcome::Error);
    assert_eq!(verdict.findings.len(), 1, "{:?}", verdict.findings);
}

#[test]
fn what_a_row_does_not_show_contradicts_nothing() {
    let mut measurement = measured_with(Operation::Broadcast, 8, 1.0, &[("1G", 460.0, 460.0)]);
    assert_eq!(judged(&collective(Operation::Broadcast, &["1G"]), &measurement).outcome, Outcome::Pass);
    measurement.rows[0].root = Some(3);
    let verdict = judged(&collective(Operation::Broadcast, &["1G"]), &measurement);
    assert_eq!(verdict.findings[0].code, FindingCode::OtherOperation);
    let mut short = collective(Operation::AllReduce, &["1G"]);
    short.datatype = Some(placed("fp8_e4m3".into()));
    let mut measurement = good();
    measurement.rows[0].datatype = Some("f8e4m3".into());
    assert_eq!(judged(&short, &measurement).outcome, Outcome::Pass);
}

#[test]
fn a_reduction_contradicts_an_operation_that_has_none() {
    let measurement = |operation| {
        let mut measurement = measured_with(operation, 8, 7.0 / 8.0, &[("1G", 400.0, 400.0)]);
        measurement.operation = None;
        measurement
    };
    let judge = |operation, redop: &str, measurement: Measurement| {
        let mut measurement = measurement;
        measurement.rows[0].redop = Some(redop.into());
        judged(&collective(operation, &["1G"]), &measurement)
    };
    let reduced = judge(Operation::AllGather, "sum", measurement(Operation::AllGather));
    assert_eq!(reduced.findings[0].code, FindingCode::OtherOperation);
    let none = judge(Operation::AllGather, "none", measurement(Operation::AllGather));
    assert_eq!(none.outcome, Outcome::Pass);
    // sendrecv shows the reduction that it was called with.
    let shown = judge(Operation::SendRecv, "sum", measured_with(Operation::SendRecv, 8, 1.0, &[("1G", 400.0, 400.0)]));
    assert_eq!(shown.outcome, Outcome::Pass);
}

#[test]
fn other_iterations_than_asked_for_are_an_error_and_unshown_ones_a_note() {
    let mut asked = asked();
    asked.iterations = Some(placed(100));
    let verdict = judged(&asked, &good());
    assert_eq!((verdict.outcome, verdict.findings[0].code), (Outcome::Pass, FindingCode::Unproved));
    let measurement = Measurement { iterations: Some(20), ..good() };
    let verdict = judged(&asked, &measurement);
    assert_eq!((verdict.outcome, verdict.findings[0].code), (Outcome::Error, FindingCode::Setting));
    let measurement = Measurement { iterations: Some(100), ..good() };
    assert_eq!(judged(&asked, &measurement).findings, []);
}

#[test]
fn the_name_of_a_gpu_that_is_in_doubt_does_not_stand_in_the_way_of_written_bounds() {
    let mut facts = server(8);
    facts.gpu_mut(0).name = Fact::unknown("the line is cut");
    assert_eq!(on(GpuSelection::All, &facts, &good()).outcome, Outcome::Pass);
}
