//! Topology: GPUs with GPUs, GPUs with NICs, and how near NICs are.

mod class;
mod near;
mod nics;

use super::{
    FindingCode,
    ledger::{Check, Ledger},
    subjects::{Pairs, gpu_pairs, pair_name},
};
pub(super) use class::{Held, within};
use class::{forbidden, required};

use crate::{
    facts::{Fact, Facts, LinkClass},
    spec::{Between, GpuSelection, LinkWanted, Place, Topology},
};

/// Judges how GPUs are joined to each other or to NICs.
pub(super) fn judge(topology: &Topology, facts: &Facts, selection: &GpuSelection, ledger: &mut Ledger<'_>) {
    match topology.between.value {
        Between::GpuGpu => gpu_gpu(topology, facts, selection, ledger),
        Between::GpuNic => nics::judge(topology, facts, selection, ledger),
    }
}

fn gpu_gpu(topology: &Topology, facts: &Facts, selection: &GpuSelection, ledger: &mut Ledger<'_>) {
    let pairs = gpu_pairs(facts, selection, topology.pairs.as_ref().map(|pairs| pairs.as_slice()));
    for rule in rules(topology) {
        let check = rule.check();
        for pair in &pairs.pairs {
            let class = facts.pair(pair.0, pair.1).map(|pair| &pair.class);
            rule.judge(&check, &pair_name(*pair), class, ledger);
        }
        missing_pairs(&check, &pairs.missing, ledger);
        no_pairs(&check, &pairs, facts, ledger);
    }
}

/// One of `require`, `forbid` and `at_most`.
struct Rule<'a> {
    place: &'a Place,
    expected: String,
    holds: Box<dyn Fn(LinkClass) -> Held + 'a>,
}

impl Rule<'_> {
    fn check(&self) -> Check<'_> {
        Check::new(FindingCode::LinkClass, "link class", "is {}", self.place)
    }

    fn judge(&self, check: &Check<'_>, device: &str, class: Option<&Fact<LinkClass>>, ledger: &mut Ledger<'_>) {
        let (class, source) = match class {
            Some(Fact::Known { value, source }) => (*value, source),
            Some(unknown) => {
                return ledger.unknown(check, device, &self.expected, unknown.reason().unwrap_or_default());
            }
            None => return ledger.unknown(check, device, &self.expected, "no source shows this pair"),
        };
        match (self.holds)(class) {
            Held::Yes => ledger.met(check, device, &self.expected, &class.to_string(), None),
            Held::No => {
                ledger.violated(check, device, &self.expected, &class.to_string(), source);
            }
            Held::Unknown => {
                let reason = format!("{source} says {class} and gives no distance");
                ledger.unknown(check, device, &self.expected, &reason);
            }
        }
    }
}

fn rules(topology: &Topology) -> Vec<Rule<'_>> {
    let list = |wanted: &[LinkWanted]| wanted.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or ");
    let mut rules = Vec::new();
    if let Some(require) = &topology.require {
        let holds = Box::new(|class| required(require, class));
        rules.push(Rule { place: &require.place, expected: list(require), holds });
    }
    if let Some(forbid) = &topology.forbid {
        let holds = Box::new(|class| forbidden(forbid, class));
        rules.push(Rule { place: &forbid.place, expected: format!("not {}", list(forbid)), holds });
    }
    if let Some(at_most) = &topology.at_most {
        let holds = Box::new(|class| within(at_most.value, class));
        rules.push(Rule { place: &at_most.place, expected: format!("at most {}", at_most.value), holds });
    }
    rules
}

/// Pairs that the spec names and a complete source shows to be absent.
pub(super) fn missing_pairs(check: &Check<'_>, missing: &[((u32, u32), String)], ledger: &mut Ledger<'_>) {
    let check = Check { code: FindingCode::DeviceMissing, ..*check };
    for (pair, reason) in missing {
        let device = pair_name(*pair);
        let message = format!("{device} is not there: {reason}");
        let finding = ledger.failure(&check, &device, message, "there", "not there", "");
        finding.source = None;
    }
}

/// A check that has looked at nothing, or not at everything, does not pass.
pub(super) fn no_pairs(check: &Check<'_>, pairs: &Pairs, facts: &Facts, ledger: &mut Ledger<'_>) {
    if let Some(reason) = &pairs.incomplete {
        ledger.unknown(check, "other pairs", "", reason);
    } else if pairs.pairs.is_empty() && pairs.missing.is_empty() {
        let count = facts.gpu_count.value().copied().unwrap_or_default();
        let message = format!("there is no pair of GPUs to check: the machine has {count}");
        ledger.error(FindingCode::NothingSelected, Some(check.place), message);
    }
}
