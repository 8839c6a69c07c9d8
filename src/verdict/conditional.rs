//! Overrides that depend on the machine, and what a case comes to where it is not known whether they hold.
//!
//! A case is judged under every set of overrides that may hold. Where all of them pass, or all fail, it is known that
//! the case does; else it is an error that names the condition. So an unknown condition makes neither a pass nor a
//! failure that the machine does not deserve.

use std::collections::BTreeSet;

use super::{Evidence, FindingCode, Outcome, Verdict, ledger::Ledger, want};
use crate::{
    facts::{Fact, Facts, Vendor},
    plan::Case,
    spec::{GpuSelection, MachineCondition, Override, Test},
    units::Version,
};

/// More overrides than this whose condition is unknown are not tried in every combination.
const MOST_UNKNOWN: usize = 4;

/// Judges a case under the overrides that hold on the machine.
pub(super) fn judge(case: &Case, evidence: &Evidence<'_>, judge: impl Fn(&Case) -> Verdict) -> Verdict {
    let Some(test) = case.test.as_deref().filter(|_| !case.conditional.is_empty()) else { return judge(case) };
    let known = Known::of(case, evidence);
    let Some(sets) = known.possible(case, test) else {
        return with_unknown(Verdict::from_findings(Vec::new(), Vec::new()), case, test, &known);
    };
    let verdicts: Vec<Verdict> = sets.iter().map(|held| under(case, test, held, &judge)).collect();
    let common = in_all(&verdicts);
    match verdicts.first() {
        Some(first) if verdicts.iter().all(|verdict| verdict.outcome == first.outcome) => {
            if verdicts.len() > 1 && first.outcome == Outcome::Error {
                return with_unknown(common, case, test, &known);
            }
            // What they have in common tells it, unless each fails by another bound.
            if common.outcome == first.outcome { common } else { with_unknown(first.clone(), case, test, &known) }
        }
        _ => with_unknown(common, case, test, &known),
    }
}

/// The case judged with some of its conditional overrides.
fn under(case: &Case, test: &Test, held: &BTreeSet<usize>, judge: impl Fn(&Case) -> Verdict) -> Verdict {
    if held.is_empty() {
        return judge(case);
    }
    let decided = (0..test.overrides.len()).filter(|at| {
        let entry = &test.overrides[*at];
        entry.machine.is_empty() && entry.matches_cell(&case.cell)
    });
    let overrides: Vec<usize> = decided.chain(held.iter().copied()).collect();
    match test.kind_for_cell(&case.cell, &overrides) {
        Ok(kind) => judge(&Case { kind, ..case.clone() }),
        Err(errors) => {
            let mut ledger = Ledger::new(test.hint.as_deref());
            for error in errors {
                let message = format!("the overrides that hold here cannot be read together: {}", error.message);
                ledger.error(FindingCode::NotJudged, Some(&error.place), message);
            }
            ledger.verdict()
        }
    }
}

/// What all verdicts hold.
fn in_all(verdicts: &[Verdict]) -> Verdict {
    let Some((first, others)) = verdicts.split_first() else { return Verdict::from_findings(Vec::new(), Vec::new()) };
    let mut findings = first.findings.clone();
    findings.retain(|finding| others.iter().all(|other| other.findings.contains(finding)));
    let mut measured = first.measured.clone();
    measured.retain(|measured| others.iter().all(|other| other.measured.contains(measured)));
    Verdict::from_findings(findings, measured)
}

/// A verdict with an error for each override of which it is not known whether it holds.
fn with_unknown(verdict: Verdict, case: &Case, test: &Test, known: &Known) -> Verdict {
    let mut ledger = Ledger::new(test.hint.as_deref());
    for entry in case.conditional.iter().filter_map(|at| test.overrides.get(*at)) {
        if let Err(reason) = known.holds(&entry.machine, None) {
            let message = format!("whether an override holds is unknown: {reason}");
            ledger.error(FindingCode::Unknown, Some(&entry.place), message);
        }
    }
    let mut findings = verdict.findings;
    findings.extend(ledger.verdict().findings);
    Verdict::from_findings(findings, verdict.measured)
}

/// What conditions are decided by, each with the reason where it is not known.
struct Known {
    gpus: Result<u32, String>,
    nvls: Result<bool, String>,
    library: Result<Version, String>,
}

impl Known {
    fn of(case: &Case, evidence: &Evidence<'_>) -> Self {
        Self { gpus: gpus(case, evidence), nvls: evidence.uses_nvls(case), library: library(case, evidence) }
    }

    /// Every set of conditional overrides that may hold; `None` where there are too many.
    fn possible(&self, case: &Case, test: &Test) -> Option<BTreeSet<BTreeSet<usize>>> {
        let worlds = match self.nvls {
            Ok(nvls) => vec![nvls],
            Err(_) => vec![false, true],
        };
        let mut sets = BTreeSet::new();
        for nvls in worlds {
            let entries = case.conditional.iter().filter_map(|at| Some((*at, test.overrides.get(*at)?)));
            let decided = |(at, entry): (usize, &Override)| (at, self.holds(&entry.machine, Some(nvls)));
            let decided: Vec<(usize, Result<bool, String>)> = entries.map(decided).collect();
            let open: Vec<usize> = decided.iter().filter(|(_, held)| held.is_err()).map(|(at, _)| *at).collect();
            if open.len() > MOST_UNKNOWN {
                return None;
            }
            let held = decided.iter().filter(|(_, held)| *held == Ok(true)).map(|(at, _)| *at);
            let held: BTreeSet<usize> = held.collect();
            sets.extend(subsets(&open).map(|more| held.iter().copied().chain(more).collect()));
        }
        Some(sets)
    }

    /// Whether a condition holds, with NVLS taken to be in use or not where `nvls` says so. One part that does not
    /// hold decides it, whatever else is unknown.
    fn holds(&self, condition: &MachineCondition, nvls: Option<bool>) -> Result<bool, String> {
        let nvls = nvls.map_or_else(|| self.nvls.clone(), Ok);
        let gpus = condition.gpus.as_ref().map(|wanted| match &self.gpus {
            Ok(gpus) => Ok(want::holds(wanted, gpus)),
            Err(reason) => Err(format!("the number of GPUs: {reason}")),
        });
        let nvls = condition.nvls.map(|wanted| match nvls {
            Ok(nvls) => Ok(nvls == wanted),
            Err(reason) => Err(format!("whether NVLS is in use: {reason}")),
        });
        let library = condition.library.as_ref().map(|(min, max)| match &self.library {
            Ok(library) => {
                Ok(min.as_ref().is_none_or(|min| library >= min) && max.as_ref().is_none_or(|max| library <= max))
            }
            Err(reason) => Err(format!("the library's version: {reason}")),
        });
        let parts: Vec<Result<bool, String>> = [gpus, nvls, library].into_iter().flatten().collect();
        if parts.contains(&Ok(false)) {
            return Ok(false);
        }
        parts.into_iter().try_fold(true, |all, part| part.map(|part| all && part))
    }
}

fn subsets(of: &[usize]) -> impl Iterator<Item = Vec<usize>> {
    let chosen = |mask: usize| move |(bit, at): (usize, &usize)| (mask >> bit & 1 == 1).then_some(*at);
    (0..1_usize << of.len()).map(move |mask| of.iter().enumerate().filter_map(chosen(mask)).collect())
}

/// The number of GPUs of the machine: known, or that of the ranks where all of it was measured on one host.
fn gpus(case: &Case, evidence: &Evidence<'_>) -> Result<u32, String> {
    let measurement = evidence.collectives.get(&case.short_name()).and_then(|known| known.measurement.as_ref());
    let measured = measurement.filter(|measurement| measurement.hosts() == Some(1) && case.gpus() == GpuSelection::All);
    match (evidence.before.gpu_count.require(), measured.and_then(|measurement| measurement.whole_ranks())) {
        (Ok(count), _) => Ok(*count),
        (Err(_), Some(count)) => Ok(count),
        (Err(reason), None) => Err(reason.to_owned()),
    }
}

/// The version of the library that measured, or else of the one that the machine has; sources that differ tell nothing.
fn library(case: &Case, evidence: &Evidence<'_>) -> Result<Version, String> {
    let known = evidence.collectives.get(&case.short_name());
    let measured = known.and_then(|known| known.measurement.as_ref()?.library.clone());
    let logged = known.and_then(|known| known.log.as_ref()).map(|log| &log.libraries).into_iter().flatten();
    let loaded = known.and_then(|known| known.engine.as_ref()).into_iter().flat_map(|engine| &engine.libraries);
    let loaded = loaded.filter(|library| ["NCCL", "RCCL"].contains(&library.name.as_str()));
    let told = logged.chain(loaded.map(|library| &library.version));
    let mut versions: BTreeSet<Version> = told.filter_map(|text| version(text)).chain(measured).collect();
    if versions.is_empty() {
        versions = installed(evidence.before).filter_map(|text| version(text)).collect();
    }
    let versions: Vec<Version> = versions.into_iter().collect();
    match &versions[..] {
        [] => Err("no source tells it".to_owned()),
        [version] => Ok(version.clone()),
        [first, .., last] => Err(format!("the sources say {first} and {last}")),
    }
}

/// The collective library of the machine's GPUs, as it is installed; both where the vendor is not known.
fn installed(facts: &Facts) -> impl Iterator<Item = &String> {
    let names: &[&str] = match facts.vendor.value() {
        Some(Vendor::Amd) => &["RCCL"],
        Some(Vendor::Nvidia) => &["NCCL"],
        None => &["NCCL", "RCCL"],
    };
    names.iter().filter_map(|name| facts.libraries.get(*name).and_then(Fact::value))
}

/// The version in `NCCL 2.28.9+cuda12.9`, `RCCL 2.21.5-HEAD`.
fn version(text: &str) -> Option<Version> {
    let last = text.split_whitespace().last()?;
    let numbers = last.split(|c: char| !c.is_ascii_digit() && c != '.').next()?;
    numbers.trim_end_matches('.').parse().ok()
}
