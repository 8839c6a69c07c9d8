use super::diagnosis::{RankState, who};
use crate::evidence::{Trouble, TroubleKind};

/// How a process ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    /// By a signal, of this name.
    Signal(String),
    /// With an exit code.
    Code(i32),
    /// The system does not say.
    Unknown,
}

/// What a rank did that ends the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// It reported trouble.
    Reported(Trouble),
    /// Its process ended.
    Died(Exit),
    /// It closed its output, and its process goes on.
    Closed,
}

impl Cause {
    /// Whether the rank itself told it.
    pub const fn is_reported(&self) -> bool {
        matches!(self, Self::Reported(_))
    }

    /// Whether nothing else can have been the cause of it, so that no other is waited for.
    pub const fn is_first_for_sure(&self) -> bool {
        match self {
            Self::Died(exit) => matches!(exit, Exit::Signal(_)),
            Self::Reported(trouble) => !follows(trouble.kind),
            Self::Closed => false,
        }
    }
}

/// Whether a rank may report this because another one died: an error of the library, or of the device or memory that it
/// shared with the dead one.
const fn follows(kind: TroubleKind) -> bool {
    matches!(kind, TroubleKind::LibraryError | TroubleKind::Device | TroubleKind::Internal)
}

/// The cause among those that were heard within a moment, in order: the first; but a process that was ended by a signal
/// comes before errors of its peers, which may have seen it die before the supervisor did.
pub(super) fn first(causes: &[(u32, Cause)]) -> Option<&(u32, Cause)> {
    let first = causes.first()?;
    if first.1.is_first_for_sure() {
        return Some(first);
    }
    causes.iter().find(|(_, cause)| matches!(cause, Cause::Died(Exit::Signal(_)))).or(Some(first))
}

/// The trouble that a cause is. `state` is the rank's.
pub(super) fn trouble(cause: &Cause, state: &RankState) -> Trouble {
    let (kind, message) = match cause {
        Cause::Reported(trouble) => return reported(trouble, state),
        Cause::Died(exit) => (TroubleKind::Crash, format!("{} {}", who(state), died(exit, state))),
        Cause::Closed => {
            let message = format!("{} closed its output, and its process goes on, {}", who(state), state.at.words());
            (TroubleKind::Internal, message)
        }
    };
    Trouble { kind, rank: Some(state.rank), message, details: Vec::new() }
}

fn reported(trouble: &Trouble, state: &RankState) -> Trouble {
    let mut trouble = trouble.clone();
    let rank = *trouble.rank.get_or_insert(state.rank);
    if !trouble.message.starts_with(&format!("rank {rank} ")) {
        trouble.message = format!("{}, {}: {}", who(state), state.at.words(), trouble.message);
    }
    trouble
}

fn died(exit: &Exit, state: &RankState) -> String {
    let place = state.at.words();
    match exit {
        Exit::Signal(signal) => format!("was ended by {signal} while {place}"),
        Exit::Code(0) => format!("ended before its work was done, while {place}"),
        Exit::Code(code) => format!("ended with exit code {code} while {place}"),
        Exit::Unknown => format!("is gone, and the system does not say how it ended; it was {place}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worker::{At, Phase};

    fn reported(kind: TroubleKind) -> Cause {
        Cause::Reported(Trouble { kind, rank: None, message: "ncclAllReduce: 6".into(), details: Vec::new() })
    }

    fn killed() -> Cause {
        Cause::Died(Exit::Signal("SIGKILL".into()))
    }

    fn rank_of(causes: &[(u32, Cause)]) -> Option<u32> {
        first(causes).map(|(rank, _)| *rank)
    }

    #[test]
    fn the_first_cause_counts() {
        let none: &[(u32, Cause)] = &[];
        assert_eq!(rank_of(none), None);
        assert_eq!(
            rank_of(&[(1, reported(TroubleKind::LibraryError)), (0, reported(TroubleKind::LibraryError))]),
            Some(1)
        );
        assert_eq!(rank_of(&[(1, killed()), (0, killed())]), Some(1));
        assert_eq!(rank_of(&[(1, killed()), (0, reported(TroubleKind::LibraryError))]), Some(1));
    }

    #[test]
    fn a_crash_comes_before_the_errors_of_its_peers() {
        let remote = (0, reported(TroubleKind::LibraryError));
        assert_eq!(rank_of(&[remote.clone(), (3, reported(TroubleKind::LibraryError)), (2, killed())]), Some(2));
        // A peer that gave up with an exit code, too; and one whose output was closed.
        assert_eq!(rank_of(&[(0, Cause::Died(Exit::Code(1))), (2, killed())]), Some(2));
        assert_eq!(rank_of(&[(0, Cause::Closed), (2, killed())]), Some(2));
        // An exit code alone is no crash of that kind.
        assert_eq!(rank_of(&[remote, (2, Cause::Died(Exit::Code(1)))]), Some(0));
    }

    #[test]
    fn what_no_crash_brings_about_stays_first() {
        for kind in [TroubleKind::OutOfMemory, TroubleKind::Unsupported, TroubleKind::Library, TroubleKind::Pin] {
            assert!(reported(kind).is_first_for_sure());
            assert_eq!(rank_of(&[(0, reported(kind)), (2, killed())]), Some(0));
        }
    }

    #[test]
    fn words_name_rank_gpu_and_place() {
        let at = At { phase: Phase::Timed, size: 64 << 20, iteration: 7, beat: 9 };
        let state = RankState { rank: 2, gpu: 5, at, ..RankState::default() };
        let message = |cause: Cause| trouble(&cause, &state).message;
        assert_eq!(message(killed()), "rank 2 (GPU5) was ended by SIGKILL while in the timed loop (64M, iteration 7)");
        assert!(message(Cause::Died(Exit::Code(3))).starts_with("rank 2 (GPU5) ended with exit code 3 while"));
        assert!(message(Cause::Died(Exit::Code(0))).contains("before its work was done"));
        assert!(message(Cause::Closed).contains("closed its output"));
        assert_eq!(trouble(&killed(), &state).kind, TroubleKind::Crash);
    }

    #[test]
    fn a_report_keeps_its_class_and_words() {
        let state = RankState { rank: 1, gpu: 4, ..RankState::default() };
        let told = trouble(&reported(TroubleKind::OutOfMemory), &state);
        assert_eq!((told.kind, told.rank), (TroubleKind::OutOfMemory, Some(1)));
        assert_eq!(told.message, "rank 1 (GPU4), starting: ncclAllReduce: 6");
        let own = "rank 1 (GPU4), warming up: ncclAllReduce: 6";
        let own = Trouble { message: own.into(), rank: Some(1), ..told };
        assert_eq!(trouble(&Cause::Reported(own.clone()), &state), own);
    }
}
