use crate::{
    evidence::{EngineRun, Trouble, TroubleKind, WrongElement, measurement_of, median_of},
    facts::{Fact, Facts, NumaNode},
    plan::OperatorEnvironment,
    spec::{BoundBase, BoundValue, Collective, EnvironmentValue, Kind, Operation, Pin, Unchecked},
    units::IndexList,
    verdict::{
        Evidence, Finding, FindingCode as Code, Outcome, Severity, Verdict, judge,
        testing::{live, placed, server},
        testing_engine::{evidence, judged, judged_case, run, sweep, trouble},
        testing_measured::{all_reduce, bound, case_among, messages, nothing_known, size},
    },
};

const SIZES: [(&str, f64); 2] = [("64M", 200.0), ("1G", 400.0)];

fn asked() -> Collective {
    all_reduce(&[("64M", 150.0), ("1G", 350.0)])
}

fn with(change: impl FnOnce(&mut EngineRun)) -> EngineRun {
    let mut run = run(4, &SIZES);
    change(&mut run);
    run
}

/// The codes of failures and errors, in order.
fn decided(verdict: &Verdict) -> Vec<Code> {
    let deciding = verdict.findings.iter().filter(|finding| finding.severity <= Severity::Error);
    deciding.map(|finding| finding.code).collect()
}

fn first(verdict: &Verdict) -> &Finding {
    &verdict.findings[0]
}

#[test]
fn a_measurement_of_the_own_engine_passes_and_leaves_nothing_open() {
    let verdict = judged(&asked(), run(4, &SIZES));
    assert_eq!((verdict.outcome, &verdict.findings[..]), (Outcome::Pass, &[][..]));
    assert_eq!(verdict.measured.len(), 4);
}

#[test]
fn every_trouble_is_one_error_of_its_own_class() {
    for (kind, code) in [
        (TroubleKind::Library, Code::LibraryMissing),
        (TroubleKind::Device, Code::GpuUnusable),
        (TroubleKind::Busy, Code::GpuBusy),
        (TroubleKind::Pin, Code::Pin),
        (TroubleKind::Crash, Code::RankCrashed),
        (TroubleKind::InitHang, Code::HangInit),
        (TroubleKind::FirstCollectiveHang, Code::HangFirstCollective),
        (TroubleKind::MidRunHang, Code::HangMidRun),
        (TroubleKind::LibraryError, Code::LibraryError),
        (TroubleKind::OutOfMemory, Code::OutOfMemory),
        (TroubleKind::Unsupported, Code::Unsupported),
        (TroubleKind::NotFree, Code::GpuNotFree),
        (TroubleKind::Interrupted, Code::NotFinished),
        (TroubleKind::Internal, Code::Internal),
    ] {
        let message = "rank 3 (GPU3) did not do it";
        let of = |run: EngineRun| {
            let verdict = judged(&asked(), run);
            assert_eq!((verdict.outcome, decided(&verdict)), (Outcome::Error, vec![code]), "{kind:?}");
            let found = first(&verdict);
            assert_eq!((found.message.as_str(), found.device.as_deref()), (message, Some("GPU3")));
            assert!(found.hint.is_some());
            verdict
        };
        let told = Trouble { details: vec!["last words".into()], ..trouble(kind, Some(3), message) };
        // After every size, and where the larger one is missing.
        let verdict = of(with(|run| run.trouble = Some(told.clone())));
        assert_eq!(messages(&verdict, Severity::Note), ["last words"]);
        assert_eq!(verdict.measured.len(), 4);
        if kind == TroubleKind::NotFree {
            continue;
        }
        of(with(|run| {
            run.trouble = Some(told.clone());
            run.samples.retain(|sample| sample.size < 1 << 30);
        }));
        // Nothing measured, nowhere placed.
        of(with(|run| {
            run.trouble = Some(told.clone());
            run.samples.clear();
            run.libraries.clear();
            for placement in &mut run.placements {
                (placement.cpus, placement.nodes) = (None, None);
            }
        }));
    }
}

#[test]
fn a_measurement_without_a_row_adds_nothing_to_the_trouble() {
    let mut case = case_among(Kind::Collective(asked()), &[]);
    let mut test = (**case.test.as_ref().unwrap()).clone();
    test.environment.insert("NCCL_NTHREADS".into(), placed(EnvironmentValue::Set("256".into())));
    case.test = Some(test.into());
    let run = with(|run| {
        run.trouble = Some(trouble(TroubleKind::Library, None, "libnccl.so.2 is not there"));
        run.samples.clear();
    });
    let mut known = evidence(&sweep(&["64M", "1G"]), run);
    let run = known.engine.as_ref().unwrap();
    let rows = (&run.placements[..], &run.samples[..]);
    let unfinished = Some("libnccl.so.2 is not there".to_owned());
    let sweep = sweep(&["64M", "1G"]);
    known.measurement = Some(measurement_of(&sweep, rows.0, Some("node0"), rows.1, None, [].into(), unfinished));
    for live in [false, true] {
        let verdict = judged_case(&case, known.clone(), &nothing_known(), live);
        assert_eq!((verdict.outcome, decided(&verdict)), (Outcome::Error, vec![Code::LibraryMissing]));
    }
}

#[test]
fn a_size_that_is_no_whole_number_of_elements_is_what_it_is_trimmed_to() {
    let collective = all_reduce(&[("1030", 0.0001), ("1G", 350.0)]);
    assert_eq!(judged(&collective, run(4, &[("1030", 0.5), ("1G", 400.0)])).outcome, Outcome::Pass);
    // 1024 bytes are another size.
    let other = judged(&collective, run(4, &[("1024", 0.5), ("1G", 400.0)]));
    assert_eq!(decided(&other), [Code::Unfinished, Code::SizeNotMeasured]);
}

#[test]
fn what_was_measured_before_the_trouble_can_fail_and_never_pass() {
    let hang = || Some(trouble(TroubleKind::MidRunHang, Some(1), "rank 1 (GPU1) hangs at 1G"));
    let verdict = judged(&all_reduce(&[("64M", 250.0), ("1G", 350.0)]), {
        with(|run| {
            run.trouble = hang();
            run.samples.retain(|sample| sample.size < 1 << 30);
        })
    });
    assert_eq!(verdict.outcome, Outcome::Fail);
    assert_eq!(decided(&verdict), [Code::BusBandwidth, Code::BusBandwidth, Code::HangMidRun]);
    // After a run that came to its end, what is missing is not the doing of what was left behind.
    let left = with(|run| {
        run.trouble = Some(trouble(TroubleKind::NotFree, Some(0), "a process is left on GPU0"));
        run.samples.retain(|sample| sample.size < 1 << 30);
    });
    assert_eq!(decided(&judged(&asked(), left)), [Code::GpuNotFree, Code::Unfinished, Code::SizeNotMeasured]);
}

#[test]
fn a_wrong_element_is_named_with_rank_gpu_and_place() {
    let wrong = |offset: u64| {
        with(|run| {
            let sample =
                run.samples.iter_mut().find(|sample| sample.rank == 2 && sample.in_place && sample.size == 64 << 20);
            let sample = sample.unwrap();
            sample.wrong = 5;
            sample.first_wrong = Some(WrongElement { offset, expected: "36".into(), found: "28".into() });
        })
    };
    let verdict = judged(&asked(), wrong(1000));
    assert_eq!((verdict.outcome, decided(&verdict)), (Outcome::Fail, vec![Code::WrongData]));
    let found = first(&verdict);
    let said = "data at 64M in place: 5 wrong elements at rank 2 (GPU2), expected 0; the first is element 1000, 28 \
                instead of 36";
    assert_eq!((found.message.as_str(), found.device.as_deref()), (said, Some("GPU2")));
    // 64 MiB are 16777216 elements of 4 bytes: the next lies in the guard.
    let verdict = judged(&asked(), wrong(16_777_216));
    assert!(first(&verdict).message.contains("element 16777216, beyond the data: a guard was overwritten, 28"));
    // Of a size that no row has, because a rank is missing there.
    let mut cut = wrong(1000);
    cut.samples.retain(|sample| sample.rank != 3 || sample.size != 64 << 20);
    assert_eq!(decided(&judged(&asked(), cut)), [Code::WrongData, Code::Unfinished, Code::SizeNotMeasured]);
    let mut unchecked = asked();
    unchecked.expect.wrong = Some(placed(Unchecked::Yes));
    assert_eq!(judged(&unchecked, wrong(1000)).outcome, Outcome::Pass);
}

#[test]
fn what_was_checked_in_part_is_noted_once_and_what_was_not_is_an_error() {
    let verdict = judged(
        &asked(),
        with(|run| {
            for sample in run.samples.iter_mut().filter(|sample| sample.size == 1 << 30) {
                sample.checked = Some(96 << 20);
            }
        }),
    );
    assert_eq!(verdict.outcome, Outcome::Pass);
    assert_eq!(messages(&verdict, Severity::Note), ["of large sizes each rank checked a part of its data: 96M of 1G"]);
    for checked in [None, Some(0)] {
        let verdict = judged(&asked(), with(|run| run.samples[0].checked = checked));
        assert_eq!((verdict.outcome, decided(&verdict)), (Outcome::Error, vec![Code::DataUnchecked]));
    }
}

#[test]
fn a_rank_in_another_place_than_asked_is_an_error() {
    let pin = |change: fn(&mut EngineRun)| judged(&asked(), with(change));
    let moved = pin(|run| run.placements[1].cpus = Some([0, 1].into_iter().collect()));
    assert_eq!((moved.outcome, decided(&moved)), (Outcome::Error, vec![Code::Pin]));
    let found = first(&moved);
    assert_eq!(found.message, "rank 1 (GPU1) was to use CPUs 0-3, and uses 0-1");
    assert_eq!((found.expected.as_deref(), found.actual.as_deref()), (Some("0-3"), Some("0-1")));
    let loose = pin(|run| run.placements[0].nodes = None);
    assert!(first(&loose).message.ends_with("memory of NUMA nodes 0, and is bound to none"), "{loose:?}");
    let unread = pin(|run| (run.placements[0].cpus, run.placements[0].nodes) = (None, None));
    assert!(first(&unread).message.ends_with("CPUs 0-3, which was not read back"), "{unread:?}");
    // Nothing asked: anything will do, where the case asks for nothing too.
    let free = |run: &mut EngineRun| {
        for placement in &mut run.placements {
            (placement.asked_cpus, placement.asked_nodes) = (None, None);
        }
    };
    assert_eq!(pin(free).outcome, Outcome::Pass);
}

#[test]
fn a_measurement_under_another_pin_than_the_cases_is_an_error() {
    let mut facts = server(4);
    let list = |text: &str| text.parse::<IndexList>().unwrap();
    facts.host.numa_nodes = Fact::known(vec![NumaNode::new(0, list("0-7")), NumaNode::new(1, list("8-15"))], "sysfs");
    for index in 0..4 {
        facts.gpu_mut(index).cpus = Fact::known(list("0-7"), "sysfs");
    }
    let under_in = |pin: Pin, live: bool, facts: &Facts| {
        let mut case = case_among(Kind::Collective(asked()), &[]);
        let mut test = (**case.test.as_ref().unwrap()).clone();
        test.pin = pin;
        case.test = Some(test.into());
        decided(&judged_case(&case, evidence(&sweep(&["64M", "1G"]), run(4, &SIZES)), facts, live))
    };
    let under = |pin: Pin, live: bool| under_in(pin, live, &facts);
    for live in [false, true] {
        for right in [Pin::GpuLocal, Pin::Node(0), Pin::Cpus(list("0-3"))] {
            assert_eq!(under(right.clone(), live), [], "{right}");
        }
        for other in [Pin::GpuRemote, Pin::Node(1), Pin::Cpus(list("0-7")), Pin::None] {
            assert_eq!(under(other.clone(), live), [Code::Pin; 4], "{other}");
        }
    }
    // Where there is one node only, every pin to a node is that one.
    let mut one = facts.clone();
    one.host.numa_nodes = Fact::known(vec![NumaNode::new(0, list("0-7"))], "sysfs");
    assert_eq!(under_in(Pin::GpuRemote, true, &one), []);
}

#[test]
fn ranks_that_could_not_be_started_are_told_once() {
    let few = with(|run| {
        run.placements.truncate(3);
        run.samples.clear();
        run.trouble = Some(trouble(TroubleKind::Internal, Some(3), "rank 3 could not be started"));
    });
    assert_eq!(decided(&judged(&asked(), few)), [Code::Internal]);
}

#[test]
fn variables_must_be_those_of_the_ranks() {
    let known = |set: &[(&str, &str)]| {
        let mut known = evidence(&sweep(&["64M", "1G"]), run(4, &SIZES));
        let set = set.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        known.measurement.as_mut().unwrap().environment = Some(set.collect());
        known
    };
    let mut case = case_among(Kind::Collective(asked()), &[]);
    let mut test = (**case.test.as_ref().unwrap()).clone();
    test.environment.insert("NCCL_NTHREADS".into(), placed(EnvironmentValue::Set("256".into())));
    test.environment.insert("NCCL_MIN_CTAS".into(), placed(EnvironmentValue::Removed));
    case.test = Some(test.into());
    let judged = |set: &[(&str, &str)], operator: Option<&OperatorEnvironment>| {
        let collectives = [(case.short_name(), known(set))].into();
        let facts = nothing_known();
        let evidence = Evidence { collectives: &collectives, operator, ..live(&facts) };
        decided(&judge(&case, &evidence))
    };
    assert_eq!(judged(&[("NCCL_NTHREADS", "256")], None), []);
    assert_eq!(judged(&[("NCCL_NTHREADS", "128")], None), [Code::Setting]);
    assert_eq!(judged(&[], None), [Code::Setting]);
    assert_eq!(judged(&[("NCCL_NTHREADS", "256"), ("NCCL_MIN_CTAS", "4")], None), [Code::Setting]);
    // What the operator gives wins, and must be there; what the shell had was not asked for.
    let mut operator = OperatorEnvironment::default();
    operator.set.insert("NCCL_NTHREADS".into(), Some("128".into()));
    operator.pins.insert("NCCL_PINNED".into(), "1".into());
    operator.inherited.insert("NCCL_DEBUG".into(), "WARN".into());
    let set = [("NCCL_NTHREADS", "128"), ("NCCL_PINNED", "1"), ("NCCL_DEBUG", "INFO")];
    assert_eq!(judged(&set, Some(&operator)), []);
    assert_eq!(judged(&set[..1], Some(&operator)), [Code::Setting]);
    assert_eq!(judged(&[("NCCL_NTHREADS", "256"), set[1]], Some(&operator)), [Code::Setting]);
}

#[test]
fn a_stand_in_is_told_and_a_slow_rank_noted() {
    for change in [(|run: &mut EngineRun| run.fake = true) as fn(&mut EngineRun), |run| run.libraries[1].fake = true] {
        let verdict = judged(&asked(), with(change));
        assert_eq!((verdict.outcome, first(&verdict).code), (Outcome::Pass, Code::StandIn));
        assert_eq!(first(&verdict).severity, Severity::Warning);
    }
    let verdict = judged(
        &all_reduce(&[("64M", 100.0), ("1G", 300.0)]),
        with(|run| {
            // 503.32 us on all but one, which needs 1.5 times that: the mean is 566.23 us.
            run.samples[3].time *= 1.5;
        }),
    );
    assert_eq!(verdict.outcome, Outcome::Pass);
    let notes = messages(&verdict, Severity::Note);
    assert_eq!(notes, ["rank 3 (GPU3) needs 754.97 us at 64M out of place, 33.33 % more than the mean of all ranks"]);
}

#[test]
fn without_evidence_a_live_run_says_why() {
    let said = |collective: &Collective| {
        let case = case_among(Kind::Collective(collective.clone()), &[]);
        let verdict = judge(&case, &live(&nothing_known()));
        (first(&verdict).code, first(&verdict).message.clone())
    };
    let gather = crate::verdict::testing_measured::collective(Operation::AllGather, &["1G"]);
    let (code, message) = said(&gather);
    assert!(code == Code::NotJudged && message.contains("this version measures all_reduce only"), "{message}");
    let mut external = asked();
    external.engine = Some(placed(crate::spec::Engine::NcclTests));
    let (code, message) = said(&external);
    assert!(code == Code::NotJudged && message.contains("does not start nccl-tests itself"), "{message}");
    assert_eq!(said(&asked()).0, Code::Unknown);
}

#[test]
fn a_share_of_a_case_with_trouble_is_unknown() {
    let mut share = asked();
    let of = BoundBase::Case { test: "fast".into(), cell: None };
    share.expect.busbw = [(size("1G"), bound(BoundValue::Share { at_least: 0.9, of }))].into();
    let case = case_among(Kind::Collective(share), &[("fast", asked())]);
    let judged = |fast: EngineRun| {
        let known = |run| evidence(&sweep(&["64M", "1G"]), run);
        let collectives = [("all-reduce".to_owned(), known(run(4, &SIZES))), ("fast".to_owned(), known(fast))].into();
        let facts = nothing_known();
        judge(&case, &Evidence { collectives: &collectives, ..live(&facts) })
    };
    assert_eq!(judged(run(4, &SIZES)).outcome, Outcome::Pass);
    let left = with(|run| run.trouble = Some(trouble(TroubleKind::NotFree, Some(0), "a process is left on GPU0")));
    let verdict = judged(left);
    assert_eq!(verdict.outcome, Outcome::Error);
    assert!(first(&verdict).message.contains("of fast: a process is left on GPU0"), "{:?}", verdict.findings);
    let moved = judged(with(|run| run.placements[1].cpus = Some([9].into_iter().collect())));
    assert!(first(&moved).message.contains("of fast: rank 1 (GPU1) was to use CPUs 0-3, and uses 9"));
}

#[test]
fn the_median_of_several_measurements_counts_and_a_spread_across_the_bound_is_told() {
    // 1G: 400 GB/s and 340 GB/s, on both sides of 350.
    let several = |slow: usize| {
        let at = |busbw| run(4, &[("64M", 200.0), ("1G", busbw)]).samples;
        let repeats: Vec<_> = (0..5).map(|number| at(if number < slow { 340.0 } else { 400.0 })).collect();
        with(|run| {
            run.samples = median_of(&repeats);
            run.repeats = repeats;
        })
    };
    let told = |verdict: &Verdict| {
        let marginal = verdict.findings.iter().filter(|found| found.code == Code::Marginal);
        marginal.map(|found| found.message.clone()).collect::<Vec<_>>()
    };
    let verdict = judged(&asked(), several(2));
    assert_eq!(verdict.outcome, Outcome::Pass);
    assert_eq!(
        told(&verdict),
        ["out of place", "in place"].map(|place| format!(
            "busbw at 1G {place} was 340.00 to 400.00 GB/s in 5 measurements, 2 of them outside its bound; the median counts"
        ))
    );
    let verdict = judged(&asked(), several(3));
    assert_eq!((verdict.outcome, told(&verdict).len()), (Outcome::Fail, 2));
    for slow in [0, 5] {
        assert_eq!(told(&judged(&asked(), several(slow))), Vec::<String>::new());
    }
}
