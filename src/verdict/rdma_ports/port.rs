use super::gid;
use crate::{
    facts::{Fact, PortState, RdmaPort},
    spec::{Place, Placed, RdmaPorts, Wanted},
    verdict::{
        FindingCode,
        ledger::{Check, Ledger},
        want::{Asked, holds},
    },
};

/// Whether anything is asked of ports.
pub(super) fn asks(expect: &RdmaPorts) -> bool {
    let RdmaPorts { state, physical_state, rate, width, link_layer, active_mtu, gid, counters, .. } = expect;
    let first = state.is_some() || physical_state.is_some() || rate.is_some() || width.is_some();
    first || link_layer.is_some() || active_mtu.is_some() || gid.is_some() || counters.is_some()
}

/// Where the first expectation stands.
pub(super) fn place(expect: &RdmaPorts) -> Option<&Place> {
    let places = [
        expect.state.as_ref().map(|asked| &asked.place),
        expect.physical_state.as_ref().map(|asked| &asked.place),
        expect.rate.as_ref().map(|asked| &asked.place),
        expect.width.as_ref().map(|asked| &asked.place),
        expect.link_layer.as_ref().map(|asked| &asked.place),
        expect.active_mtu.as_ref().map(|asked| &asked.place),
        expect.gid.as_ref().map(|asked| &asked.place),
        expect.counters.as_ref().map(|asked| &asked.place),
        expect.firmware.as_ref().map(|asked| &asked.place),
        expect.near_gpu.as_ref().map(|asked| &asked.place),
        expect.count.as_ref().map(|asked| &asked.place),
    ];
    places.into_iter().flatten().next()
}

/// Judges one port: its state first, then what only an active port has.
pub(super) fn judge(expect: &RdmaPorts, name: &str, port: &RdmaPort, ledger: &mut Ledger<'_>) {
    if let Some(wanted) = &expect.state {
        let check = Check::new(FindingCode::PortState, "state", "is {}", &wanted.place);
        ledger.check(&check, name, wanted, &port.state);
    }
    if let Some(wanted) = &expect.physical_state {
        let check =
            Check::new(FindingCode::PortPhysicalState, "physical state", "has physical state {}", &wanted.place);
        ledger.check(&check, name, wanted, &port.physical_state);
    }
    if let Some(wanted) = &expect.link_layer {
        let check = Check::new(FindingCode::PortLinkLayer, "link layer", "has link layer {}", &wanted.place);
        ledger.check(&check, name, wanted, &port.link_layer);
    }
    if let Some(wanted) = &expect.gid {
        gid::judge(wanted, name, port, ledger);
    }
    let mut active = ActivePort { asked: expect.state.as_ref(), name, state: &port.state, told: false };
    if let Some(wanted) = &expect.rate {
        let check = Check::new(FindingCode::PortRate, "rate", "runs at {}", &wanted.place).unit("Gb/s");
        active.check(&check, wanted, &port.rate, ledger);
    }
    if let Some(wanted) = &expect.width {
        let check = Check::new(FindingCode::PortWidth, "width", "runs at width {}", &wanted.place);
        active.check(&check, wanted, &port.width, ledger);
    }
    if let Some(wanted) = &expect.active_mtu {
        let check = Check::new(FindingCode::PortMtu, "active MTU", "has active MTU {}", &wanted.place).unit("bytes");
        active.check(&check, wanted, &port.active_mtu, ledger);
    }
}

/// What a port shows of rate, width and MTU means something only while it is active; else they are placeholders.
struct ActivePort<'a> {
    asked: Option<&'a Placed<Wanted<PortState>>>,
    name: &'a str,
    state: &'a Fact<PortState>,
    /// Whether it was already said that the port is not active.
    told: bool,
}

impl ActivePort<'_> {
    /// A port that is known not to be active has no rate: where the spec asks for its state, that finding says it all;
    /// where it asks for no state, the port fails here; where the spec wants it inactive, the rate has no answer.
    fn check<T: Asked<V>, V>(
        &mut self,
        check: &Check<'_>,
        wanted: &Wanted<T>,
        fact: &Fact<V>,
        ledger: &mut Ledger<'_>,
    ) {
        let expected = wanted.to_string();
        match self.state {
            Fact::Known { value: PortState::Active, .. } => ledger.check(check, self.name, wanted, fact),
            Fact::Known { value: state, source } => match self.asked {
                Some(asked) if !holds(asked, state) => {}
                Some(_) => {
                    let reason = format!("the port is {state}, and shows a placeholder");
                    ledger.unknown(check, self.name, &expected, &reason);
                }
                None if self.told => {}
                None => {
                    self.told = true;
                    let check = Check { code: FindingCode::PortState, ..*check };
                    let message = format!(
                        "{} is {state}, expected {} {expected}: a port has it only while Active",
                        self.name, check.what
                    );
                    ledger.failure(&check, self.name, message, &expected, &state.to_string(), source);
                }
            },
            // Real or a placeholder, a wrong value is wrong; a right one proves nothing.
            unknown => match fact {
                Fact::Known { value, .. } if holds(wanted, value) => {
                    let reason = format!("the port's state is unknown: {}", unknown.reason().unwrap_or_default());
                    ledger.unknown(check, self.name, &expected, &reason);
                }
                fact => ledger.check(check, self.name, wanted, fact),
            },
        }
    }
}
