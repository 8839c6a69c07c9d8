use crate::{
    facts::{Facts, LogEvent, LogEventKind},
    spec::{Placed, XidExpect},
    verdict::{
        FindingCode,
        ledger::{Check, Ledger},
        log,
    },
};

/// "GPU has fallen off the bus": the driver's report at boot has no number, and means the same.
const FALLEN_OFF: u32 = 79;

/// Judges `xid`: what the log shows is proof, what it does not show only where it is complete.
pub(super) fn judge(expect: &Placed<XidExpect>, facts: &Facts, ledger: &mut Ledger<'_>) {
    let check = Check::new(FindingCode::Xid, "Xid", "reported Xid {}", &expect.place);
    let expected = match expect.allow.as_slice() {
        [] => "none".to_owned(),
        allow => format!("none but {}", allow.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")),
    };
    let kernel_log = log::kernel_log(facts);
    let allowed = |code: Option<u32>| code.is_some_and(|code| expect.allow.contains(&code));
    let unwanted = |event: &LogEvent| match event.kind {
        LogEventKind::Xid => !allowed(event.code),
        LogEventKind::FallenOffBus => {
            let told = |other: &LogEvent| other.kind == LogEventKind::Xid && other.line == event.line;
            !allowed(Some(FALLEN_OFF)) && !kernel_log.events.iter().any(told)
        }
        LogEventKind::Sxid | LogEventKind::AerFatal | LogEventKind::NvlinkError => false,
    };
    for (device, event, count) in log::grouped(&kernel_log, facts, unwanted) {
        let what = match (event.kind, event.code) {
            (LogEventKind::FallenOffBus, _) => "has fallen off the bus".to_owned(),
            (_, Some(code)) => format!("reported Xid {code}"),
            (_, None) => "reported an Xid".to_owned(),
        };
        let message = format!("{device} {what}, expected {expected}: {}", log::quote(event, count));
        let actual = event.code.map_or_else(|| event.kind.to_string(), |code| code.to_string());
        ledger.failure(&check, &device, message, &expected, &actual, kernel_log.source);
    }
    match kernel_log.incomplete {
        Some(reason) => ledger.unknown(&check, "kernel log", &expected, reason),
        None if !kernel_log.events.iter().any(unwanted) => ledger.met(&check, "kernel log", &expected, "none", None),
        None => {}
    }
}
