use super::support::{
    SIZE, choice, collective, decided, judged, judged_case, log, network, of_log, p2p, test_case, unjoined,
};
use crate::{
    evidence::{
        Carrier, CollectiveEvidence, Edge, EngineRun, LibraryLog, LogLine, RasAnswer, RasCommunicator, Trouble,
        TroubleKind,
    },
    facts::Damage,
    spec::{CollectiveExpect, Operation, Sizes},
    units::Size,
    verdict::{
        FindingCode as Code, Outcome, Severity, Verdict,
        testing::{at_least, exact, failures, placed},
    },
};

fn verdict(expect: CollectiveExpect, log: LibraryLog) -> Verdict {
    judged(expect, log, &unjoined(4))
}

fn algorithm(name: &str) -> CollectiveExpect {
    CollectiveExpect { algorithm: exact(name.to_owned()), ..CollectiveExpect::default() }
}

fn chosen(choices: &[(Size, &str, &str)]) -> LibraryLog {
    let choices = choices.iter().map(|(size, algorithm, protocol)| choice(*size, algorithm, protocol));
    LibraryLog { choices: choices.collect(), ..log(4, &p2p()) }
}

#[test]
fn every_choice_for_a_size_must_be_the_one_asked() {
    assert_eq!(verdict(algorithm("Ring"), chosen(&[(SIZE, "Ring", "Simple")])).outcome, Outcome::Pass);
    let both = chosen(&[(SIZE, "Ring", "Simple"), (SIZE, "Tree", "Simple")]);
    let verdict = verdict(algorithm("Ring"), both.clone());
    assert_eq!(decided(&verdict), (Outcome::Fail, vec![Code::Algorithm], vec!["1G"]));
    assert_eq!(verdict.findings[0].message, "1G uses the algorithm Tree, expected Ring");
    let protocol = CollectiveExpect { protocol: exact("LL128".into()), ..CollectiveExpect::default() };
    assert_eq!(failures(&judged(protocol, both, &unjoined(4))), [Code::Protocol]);
}

#[test]
fn a_size_without_a_choice_is_unknown_and_other_sizes_do_not_stand_in() {
    for other in [(Size(SIZE.0 - 16), "Ring", "Simple"), (Size(SIZE.0 * 2), "Tree", "LL")] {
        let verdict = verdict(algorithm("Ring"), chosen(&[other]));
        assert_eq!(decided(&verdict), (Outcome::Error, vec![Code::Unknown], vec!["1G"]), "{other:?}");
    }
    let mut two = collective(algorithm("Ring"));
    two.sizes = placed(Sizes::List(vec![Size(1024), SIZE]));
    let known = of_log(chosen(&[(SIZE, "Ring", "Simple")]));
    let verdict = judged_case(&test_case(two, |_| {}), Some(known), &unjoined(4), false);
    assert_eq!(decided(&verdict), (Outcome::Error, vec![Code::Unknown], vec!["1K"]));
}

#[test]
fn the_choice_for_another_operation_is_none_for_this_one() {
    let mut log = chosen(&[]);
    let mut other = choice(SIZE, "Tree", "Simple");
    other.operation = Some("AllGather".into());
    log.choices.insert(other);
    assert_eq!(verdict(algorithm("Ring"), log.clone()).outcome, Outcome::Error);
    // Old logs do not name the operation.
    let mut nameless = choice(SIZE, "Ring", "Simple");
    nameless.operation = None;
    log.choices.insert(nameless);
    assert_eq!(verdict(algorithm("Ring"), log).outcome, Outcome::Pass);
}

#[test]
fn what_the_library_never_tells_is_said_to_be_so() {
    let mut exchange = collective(algorithm("Ring"));
    exchange.operation = placed(Operation::SendRecv);
    let known = of_log(chosen(&[(SIZE, "Ring", "Simple")]));
    let verdict = judged_case(&test_case(exchange, |_| {}), Some(known), &unjoined(4), false);
    assert_eq!(verdict.outcome, Outcome::Error);
    assert!(verdict.findings[0].message.ends_with("the library does not tell what it chooses for sendrecv"));
}

#[test]
fn ranks_must_agree_on_the_channels() {
    let expect = || CollectiveExpect { channels: at_least(16), ..CollectiveExpect::default() };
    let with = |channels: &[u32]| LibraryLog { channels: channels.iter().copied().collect(), ..log(4, &p2p()) };
    let outcome = |channels: &[u32]| verdict(expect(), with(channels)).outcome;
    assert_eq!([outcome(&[16]), outcome(&[24])], [Outcome::Pass, Outcome::Pass]);
    assert_eq!(failures(&verdict(expect(), with(&[8]))), [Code::Channels]);
    assert_eq!([outcome(&[]), outcome(&[16, 24])], [Outcome::Error, Outcome::Error]);
}

/// A ring of four ranks over so many devices of a network.
fn over_nics(devices: &[u32]) -> LibraryLog {
    let mut over = log(4, &p2p());
    over.edges.clear();
    for from in 0..4_u32 {
        let device = devices[from as usize % devices.len()];
        over.edges.insert(Edge { from, to: (from + 1) % 4, carrier: network("IB", device, true) });
    }
    over
}

#[test]
fn nics_are_counted_once_and_only_in_a_whole_log() {
    let expect = |count: u32| CollectiveExpect { nics_used: exact(count), ..CollectiveExpect::default() };
    assert_eq!(verdict(expect(2), over_nics(&[0, 1])).outcome, Outcome::Pass);
    assert_eq!(verdict(expect(0), log(4, &p2p())).outcome, Outcome::Pass);
    let mut named = over_nics(&[0, 1]);
    named.network_devices.insert(1, ["mlx5_3".to_owned()].into());
    let fewer = verdict(expect(4), named);
    assert_eq!(failures(&fewer), [Code::NicsUsed]);
    assert_eq!(fewer.findings[0].message, "traffic uses 2 NICs (NIC0, mlx5_3), expected 4");
    let cut = |mut log: LibraryLog| {
        log.edges.pop_last();
        log
    };
    assert_eq!(verdict(expect(4), cut(over_nics(&[0, 1]))).outcome, Outcome::Error);
    assert_eq!(verdict(expect(1), cut(over_nics(&[0, 1]))).outcome, Outcome::Fail);
    // Two networks number their devices each from 0: the socket's may be another NIC, or the same over IPoIB.
    let mut two = over_nics(&[0]);
    two.network_devices.insert(0, ["mlx5_3".to_owned()].into());
    two.edges.insert(Edge { from: 0, to: 1, carrier: network("Socket", 0, false) });
    for count in [1, 2] {
        assert_eq!(verdict(expect(count), two.clone()).outcome, Outcome::Error, "{count}");
    }
    assert_eq!(verdict(expect(0), two.clone()).outcome, Outcome::Fail);
    two.edges.retain(|edge| edge.carrier == network("Socket", 0, false));
    two.edges.extend((0..4).map(|from| Edge { from, to: (from + 1) % 4, carrier: network("Socket", 0, false) }));
    assert_eq!(verdict(expect(1), two.clone()).outcome, Outcome::Pass);
    assert_eq!(verdict(expect(2), two).findings[0].message, "traffic uses 1 NICs (Socket 0), expected 2");
    let mut untold = over_nics(&[0]);
    untold.edges.insert(Edge { from: 0, to: 1, carrier: Carrier::CollNet("SHARP".into()) });
    assert_eq!(verdict(expect(1), untold).outcome, Outcome::Error);
}

fn warning() -> LogLine {
    LogLine { source: "nccl-log/test.txt".into(), line: 12, text: "NET/IB : Got async event".into() }
}

#[test]
fn a_warning_of_the_library_fails_where_none_is_allowed_and_is_told_everywhere() {
    let none = || CollectiveExpect { no_warnings: Some(placed(true)), ..CollectiveExpect::default() };
    let warned = || LibraryLog { warnings: vec![warning()], warning_count: 5, ..log(4, &p2p()) };
    assert_eq!(verdict(none(), log(4, &p2p())).outcome, Outcome::Pass);
    let forbidden = verdict(none(), warned());
    assert_eq!(failures(&forbidden), [Code::LibraryWarning, Code::LibraryWarning]);
    assert!(forbidden.findings[0].message.starts_with("nccl-log/test.txt:12: "));
    // A rank whose lines are not there may have warned.
    let mut cut = log(4, &p2p());
    cut.ranks.remove(&3);
    let unheard = verdict(none(), cut);
    assert_eq!(unheard.outcome, Outcome::Error);
    assert!(unheard.findings[0].message.contains("rank 3"), "{:?}", unheard.findings);
    let told = verdict(CollectiveExpect::default(), warned());
    assert_eq!(told.outcome, Outcome::Pass);
    let severities: Vec<Severity> = told.findings.iter().map(|finding| finding.severity).collect();
    assert_eq!(severities, [Severity::Warning, Severity::Warning]);
    let mut damaged = log(4, &p2p());
    damaged.damage.push(Damage::new("nccl-log/test.txt", 3, "NCCL WA", "the line is cut"));
    assert_eq!(verdict(none(), damaged).outcome, Outcome::Error);
    let case = test_case(collective(none()), |_| {});
    assert_eq!(judged_case(&case, None, &unjoined(4), false).outcome, Outcome::Error);
}

#[test]
fn what_ras_reports_is_trouble_of_this_run() {
    let communicator = |errors: &str, missing| RasCommunicator {
        count: Some(1),
        ranks: Some(4),
        missing,
        status: "RUNNING".into(),
        errors: errors.into(),
    };
    let answer =
        |communicators| RasAnswer { source: "nccl-ras/test.txt".into(), communicators, ..RasAnswer::default() };
    let verdict = |answer| {
        let known = CollectiveEvidence { ras: Some(answer), ..of_log(log(4, &p2p())) };
        judged_case(&test_case(collective(Default::default()), |_| {}), Some(known), &unjoined(4), false)
    };
    assert_eq!(verdict(answer(vec![communicator("OK", Some(0)), communicator("OK", None)])).findings, []);
    let incomplete = verdict(answer(vec![communicator("INCOMPLETE", None), communicator("OK", Some(1))]));
    assert_eq!(failures(&incomplete), [Code::Ras, Code::Ras]);
    let apart = verdict(answer(vec![communicator("MISMATCH", None)]));
    assert_eq!(apart.outcome, Outcome::Pass);
    let dead = verdict(RasAnswer { dead: Some(1), ..answer(Vec::new()) });
    assert_eq!(failures(&dead), [Code::Ras]);
    let lines = RasAnswer { errors: vec!["1 job process is dead".into()], ..answer(Vec::new()) };
    assert_eq!(failures(&verdict(lines)), [Code::Ras]);
    let cut = verdict(RasAnswer { incomplete: Some("it is cut".into()), ..answer(Vec::new()) });
    assert_eq!((cut.outcome, cut.findings[0].severity), (Outcome::Pass, Severity::Warning));
}

/// A session that hung was asked what it knows: a rank that is missing then is the one that hung, told once as what it is.
#[test]
fn what_ras_reports_of_ranks_that_hung_is_no_failure_of_its_own() {
    let hung = Trouble {
        kind: TroubleKind::MidRunHang,
        rank: Some(1),
        message: "rank 1 (GPU1) did not get on within 10 s".into(),
        details: Vec::new(),
    };
    let answer =
        RasAnswer { source: "RAS".into(), errors: vec!["INCOMPLETE".into()], dead: Some(1), ..Default::default() };
    let engine = EngineRun { trouble: Some(hung), ..EngineRun::default() };
    let known = CollectiveEvidence { ras: Some(answer), engine: Some(engine), ..of_log(log(4, &p2p())) };
    let verdict = judged_case(&test_case(collective(Default::default()), |_| {}), Some(known), &unjoined(4), true);
    // The hang itself is told by who judges the engine.
    let told: Vec<_> = verdict.findings.iter().map(|found| (found.code, found.severity)).collect();
    assert_eq!(told, [(Code::Ras, Severity::Note); 2]);
}
