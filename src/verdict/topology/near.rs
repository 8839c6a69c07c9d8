use super::{Held, nics::Nics, within};
use crate::{
    facts::{Fact, Facts},
    spec::{EachGpuHas, Placed, Wanted},
    verdict::{
        FindingCode,
        ledger::{Check, Ledger},
        subjects::Gpus,
        want::{self, holds},
    },
};

/// Judges how many NICs every GPU has near. What is unknown may be near or not: the answer must hold either way.
pub(super) fn judge(wanted: &Placed<EachGpuHas>, gpus: &Gpus, nics: &Nics, facts: &Facts, ledger: &mut Ledger<'_>) {
    let what = format!("number of NICs within {}", wanted.at_most);
    let says = format!("has {{}} NICs within {}", wanted.at_most);
    let check = Check::new(FindingCode::NearNics, &what, &says, &wanted.place).unit("NICs");
    for gpu in &gpus.indices {
        let near = Near::of(*gpu, wanted, nics, facts);
        let device = format!("GPU{gpu}");
        match near.answer(&wanted.count) {
            Held::Yes => {
                let margin = want::margin(&wanted.count, &near.least);
                ledger.met(&check, &device, &wanted.count.to_string(), &near.least.to_string(), margin);
            }
            Held::No => {
                let source = near.source.unwrap_or("the topology matrix");
                let (expected, margin) = (wanted.count.to_string(), want::margin(&wanted.count, &near.least));
                ledger.violated(&check, &device, &expected, &near.shown(), source).margin = margin;
                ledger.missed(&check, &device, &expected, &near.shown(), margin);
            }
            Held::Unknown => {
                let reason = near.reason.unwrap_or("the matrix is incomplete").to_owned();
                ledger.unknown(&check, &device, &wanted.count.to_string(), &reason);
            }
        }
    }
    if let Some(reason) = &gpus.incomplete {
        ledger.unknown(&check, gpus.others(), &wanted.count.to_string(), reason);
    }
}

/// How many NICs are near a GPU, as far as it is known.
struct Near<'a> {
    least: u32,
    /// `None` where there may be any number of others.
    most: Option<u32>,
    reason: Option<&'a str>,
    source: Option<&'a str>,
}

impl<'a> Near<'a> {
    fn of(gpu: u32, wanted: &EachGpuHas, nics: &'a Nics, facts: &'a Facts) -> Self {
        let mut near = Self { least: 0, most: None, reason: nics.incomplete.as_deref(), source: None };
        let mut unknown = 0;
        for nic in &nics.nics {
            match super::nics::cell(facts, gpu, nic) {
                Some(Fact::Known { value, source }) => {
                    near.source = Some(source);
                    match within(wanted.at_most, *value) {
                        Held::Yes => near.least += 1,
                        Held::No => {}
                        Held::Unknown => {
                            unknown += 1;
                            near.reason = near.reason.or(Some("the source gives no PCIe distance"));
                        }
                    }
                }
                cell => {
                    unknown += 1;
                    let reason = cell.and_then(Fact::reason).unwrap_or("the GPU's row is not there");
                    near.reason = near.reason.or(Some(reason));
                }
            }
        }
        near.most = nics.incomplete.is_none().then_some(near.least + unknown);
        near
    }

    /// Whether every number that is possible is as wanted, or none is.
    fn answer(&self, wanted: &Wanted<u32>) -> Held {
        // Past the largest bound the answer no longer changes.
        let beyond = match wanted {
            Wanted::Exact(count) => *count,
            Wanted::OneOf(counts) => counts.iter().copied().max().unwrap_or_default(),
            Wanted::Range { min, max } => max.or(*min).unwrap_or_default(),
        };
        let most = self.most.unwrap_or_else(|| beyond.max(self.least).saturating_add(1));
        let mut possible =
            (self.least..=most.min(self.least.saturating_add(1 << 16))).map(|count| holds(wanted, &count));
        let first = possible.next().unwrap_or(false);
        match (first, possible.all(|other| other == first)) {
            (true, true) => Held::Yes,
            (false, true) => Held::No,
            (_, false) => Held::Unknown,
        }
    }

    fn shown(&self) -> String {
        match self.most {
            Some(most) if most == self.least => most.to_string(),
            Some(most) => format!("{} to {most}", self.least),
            None => format!("at least {}", self.least),
        }
    }
}
