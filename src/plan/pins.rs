//! Cases that ask for what the operator's pins do not allow.

use std::fmt;

use super::{Case, EnvironmentOrigin, OperatorEnvironment, environment::asked};
use crate::spec::{Collective, EnvironmentValue, Kind, Placed, Wanted};

/// A case asks for what a pin rules out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PinConflict {
    /// The pinned variable.
    pub name: String,
    /// Its pinned value.
    pub pinned: String,
    /// What the case asks for, as a fragment: `NCCL_ALGO=NVLS (cell)`.
    pub asked: String,
}

impl fmt::Display for PinConflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "asks for {}, but the operator pins {}={}", self.asked, self.name, self.pinned)
    }
}

/// What a pinned switch rules out: its name, the value that does, the algorithms and the transports.
type RuledOut = (&'static str, &'static str, &'static [&'static str], &'static [&'static str]);

/// From NCCL's documentation of its environment variables: with these set, the library cannot use those.
const RULED_OUT: [RuledOut; 5] = [
    ("NCCL_NVLS_ENABLE", "0", &["NVLS", "NVLSTree"], &["NVLS"]),
    ("NCCL_P2P_DISABLE", "1", &[], &["NVLink", "XGMI", "PCIe", "P2P"]),
    ("NCCL_SHM_DISABLE", "1", &[], &["SHM"]),
    ("NCCL_IB_DISABLE", "1", &[], &["IB", "IB/GDRDMA"]),
    ("NCCL_COLLNET_ENABLE", "0", &["CollNetDirect", "CollNetChain"], &["CollNet"]),
];

/// Everything that a case asks for and the operator's pins rule out.
pub fn pin_conflicts(case: &Case, operator: &OperatorEnvironment) -> Vec<PinConflict> {
    let asked: Vec<_> =
        asked(case, operator).into_iter().filter(|variable| variable.origin != EnvironmentOrigin::Inherited).collect();
    let mut conflicts = Vec::new();
    for (name, pinned) in &operator.pins {
        let mut add = |asked| conflicts.push(PinConflict { name: name.clone(), pinned: pinned.clone(), asked });
        for variable in asked.iter().filter(|variable| variable.name == *name) {
            if variable.value != EnvironmentValue::Set(pinned.clone()) {
                add(format!("{name}={} ({})", variable.value, variable.origin));
            }
        }
        let Some((_, _, algorithms, transports)) = RULED_OUT.iter().find(|rule| rule.0 == name && rule.1 == pinned)
        else {
            continue;
        };
        for variable in asked.iter().filter(|variable| variable.name == "NCCL_ALGO") {
            if names_any(&variable.value, algorithms) {
                add(format!("NCCL_ALGO={} ({})", variable.value, variable.origin));
            }
        }
        if let Kind::Collective(collective) = &*case.kind {
            expectations(collective, algorithms, transports).into_iter().for_each(&mut add);
        }
    }
    conflicts
}

/// Whether an `NCCL_ALGO` value asks for one of the algorithms. `^` at its start means all but these.
fn names_any(value: &EnvironmentValue, algorithms: &[&str]) -> bool {
    let asks = |text: &str| {
        let listed = text.split([',', ';', ':']).map(str::trim);
        !text.starts_with('^') && listed.into_iter().any(|name| is_one_of(name, algorithms))
    };
    match value {
        EnvironmentValue::Removed => false,
        EnvironmentValue::Set(text) => asks(text),
        EnvironmentValue::PerRank(texts) => texts.iter().any(|text| asks(text)),
    }
}

fn is_one_of(name: &str, names: &[&str]) -> bool {
    names.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// Expectations that only a ruled-out algorithm or transport can meet.
fn expectations(collective: &Collective, algorithms: &[&str], transports: &[&str]) -> Vec<String> {
    let mut unmet = Vec::new();
    let only = |wanted: &Placed<Wanted<String>>| match &wanted.value {
        Wanted::Exact(name) => is_one_of(name, algorithms),
        Wanted::OneOf(names) => names.iter().all(|name| is_one_of(name, algorithms)),
        Wanted::Range { .. } => false,
    };
    if let Some(wanted) = collective.expect.algorithm.as_ref().filter(|wanted| only(wanted)) {
        unmet.push(format!("the algorithm {}", wanted.value));
    }
    let required = collective.expect.transport.iter().flat_map(|transport| &transport.require);
    let required: Vec<&str> = required.map(|name| name.value.as_str()).collect();
    if !required.is_empty() && required.iter().all(|name| transports.contains(name)) {
        unmet.push(format!("the transport {}", required.join(" or ")));
    }
    unmet
}
