//! Who is at fault, by data.

use std::time::Duration;

use crate::{
    evidence::{Trouble, TroubleKind},
    session::diagnosis::{Missed, RankState, Stage, hang, least_far, lines, seconds},
    worker::{At, Phase},
};

const AGAIN: Stage = Stage::Test { first: false };
const FIRST: Stage = Stage::Test { first: true };

/// A rank that is well: its process waits, and its beat goes on.
fn rank(rank: u32, phase: Phase, size: u64, iteration: u64) -> RankState {
    RankState {
        rank,
        gpu: rank + 4,
        at: At { phase, size, iteration, beat: 40 },
        awaited: true,
        since: Duration::from_secs(10),
        beaten: Some(Duration::from_millis(200)),
        heard: Duration::from_secs(12),
        process: Some('R'),
        ..RankState::default()
    }
}

fn timed(number: u32, iteration: u64) -> RankState {
    rank(number, Phase::Timed, 1 << 20, iteration)
}

fn diagnosed(stage: Stage, states: &[RankState]) -> Trouble {
    hang(stage, Missed::Deadline(Duration::from_secs(10)), states)
}

#[test]
fn a_stopped_rank_is_at_fault_wherever_it_is() {
    // It is even further than the others, whose peers' data it lacks.
    let states = [timed(0, 3), RankState { process: Some('T'), ..timed(1, 19) }, timed(2, 3)];
    let trouble = diagnosed(AGAIN, &states);
    assert_eq!((trouble.kind, trouble.rank), (TroubleKind::MidRunHang, Some(1)));
    assert_eq!(
        trouble.message,
        "rank 1 (GPU5) did not get on within 10 s: stopped (state T) while in the timed loop (1M, iteration 19)"
    );
    let traced = [timed(0, 3), RankState { process: Some('t'), ..timed(1, 19) }];
    assert_eq!(diagnosed(AGAIN, &traced).rank, Some(1));
}

#[test]
fn a_rank_inside_the_kernel() {
    let stuck = RankState { process: Some('D'), sleeps_in: Some("nvidia_ioctl".into()), ..timed(2, 19) };
    let trouble = diagnosed(AGAIN, &[timed(0, 19), timed(1, 19), stuck]);
    assert_eq!(trouble.rank, Some(2));
    assert!(trouble.message.contains("inside the kernel (state D in nvidia_ioctl)"), "{}", trouble.message);
}

#[test]
fn a_rank_that_shows_no_life() {
    let silent = RankState { beaten: Some(Duration::from_secs(9)), ..timed(0, 19) };
    let trouble = diagnosed(AGAIN, &[silent.clone(), timed(1, 19)]);
    assert_eq!(trouble.rank, Some(0));
    assert!(trouble.message.contains("no sign of life for 9 s"), "{}", trouble.message);
    // Its process is known to run no more: that says more than its silence.
    let stopped = RankState { process: Some('T'), ..timed(1, 19) };
    assert_eq!(diagnosed(AGAIN, &[silent, stopped]).rank, Some(1));
    // A rank that has not come to beat is not silent for that.
    let young = RankState { beaten: None, ..timed(0, 19) };
    assert_eq!(diagnosed(AGAIN, &[young, timed(1, 19)]).rank, None);
}

#[test]
fn the_rank_that_is_behind() {
    let by_iteration = [timed(0, 19), timed(1, 4), timed(2, 19)];
    let trouble = diagnosed(AGAIN, &by_iteration);
    assert_eq!((trouble.kind, trouble.rank), (TroubleKind::MidRunHang, Some(1)));
    assert!(trouble.message.ends_with("behind the others, in the timed loop (1M, iteration 4)"), "{}", trouble.message);
    let by_phase = [timed(0, 0), rank(1, Phase::Untimed, 1 << 20, 0)];
    assert_eq!(diagnosed(AGAIN, &by_phase).rank, Some(1));
    let by_size = [rank(0, Phase::Warmup, 64, 0), rank(1, Phase::Warmup, 32, 4)];
    assert_eq!(diagnosed(AGAIN, &by_size).rank, Some(1));
}

#[test]
fn a_rank_that_checks_the_place_before_is_behind_one_that_has_begun_the_next() {
    let next = RankState { samples: 3, ..rank(0, Phase::Untimed, 1 << 20, 0) };
    let checks = RankState { samples: 2, ..rank(1, Phase::Verify, 1 << 20, 0) };
    assert_eq!(diagnosed(AGAIN, &[next, checks]).rank, Some(1));
}

#[test]
fn no_rank_is_behind() {
    let trouble = diagnosed(AGAIN, &[timed(0, 19), timed(1, 19)]);
    assert_eq!((trouble.kind, trouble.rank), (TroubleKind::MidRunHang, None));
    assert_eq!(
        trouble.message,
        "the ranks did not get on within 10 s: no rank is behind, every one is in the timed loop (1M, iteration 19)"
    );
}

#[test]
fn several_are_behind_and_none_is_blamed_alone() {
    let trouble = diagnosed(AGAIN, &[timed(0, 19), timed(1, 4), timed(2, 4), timed(3, 4)]);
    assert_eq!(trouble.rank, None);
    assert!(trouble.message.starts_with("rank 1 (GPU5), rank 2 (GPU6) and rank 3 (GPU7) did not get on"));
}

#[test]
fn those_that_are_through_are_not_at_fault() {
    let through = |number| RankState { awaited: false, process: Some('T'), ..rank(number, Phase::Idle, 0, 0) };
    let trouble = diagnosed(AGAIN, &[through(0), timed(1, 19)]);
    assert_eq!(trouble.rank, Some(1));
    assert!(trouble.message.contains("behind the others"));
}

#[test]
fn the_class_is_that_of_the_phase() {
    let class = |stage, states: &[RankState]| diagnosed(stage, states).kind;
    let opens = [rank(0, Phase::Context, 0, 0)];
    assert_eq!(class(Stage::Context, &opens), TroubleKind::InitHang);
    let joins = [rank(0, Phase::Init, 0, 0), rank(1, Phase::Init, 0, 0)];
    assert_eq!(class(Stage::Init, &joins), TroubleKind::InitHang);
    let warms = [rank(0, Phase::Warmup, 8, 0), rank(1, Phase::Warmup, 8, 0)];
    assert_eq!(class(FIRST, &warms), TroubleKind::FirstCollectiveHang);
    assert_eq!(class(AGAIN, &warms), TroubleKind::MidRunHang);
    // One that has not come to its first collective holds all others in theirs.
    assert_eq!(class(FIRST, &[rank(0, Phase::Prepare, 8, 0), warms[1].clone()]), TroubleKind::FirstCollectiveHang);
    assert_eq!(class(FIRST, &[timed(0, 3), timed(1, 3)]), TroubleKind::MidRunHang);
    let later = RankState { samples: 2, ..rank(0, Phase::Untimed, 16, 0) };
    assert_eq!(class(FIRST, &[later]), TroubleKind::MidRunHang);
    assert_eq!(class(Stage::End, &[rank(0, Phase::End, 0, 0)]), TroubleKind::MidRunHang);
}

#[test]
fn a_timeout_blames_nobody_that_runs() {
    let timeout = Missed::Timeout(Duration::from_secs(30));
    let trouble = hang(AGAIN, timeout, &[timed(0, 19), timed(1, 4)]);
    assert_eq!(trouble.rank, None);
    assert_eq!(
        trouble.message,
        "the test did not end within its timeout of 30 s: rank 1 (GPU5) is in the timed loop (1M, iteration 4)"
    );
    let stopped = RankState { process: Some('T'), ..timed(0, 19) };
    let trouble = hang(AGAIN, timeout, &[stopped, timed(1, 4)]);
    assert_eq!(trouble.rank, Some(0));
    assert!(trouble.message.contains("timeout of 30 s: rank 0 (GPU4): stopped"), "{}", trouble.message);
}

#[test]
fn without_ranks_there_are_words_all_the_same() {
    assert_eq!(diagnosed(AGAIN, &[]).message, "the ranks did not get on within 10 s");
    assert!(hang(AGAIN, Missed::Timeout(Duration::ZERO), &[]).message.ends_with("timeout of 0 s"));
}

#[test]
fn the_least_far_is_one_that_is_waited_for() {
    let through = RankState { awaited: false, ..rank(0, Phase::Idle, 0, 0) };
    let states = [through, timed(1, 9), timed(2, 4), timed(3, 4)];
    assert_eq!(least_far(&states).map(|state| state.rank), Some(2));
}

#[test]
fn a_line_on_each_rank() {
    let asleep = RankState { process: Some('S'), sleeps_in: Some("futex_wait".into()), samples: 3, ..timed(0, 19) };
    let gone = RankState { process: None, beaten: None, ..rank(1, Phase::Spawned, 0, 0) };
    assert_eq!(
        lines(&[asleep, gone]),
        [
            "rank 0 (GPU4): in the timed loop (1M, iteration 19) for 10 s, 3 samples told, process in state S in \
             futex_wait, last beat 0.2 s ago, last heard 12 s ago",
            "rank 1 (GPU5): starting for 10 s, process gone, no beat yet, last heard 12 s ago",
        ]
    );
}

#[test]
fn places_and_times() {
    assert_eq!(At::default().words(), "starting");
    assert_eq!(At { phase: Phase::Verify, size: 1000, ..At::default() }.words(), "checking data (1000)");
    assert_eq!(seconds(Duration::from_millis(1500)), "1.5 s");
    assert_eq!(seconds(Duration::from_millis(9980)), "10 s");
    assert_eq!(seconds(Duration::from_secs(61)), "61 s");
}
