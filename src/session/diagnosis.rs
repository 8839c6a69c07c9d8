use std::{cmp::Reverse, time::Duration};

use crate::{
    evidence::{Trouble, TroubleKind},
    worker::{At, Phase},
};

/// A rank raises its beat four times a second: one that has not for so long does not run, also on a machine that is busy.
pub(super) const SILENT: Duration = Duration::from_secs(5);

/// What the supervisor knows of a rank.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RankState {
    pub rank: u32,
    pub gpu: u32,
    /// What the board says.
    pub at: At,
    /// How many samples it has told of the test at hand.
    pub samples: usize,
    /// Whether it has not done yet what all are waited for.
    pub awaited: bool,
    /// How long it has been in this phase and size.
    pub since: Duration,
    /// How long ago its beat rose; `None` where it has never risen.
    pub beaten: Option<Duration>,
    /// How long ago its last line was heard.
    pub heard: Duration,
    /// The state of its process, as the kernel writes it: `R`, `S`, `D`, `T`, ...
    pub process: Option<char>,
    /// The function of the kernel that it sleeps in.
    pub sleeps_in: Option<String>,
}

/// What the ranks are waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// That they have opened their GPUs and libraries.
    Context,
    /// That they are in the communicator.
    Init,
    /// That they have run a test: the first of the session, or another.
    Test { first: bool },
    /// That they have left the communicator.
    End,
}

/// What passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Missed {
    /// The deadline of a phase: nobody gets on.
    Deadline(Duration),
    /// The time that the whole test was given; the ranks may have been getting on.
    Timeout(Duration),
}

/// Why a rank is the one at fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Stopped,
    InKernel,
    Silent,
    Behind,
}

/// The trouble of ranks that hang.
pub(super) fn hang(stage: Stage, missed: Missed, states: &[RankState]) -> Trouble {
    let awaited: Vec<&RankState> = states.iter().filter(|state| state.awaited).collect();
    let found = by_process(&awaited).or_else(|| match missed {
        Missed::Deadline(_) => behind(&awaited, states),
        Missed::Timeout(_) => None,
    });
    let earliest = awaited.iter().copied().min_by_key(|state| position(state));
    let rank = match &found {
        Some((_, ranks)) if let [only] = ranks.as_slice() => Some(only.rank),
        _ => None,
    };
    let message = match missed {
        Missed::Deadline(deadline) => deadline_words(deadline, found.as_ref(), earliest),
        Missed::Timeout(timeout) => timeout_words(timeout, found.as_ref(), earliest),
    };
    Trouble { kind: kind(stage, earliest), rank, message, details: Vec::new() }
}

/// What shows a fault.
type Sign = fn(&RankState) -> bool;

/// The ranks whose processes do not run, which explains why nobody gets on.
fn by_process<'a>(awaited: &[&'a RankState]) -> Option<(Fault, Vec<&'a RankState>)> {
    let faults: [(Fault, Sign); 3] = [
        (Fault::Stopped, RankState::is_stopped),
        (Fault::InKernel, RankState::is_in_kernel),
        (Fault::Silent, is_silent),
    ];
    faults.into_iter().find_map(|(fault, is)| {
        let ranks: Vec<&RankState> = awaited.iter().copied().filter(|state| is(state)).collect();
        (!ranks.is_empty()).then_some((fault, ranks))
    })
}

/// The ranks that are least far, unless all are.
fn behind<'a>(awaited: &[&'a RankState], states: &[RankState]) -> Option<(Fault, Vec<&'a RankState>)> {
    let least = awaited.iter().map(|state| position(state)).min()?;
    let ranks: Vec<&RankState> = awaited.iter().copied().filter(|state| position(state) == least).collect();
    (ranks.len() < states.len()).then_some((Fault::Behind, ranks))
}

impl RankState {
    /// Whether its process is stopped: by a signal or a debugger.
    pub fn is_stopped(&self) -> bool {
        matches!(self.process, Some('T' | 't'))
    }

    /// Whether its process sleeps in the kernel and cannot be woken, not even to end.
    pub fn is_in_kernel(&self) -> bool {
        self.process == Some('D')
    }
}

fn is_silent(state: &RankState) -> bool {
    state.beaten.is_some_and(|beaten| beaten >= SILENT)
}

/// How far a rank is: what comes earlier is less. A place is told when it is done, so samples come before phases: the
/// phases of a place come again with the next.
fn position(state: &RankState) -> (usize, Phase, u64, u64) {
    (state.samples, state.at.phase, state.at.size, state.at.iteration)
}

/// The rank that is least far; among equals the lowest.
pub(super) fn least_far(states: &[RankState]) -> Option<&RankState> {
    states.iter().min_by_key(|state| (Reverse(state.awaited), position(state), state.rank))
}

fn kind(stage: Stage, earliest: Option<&RankState>) -> TroubleKind {
    let connects = earliest.is_none_or(|state| state.samples == 0 && state.at.phase <= Phase::Untimed);
    match stage {
        Stage::Context | Stage::Init => TroubleKind::InitHang,
        Stage::Test { first: true } if connects => TroubleKind::FirstCollectiveHang,
        Stage::Test { .. } | Stage::End => TroubleKind::MidRunHang,
    }
}

type Found<'a> = Option<&'a (Fault, Vec<&'a RankState>)>;

fn deadline_words(deadline: Duration, found: Found<'_>, earliest: Option<&RankState>) -> String {
    let within = seconds(deadline);
    match found {
        Some((fault, ranks)) => format!("{} did not get on within {within}: {}", all(ranks), reason(*fault, ranks)),
        None => match earliest {
            Some(state) => {
                format!(
                    "the ranks did not get on within {within}: no rank is behind, every one is {}",
                    state.at.words()
                )
            }
            None => format!("the ranks did not get on within {within}"),
        },
    }
}

fn timeout_words(timeout: Duration, found: Found<'_>, earliest: Option<&RankState>) -> String {
    let over = format!("the test did not end within its timeout of {}", seconds(timeout));
    match (found, earliest) {
        (Some((fault, ranks)), _) => format!("{over}: {}: {}", all(ranks), reason(*fault, ranks)),
        (None, Some(state)) => format!("{over}: {} is {}", who(state), state.at.words()),
        (None, None) => over,
    }
}

fn reason(fault: Fault, ranks: &[&RankState]) -> String {
    let place = ranks.first().map(|state| state.at.words()).unwrap_or_default();
    let silent = ranks.iter().filter_map(|state| state.beaten).min().unwrap_or_default();
    match fault {
        Fault::Stopped => format!("stopped (state T) while {place}"),
        Fault::InKernel => match ranks.iter().find_map(|state| state.sleeps_in.as_ref()) {
            Some(function) => format!("inside the kernel (state D in {function}) while {place}"),
            None => format!("inside the kernel (state D) while {place}"),
        },
        Fault::Silent => format!("no sign of life for {} while {place}", seconds(silent)),
        Fault::Behind => format!("behind the others, {place}"),
    }
}

fn all(ranks: &[&RankState]) -> String {
    let names: Vec<String> = ranks.iter().map(|state| who(state)).collect();
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => names.concat(),
    }
}

/// A rank by its number and GPU.
pub(super) fn who(state: &RankState) -> String {
    format!("rank {} (GPU{})", state.rank, state.gpu)
}

/// A line on each rank: its process, where it is, when it was last heard.
pub(super) fn lines(states: &[RankState]) -> Vec<String> {
    states.iter().map(line).collect()
}

fn line(state: &RankState) -> String {
    let mut line = format!("{}: {} for {}", who(state), state.at.words(), seconds(state.since));
    if state.samples > 0 {
        line += &format!(", {} samples told", state.samples);
    }
    match state.process {
        Some(letter) => line += &format!(", process in state {letter}"),
        None => line += ", process gone",
    }
    if let Some(function) = &state.sleeps_in {
        line += &format!(" in {function}");
    }
    match state.beaten {
        Some(beaten) => line += &format!(", last beat {} ago", seconds(beaten)),
        None => line += ", no beat yet",
    }
    line + &format!(", last heard {} ago", seconds(state.heard))
}

/// A time in seconds, with a decimal below ten.
pub(super) fn seconds(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    if seconds < 9.95 && duration.subsec_millis() >= 50 { format!("{seconds:.1} s") } else { format!("{seconds:.0} s") }
}
