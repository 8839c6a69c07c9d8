use std::{collections::BTreeMap, path::PathBuf, time::Instant};

use super::{RunError, Wanted, compare, turns::Run};
use crate::{
    collective::Ablation,
    evidence::{LoadedLibrary, RankSample, Trouble, TroubleKind},
    facts::Vendor,
    ground::Placement,
    run::Interrupt,
    session::{Deadlines, Ended, RankPlan, Session, SessionPlan, Subsystems, Watched, engine_variables, free_port},
    worker::{Libraries, Likely},
};

/// linkspec's own engine, and how it is run.
#[derive(Clone, Debug)]
pub struct Engine {
    /// Whose GPUs.
    pub vendor: Vendor,
    /// The GPUs by index and PCI address, in the order of the ranks.
    pub gpus: Vec<(u32, String)>,
    /// The sweep.
    pub wanted: Wanted,
    /// What is done otherwise than nccl-tests does.
    pub ablations: Vec<Ablation>,
    /// Where every rank runs.
    pub placement: Placement,
    /// Variables over this process's own; `None` removes one.
    pub environment: BTreeMap<String, Option<String>>,
    /// Libraries that were named.
    pub libraries: Libraries,
    /// The program that a rank is.
    pub program: PathBuf,
    /// The folder that keeps the logs of the last run's ranks.
    pub out: PathBuf,
}

/// What one session measured, and with which libraries.
struct Measured {
    samples: Vec<RankSample>,
    libraries: Vec<LoadedLibrary>,
}

impl Engine {
    /// Makes a run: a session of its own from start to end, as nccl-tests starts and ends for each.
    pub fn run(&self, interrupt: &Interrupt, watch: &mut dyn FnMut(&Watched)) -> Result<Run, RunError> {
        let ranks = u32::try_from(self.gpus.len()).unwrap_or(u32::MAX);
        let began = Instant::now();
        let measured = self.measure(ranks, interrupt, watch)?;
        let seconds = began.elapsed().as_secs_f64();
        let sweep = self.wanted.sweep(&self.ablations);
        let times =
            compare::ours(&measured.samples, &sweep, ranks).map_err(|error| RunError::Failed(error.to_string()))?;
        // The driver's library comes first, then the collective library.
        let library = measured.libraries.last().cloned();
        let library = library.ok_or_else(|| RunError::Failed("its ranks told no library".to_owned()))?;
        let stand_in = measured.libraries.iter().any(|library| library.fake);
        Ok(Run { times, library, stand_in, seconds })
    }

    fn measure(
        &self,
        ranks: u32,
        interrupt: &Interrupt,
        watch: &mut dyn FnMut(&Watched),
    ) -> Result<Measured, RunError> {
        let plan = self.plan(ranks);
        let ended = |ended: Box<Ended>| failed(ended.trouble, interrupt);
        let mut session = Session::start(&plan, interrupt, watch).map_err(ended)?;
        let sweep = self.wanted.sweep(&self.ablations);
        let samples = session.measure(&sweep, None, None, interrupt, watch).map_err(ended)?;
        let libraries = session.libraries().to_vec();
        match session.end() {
            Some(trouble) => Err(failed(trouble, interrupt)),
            None => Ok(Measured { samples, libraries }),
        }
    }

    fn plan(&self, ranks: u32) -> SessionPlan {
        let without = |ablation| self.ablations.contains(&ablation);
        let ras = free_port();
        SessionPlan {
            vendor: self.vendor,
            ranks: (0..).zip(&self.gpus).map(|(rank, gpu)| self.rank(rank, gpu, ras)).collect(),
            libraries: self.libraries.clone(),
            program: self.program.clone(),
            deadlines: Deadlines::standard(ranks),
            centric_scheduling: !without(Ablation::CentricScheduling),
            blocking: !without(Ablation::BlockingCommunicator),
            ras,
            likely: Some(Likely::of(&self.wanted.sweep(&self.ablations))),
        }
    }

    fn rank(&self, rank: u32, (gpu, pci): &(u32, String), ras: Option<u16>) -> RankPlan {
        let log = self.out.join(format!("linkspec-rank{rank}.log.txt"));
        let loud = self.ablations.contains(&Ablation::QuietLog);
        let subsystems = if loud { Subsystems::EveryCall } else { Subsystems::Quiet };
        let own = engine_variables(&log, ras, subsystems).into_iter().map(|(name, value)| (name, Some(value)));
        // What the operator says wins.
        let environment: BTreeMap<String, Option<String>> = own.chain(self.environment.clone()).collect();
        RankPlan {
            gpu: *gpu,
            pci: pci.clone(),
            cpus: self.placement.cpus.clone(),
            nodes: self.placement.nodes.clone(),
            environment: environment.into_iter().collect(),
            stderr: Some(self.out.join(format!("linkspec-rank{rank}.stderr.txt"))),
        }
    }
}

fn failed(trouble: Trouble, interrupt: &Interrupt) -> RunError {
    if trouble.kind == TroubleKind::Interrupted || interrupt.is_set() {
        return RunError::Interrupted;
    }
    let words: Vec<String> = std::iter::once(trouble.message).chain(trouble.details).collect();
    RunError::Failed(words.join("; "))
}

#[cfg(test)]
mod tests {
    use super::{super::wanted::tests::WANTED, *};

    fn engine(ablations: &[Ablation]) -> Engine {
        Engine {
            vendor: Vendor::Nvidia,
            gpus: vec![(0, "0000:1b:00.0".into()), (2, "0000:1d:00.0".into())],
            wanted: WANTED,
            ablations: ablations.to_vec(),
            placement: Placement { cpus: Some("0-3".parse().unwrap()), nodes: None },
            environment: BTreeMap::from([
                ("NCCL_DEBUG".to_owned(), Some("WARN".to_owned())),
                ("NCCL_PROTO".to_owned(), None),
            ]),
            libraries: Libraries::default(),
            program: "/proc/self/exe".into(),
            out: "/out".into(),
        }
    }

    fn value<'a>(plan: &'a SessionPlan, rank: usize, name: &str) -> Option<&'a Option<String>> {
        plan.ranks[rank].environment.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    #[test]
    fn ranks_run_as_nccl_tests_does() {
        let plan = engine(&[]).plan(2);
        assert!(plan.centric_scheduling && plan.blocking);
        let [first, second] = plan.ranks.as_slice() else { panic!("{plan:?}") };
        assert_eq!((first.gpu, second.gpu, second.pci.as_str()), (0, 2, "0000:1d:00.0"));
        assert_eq!(first.cpus, second.cpus);
        // Each variable once: the operator's where there is one.
        assert_eq!(value(&plan, 1, "NCCL_DEBUG"), Some(&Some("WARN".into())));
        assert_eq!(first.environment.iter().filter(|(name, _)| name == "NCCL_DEBUG").count(), 1);
        assert_eq!(value(&plan, 1, "NCCL_PROTO"), Some(&None));
        assert_eq!(value(&plan, 1, "NCCL_DEBUG_FILE"), Some(&Some("/out/linkspec-rank1.log.txt".into())));
    }

    #[test]
    fn what_is_taken_out() {
        assert!(!engine(&[Ablation::CentricScheduling]).plan(2).centric_scheduling);
        assert!(!engine(&[Ablation::BlockingCommunicator]).plan(2).blocking);
        let loud = engine(&[Ablation::QuietLog]).plan(2);
        assert!(value(&loud, 0, "NCCL_DEBUG_SUBSYS").unwrap().as_ref().unwrap().ends_with(",TUNING,COLL"));
    }

    #[test]
    fn trouble_is_told_whole_unless_it_was_asked_for() {
        let trouble =
            |kind| Trouble { kind, rank: Some(1), message: "rank 1 died".into(), details: vec!["signal 9".into()] };
        let told = failed(trouble(TroubleKind::Crash), &Interrupt::default());
        assert_eq!(told, RunError::Failed("rank 1 died; signal 9".into()));
        assert_eq!(failed(trouble(TroubleKind::Interrupted), &Interrupt::default()), RunError::Interrupted);
    }
}
