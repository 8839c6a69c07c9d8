use super::reader::Reader;
use crate::facts::Fact;

/// Where the reasons stand: in text and in XML, since driver 535 and before.
const SECTIONS: [&str; 4] =
    ["clocks event reasons/", "clocks throttle reasons/", "clocks_event_reasons/", "clocks_throttle_reasons/"];

/// The reasons in the tool's words with hyphens, where the facts have shorter ones.
const SHORTER: [(&str, &str); 3] =
    [("gpu-idle", "idle"), ("sw-power-cap", "power-cap"), ("display-clocks-setting", "display-clock-setting")];

/// Every driver since 390 lists these. A list without one of them was cut, and the reason that is gone may be active.
const ALWAYS: [&str; 6] =
    ["idle", "power-cap", "hw-slowdown", "hw-thermal-slowdown", "hw-power-brake-slowdown", "sw-thermal-slowdown"];

/// The reasons that are active. Known where each of the tool's reasons is either active or not.
pub(super) fn reasons(reader: &mut Reader<'_>) -> Fact<Vec<String>> {
    let values = reader.values;
    let paths = SECTIONS.iter().flat_map(|section| values.below(section)).map(|(path, _)| path);
    let mut active = Vec::new();
    let mut seen = Vec::new();
    for path in paths {
        let state = reader.fact(&[path], |text| match text {
            "Active" => Some(true),
            "Not Active" => Some(false),
            _ => None,
        });
        match state {
            Fact::Known { value: true, .. } => active.push(name(path)),
            Fact::Known { .. } => {}
            Fact::Unknown { reason } | Fact::Conflict { reason } => {
                return Fact::unknown(format!("{}: {reason}", name(path)));
            }
        }
        seen.push(name(path));
    }
    if seen.is_empty() {
        let whole =
            ["clocks event reasons", "clocks throttle reasons", "clocks_event_reasons", "clocks_throttle_reasons"];
        return reader.fact(&whole, |_| None);
    }
    if let Some(missing) = ALWAYS.iter().find(|reason| !seen.iter().any(|name| name == *reason)) {
        return Fact::unknown(format!("the reasons in {} lack {missing}", reader.file));
    }
    active.sort_unstable();
    Fact::known(active, reader.file)
}

/// `hw-slowdown`, from `HW Slowdown` or `clocks_event_reason_hw_slowdown`.
fn name(path: &str) -> String {
    let last = path.rsplit('/').next().unwrap_or(path);
    let last = last.strip_prefix("clocks_event_reason_").unwrap_or(last);
    let last = last.strip_prefix("clocks_throttle_reason_").unwrap_or(last);
    let name = last.replace([' ', '_'], "-");
    SHORTER.iter().find(|(long, _)| *long == name).map_or(name, |(_, short)| (*short).to_owned())
}
