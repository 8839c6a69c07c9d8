use crate::{
    facts::{Facts, LogEventKind},
    spec::GpuExpect,
    verdict::{
        FindingCode,
        kernel_log::{Log, log},
        sheet::{Sheet, Standing, Subject},
    },
};

/// Driver error reports in the kernel log. One that is seen fails, whatever else of the log is missing.
pub(super) fn judge(expect: &GpuExpect, facts: &Facts, sheet: &mut Sheet<'_>) {
    let Some(wanted) = &expect.xid else { return };
    let allow = &wanted.value.allow;
    let expected = if allow.is_empty() {
        "none".to_owned()
    } else {
        format!("none but {}", allow.iter().map(u32::to_string).collect::<Vec<_>>().join(", "))
    };
    let subject = |device: Option<String>| Subject {
        code: FindingCode::Xid,
        device,
        what: "Xid",
        unit: None,
        hint: "NVIDIA's Xid catalogue says what the number means; 74 is NVLink, 79 a GPU that fell off the bus",
    };
    let Log { events, complete, source } = log(facts);
    let of_interest = |kind| matches!(kind, LogEventKind::Xid | LogEventKind::FallenOffBus);
    let mut seen = false;
    for event in events.iter().filter(|event| of_interest(event.kind)) {
        if event.code.is_some_and(|code| allow.contains(&code)) {
            continue;
        }
        seen = true;
        let actual = event.code.map_or_else(|| event.quote.clone(), |code| code.to_string());
        let standing = Standing::Wrong { actual, margin: None, source: Some(format!("{source}:{}", event.line)) };
        sheet.settle(&subject(event.device.clone()), &expected, &wanted.place, standing);
    }
    match complete {
        Ok(()) if seen => {}
        Ok(()) => {
            let standing = Standing::Right { actual: "none".to_owned(), margin: None };
            sheet.settle(&subject(None), &expected, &wanted.place, standing);
        }
        Err(reason) => sheet.settle(&subject(None), &expected, &wanted.place, Standing::Unknown { reason }),
    }
}
