use std::{path::Path, time::Duration};

use super::{
    cell::{Cell, Environment},
    evidence::Told,
    ground::{Ground, trouble},
    logs::Logs,
    sweep,
    wanted::Wanted,
};
use crate::{
    collective::Sweep,
    evidence::{CollectiveEvidence, Trouble, TroubleKind},
    facts::{Facts, Vendor},
    plan::{Case, OperatorEnvironment},
    probe::Site,
    run::Interrupt,
    session::{Deadlines, Ended, RankPlan, Session, SessionPlan, Subsystems, Watched, engine_variables, free_port},
    spec::Collective,
    worker::{Libraries, Likely},
};

/// What a person may set of how collectives are measured.
#[derive(Clone, Copy, Debug, Default)]
pub struct MeasureOptions {
    /// The most that each phase of a session may take; `None` for what is usual.
    pub deadline: Option<Duration>,
}

/// Measures collectives, one after another; a session stays while the next case is of the same cell.
pub(in crate::run) struct Measurer<'a> {
    pub(in crate::run) site: &'a Site,
    pub(in crate::run) operator: &'a OperatorEnvironment,
    pub(in crate::run) interrupt: &'a Interrupt,
    /// The suite's folder: the ranks' logs go below it.
    pub(in crate::run) folder: &'a Path,
    pub(in crate::run) options: MeasureOptions,
    pub(in crate::run) open: Option<Open>,
}

/// A session that waits for its next case.
pub(in crate::run) struct Open {
    cell: Cell,
    session: Session,
    logs: Logs,
    ground: Ground,
    /// That of rank 0.
    environment: Environment,
}

/// How often a case is measured whose figures are near their bounds. Of five, two may be disturbed by something else.
const MEASUREMENTS: u32 = 5;

/// Whether figures are near their bounds, on either side.
pub(in crate::run) type IsNear<'a> = &'a dyn Fn(&CollectiveEvidence) -> bool;

/// Where a case stands while it is measured, in words.
pub(in crate::run) type Doing<'a> = &'a mut dyn FnMut(&str);

impl Measurer<'_> {
    /// Measures a case. `last` says that no other case follows in its session: what the session leaves behind is then
    /// this case's trouble.
    pub(in crate::run) fn measure(
        &mut self,
        case: &Case,
        collective: &Collective,
        facts: &Facts,
        last: bool,
        is_near: IsNear<'_>,
        doing: Doing<'_>,
    ) -> CollectiveEvidence {
        let wanted = Wanted::of(case, collective, self.operator);
        let Some(sweep) = sweep(collective, wanted.checked) else { return CollectiveEvidence::default() };
        let mut told = Told::new(sweep, facts);
        if let Err(trouble) = self.measured(case, (collective, wanted), facts, &mut told, doing) {
            let hung = trouble.kind == TroubleKind::FirstCollectiveHang;
            told.trouble = Some(trouble);
            if hung {
                told.ends_without_p2p = self.again_without_p2p(case, facts, &told.sweep, doing);
            }
        } else if is_near(&told.evidence()) {
            told.trouble = self.more(case, collective, &mut told, doing).err();
        }
        if last || told.trouble.is_some() {
            let left = self.end();
            told.trouble = told.trouble.or(left);
        }
        told.evidence()
    }

    fn measured(
        &mut self,
        case: &Case,
        (collective, wanted): (&Collective, Wanted),
        facts: &Facts,
        told: &mut Told,
        doing: Doing<'_>,
    ) -> Result<(), Trouble> {
        let cell = Cell::of(case, self.operator, facts).map_err(|reason| trouble(TroubleKind::Device, reason))?;
        // Two sessions never share GPUs.
        if self.open.as_ref().is_some_and(|open| wanted.own_session() || open.cell != cell) {
            self.end().map_or(Ok(()), Err)?;
        }
        if wanted.choices {
            self.choices(&cell, case, facts, told, doing)?;
        }
        let mut open = match self.open.take() {
            Some(open) => open,
            None => self.start(&cell, &case.short_name(), Subsystems::Quiet, facts, told, doing)?,
        };
        told.of_session(&open.session, &open.environment, &open.ground.warnings);
        let measured = self.run(&mut open, &told.sweep.clone(), sweep::floor(collective), timeout(case), doing);
        told.log = open.logs.read();
        match measured {
            Ok(samples) => {
                told.of_samples(samples);
                self.open = Some(open);
            }
            Err(ended) => {
                let ranks = told.pids();
                told.of_ended(*ended, open.ground.left(self.site, &ranks))?;
            }
        }
        if wanted.choices_after(told.log.as_ref()) {
            self.end().map_or(Ok(()), Err)?;
            self.choices(&cell, case, facts, told, doing)?;
        }
        Ok(())
    }

    /// Measures what is near its bound again, always as often: who stopped at the first that passes would let a machine pass
    /// that does not.
    fn more(&mut self, case: &Case, collective: &Collective, told: &mut Told, doing: Doing<'_>) -> Result<(), Trouble> {
        for _ in 1..MEASUREMENTS {
            let Some(mut open) = self.open.take() else { return Ok(()) };
            let measured = self.run(&mut open, &told.sweep.clone(), sweep::floor(collective), timeout(case), doing);
            match measured {
                Ok(samples) => told.of_more(samples),
                Err(ended) => return told.of_ended(*ended, open.ground.left(self.site, &told.pids())),
            }
            told.log = open.logs.read();
            self.open = Some(open);
        }
        Ok(())
    }

    /// Whether what hung in its first collective comes to its end once traffic between the GPUs goes through the host. The
    /// answer explains the hang and decides nothing; `None` where it could not be tried.
    fn again_without_p2p(&self, case: &Case, facts: &Facts, sweep: &Sweep, doing: Doing<'_>) -> Option<bool> {
        let cell = Cell::of(case, self.operator, facts).ok()?.without_p2p()?;
        let name = format!("{}.without-p2p", case.short_name());
        let mut told = Told::new(sweep::choices(sweep), facts);
        let mut open = self.start(&cell, &name, Subsystems::Quiet, facts, &mut told, doing).ok()?;
        let ended = self.run(&mut open, &told.sweep, None, timeout(case), doing);
        match ended {
            Ok(_) => Some(close(open, self.site).is_none()),
            Err(ended) => (ended.trouble.kind != TroubleKind::Interrupted).then_some(false),
        }
    }

    /// What the library chooses, from a short session of the same cell whose log prints it. Its single operations without
    /// a warm-up are no figures.
    fn choices(
        &self,
        cell: &Cell,
        case: &Case,
        facts: &Facts,
        told: &mut Told,
        doing: Doing<'_>,
    ) -> Result<(), Trouble> {
        let mut short = Told::new(sweep::choices(&told.sweep), facts);
        let name = format!("{}.choices", case.short_name());
        let chosen = self.start(cell, &name, Subsystems::EveryCall, facts, &mut short, doing).and_then(|mut open| {
            short.of_session(&open.session, &open.environment, &open.ground.warnings);
            let measured = self.run(&mut open, &short.sweep.clone(), None, timeout(case), doing);
            short.log = open.logs.read();
            match measured {
                Ok(_) => close(open, self.site).map_or(Ok(()), Err),
                Err(ended) => {
                    let ranks = short.pids();
                    short.of_ended(*ended, open.ground.left(self.site, &ranks))
                }
            }
        });
        told.of_choices(short);
        chosen
    }

    fn run(
        &self,
        open: &mut Open,
        sweep: &Sweep,
        floor: Option<f64>,
        timeout: Option<Duration>,
        doing: Doing<'_>,
    ) -> Result<Vec<crate::evidence::RankSample>, Box<Ended>> {
        open.session.measure(sweep, floor, timeout, self.interrupt, &mut |watched| doing(&watched.words()))
    }

    fn start(
        &self,
        cell: &Cell,
        name: &str,
        subsystems: Subsystems,
        facts: &Facts,
        told: &mut Told,
        doing: Doing<'_>,
    ) -> Result<Open, Trouble> {
        let ground = Ground::take(cell, facts, self.site, self.interrupt, doing)?;
        let logs = Logs::create(self.folder, name, cell.gpus.len());
        let logs = logs.map_err(|reason| trouble(TroubleKind::Internal, format!("the ranks' logs: {reason}")))?;
        let plan = self.plan(cell, &ground, &logs, subsystems, Likely::of(&told.sweep));
        let environment = plan.ranks.first().map(|rank| rank.environment.clone()).unwrap_or_default();
        let started = Session::start(&plan, self.interrupt, &mut |watched: &Watched| doing(&watched.words()));
        match started {
            Ok(session) => Ok(Open { cell: cell.clone(), session, logs, ground, environment }),
            Err(ended) => {
                told.log = logs.read();
                let ranks: Vec<u32> = ended.placements.iter().map(|placement| placement.pid).collect();
                let left = ground.left(self.site, &ranks);
                told.of_cell(&environment, &ground.warnings);
                Err(told.of_ended(*ended, left).err().unwrap_or_else(|| {
                    trouble(TroubleKind::Internal, "the session did not start and did not say why".to_owned())
                }))
            }
        }
    }

    fn plan(&self, cell: &Cell, ground: &Ground, logs: &Logs, subsystems: Subsystems, likely: Likely) -> SessionPlan {
        let ras = free_port();
        let ranks = ground.gpus.iter().zip(&ground.placements).enumerate();
        let ranks: Vec<RankPlan> = ranks
            .map(|(rank, ((gpu, pci), placement))| RankPlan {
                gpu: *gpu,
                pci: pci.clone(),
                cpus: placement.cpus.clone(),
                nodes: placement.nodes.clone(),
                environment: cell.with_engine(rank, engine_variables(&logs.log(rank), ras, subsystems)),
                stderr: Some(logs.errors(rank)),
            })
            .collect();
        let count = u32::try_from(ranks.len()).unwrap_or(u32::MAX);
        let deadlines = Deadlines::standard(count);
        let libraries = &self.site.libraries;
        let (driver, collective) = match ground.vendor {
            Vendor::Nvidia => (&libraries.cuda, &libraries.nccl),
            Vendor::Amd => (&libraries.hip, &libraries.rccl),
        };
        SessionPlan {
            vendor: ground.vendor,
            ranks,
            libraries: Libraries { driver: driver.clone(), collective: collective.clone() },
            program: self.site.program.clone(),
            deadlines: self.options.deadline.map_or(deadlines, |most| deadlines.at_most(most)),
            centric_scheduling: true,
            blocking: true,
            ras,
            likely: Some(likely),
        }
    }

    /// Ends the session that is open, and says what it left.
    pub(in crate::run) fn end(&mut self) -> Option<Trouble> {
        self.open.take().and_then(|open| close(open, self.site))
    }
}

fn timeout(case: &Case) -> Option<Duration> {
    case.test.as_ref().and_then(|test| test.timeout.as_ref()).map(|timeout| timeout.value.0)
}

fn close(open: Open, site: &Site) -> Option<Trouble> {
    let ranks: Vec<u32> = open.session.placements().iter().map(|placement| placement.pid).collect();
    let ended = open.session.end();
    ended.or_else(|| open.ground.left(site, &ranks))
}
