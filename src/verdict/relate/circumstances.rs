use std::collections::BTreeSet;

use crate::{
    evidence::{Carrier, CollectiveEvidence},
    plan::{Case, OperatorEnvironment, environment},
    spec::{EnvironmentValue, Kind, Operation},
};

const P2P_DISABLE: &str = "NCCL_P2P_DISABLE";

/// What of a case tells which findings can explain its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Circumstances {
    /// The operation of a collective.
    pub operation: Option<Operation>,
    /// Whether the case switches P2P off.
    pub p2p_is_off: bool,
    /// Whether the same came to its end once P2P was switched off, after it had hung.
    pub ends_without_p2p: bool,
    /// Whether the connections that a log shows all stay within the host; what is not known may cross the network.
    pub stays_on_host: bool,
    /// The GPUs of all ranks by the driver's index, where a log of one host or linkspec's own engine tells them.
    pub gpus: Option<BTreeSet<u32>>,
}

impl Circumstances {
    /// Those of a case, with what was measured for it.
    pub fn of(case: &Case, known: Option<&CollectiveEvidence>) -> Self {
        let operation = match &*case.kind {
            Kind::Collective(collective) => Some(collective.operation.value),
            _ => None,
        };
        let variables = environment(case, &OperatorEnvironment::default());
        let off = EnvironmentValue::Set("1".to_owned());
        let asked_off = variables.iter().any(|variable| variable.name == P2P_DISABLE && variable.value == off);
        let process = known.and_then(|known| known.measurement.as_ref()?.environment.as_ref());
        let p2p_is_off = asked_off || process.is_some_and(|set| set.get(P2P_DISABLE).is_some_and(|value| value == "1"));
        let log = known.and_then(|known| known.log.as_ref());
        let on_host = |carrier: &Carrier| {
            matches!(carrier, Carrier::PeerToPeer(_) | Carrier::Indirect(_) | Carrier::SharedMemory)
        };
        let stays_on_host =
            log.is_some_and(|log| !log.edges.is_empty() && log.edges.iter().all(|edge| on_host(&edge.carrier)));
        let one_host = log.filter(|log| log.nodes.iter().eq([&1]) && !log.ranks.is_empty());
        let logged = one_host.and_then(|log| log.ranks.values().map(|rank| rank.device).collect());
        let placements = known.and_then(|known| known.engine.as_ref()).map(|engine| &engine.placements);
        let placed = placements.filter(|placements| !placements.is_empty());
        let gpus = logged.or_else(|| Some(placed?.iter().map(|placement| placement.gpu).collect()));
        let ends_without_p2p = known.and_then(|known| known.engine.as_ref()?.ends_without_p2p) == Some(true);
        Self { operation, p2p_is_off, ends_without_p2p, stays_on_host, gpus }
    }

    /// Whether a device can matter to the case: one of its GPUs, a pair of which one is, or no GPU at all.
    pub(super) fn involves(&self, device: Option<&str>) -> bool {
        let (Some(gpus), Some(device)) = (&self.gpus, device) else { return true };
        let mut indices = device.split('-').filter_map(|end| end.strip_prefix("GPU")?.parse::<u32>().ok()).peekable();
        indices.peek().is_none() || indices.any(|index| gpus.contains(&index))
    }
}
