use super::*;

/// A sweep whose order is longer than a pipe is wide.
fn long() -> Sweep {
    Sweep { sizes: (1..=100_000).map(|size| size * 8).collect(), ..sweep() }
}

fn started(plan: &SessionPlan) -> Session {
    start(plan).map_err(|ended| ended.trouble).ok().unwrap()
}

#[test]
fn a_rank_that_reads_no_orders_holds_nobody() {
    let mut plan = plan(&["start; heed", "start; kill -STOP $$; heed"]);
    plan.deadlines.most = Duration::from_secs(1);
    // Not for a rank that hears nothing: beside one that is stopped the others have a second.
    plan.deadlines.abort = Duration::from_secs(60);
    let mut session = started(&plan);
    let began = Instant::now();
    let ended = session.measure(&long(), None, None, &Interrupt::default(), &mut |_| {}).unwrap_err();
    assert!(began.elapsed() < Duration::from_secs(30));
    assert_eq!(ended.trouble.rank, Some(1), "{:?}", ended.trouble);
    assert!(ended.trouble.message.contains("stopped (state T)"), "{}", ended.trouble.message);
    nothing_is_left(&ended.placements);
}

#[test]
fn a_long_order_arrives_whole() {
    let hears = "start; order; [ ${#line} -gt 600000 ] && sample 8; echo '\"measured\"'; heed";
    let mut session = started(&plan(&[hears, "life"]));
    let samples = session.measure(&long(), None, None, &Interrupt::default(), &mut |_| {}).unwrap();
    assert!(samples.iter().any(|sample| sample.rank == 0), "{samples:?}");
}

#[test]
fn ranks_that_meet_twice_wait_for_each_other_twice() {
    let folder = tempfile::tempdir().unwrap();
    let meet = r#"echo '"at-barrier"'; order"#;
    let first = format!(r#"start; order; {meet}; {meet}; [ -e "$MARK" ] || exit 9; echo '"measured"'; leave"#);
    let second = format!(r#"start; order; {meet}; sleep 0.5; : >"$MARK"; {meet}; echo '"measured"'; leave"#);
    let mut plan = plan(&[&first, &second]);
    for rank in &mut plan.ranks {
        rank.environment.push(("MARK".into(), Some(folder.path().join("mark").display().to_string())));
    }
    let mut session = started(&plan);
    assert_eq!(measure(&mut session).unwrap(), []);
    assert_eq!(session.end(), None);
}

#[test]
fn a_session_that_is_over_holds_nobody_at_its_barrier() {
    let mut session = started(&plan(&["start; heed", "start; order; trouble unsupported 'no'; heed"]));
    assert!(!session.crew.board.is_stopped());
    measure(&mut session).unwrap_err();
    assert!(session.crew.board.is_stopped());
}

#[test]
fn a_rank_that_stops_itself_when_it_is_called_off_is_ended_politely() {
    let mut plan =
        plan(&["start; heed", "start; order; trouble unsupported 'no'; heed; sleep 0.5; kill -STOP $$; hang"]);
    plan.deadlines.abort = Duration::from_secs(2);
    plan.deadlines.terminate = Duration::from_secs(60);
    let mut session = started(&plan);
    let began = Instant::now();
    let ended = measure(&mut session).unwrap_err();
    assert!(began.elapsed() < Duration::from_secs(30));
    nothing_is_left(&ended.placements);
}

#[test]
fn a_rank_that_does_not_say_that_it_ends_or_ends_with_a_code_is_trouble() {
    for (last, words) in [
        ("order; exit 0", "rank 1 (GPU5) ended before its work was done"),
        ("order; echo '\"ended\"'; exit 3", "rank 1 (GPU5) ended with exit code 3"),
    ] {
        let session = started(&plan(&["life", &format!("start; {last}")]));
        // The first rank measures nothing either.
        let trouble = session.end().unwrap();
        assert_eq!(trouble.kind, TroubleKind::Crash);
        assert!(trouble.message.starts_with(words) || trouble.rank == Some(0), "{trouble:?}");
    }
}

#[test]
fn a_second_test_counts_its_own_samples_and_is_no_first_collective() {
    let second = "start; measure; order; phase 8; sample 8; kill -SEGV $$";
    let mut session = started(&plan(&["start; measure; heed", second]));
    measure(&mut session).unwrap();
    let ended = measure(&mut session).unwrap_err();
    assert!(
        ended.trouble.details.iter().any(|line| line.contains("rank 1 (GPU5)") && line.contains(", 1 samples told"))
    );
    let hangs = "start; measure; order; phase 6; hang";
    let mut plan = plan(&[hangs, hangs]);
    plan.deadlines.abort = Duration::from_millis(100);
    plan.deadlines.terminate = Duration::from_millis(100);
    plan.deadlines.least_operation = Duration::from_secs(1);
    let mut session = started(&plan);
    measure(&mut session).unwrap();
    assert_eq!(measure(&mut session).unwrap_err().trouble.kind, TroubleKind::MidRunHang);
}

#[test]
fn a_watcher_is_told_the_place() {
    let slow = "start; order; phase 8; sample 8; sleep 1; echo '\"measured\"'; leave";
    let mut session = started(&plan(&[slow, slow]));
    let mut seen = Vec::new();
    let both = Sweep { in_place: true, ..sweep() };
    let watch = &mut |watched: &Watched| seen.push((watched.samples, watched.in_place));
    session.measure(&both, None, None, &Interrupt::default(), watch).unwrap();
    assert!(seen.contains(&(1, Some(true))), "{seen:?}");
}

#[test]
fn what_a_rank_leaves_behind_is_ended_and_its_last_words_are_its_last() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let talks = "begin; sleep 60 >/dev/null 2>&1 & echo $! >\"$MARK\"; yes early | head -c 20000 >&2; echo >&2; echo the end >&2; exit 3";
    let mut plan = plan(&["start; heed", talks]);
    plan.ranks[1].environment.push(("MARK".into(), Some(file("pid").display().to_string())));
    plan.ranks[1].stderr = Some(file("stderr"));
    let ended = fails_to_start(&plan);
    assert!(ended.trouble.details.contains(&"rank 1 wrote: the end".to_owned()), "{:?}", ended.trouble.details);
    let orphan = std::fs::read_to_string(file("pid")).unwrap();
    // One that nobody has reaped is a zombie, whose state stands behind its name.
    let stat = format!("/proc/{}/stat", orphan.trim());
    let runs = || std::fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z"));
    let began = Instant::now();
    while runs() && began.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(!runs());
}
