use std::collections::BTreeMap;

use crate::probe::child::Heard;

/// Why a source left facts untold.
#[derive(Clone, Debug)]
pub(in crate::probe) struct Silence {
    lanes: BTreeMap<String, String>,
    otherwise: String,
}

impl Silence {
    /// The same reason for everything.
    pub(in crate::probe) fn all(reason: impl Into<String>) -> Self {
        Self { lanes: BTreeMap::new(), otherwise: reason.into() }
    }

    /// The reasons of what a child did not tell; `otherwise` where it was heard to the end, such as `NVML does not say`.
    pub(in crate::probe) fn of<A>(heard: &Heard<A>, otherwise: impl Into<String>) -> Self {
        let lanes = heard.all_lost().map(|(lane, why)| (lane.to_owned(), why.to_owned())).collect();
        Self { lanes, otherwise: heard.broken().map_or_else(|| otherwise.into(), str::to_owned) }
    }

    /// Gives a lane a reason of its own, where the child named none.
    pub(in crate::probe) fn because(&mut self, lane: impl Into<String>, reason: impl Into<String>) {
        self.lanes.entry(lane.into()).or_insert_with(|| reason.into());
    }

    /// Whether a lane has a reason of its own.
    pub(in crate::probe) fn names(&self, lane: &str) -> bool {
        self.lanes.contains_key(lane)
    }

    /// Why a lane left a fact untold.
    pub(in crate::probe) fn why(&self, lane: &str) -> String {
        self.lanes.get(lane).unwrap_or(&self.otherwise).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_that_ended_early_is_the_reason_of_what_it_did_not_reach() {
        let mut silence = Silence::of(&Heard::<u32>::nothing("ended by SIGSEGV"), "NVML does not say");
        silence.because("GPU1", "it is lost");
        silence.because("GPU1", "a later reason");
        assert_eq!((silence.why("GPU0").as_str(), silence.why("GPU1").as_str()), ("ended by SIGSEGV", "it is lost"));
        assert_eq!((silence.names("GPU0"), silence.names("GPU1")), (false, true));
    }
}
