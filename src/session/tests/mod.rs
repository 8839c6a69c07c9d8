//! Sessions of stand-ins: shell scripts that speak a rank's lines and misbehave as told.

mod diagnosis;
mod faults;
mod life;
mod orders;

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use nix::{
    errno::Errno,
    sys::wait::{WaitPidFlag, waitpid},
    unistd::Pid,
};

use super::{Deadlines, Ended, RankPlan, Session, SessionPlan, Watched};
use crate::{
    collective::Sweep,
    evidence::{RankPlacement, RankSample, TroubleKind},
    facts::Vendor,
    run::Interrupt,
    worker::Libraries,
};

/// A plan of one rank for each play; no deadline passes on a machine that is merely busy.
fn plan(plays: &[&str]) -> SessionPlan {
    let rank = |(number, play): (u32, &&str)| RankPlan {
        gpu: number + 4,
        pci: format!("0000:{number:02x}:00.0"),
        environment: vec![("PLAY".into(), Some((*play).into())), ("VERSION".into(), None)],
        ..RankPlan::default()
    };
    SessionPlan {
        vendor: Vendor::Nvidia,
        ranks: (0..).zip(plays).map(rank).collect(),
        libraries: Libraries::default(),
        program: PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/src/session/tests/stand_in.sh")),
        deadlines: Deadlines::standard(2).at_most(Duration::from_secs(30)),
        centric_scheduling: true,
        blocking: true,
        ras: None,
        likely: None,
    }
}

fn sweep() -> Sweep {
    Sweep { in_place: false, checked: false, whole_check: 1 << 20, ..Sweep::over(&[8, 1024]) }
}

fn start(plan: &SessionPlan) -> Result<Session, Box<Ended>> {
    Session::start(plan, &Interrupt::default(), &mut |_| {})
}

fn measure(session: &mut Session) -> Result<Vec<RankSample>, Box<Ended>> {
    session.measure(&sweep(), None, None, &Interrupt::default(), &mut |_| {})
}

/// A session that ends in its start.
fn fails_to_start(plan: &SessionPlan) -> Box<Ended> {
    let ended = start(plan).err().unwrap();
    nothing_is_left(&ended.placements);
    ended
}

/// A session that ends in its test.
fn fails_to_measure(plan: &SessionPlan) -> Box<Ended> {
    let mut session = start(plan).map_err(|ended| ended.trouble).ok().unwrap();
    let ended = measure(&mut session).unwrap_err();
    nothing_is_left(&ended.placements);
    ended
}

/// No process of the ranks is there any more, not even one that waits to be reaped.
fn nothing_is_left(placements: &[RankPlacement]) {
    assert!(!placements.is_empty());
    for placement in placements {
        let pid = Pid::from_raw(i32::try_from(placement.pid).unwrap());
        assert_eq!(waitpid(pid, Some(WaitPidFlag::WNOHANG)), Err(Errno::ECHILD), "rank {}", placement.rank);
    }
}

fn class(ended: &Ended) -> (TroubleKind, Option<u32>) {
    (ended.trouble.kind, ended.trouble.rank)
}
