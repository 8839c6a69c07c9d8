use super::*;

#[test]
fn a_life_without_faults() {
    let mut session = start(&plan(&["life", "life"])).map_err(|ended| ended.trouble).ok().unwrap();
    assert_eq!(session.libraries()[0].version, "2.28.3");
    let placements = session.placements().to_vec();
    let placed: Vec<_> = placements.iter().map(|rank| (rank.rank, rank.gpu, rank.name.as_deref())).collect();
    assert_eq!(placed, [(0, 4, Some("Stand-in")), (1, 5, Some("Stand-in"))]);
    let samples = measure(&mut session).unwrap();
    let mut told: Vec<_> = samples.iter().map(|sample| (sample.rank, sample.size)).collect();
    told.sort_unstable();
    assert_eq!(told, [(0, 8), (0, 1024), (1, 8), (1, 1024)]);
    assert_eq!(session.end(), None);
    nothing_is_left(&placements);
}

#[test]
fn a_session_runs_several_tests() {
    let twice = "start; measure; measure; leave";
    let mut session = start(&plan(&[twice, twice])).map_err(|ended| ended.trouble).ok().unwrap();
    for _ in 0..2 {
        assert_eq!(measure(&mut session).unwrap().len(), 4);
    }
    assert_eq!(session.end(), None);
}

#[test]
fn ranks_that_meet_at_the_supervisor_go_on_together() {
    let meets = r#"start; order; echo '"at-barrier"'; order; [ "$line" = '"go"' ] || exit 9; sample 8; echo '"measured"'; leave"#;
    let mut session = start(&plan(&[meets, meets, meets])).map_err(|ended| ended.trouble).ok().unwrap();
    assert_eq!(measure(&mut session).unwrap().len(), 3);
    assert_eq!(session.end(), None);
}

#[test]
fn what_a_library_prints_is_passed_over_and_kept() {
    let noisy = "begin; echo 'NCCL version 2.28.3'; ready; join; echo; order; echo '{\"joined\"'; exit 3";
    let ended = fails_to_measure(&plan(&["start; heed", noisy]));
    assert_eq!(class(&ended), (TroubleKind::Crash, Some(1)));
    assert!(ended.trouble.details.contains(&"rank 1 printed: NCCL version 2.28.3".to_owned()));
    assert!(ended.trouble.details.contains(&"rank 1 printed: {\"joined\"".to_owned()));
}

#[test]
fn a_watcher_sees_the_rank_that_is_least_far() {
    let slow = "begin; phase 1; sleep 0.5; ready; join; measure; leave";
    let mut seen = Vec::new();
    let session = Session::start(&plan(&["life", slow]), &Interrupt::default(), &mut |watched| seen.push(*watched));
    assert!(session.is_ok());
    assert!(seen.iter().any(|watched| (watched.rank, watched.gpu) == (1, 5)), "{seen:?}");
}

#[test]
fn a_session_that_is_dropped_leaves_nothing() {
    let session =
        start(&plan(&["start; hang", "trap '' TERM INT; start; hang"])).map_err(|ended| ended.trouble).ok().unwrap();
    let placements = session.placements().to_vec();
    drop(session);
    nothing_is_left(&placements);
}

#[test]
fn ranks_are_given_their_environment_and_their_files() {
    let folder = tempfile::tempdir().unwrap();
    let mut plan = plan(&["begin; echo \"$GREETING\" >&2; trouble out-of-memory 'no memory'; heed", "life"]);
    plan.ranks[0].environment.push(("GREETING".into(), Some("good morning".into())));
    plan.ranks[0].stderr = Some(folder.path().join("rank0"));
    let ended = fails_to_start(&plan);
    assert_eq!(class(&ended), (TroubleKind::OutOfMemory, Some(0)));
    assert!(ended.trouble.details.contains(&"rank 0 wrote: good morning".to_owned()));
}

#[test]
fn a_program_that_is_not_there() {
    let plan = SessionPlan { program: "/no/such/program".into(), ..plan(&["life", "life"]) };
    let ended = start(&plan).err().unwrap();
    assert_eq!(class(&ended), (TroubleKind::Internal, Some(0)));
    assert!(ended.trouble.message.contains("/no/such/program could not be started"));
}

#[test]
fn the_end_may_hang_too() {
    let mut plan = plan(&["life", "start; measure; order; heed"]);
    plan.deadlines.end = Duration::from_secs(1);
    let mut session = start(&plan).map_err(|ended| ended.trouble).ok().unwrap();
    let placements = session.placements().to_vec();
    assert!(measure(&mut session).is_ok());
    let began = Instant::now();
    let trouble = session.end().unwrap();
    assert_eq!((trouble.kind, trouble.rank), (TroubleKind::MidRunHang, Some(1)));
    nothing_is_left(&placements);
    assert!(began.elapsed() < Duration::from_secs(25));
}
