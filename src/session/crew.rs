use std::{
    collections::BTreeSet,
    sync::mpsc::{Receiver, Sender},
    time::{Duration, Instant},
};

use super::{
    Watched,
    causes::{self, Cause, Exit},
    clocks::{Clock, Clocks},
    deadlines::Budget,
    diagnosis::{self, Missed, RankState, Stage},
    process::{Look, look},
    rank::{Event, Heard, Rank},
    ras,
};
use crate::{
    evidence::{Trouble, TroubleKind},
    run::Interrupt,
    worker::{Board, Order, Phase, Report},
};

/// How often the board, the processes and the interrupt are looked at. What is told wakes at once.
const TICK: Duration = Duration::from_millis(20);
/// The same while a process is about to end, or has not room for its orders.
const HURRY: Duration = Duration::from_millis(1);
/// How often a watcher is told at most.
const WATCH: Duration = Duration::from_millis(100);
/// How long after the first sign of trouble another one may turn out to be its cause.
const GATHER: Duration = Duration::from_millis(500);
/// How long the end of a process and the end of its output may lie apart.
const APART: Duration = Duration::from_millis(500);
/// Lines that were printed by others, which are kept.
const NOISE: usize = 20;
/// Lines of the standard error of the rank at fault.
const LAST_WORDS: usize = 5;

/// The ranks of a session, and what has been heard of them.
pub(super) struct Crew {
    pub ranks: Vec<Rank>,
    pub board: Board,
    events: Receiver<Event>,
    /// Held so that the channel outlives the last rank.
    _sender: Sender<Event>,
    ras: Option<u16>,
    clocks: Clocks,
    samples: Vec<usize>,
    awaited: Vec<bool>,
    at_barrier: BTreeSet<u32>,
    causes: Vec<(u32, Cause)>,
    noise: Vec<String>,
    watched: Option<Instant>,
}

/// What the ranks are waited for, and for how long.
pub(super) struct Wait<'a> {
    pub stage: Stage,
    pub limit: Limit,
    pub interrupt: Option<&'a Interrupt>,
    /// Takes what a rank reports; true where the rank has done what it is waited for.
    pub take: &'a mut dyn FnMut(u32, Report) -> bool,
    pub watch: &'a mut dyn FnMut(&Watched),
    /// The places of each size, in order: whether each is in place.
    pub places: &'a [bool],
}

/// How long the ranks are waited for.
#[derive(Clone, Copy)]
pub(super) enum Limit {
    /// So long in all.
    Total(Duration),
    /// By what each is at, and so long in all where that is said.
    Budget(Budget, Option<Duration>),
}

/// Why the session cannot go on.
pub(super) struct Stop {
    pub trouble: Trouble,
    pub ras: Option<String>,
}

impl From<Trouble> for Stop {
    fn from(trouble: Trouble) -> Self {
        Self { trouble, ras: None }
    }
}

impl Crew {
    pub fn new(
        ranks: Vec<Rank>,
        board: Board,
        events: Receiver<Event>,
        sender: Sender<Event>,
        ras: Option<u16>,
    ) -> Self {
        let count = ranks.len();
        Self {
            ranks,
            board,
            events,
            _sender: sender,
            ras,
            clocks: Clocks::new(count, Instant::now()),
            samples: vec![0; count],
            awaited: vec![false; count],
            at_barrier: BTreeSet::new(),
            causes: Vec::new(),
            noise: Vec::new(),
            watched: None,
        }
    }

    /// Tells all ranks the same.
    pub fn tell_all(&mut self, order: &Order) {
        for rank in &mut self.ranks {
            rank.tell(order);
        }
    }

    /// Waits until every rank has done what it is waited for.
    pub fn await_all(&mut self, mut wait: Wait<'_>) -> Result<(), Stop> {
        self.clocks.begin(Instant::now());
        self.samples.fill(0);
        self.awaited.fill(true);
        self.at_barrier.clear();
        loop {
            self.hear_for(self.patience(), wait.take);
            self.ranks.iter_mut().for_each(Rank::send);
            self.note_ends(wait.stage);
            if !self.causes.is_empty() {
                return Err(self.caused(&mut wait));
            }
            if !self.awaited.contains(&true) {
                return Ok(());
            }
            if wait.interrupt.is_some_and(Interrupt::is_set) {
                return Err(self.interrupted().into());
            }
            self.look();
            if let Some(missed) = self.missed(&wait.limit) {
                return Err(self.hang(wait.stage, missed));
            }
            self.watch(&mut wait);
        }
    }

    /// The end of a process wakes nobody; that of its output, shortly before, does. Nor does room for more orders.
    fn patience(&self) -> Duration {
        let ends = |rank: &Rank| rank.closed.is_some() && rank.exit.is_none();
        let soon = self.ranks.iter().any(|rank| ends(rank) || rank.is_behind());
        if soon { HURRY } else { TICK }
    }

    /// Hears all there is; waits for the first of it, for a time.
    pub fn hear_for(&mut self, patience: Duration, take: &mut dyn FnMut(u32, Report) -> bool) {
        let Ok(event) = self.events.recv_timeout(patience) else { return };
        self.hear(event, take);
        while let Ok(event) = self.events.try_recv() {
            self.hear(event, take);
        }
    }

    fn hear(&mut self, (number, heard): Event, take: &mut dyn FnMut(u32, Report) -> bool) {
        let Some(index) = self.ranks.iter().position(|rank| rank.number == number) else { return };
        let now = Instant::now();
        let rank = &mut self.ranks[index];
        rank.heard = now;
        match heard {
            Heard::Closed => rank.closed = Some(now),
            Heard::Noise(line) if self.noise.len() < NOISE => self.noise.push(format!("rank {number} printed: {line}")),
            Heard::Noise(_) => {}
            Heard::Report(report) => match *report {
                Report::Trouble(trouble) => self.causes.push((number, Cause::Reported(trouble))),
                Report::Ended => rank.said_ended = true,
                Report::AtBarrier => self.meet(number),
                report => {
                    if matches!(report, Report::Sample(_)) {
                        self.samples[index] += 1;
                        self.clocks.restart(index, now);
                    }
                    if take(number, report) {
                        self.awaited[index] = false;
                    }
                }
            },
        }
    }

    /// A rank waits for the others at the supervisor's barrier.
    fn meet(&mut self, number: u32) {
        self.at_barrier.insert(number);
        if self.at_barrier.len() == self.ranks.len() {
            self.at_barrier.clear();
            self.tell_all(&Order::Go);
        }
    }

    /// Notes the ranks whose processes or outputs have ended.
    fn note_ends(&mut self, stage: Stage) {
        let now = Instant::now();
        for (rank, awaited) in self.ranks.iter_mut().zip(&mut self.awaited) {
            let waited =
                |since: Option<Instant>| since.is_some_and(|since| now.saturating_duration_since(since) > APART);
            let ended = rank.has_ended();
            let cause = if ended && (rank.closed.is_some() || waited(rank.ended)) {
                if stage == Stage::End && rank.said_ended && rank.exit == Some(Exit::Code(0)) {
                    *awaited = false;
                    continue;
                }
                Cause::Died(rank.exit.clone().unwrap_or(Exit::Unknown))
            } else if !ended && waited(rank.closed) && stage != Stage::End {
                Cause::Closed
            } else {
                continue;
            };
            // A rank that ends after its report has said why.
            if self.causes.iter().all(|(number, _)| *number != rank.number) {
                self.causes.push((rank.number, cause));
            }
        }
    }

    fn caused(&mut self, wait: &mut Wait<'_>) -> Stop {
        let began = Instant::now();
        while began.elapsed() < GATHER
            && self.causes.first().is_some_and(|(_, cause)| !cause.is_first_for_sure())
            && self.ranks.iter().any(|rank| rank.exit.is_none() || rank.closed.is_none())
        {
            self.hear_for(TICK, wait.take);
            self.note_ends(wait.stage);
        }
        self.look();
        let states = self.states(true);
        let found = causes::first(&self.causes).and_then(|(number, cause)| {
            let state = states.iter().find(|state| state.rank == *number)?;
            Some(causes::trouble(cause, state))
        });
        let mut trouble =
            found.unwrap_or_else(|| internal("a rank is in trouble that is none of the session's".into()));
        self.explain(&mut trouble, &states);
        trouble.into()
    }

    fn interrupted(&mut self) -> Trouble {
        self.look();
        let states = self.states(false);
        let place = diagnosis::least_far(&states).map(|state| state.at.words()).unwrap_or_default();
        Trouble {
            kind: TroubleKind::Interrupted,
            rank: None,
            message: format!("interrupted while the ranks were {place}"),
            details: Vec::new(),
        }
    }

    fn hang(&mut self, stage: Stage, missed: Missed) -> Stop {
        let states = self.states(true);
        let mut trouble = diagnosis::hang(stage, missed, &states);
        self.explain(&mut trouble, &states);
        let ras = match self.ras.map(ras::ask).transpose() {
            Ok(answer) => answer,
            Err(why) => {
                trouble.details.push(why);
                None
            }
        };
        if ras.is_some() {
            trouble.details.push("the library's RAS service was asked; its answer is kept".into());
        }
        Stop { trouble, ras }
    }

    /// Adds what else is known to trouble: where the ranks are, unless one has said itself what ails it.
    fn explain(&self, trouble: &mut Trouble, states: &[RankState]) {
        let told = self.causes.iter().any(|(number, cause)| cause.is_reported() && trouble.rank == Some(*number));
        if !told {
            trouble.details.extend(diagnosis::lines(states));
        }
        let at_fault = trouble.rank.and_then(|number| self.ranks.iter().find(|rank| rank.number == number));
        if let Some(rank) = at_fault {
            let words = rank.last_words(LAST_WORDS);
            trouble.details.extend(words.into_iter().map(|line| format!("rank {} wrote: {line}", rank.number)));
        }
        trouble.details.extend(self.noise.iter().cloned());
    }

    fn look(&mut self) {
        let now = Instant::now();
        self.clocks.look(now);
        for (index, rank) in self.ranks.iter().enumerate() {
            self.clocks.see(index, self.board.at(rank.number), now);
        }
    }

    /// Which time has passed. A rank that waits for another one has its own deadline, which may be shorter: nobody gets on
    /// once the deadlines of all that are waited for have passed.
    fn missed(&self, limit: &Limit) -> Option<Missed> {
        match limit {
            Limit::Total(total) => (self.clocks.began.elapsed() >= *total).then_some(Missed::Deadline(*total)),
            Limit::Budget(_, Some(timeout)) if self.clocks.began.elapsed() >= *timeout => {
                Some(Missed::Timeout(*timeout))
            }
            Limit::Budget(budget, _) => {
                let awaited = self.clocks.each().iter().zip(&self.awaited).filter(|(_, awaited)| **awaited);
                // However long its operations may take: a process that does not run does not end them.
                let silent = |clock: &Clock| clock.beaten.is_some_and(|beaten| beaten.elapsed() >= budget.silence());
                if awaited.clone().any(|(clock, _)| silent(clock)) {
                    return Some(Missed::Deadline(budget.silence()));
                }
                let over = awaited.map(|(clock, _)| {
                    let budget = budget.at(&clock.at);
                    (clock.since.elapsed() >= budget).then_some(budget)
                });
                over.collect::<Option<Vec<_>>>()?.into_iter().max().map(Missed::Deadline)
            }
        }
    }

    fn states(&self, closely: bool) -> Vec<RankState> {
        let each = self.ranks.iter().zip(self.clocks.each()).zip(self.samples.iter().zip(&self.awaited));
        let state = |((rank, clock), (samples, awaited)): ((&Rank, &Clock), (&usize, &bool))| {
            let process = if closely && rank.exit.is_none() { look(rank.pid()) } else { Look::default() };
            RankState {
                rank: rank.number,
                gpu: rank.gpu,
                at: clock.at,
                samples: *samples,
                awaited: *awaited,
                since: clock.since.elapsed(),
                beaten: clock.beaten.map(|beaten| beaten.elapsed()),
                heard: rank.heard.elapsed(),
                process: process.state,
                sleeps_in: process.sleeps_in,
            }
        };
        each.map(state).collect()
    }

    fn watch(&mut self, wait: &mut Wait<'_>) {
        if self.watched.is_some_and(|watched| watched.elapsed() < WATCH) {
            return;
        }
        self.watched = Some(Instant::now());
        let states = self.states(false);
        let Some(state) = diagnosis::least_far(&states) else { return };
        let places = wait.places.len();
        let in_place = state.samples.checked_rem(places).and_then(|place| wait.places.get(place)).copied();
        (wait.watch)(&Watched {
            rank: state.rank,
            gpu: state.gpu,
            phase: state.at.phase,
            size: state.at.size,
            in_place: in_place.filter(|_| (Phase::Untimed..=Phase::Verify).contains(&state.at.phase)),
            iteration: state.at.iteration,
            samples: state.samples,
            since: state.since,
        });
    }
}

/// Trouble of the supervisor's own.
pub(super) fn internal(message: String) -> Trouble {
    Trouble { kind: TroubleKind::Internal, rank: None, message, details: Vec::new() }
}
