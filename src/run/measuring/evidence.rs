use std::collections::BTreeMap;

use super::cell::Environment;
use crate::{
    collective::Sweep,
    evidence::{
        CollectiveEvidence, EngineRun, LibraryLog, LoadedLibrary, RankPlacement, RankSample, Trouble, measurement_of,
        median_of, read_ras,
    },
    facts::{Facts, is_kept_variable},
    session::{Ended, Session},
};

/// What was heard of a case while it was measured.
pub(super) struct Told {
    pub(super) sweep: Sweep,
    host: Option<String>,
    samples: Vec<RankSample>,
    /// Every measurement, where there was more than one.
    repeats: Vec<Vec<RankSample>>,
    placements: Vec<RankPlacement>,
    libraries: Vec<LoadedLibrary>,
    environment: BTreeMap<String, String>,
    warnings: Vec<String>,
    pub(super) log: Option<LibraryLog>,
    choices: Option<LibraryLog>,
    ras: Option<String>,
    pub(super) trouble: Option<Trouble>,
    pub(super) ends_without_p2p: Option<bool>,
}

impl Told {
    pub(super) fn new(sweep: Sweep, facts: &Facts) -> Self {
        Self {
            sweep,
            host: facts.host.name.value().cloned(),
            samples: Vec::new(),
            repeats: Vec::new(),
            placements: Vec::new(),
            libraries: Vec::new(),
            environment: BTreeMap::new(),
            warnings: Vec::new(),
            log: None,
            choices: None,
            ras: None,
            trouble: None,
            ends_without_p2p: None,
        }
    }

    pub(super) fn of_session(&mut self, session: &Session, environment: &Environment, warnings: &[String]) {
        self.placements = session.placements().to_vec();
        self.libraries = session.libraries().to_vec();
        self.of_cell(environment, warnings);
    }

    pub(super) fn of_cell(&mut self, environment: &Environment, warnings: &[String]) {
        self.warnings = warnings.to_vec();
        let set = environment.iter().cloned().filter_map(|(name, value)| Some((name, value?)));
        self.environment = set.filter(|(name, _)| is_kept_variable(name)).collect();
    }

    /// What was measured.
    pub(super) fn of_samples(&mut self, samples: Vec<RankSample>) {
        self.samples = samples;
        self.repeats.clear();
    }

    /// What was measured once more: every measurement counts.
    pub(super) fn of_more(&mut self, samples: Vec<RankSample>) {
        if self.repeats.is_empty() {
            self.repeats.push(std::mem::take(&mut self.samples));
        }
        self.repeats.push(samples);
        self.samples = median_of(&self.repeats);
    }

    /// What a session that has ended heard. What it left on the GPUs is told beside its trouble.
    pub(super) fn of_ended(&mut self, ended: Ended, left: Option<Trouble>) -> Result<(), Trouble> {
        // A measurement that ended early does not take the place of one that did not.
        if self.repeats.is_empty() && self.samples.is_empty() {
            self.samples = ended.samples;
        }
        self.placements = ended.placements;
        self.libraries = ended.libraries;
        self.ras = ended.ras;
        let mut trouble = ended.trouble;
        if let Some(left) = left {
            trouble.details.push(left.message);
            trouble.details.extend(left.details);
        }
        Err(trouble)
    }

    /// What the session that shows the library's choices heard. Where nothing was measured before or after it, its ranks
    /// are the only ones that there were.
    pub(super) fn of_choices(&mut self, short: Self) {
        self.choices = short.log;
        self.ras = self.ras.take().or(short.ras);
        if self.placements.is_empty() {
            self.placements = short.placements;
            self.libraries = short.libraries;
            self.environment = short.environment;
            self.warnings = short.warnings;
        }
    }

    pub(super) fn pids(&self) -> Vec<u32> {
        self.placements.iter().map(|placement| placement.pid).collect()
    }

    pub(super) fn evidence(&self) -> CollectiveEvidence {
        let fake = self.libraries.iter().any(|library| library.fake);
        let unfinished = self.trouble.as_ref().map(|trouble| trouble.message.clone());
        let measured = (!self.placements.is_empty()).then(|| {
            measurement_of(
                &self.sweep,
                &self.placements,
                self.host.as_deref(),
                &self.samples,
                self.libraries.get(1),
                self.environment.clone(),
                unfinished,
            )
        });
        let mut log = self.log.clone();
        match (&mut log, self.choices.clone()) {
            (Some(log), Some(choices)) => {
                log.choices.extend(choices.choices);
                log.sources.extend(choices.sources);
            }
            // What the library said before it came to the measurement; of one that was made it tells nothing.
            (None, choices) if self.trouble.is_some() => log = choices,
            (None, _) | (Some(_), None) => {}
        }
        CollectiveEvidence {
            measurement: measured,
            log,
            ras: self.ras.as_ref().map(|text| read_ras(text, "the library's RAS service")),
            engine: Some(EngineRun {
                libraries: self.libraries.clone(),
                placements: self.placements.clone(),
                samples: self.samples.clone(),
                repeats: self.repeats.clone(),
                warnings: self.warnings.clone(),
                trouble: self.trouble.clone(),
                ends_without_p2p: self.ends_without_p2p,
                fake,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Origin;

    #[test]
    fn of_an_environment_only_what_may_be_shown_is_kept() {
        let sweep = Sweep { iterations: 1, warmup: 0, in_place: false, whole_check: 0, ..Sweep::over(&[8]) };
        let mut told = Told::new(sweep, &Facts::new(Origin::Saved { path: "ticket".into() }));
        let set = [("NCCL_ALGO", Some("Ring")), ("AWS_SECRET", Some("hidden")), ("NCCL_PROTO", None)];
        told.of_cell(&set.map(|(name, value)| (name.into(), value.map(Into::into))).to_vec(), &["a word".into()]);
        assert_eq!(told.environment, BTreeMap::from([("NCCL_ALGO".to_owned(), "Ring".to_owned())]));
        assert_eq!(told.warnings, ["a word"]);
    }
}
