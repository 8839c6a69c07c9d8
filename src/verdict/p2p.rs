use super::{
    FindingCode,
    ledger::{Check, Ledger},
    subjects::{gpu_pairs, pair_name},
    topology::{missing_pairs, no_pairs},
};
use crate::{
    facts::{Fact, Facts, GpuPair, P2pStatus},
    spec::{GpuSelection, P2p, P2pWanted, Placed},
};

type Capability = fn(&GpuPair) -> &Fact<P2pStatus>;

/// Judges what peers may do with each other's memory.
pub(super) fn judge(p2p: &P2p, facts: &Facts, selection: &GpuSelection, ledger: &mut Ledger<'_>) {
    let asked: [(&str, &Option<Placed<P2pWanted>>, Capability); 4] = [
        ("P2P read", &p2p.read, |pair| &pair.p2p_read),
        ("P2P write", &p2p.write, |pair| &pair.p2p_write),
        ("P2P over NVLink", &p2p.nvlink, |pair| &pair.p2p_nvlink),
        ("P2P atomics", &p2p.atomics, |pair| &pair.p2p_atomics),
    ];
    let pairs = gpu_pairs(facts, selection, p2p.pairs.as_ref().map(|pairs| pairs.as_slice()));
    for (what, wanted, capability) in asked {
        let Some(wanted) = wanted else { continue };
        let says = format!("{what} is {{}}");
        let check = Check::new(FindingCode::P2p, what, &says, &wanted.place);
        for pair in &pairs.pairs {
            let fact = facts.pair(pair.0, pair.1).map(capability);
            one(&check, &pair_name(*pair), wanted.value, fact, ledger);
        }
        missing_pairs(&check, &pairs.missing, ledger);
        no_pairs(&check, &pairs, facts, ledger);
    }
}

fn one(check: &Check<'_>, device: &str, wanted: P2pWanted, fact: Option<&Fact<P2pStatus>>, ledger: &mut Ledger<'_>) {
    let expected = match wanted {
        P2pWanted::Ok => "ok",
        P2pWanted::NotSupported => "not-supported",
    };
    match fact {
        Some(Fact::Known { value, source }) => {
            if (*value == P2pStatus::Ok) == (wanted == P2pWanted::Ok) {
                ledger.met(check, device, expected, &value.to_string(), None);
            } else {
                ledger.violated(check, device, expected, &value.to_string(), source);
            }
        }
        Some(unknown) => ledger.unknown(check, device, expected, unknown.reason().unwrap_or_default()),
        None => ledger.unknown(check, device, expected, "no source shows this pair"),
    }
}
