//! The transports of the connections against those required and forbidden.

use super::{
    traffic::{Connection, Traffic},
    used::Used,
};
use crate::{
    spec::{Place, Placed, TransportExpect},
    verdict::{
        FindingCode,
        ledger::{Check, Ledger},
        topology::Held,
    },
};

/// Judges the transports. What a log shows can fail a case although it does not show everything.
pub(super) fn judge(expect: &TransportExpect, traffic: Result<&Traffic<'_>, &str>, ledger: &mut Ledger<'_>) {
    for rule in [Rule::new(&expect.require, false), Rule::new(&expect.forbid, true)].into_iter().flatten() {
        let check = Check::new(FindingCode::Transport, "transport", "uses {}", rule.place);
        match traffic {
            Ok(traffic) => rule.judge(&check, traffic, ledger),
            Err(reason) => ledger.unknown(&check, "traffic", &rule.expected, reason),
        }
    }
}

/// `require` or `forbid`.
struct Rule<'a> {
    names: Vec<&'a str>,
    is_forbid: bool,
    expected: String,
    place: &'a Place,
}

impl<'a> Rule<'a> {
    fn new(list: &'a [Placed<String>], is_forbid: bool) -> Option<Self> {
        let place = &list.first()?.place;
        let names: Vec<&str> = list.iter().map(|name| name.value.as_str()).collect();
        let expected = format!("{}{}", if is_forbid { "not " } else { "" }, names.join(" or "));
        Some(Self { names, is_forbid, expected, place })
    }

    fn judge(&self, check: &Check<'_>, traffic: &Traffic<'_>, ledger: &mut Ledger<'_>) {
        for Connection { device, used } in &traffic.connections {
            let wanted = match (self.is_used(used, traffic), self.is_forbid) {
                (Held::Unknown, _) => {
                    ledger.unknown(check, device, &self.expected, &used.doubt());
                    continue;
                }
                (held, is_forbid) => (held == Held::Yes) != is_forbid,
            };
            if wanted {
                ledger.met(check, device, &self.expected, &used.to_string(), None);
            } else {
                ledger.violated(check, device, &self.expected, &used.to_string(), &traffic.source);
            }
        }
        if self.is_forbid && self.names.iter().any(|name| may_be_nvls(name, traffic)) {
            ledger.unknown(check, "traffic", &self.expected, "the log does not tell whether NVLS carried it");
        }
        if let Some(reason) = &traffic.gap {
            ledger.unknown(check, "other connections", &self.expected, reason);
        }
    }

    /// Whether a connection uses one of the transports. Where NVLS carries every size, what else joins two GPUs
    /// carries nothing, and is as good as NVLS.
    fn is_used(&self, used: &Used, traffic: &Traffic<'_>) -> Held {
        let nvls = traffic.nvls;
        let stands_for = |name: &str| match name {
            "NVLS" => true,
            "NVLink" => nvls.is_spoken_of,
            _ => false,
        };
        let held = self.names.iter().map(|name| used.is(name));
        let by_nvls = !self.is_forbid && used.is_peer() && self.names.iter().any(|name| stands_for(name));
        any(held.chain(by_nvls.then_some(nvls.every_size)))
    }
}

fn any(held: impl Iterator<Item = Held>) -> Held {
    held.fold(Held::No, |all, one| match (all, one) {
        (Held::Yes, _) | (_, Held::Yes) => Held::Yes,
        (Held::Unknown, _) | (_, Held::Unknown) => Held::Unknown,
        (Held::No, Held::No) => Held::No,
    })
}

/// Whether NVLS may have carried traffic for which a transport is forbidden.
fn may_be_nvls(name: &str, traffic: &Traffic<'_>) -> bool {
    let speaks = name == "NVLS" || traffic.nvls.is_spoken_of;
    traffic.nvls.some_size == Held::Unknown && speaks && Used::Nvls.is(name) == Held::Yes
}
