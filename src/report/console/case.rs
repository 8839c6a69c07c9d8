use crate::{
    record::{CaseRecord, Flaky},
    report::{
        findings::{Fold, lines},
        plain::plain_line,
        quantity::{count, margin, seconds},
        style::{Role, Style},
        wrap::wrap,
    },
    verdict::{Finding, Measured, Outcome, Severity},
};

/// No line is stretched further, however wide the terminal is.
const WIDEST: usize = 120;

/// Where a case's name begins, and all that is told of it below.
const INDENT: usize = 6;

/// A case that ended: one line, and under it what was found, unless it only passed.
pub fn case(case: &CaseRecord, style: Style) -> String {
    let mut text = line(case, style);
    let below = below(case, inner(style));
    for line in &below {
        text.push_str(format!("{:INDENT$}{line}", "").trim_end());
        text.push('\n');
    }
    if !below.is_empty() {
        text.push('\n');
    }
    text
}

/// A case whose verdict changed when all cases were compared.
pub fn related(record: &CaseRecord, style: Style) -> String {
    format!("{}\n{}", style.paint(Role::Strong, "after all cases were compared:"), case(record, style))
}

/// Whether a case is shown with a blank line at its end.
pub(super) fn ends_blank(case: &CaseRecord, style: Style) -> bool {
    !below(case, inner(style)).is_empty()
}

fn inner(style: Style) -> Style {
    Style { width: style.width.saturating_sub(INDENT), ..style }
}

/// The word for an outcome; what needs a look is in capitals.
pub(super) fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Pass => "pass",
        Outcome::Fail => "FAIL",
        Outcome::Error => "ERROR",
        Outcome::Skip => "skip",
    }
}

/// The case's name, the suite's part of it faint.
pub(super) fn name(case: &CaseRecord, style: Style) -> String {
    let short = case.short_name();
    let suite = &case.name[..case.name.len() - short.len()];
    format!(
        "{}{}",
        if suite.is_empty() { String::new() } else { style.paint(Role::Faint, plain_line(suite)) },
        plain_line(short)
    )
}

/// `pass  hgx::all-reduce        468.21 GB/s (>= 440 GB/s, +6.41 %)   12.40 s`, as much of it as fits.
fn line(case: &CaseRecord, style: Style) -> String {
    let outcome = case.verdict.outcome;
    let time = seconds(case.seconds);
    let detail = fitting(case, style.width).unwrap_or_default();
    let gap = style.width.min(WIDEST).saturating_sub(used(case) + detail.chars().count());
    let padded = format!("{:<INDENT$}", word(outcome));
    format!(
        "{}{}{:gap$}{}  {}\n",
        style.paint(outcome.into(), padded),
        name(case, style),
        "",
        if outcome == Outcome::Skip { style.paint(Role::Skip, &detail) } else { detail },
        style.paint(Role::Faint, format!("{time:>7}")),
    )
}

/// The columns of a case's line without its detail.
fn used(case: &CaseRecord) -> usize {
    INDENT + case.name.chars().count() + 2 + seconds(case.seconds).len().max(7)
}

/// The longest detail that a case's line has room for.
fn fitting(case: &CaseRecord, width: usize) -> Option<String> {
    details(case).into_iter().find(|detail| used(case) + 2 + detail.chars().count() <= width.min(WIDEST))
}

/// What can stand on a case's line, longest first.
fn details(case: &CaseRecord) -> Vec<String> {
    if let Some(flaky) = case.flaky {
        return vec![tried(flaky)];
    }
    if let Some(finding) = case.verdict.findings.first().filter(|_| case.is_unfinished()) {
        let short = finding.message.split(':').next().unwrap_or_default();
        return vec![plain_line(&finding.message).into_owned(), plain_line(short).into_owned()];
    }
    if case.verdict.outcome == Outcome::Skip {
        return case.verdict.skip_reason.iter().map(|reason| plain_line(reason).into_owned()).collect();
    }
    let bad = matches!(case.verdict.outcome, Outcome::Fail | Outcome::Error);
    if bad && case.verdict.worst_margin().is_none_or(|margin| margin >= 0.0) {
        return case.verdict.findings.first().map(found).unwrap_or_default();
    }
    match (case.verdict.worst(), case.verdict.measured.as_slice()) {
        (Some(worst), _) => quantity(worst),
        (None, []) => Vec::new(),
        (None, [one]) => vec![format!("{} {}", plain_line(&one.subject), plain_line(&one.actual)), value(one)],
        (None, [first, rest @ ..]) if rest.iter().all(|other| other.actual == first.actual) => {
            vec![format!("{} x {}", rest.len() + 1, plain_line(&first.actual))]
        }
        (None, several) => vec![values(several), count(several.len(), "value")],
    }
}

/// What is wrong where no quantity misses its bound: the first thing that was found.
fn found(finding: &Finding) -> Vec<String> {
    let code = finding.code.to_string();
    let (Some(device), Some(actual)) = (&finding.device, &finding.actual) else { return vec![code] };
    let (device, actual) = (plain_line(device), plain_line(actual));
    let expected = finding.expected.as_ref().map(|expected| format!(" ({})", plain_line(expected)));
    vec![format!("{device} {actual}{}", expected.unwrap_or_default()), format!("{device} {actual}"), code]
}

/// The values of several things, each that is like another once: `18, 26.562 GB/s`.
fn values(measured: &[Measured]) -> String {
    let mut values: Vec<String> = Vec::new();
    for value in measured.iter().map(value) {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    values.join(", ")
}

fn value(measured: &Measured) -> String {
    plain_line(&measured.actual).into_owned()
}

fn quantity(measured: &Measured) -> Vec<String> {
    let margin = margin(measured).unwrap_or_default();
    let (subject, actual) = (plain_line(&measured.subject), plain_line(&measured.actual));
    let bound = plain_line(&measured.expected);
    vec![
        format!("{subject} {actual} ({bound}, {margin})"),
        format!("{actual} ({bound}, {margin})"),
        format!("{actual} ({margin})"),
        margin.clone(),
    ]
}

/// How a case that was tried more than once ended.
fn tried(flaky: Flaky) -> String {
    let Flaky { tries, passed } = flaky;
    if passed { format!("flaky: passed on try {tries}") } else { format!("did not pass in {tries} tries") }
}

/// What is told under a case's line, given the width that is left there.
fn below(case: &CaseRecord, style: Style) -> Vec<String> {
    if case.is_unfinished() {
        return unfinished(case, style);
    }
    let bad = matches!(case.verdict.outcome, Outcome::Fail | Outcome::Error);
    let mut below = Vec::new();
    if let Some(title) = case.title.as_ref().filter(|_| bad) {
        below.extend(wrap(&plain_line(title), style.width, 0));
    }
    below.extend(long_reason(case, style));
    // A note beside a pass is for the reports; the end counts them.
    let shown = |finding: &&Finding| bad || finding.severity < Severity::Note;
    below.extend(lines(case.verdict.findings.iter().filter(shown), Fold::Devices, style));
    if bad && !case.repeat.is_empty() {
        // Whole on one line, to be copied.
        below.push(format!("{} {}", style.paint(Role::Strong, "repeat: "), plain_line(&case.repeat)));
    }
    below
}

/// What did not end has a line at most: there may be many such cases, and the end says how to go on.
fn unfinished(case: &CaseRecord, style: Style) -> Vec<String> {
    match case.verdict.findings.first() {
        Some(finding) if fitting(case, style.width + INDENT).is_none() => {
            wrap(&plain_line(&finding.message), style.width, 0)
        }
        _ => Vec::new(),
    }
}

/// The reason of a skip that has no room on the case's own line.
fn long_reason(case: &CaseRecord, style: Style) -> Vec<String> {
    let Some(reason) = &case.verdict.skip_reason else { return Vec::new() };
    match fitting(case, style.width + INDENT) {
        Some(_) => Vec::new(),
        None => wrap(&plain_line(reason), style.width, 0),
    }
}
