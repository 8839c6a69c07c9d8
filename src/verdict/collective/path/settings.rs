//! Whether the settings of a case took effect, as far as its files show.

use std::collections::BTreeSet;

use super::{
    effect::{self, Effect},
    traffic::Traffic,
};
use crate::{
    evidence::{CollectiveEvidence, EngineRun},
    plan::{Case, EnvironmentOrigin, OperatorEnvironment, ResolvedVariable, environment},
    spec::{AxisKey, Collective, EnvironmentValue, Pin, Place, Test},
    verdict::{Evidence, FindingCode, collective::engine, ledger::Ledger},
};

/// Judges the settings that the spec and the operator ask for: what the files contradict is an error, what they do not show is noted
/// once. A live run is not noted: it sets them itself, and only what the library then chooses is left open.
pub(super) fn judge(
    case: &Case,
    collective: &Collective,
    evidence: &Evidence<'_>,
    traffic: Result<&Traffic<'_>, &str>,
    ledger: &mut Ledger<'_>,
) {
    let (Some(test), Some(known)) = (&case.test, evidence.collectives.get(&case.short_name())) else { return };
    let whole = traffic.is_ok_and(|traffic| traffic.gap.is_none());
    let engine = known.engine.as_ref();
    let mut unproved = Vec::new();
    let nobody = OperatorEnvironment::default();
    let asked = environment(case, evidence.operator.unwrap_or(&nobody)).into_iter();
    // What the shell had nobody asked for.
    for variable in asked.filter(|variable| variable.origin != EnvironmentOrigin::Inherited) {
        let shown = shown(&variable);
        match proof(&variable, collective, known, whole) {
            Effect::Shown => {}
            Effect::Contradicted(how) => {
                let message = format!("{shown} ({}) did not take effect: {how}", variable.origin);
                ledger.error(FindingCode::Setting, Some(place(test, &variable.name)), message);
            }
            Effect::NotShown if engine.map_or(!evidence.live, |engine| is_open(&variable, engine)) => {
                unproved.push(shown);
            }
            Effect::NotShown => {}
        }
    }
    let pin = unproved_pin(case, evidence).filter(|_| !evidence.live);
    unproved.extend(pin.filter(|_| engine.is_none_or(|engine| engine::is_unproved(case, engine))));
    if !unproved.is_empty() {
        let message = format!("the files do not show whether these took effect: {}", unproved.join(", "));
        ledger.note(FindingCode::Unproved, Some(&test.place), message);
    }
}

/// Whether the effect of what linkspec set itself, and measured, is open: it had set it, but an algorithm or a protocol is
/// the library's choice, which its log would show.
fn is_open(variable: &ResolvedVariable, engine: &EngineRun) -> bool {
    let names_one = |value: &str| !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_choice = ["NCCL_ALGO", "NCCL_PROTO"].contains(&variable.name.as_str());
    engine.trouble.is_none() && is_choice && matches!(&variable.value, EnvironmentValue::Set(value) if names_one(value))
}

fn shown(variable: &ResolvedVariable) -> String {
    match &variable.value {
        EnvironmentValue::Removed => format!("{} removed", variable.name),
        value @ (EnvironmentValue::Set(_) | EnvironmentValue::PerRank(_)) => format!("{}={value}", variable.name),
    }
}

/// What the files show of one variable.
fn proof(variable: &ResolvedVariable, collective: &Collective, known: &CollectiveEvidence, whole: bool) -> Effect {
    let nothing = BTreeSet::new();
    let log = known.log.as_ref();
    let echoed = log.and_then(|log| log.environment.get(&variable.name)).unwrap_or(&nothing);
    if let Some(other) = echoed.iter().find(|value| !allows(variable, value)) {
        return Effect::Contradicted(format!("the log says {}={}", variable.name, other.trim_end_matches('.')));
    }
    let process = known.measurement.as_ref().and_then(|measurement| measurement.environment.as_ref());
    let held = process.and_then(|process| process.get(&variable.name));
    // Of its own ranks linkspec knows every variable of the library.
    let measured = known.engine.as_ref().is_some_and(|engine| !engine.samples.is_empty());
    let is_known = measured && process.is_some() && is_of_the_library(&variable.name);
    if is_known && held.is_none() && matches!(variable.value, EnvironmentValue::Set(_)) {
        return Effect::Contradicted(format!("the measuring processes had no {}", variable.name));
    }
    if let Some(other) = held.filter(|value| !allows(variable, value)) {
        return Effect::Contradicted(format!("the measuring process had {}={other}", variable.name));
    }
    match &variable.value {
        // Nothing set it: neither the process nor a file that the library reads by itself.
        EnvironmentValue::Removed if process.is_some() && log.is_some() => Effect::Shown,
        EnvironmentValue::Removed => Effect::NotShown,
        EnvironmentValue::Set(value) => {
            let effect = log.map(|log| effect::of(&variable.name, plain(value), collective, log, whole));
            match effect {
                Some(contradicted @ Effect::Contradicted(_)) => contradicted,
                _ if !echoed.is_empty() => Effect::Shown,
                Some(Effect::Shown) if held.is_some() => Effect::Shown,
                _ => Effect::NotShown,
            }
        }
        EnvironmentValue::PerRank(values) => {
            let told = log.and_then(|log| effect::other_nodes(&variable.name, values, log));
            if let Some(how) = told {
                return Effect::Contradicted(how);
            }
            let each = |value: &String| echoed.iter().any(|echo| alike(&variable.name, echo, value));
            if values.iter().all(each) { Effect::Shown } else { Effect::NotShown }
        }
    }
}

/// Whether a value that was seen is one that was asked for.
fn allows(asked: &ResolvedVariable, seen: &str) -> bool {
    match &asked.value {
        EnvironmentValue::Removed => false,
        EnvironmentValue::Set(value) => alike(&asked.name, value, seen),
        EnvironmentValue::PerRank(values) => values.iter().any(|value| alike(&asked.name, value, seen)),
    }
}

fn is_of_the_library(name: &str) -> bool {
    name.starts_with("NCCL_") || name.starts_with("RCCL_")
}

/// Variables whose words the library reads in capitals and small letters alike.
const WORDS: &[&str] = &["NCCL_ALGO", "NCCL_PROTO", "NCCL_NET", "NCCL_P2P_LEVEL", "NCCL_NET_GDR_LEVEL"];

/// Whether two spellings are one value: the library's echo ends with a full stop and writes numbers its own way.
fn alike(name: &str, asked: &str, seen: &str) -> bool {
    let (asked, seen) = (plain(asked), plain(seen));
    asked == seen
        || (WORDS.contains(&name) && asked.eq_ignore_ascii_case(seen))
        || number(asked).is_some_and(|value| number(seen) == Some(value))
}

fn plain(value: &str) -> &str {
    let value = value.trim();
    value.strip_suffix('.').unwrap_or(value)
}

fn number(text: &str) -> Option<i64> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// A pin that no file can show. On one NUMA node every pin is that node, and the default asks for what is usual.
fn unproved_pin(case: &Case, evidence: &Evidence<'_>) -> Option<String> {
    let pin = case.pin();
    let one_node = evidence.before.host.numa_nodes.value().is_some_and(|nodes| nodes.len() == 1);
    (!one_node && !matches!(pin, Pin::GpuLocal | Pin::None)).then(|| format!("pin {pin}"))
}

/// Where a variable is asked for.
fn place<'a>(test: &'a Test, name: &str) -> &'a Place {
    let axes = test.matrix.iter().flat_map(|matrix| &matrix.axes);
    let axis =
        axes.filter(|axis| matches!(&axis.key, AxisKey::Environment(key) if key == name)).map(|axis| &axis.place);
    let maps = [&test.environment, &test.default_environment].into_iter();
    let set = maps.filter_map(|map| map.get(name)).map(|value| &value.place);
    axis.chain(set).next().unwrap_or(&test.place)
}
