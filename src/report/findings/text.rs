use super::{
    causes,
    group::{Block, Statement, blocks},
};
use crate::{
    report::{
        plain::plain_line,
        quantity::percent,
        quote::{arrow, quote},
        style::{Role, Style},
        wrap::wrap,
    },
    spec::Place,
    verdict::{Finding, Severity},
};

/// The most devices that are named of a thing that could not be judged; `run.json` has all of them.
const MOST_DEVICES: usize = 60;

/// How far what is common to several findings is indented.
const FRAME: usize = 2;

/// Whether findings that differ by the device alone are told as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::report) enum Fold {
    /// One line, and the devices that are like it.
    Devices,
    /// Each has its line.
    Nothing,
}

/// Findings in full: what was found, where it is asked for, and what to do.
pub(in crate::report) fn lines<'a>(
    findings: impl IntoIterator<Item = &'a Finding>,
    fold: Fold,
    style: Style,
) -> Vec<String> {
    let mut lines = Vec::new();
    let mut quoted: Vec<&Place> = Vec::new();
    let narrower = Style { width: style.width.saturating_sub(FRAME), ..style };
    for block in blocks(findings) {
        for statement in &block.statements {
            lines.extend(statement_lines(statement, fold, style));
        }
        let mut frame = Vec::new();
        if let Some(place) = &block.first.place {
            if quoted.contains(&place) {
                frame.push(arrow(place, 0, narrower));
            } else {
                frame.extend(quote(place, narrower, block.severity().into()));
                quoted.push(place);
            }
        }
        frame.extend(common(&block, fold, narrower));
        lines.extend(frame.iter().map(|line| format!("{:FRAME$}{line}", "")));
    }
    lines
}

/// A finding in one line: its message, and what the message leaves out of the value, the bound and the margin.
pub(in crate::report) fn headline(finding: &Finding) -> String {
    let mut line = plain_line(&finding.message).into_owned();
    let parts = [
        ("device", finding.device.clone()),
        ("expected", finding.expected.clone()),
        ("found", finding.actual.clone()),
        ("margin", finding.margin.filter(|margin| margin.is_finite()).map(percent)),
    ];
    let missing: Vec<String> = parts
        .into_iter()
        .filter_map(|(name, value)| value.map(|value| (name, plain_line(&value).into_owned())))
        .filter(|(_, value)| !value.is_empty() && !tells(&line, bare(value)))
        .map(|(name, value)| format!("{name} {value}"))
        .collect();
    if !missing.is_empty() {
        line.push_str(&format!(" ({})", missing.join(", ")));
    }
    line
}

/// A value without its comparison or sign, which a message tells in words: `330 GB/s` of `>= 330 GB/s`.
fn bare(value: &str) -> &str {
    value.trim_start_matches(['>', '<', '=', '+', '-', ' '])
}

/// Whether a message has a value as words of its own: `18` is not told by `NV18`, nor `4` by `4.5`.
fn tells(message: &str, value: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_');
    message.match_indices(value).any(|(at, _)| {
        let before = message[..at].chars().next_back();
        let mut after = message[at + value.len()..].chars();
        let next = after.next();
        // A full stop or hyphen at the end of a sentence ends the word.
        let goes_on = next.is_some_and(|c| part(c) && (c.is_alphanumeric() || after.next().is_some_and(part)));
        !before.is_some_and(part) && !goes_on
    })
}

fn statement_lines(statement: &Statement<'_>, fold: Fold, style: Style) -> Vec<String> {
    let mut lines = tagged(statement.first, style);
    match fold {
        Fold::Nothing => lines.extend(statement.more.iter().flat_map(|finding| tagged(finding, style))),
        Fold::Devices if statement.more.is_empty() => {}
        Fold::Devices => {
            let text = more(statement);
            lines.extend(wrap(&text, style.width.saturating_sub(2), 0).iter().map(|line| format!("  {line}")));
        }
    }
    lines
}

/// `fail[link-class]: GPU0-GPU5 is SYS, not NV18`.
fn tagged(finding: &Finding, style: Style) -> Vec<String> {
    let word = match finding.severity {
        Severity::Failure => "fail",
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let tag = format!("{word}[{}]:", finding.code);
    let painted = style.paint(finding.severity.into(), &tag);
    let mut lines = wrap(&format!("{tag} {}", headline(finding)), style.width, 2);
    if let Some(rest) = lines[0].strip_prefix(&tag) {
        lines[0] = format!("{painted}{rest}");
    }
    lines
}

/// `and 27 more like it: GPU0-GPU2, GPU0-GPU3`. Every device that fails is named.
fn more(statement: &Statement<'_>) -> String {
    let devices: Vec<&str> = statement.more.iter().filter_map(|finding| finding.device.as_deref()).collect();
    let limit = if statement.first.severity == Severity::Failure { devices.len() } else { MOST_DEVICES };
    let shown: Vec<_> = devices.iter().take(limit).map(|device| plain_line(device)).collect();
    let mut text = format!("and {} more like it", statement.more.len());
    if !shown.is_empty() {
        text.push_str(": ");
        text.push_str(&shown.join(", "));
    }
    if devices.len() > limit {
        text.push_str(&format!(", and {} that run.json names", devices.len() - limit));
    }
    text
}

/// What is common to the findings of a block.
fn common(block: &Block<'_>, fold: Fold, style: Style) -> Vec<String> {
    let finding = block.first;
    let mut lines = Vec::new();
    let mut add = |name: &str, text: &str| {
        let label = format!("{name}:");
        let padded = format!("{label:<8}");
        let mut wrapped = wrap(&plain_line(text), style.width.saturating_sub(9), 0).into_iter();
        lines.push(format!("{} {}", style.paint(Role::Strong, padded), wrapped.next().unwrap_or_default()));
        lines.extend(wrapped.map(|line| format!("{:9}{line}", "")));
    };
    if let Some(source) = &finding.source {
        add("source", source);
    }
    if let Some(hint) = &finding.hint {
        add("hint", hint);
    }
    for cause in causes::texts(&finding.because, fold) {
        add("because", &cause);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::FindingCode;

    #[test]
    fn the_line_has_the_value_the_bound_and_the_margin_once() {
        let mut finding =
            Finding::new(FindingCode::PortRate, Severity::Failure, "mlx5_0/1 runs at 200 Gb/s, not at 400 Gb/s");
        finding.device = Some("mlx5_0/1".into());
        finding.expected = Some("400 Gb/s".into());
        finding.actual = Some("200 Gb/s".into());
        assert_eq!(headline(&finding), finding.message);
        finding.margin = Some(-0.5);
        assert_eq!(headline(&finding), "mlx5_0/1 runs at 200 Gb/s, not at 400 Gb/s (margin -50.00 %)");
        finding.message = "mlx5_0/1 runs at 200 Gb/s, 50.00 % below 400 Gb/s".into();
        finding.expected = Some(">= 400 Gb/s".into());
        assert_eq!(headline(&finding), finding.message);
        finding.expected = Some("400 Gb/s".into());
        finding.message = "the port is slow".into();
        assert!(headline(&finding).ends_with("(device mlx5_0/1, expected 400 Gb/s, found 200 Gb/s, margin -50.00 %)"));
    }

    #[test]
    fn a_value_is_told_by_whole_words_only() {
        assert!(tells("has 17 links, not 18.", "18"));
        for (message, value) in [("NV18", "18"), ("4.5", "4"), ("GPU10", "GPU1"), ("GPU0-GPU1", "GPU0")] {
            assert!(!tells(message, value), "{message} {value}");
        }
    }

    fn pairs(number: usize, severity: Severity) -> Vec<Finding> {
        let pair = |n: usize| {
            let device = format!("GPU{}-GPU{}", n / 16, 16 + n % 16);
            let mut finding = Finding::new(FindingCode::Unknown, severity, format!("{device}: row cut"));
            finding.device = Some(device);
            finding
        };
        (0..number).map(pair).collect()
    }

    #[test]
    fn many_unknown_pairs_are_folded_and_no_failing_one_is_left_out() {
        let errors = lines(&pairs(200, Severity::Error), Fold::Devices, Style::PLAIN);
        assert!(errors.len() < 16, "{}", errors.len());
        assert!(errors.iter().all(|line| line.len() <= 80));
        assert!(errors.last().unwrap().ends_with("and 139 that run.json names"), "{errors:#?}");

        let failures = lines(&pairs(200, Severity::Failure), Fold::Devices, Style::PLAIN).join("\n");
        for finding in pairs(200, Severity::Failure) {
            assert!(failures.contains(&finding.device.unwrap()));
        }
    }

    #[test]
    fn files_have_a_line_for_each() {
        assert_eq!(lines(&pairs(200, Severity::Error), Fold::Nothing, Style::UNWRAPPED).len(), 200);
    }
}
