use std::{marker::PhantomData, os::fd::AsRawFd, sync::mpsc};

use super::{
    Deadlines, RankPlan, SessionPlan, Watched, agreement,
    crew::{Crew, Limit, Stop, Wait, internal},
    diagnosis::Stage,
    ending,
    rank::Rank,
};
use crate::{
    evidence::{LoadedLibrary, RankPlacement, RankSample, Trouble},
    run::Interrupt,
    worker::{Board, Order, RankStart, Report},
};

/// The processes of one measurement or several: one for each GPU, in one communicator.
///
/// A rank dies with the *thread* that started it, so that a session is used and dropped on the thread that started it; it
/// cannot be sent to another. Dropping it ends every rank.
pub struct Session {
    pub(super) crew: Crew,
    pub(super) deadlines: Deadlines,
    /// Whether no test has run.
    pub(super) fresh: bool,
    /// Whether the ranks have been ended already.
    over: bool,
    placements: Vec<RankPlacement>,
    libraries: Vec<LoadedLibrary>,
    _stays_on_its_thread: PhantomData<*const ()>,
}

/// What is left of a session that could not go on. All its ranks have been ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Ended {
    /// What was measured of the test at hand, in the order in which it was told.
    pub samples: Vec<RankSample>,
    /// Where the ranks were placed, as far as they told.
    pub placements: Vec<RankPlacement>,
    /// The libraries of rank 0; empty where it did not come to load them.
    pub libraries: Vec<LoadedLibrary>,
    /// What went wrong.
    pub trouble: Trouble,
    /// What the collective library's RAS service answered when ranks hung.
    pub ras: Option<String>,
}

impl Session {
    /// Starts the ranks, and has them join one communicator.
    pub fn start(
        plan: &SessionPlan,
        interrupt: &Interrupt,
        watch: &mut dyn FnMut(&Watched),
    ) -> Result<Self, Box<Ended>> {
        let (mut session, started) = Self::spawn(plan).map_err(nothing)?;
        if let Err(stop) = started.map_err(Stop::from).and_then(|()| session.join(interrupt, watch)) {
            return Err(session.over(stop, Vec::new()));
        }
        Ok(session)
    }

    /// The processes. Where one cannot be started, the session is that of those that could, beside the trouble.
    fn spawn(plan: &SessionPlan) -> Result<(Self, Result<(), Trouble>), Trouble> {
        // No machine has 2^32 GPUs.
        let count = u32::try_from(plan.ranks.len()).unwrap_or(u32::MAX);
        let shared = Board::create(count);
        let (board, file) =
            shared.map_err(|error| internal(format!("memory for the ranks could not be shared: {error}")))?;
        let (sender, events) = mpsc::channel();
        let mut ranks = Vec::with_capacity(plan.ranks.len());
        let mut started = Ok(());
        for (number, rank) in (0..).zip(&plan.ranks) {
            match Rank::start(number, rank, &plan.program, sender.clone()) {
                Ok(mut process) => {
                    process.tell(&Order::Start(Box::new(told(plan, number, count, rank, file.as_raw_fd()))));
                    ranks.push(process);
                }
                Err(why) => {
                    started = Err(Trouble { rank: Some(number), ..internal(format!("rank {number}: {why}")) });
                    break;
                }
            }
        }
        let placements = (0..).zip(&plan.ranks).zip(&ranks).map(|((number, rank), process)| RankPlacement {
            rank: number,
            gpu: rank.gpu,
            pci: rank.pci.clone(),
            name: None,
            pid: process.pid(),
            asked_cpus: rank.cpus.clone(),
            asked_nodes: rank.nodes.clone(),
            cpus: None,
            nodes: None,
        });
        let placements = placements.collect();
        let session = Self {
            crew: Crew::new(ranks, board, events, sender, plan.ras),
            deadlines: plan.deadlines,
            fresh: true,
            over: false,
            placements,
            libraries: Vec::new(),
            _stays_on_its_thread: PhantomData,
        };
        Ok((session, started))
    }

    fn join(&mut self, interrupt: &Interrupt, watch: &mut dyn FnMut(&Watched)) -> Result<(), Stop> {
        let mut identity = None;
        let mut loaded = vec![Vec::new(); self.placements.len()];
        let placements = &mut self.placements;
        let context = self.crew.await_all(Wait {
            stage: Stage::Context,
            limit: Limit::Total(self.deadlines.context),
            interrupt: Some(interrupt),
            take: &mut |rank, report| take_start(rank, report, placements, &mut loaded, &mut identity),
            watch: &mut *watch,
            places: &[],
        });
        self.libraries = loaded.first().cloned().unwrap_or_default();
        context?;
        let disagreement = agreement::libraries(&loaded).or_else(|| self.placements.iter().find_map(agreement::pin));
        if let Some(trouble) = disagreement {
            return Err(trouble.into());
        }
        let identity = identity.ok_or_else(|| internal("rank 0 told no identity of the communicator".into()))?;
        self.crew.tell_all(&Order::Join(identity));
        self.crew.await_all(Wait {
            stage: Stage::Init,
            limit: Limit::Total(self.deadlines.init),
            interrupt: Some(interrupt),
            take: &mut |_, report| report == Report::Joined,
            watch,
            places: &[],
        })
    }

    /// Where the ranks were placed, by rank.
    pub fn placements(&self) -> &[RankPlacement] {
        &self.placements
    }

    /// The GPU driver's library and the collective library, as every rank loaded them.
    pub fn libraries(&self) -> &[LoadedLibrary] {
        &self.libraries
    }

    /// Ends every rank of a session that cannot go on.
    pub(super) fn over(&mut self, stop: Stop, samples: Vec<RankSample>) -> Box<Ended> {
        ending::end_all(&mut self.crew, &self.deadlines);
        self.over = true;
        let Stop { mut trouble, ras } = stop;
        ending::say_what_is_left(&self.crew, &mut trouble);
        let (placements, libraries) = (self.placements.clone(), self.libraries.clone());
        Box::new(Ended { samples, placements, libraries, trouble, ras })
    }

    /// Has every rank leave the communicator and end. The trouble is one of the end: what was measured before stands.
    pub fn end(mut self) -> Option<Trouble> {
        self.crew.tell_all(&Order::End);
        let ended = self.crew.await_all(Wait {
            stage: Stage::End,
            limit: Limit::Total(self.deadlines.end),
            interrupt: None,
            take: &mut |_, _| false,
            watch: &mut |_| {},
            places: &[],
        });
        ended.err().map(|stop| self.over(stop, Vec::new()).trouble)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // What could not be ended is not waited for twice.
        if !self.over {
            ending::kill_all(&mut self.crew);
        }
    }
}

fn nothing(trouble: Trouble) -> Box<Ended> {
    Box::new(Ended { samples: Vec::new(), placements: Vec::new(), libraries: Vec::new(), trouble, ras: None })
}

fn told(plan: &SessionPlan, rank: u32, ranks: u32, own: &RankPlan, board: i32) -> RankStart {
    RankStart {
        rank,
        ranks,
        vendor: plan.vendor,
        pci: own.pci.clone(),
        gpu: own.gpu,
        cpus: own.cpus.clone(),
        nodes: own.nodes.clone(),
        board,
        libraries: plan.libraries.clone(),
        centric_scheduling: plan.centric_scheduling,
        blocking: plan.blocking,
        likely: plan.likely,
    }
}

/// Takes what a rank reports of its start; rank 0 has done its part once it has told the identity too.
fn take_start(
    rank: u32,
    report: Report,
    placements: &mut [RankPlacement],
    loaded: &mut [Vec<LoadedLibrary>],
    identity: &mut Option<String>,
) -> bool {
    let index = rank as usize;
    match report {
        Report::Ready { libraries, name, device: _, cpus, nodes } => {
            if let (Some(placement), Some(loaded)) = (placements.get_mut(index), loaded.get_mut(index)) {
                placement.name = Some(name);
                placement.cpus = Some(cpus);
                placement.nodes = nodes;
                *loaded = libraries;
            }
            rank != 0 || identity.is_some()
        }
        Report::Identity(told) if rank == 0 => {
            *identity = Some(told);
            placements.first().is_some_and(|placement| placement.name.is_some())
        }
        _ => false,
    }
}
