use std::{
    io::{BufRead, BufReader, Write},
    net::{Ipv4Addr, TcpListener},
    thread,
};

use nix::sys::signal::{Signal, kill};

use super::*;

/// A plan whose phases are short, for ranks that hang; a shell that is to get on must do so within it.
fn short(plays: &[&str]) -> SessionPlan {
    let mut plan = plan(plays);
    plan.deadlines.abort = Duration::from_millis(300);
    plan.deadlines.terminate = Duration::from_millis(300);
    plan
}

#[test]
fn a_rank_that_dies_by_a_signal() {
    let ended = fails_to_measure(&plan(&["start; heed", "start; order; phase 8; sample 8; kill -SEGV $$"]));
    assert_eq!(class(&ended), (TroubleKind::Crash, Some(1)));
    assert_eq!(ended.trouble.message, "rank 1 (GPU5) was ended by SIGSEGV while in the timed loop");
    assert_eq!((ended.samples.len(), ended.samples[0].rank), (1, 1));
    assert_eq!(ended.trouble.details.len(), 2);
    assert!(ended.trouble.details[1].contains("process gone"));
}

#[test]
fn a_rank_that_exits() {
    let ended = fails_to_start(&plan(&["start; heed", "begin; exit 3"]));
    assert_eq!(class(&ended), (TroubleKind::Crash, Some(1)));
    assert_eq!(ended.trouble.message, "rank 1 (GPU5) ended with exit code 3 while starting");
    // It never told of its libraries and place; the other one may have.
    assert_eq!(ended.placements[1].name, None);
}

#[test]
fn a_rank_that_ends_too_early() {
    let ended = fails_to_start(&plan(&["begin; ready; exit 0", "start; heed"]));
    assert_eq!(class(&ended), (TroubleKind::Crash, Some(0)));
    assert!(ended.trouble.message.contains("ended before its work was done"));
}

#[test]
fn a_crash_comes_before_the_error_that_its_peer_reports() {
    let peer = "start; order; trouble library-error 'remote process exited'; heed";
    let ended = fails_to_measure(&plan(&[peer, "start; order; sleep 0.1; kill -KILL $$"]));
    // On a machine so busy that the crash comes later than half a second, the report is all there is.
    if ended.trouble.rank == Some(1) {
        assert_eq!(ended.trouble.message, "rank 1 (GPU5) was ended by SIGKILL while starting");
    } else {
        assert_eq!(class(&ended), (TroubleKind::LibraryError, Some(0)));
    }
}

#[test]
fn a_rank_that_reports_trouble() {
    let ended = fails_to_measure(&plan(&["start; order; trouble unsupported 'NVLS is off'; heed", "start; heed"]));
    assert_eq!(class(&ended), (TroubleKind::Unsupported, Some(0)));
    assert_eq!(ended.trouble.message, "rank 0 (GPU4), starting: NVLS is off");
    assert_eq!(ended.libraries[0].name, "NCCL");
}

#[test]
fn a_rank_that_closes_its_output() {
    let ended = fails_to_start(&plan(&["start; heed", "begin; exec >/dev/null; heed"]));
    assert_eq!(class(&ended), (TroubleKind::Internal, Some(1)));
    assert!(ended.trouble.message.contains("closed its output"));
}

#[test]
fn a_rank_that_never_has_its_gpu() {
    let mut plan = short(&["begin; ready; heed", "begin; phase 1; heed"]);
    plan.deadlines.context = Duration::from_millis(1500);
    let ended = fails_to_start(&plan);
    assert_eq!(ended.trouble.kind, TroubleKind::InitHang);
    let message = &ended.trouble.message;
    // A machine on which a shell does not begin in that time has no rank that gets on.
    assert!(message.contains("rank 1 (GPU5)") || message.contains("starting"), "{message}");
    assert_eq!(ended.trouble.details.len(), 2);
}

#[test]
fn a_rank_that_hangs_in_the_communicator_and_hears_nothing() {
    let mut plan = short(&["begin; ready; order; phase 3; hang", "begin; ready; order; trap '' TERM; phase 3; hang"]);
    plan.deadlines.init = Duration::from_secs(1);
    let began = Instant::now();
    let ended = fails_to_start(&plan);
    assert_eq!(ended.trouble.kind, TroubleKind::InitHang);
    assert!(ended.trouble.message.contains("did not get on within 1 s"), "{}", ended.trouble.message);
    assert!(began.elapsed() < Duration::from_secs(25));
}

#[test]
fn a_rank_that_is_stopped_is_named_and_the_library_asked() {
    let service = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let mut plan = short(&["start; order; phase 6; heed", "start; heed"]);
    plan.ras = Some(service.local_addr().unwrap().port());
    plan.deadlines.first_collective = Duration::from_secs(1);
    plan.deadlines.least_operation = Duration::from_secs(1);
    let mut session = start(&plan).map_err(|ended| ended.trouble).ok().unwrap();
    let pid = i32::try_from(session.placements()[1].pid).unwrap();
    kill(Pid::from_raw(pid), Signal::SIGSTOP).unwrap();
    let ended = thread::scope(|scope| {
        scope.spawn(|| {
            let mut stream = BufReader::new(service.accept().unwrap().0);
            stream.read_line(&mut String::new()).unwrap();
            stream.get_mut().write_all(b"NCCL version 2.28.3\n").unwrap();
        });
        measure(&mut session).unwrap_err()
    });
    nothing_is_left(&ended.placements);
    assert_eq!(class(&ended), (TroubleKind::FirstCollectiveHang, Some(1)));
    let message = &ended.trouble.message;
    assert_eq!(message, "rank 1 (GPU5) did not get on within 1 s: stopped (state T) while starting");
    assert!(ended.trouble.details[1].contains("process in state T"));
    assert_eq!(ended.ras.as_deref(), Some("NCCL version 2.28.3\n"));
}

#[test]
fn a_test_that_exceeds_its_timeout() {
    let plan = short(&["start; order; phase 8; sample 8; heed", "start; order; phase 8; sample 8; heed"]);
    let mut session = start(&plan).map_err(|ended| ended.trouble).ok().unwrap();
    let timeout = Some(Duration::from_millis(500));
    let ended = session.measure(&sweep(), None, timeout, &Interrupt::default(), &mut |_| {}).unwrap_err();
    assert!(ended.trouble.message.starts_with("the test did not end within its timeout of 0.5 s"));
    nothing_is_left(&ended.placements);
}

#[test]
fn ranks_with_different_libraries() {
    let mut plan = plan(&["start; heed", "start; heed"]);
    plan.ranks[1].environment.push(("VERSION".into(), Some("2.27.3".into())));
    let ended = fails_to_start(&plan);
    assert_eq!(class(&ended), (TroubleKind::Library, Some(1)));
    assert!(ended.trouble.message.contains("2.27.3") && ended.trouble.message.contains("2.28.3"));
}

#[test]
fn a_pin_that_did_not_take() {
    let mut plan = plan(&["start; heed", "start; heed"]);
    plan.ranks[0].cpus = Some("0-3".parse().unwrap());
    plan.ranks[1].cpus = Some("4-7".parse().unwrap());
    let ended = fails_to_start(&plan);
    assert_eq!(class(&ended), (TroubleKind::Pin, Some(1)));
    assert!(ended.trouble.message.contains("CPUs 4-7 were asked for, the kernel says 0-3"));
    assert_eq!(ended.placements[1].asked_cpus, Some("4-7".parse().unwrap()));
}

#[test]
fn an_interruption_ends_the_ranks() {
    let mut session = start(&plan(&["start; heed", "start; heed"])).map_err(|ended| ended.trouble).ok().unwrap();
    let interrupt = Interrupt::asked();
    let ended = session.measure(&sweep(), None, None, &interrupt, &mut |_| {}).unwrap_err();
    assert_eq!(class(&ended), (TroubleKind::Interrupted, None));
    nothing_is_left(&ended.placements);
}

#[test]
fn a_rank_that_reads_no_orders_holds_nobody() {
    let mut plan = short(&["start; heed", "start; kill -STOP $$; heed"]);
    plan.deadlines.least_operation = Duration::from_secs(1);
    plan.deadlines.prepare = Duration::from_secs(1);
    plan.deadlines.first_collective = Duration::from_secs(1);
    plan.deadlines.most = Duration::from_secs(1);
    let mut session = start(&plan).map_err(|ended| ended.trouble).ok().unwrap();
    // The order is longer than a pipe is wide.
    let long = Sweep { sizes: (1..=100_000).map(|size| size * 8).collect(), ..sweep() };
    let ended = session.measure(&long, None, None, &Interrupt::default(), &mut |_| {}).unwrap_err();
    assert_eq!(ended.trouble.rank, Some(1), "{:?}", ended.trouble);
    assert!(ended.trouble.message.contains("stopped (state T)"), "{}", ended.trouble.message);
    nothing_is_left(&ended.placements);
}

#[test]
fn a_long_order_arrives_whole() {
    let mut session =
        start(&plan(&["start; order; [ ${#line} -gt 600000 ] && sample 8; echo '\"measured\"'; heed", "life"]))
            .map_err(|ended| ended.trouble)
            .ok()
            .unwrap();
    let long = Sweep { sizes: (1..=100_000).map(|size| size * 8).collect(), ..sweep() };
    let samples = session.measure(&long, None, None, &Interrupt::default(), &mut |_| {}).unwrap();
    assert!(samples.iter().any(|sample| sample.rank == 0), "{samples:?}");
}
