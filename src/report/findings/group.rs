use std::collections::HashMap;

use crate::verdict::{Finding, Severity};

/// Findings that share everything but what they say of their devices.
pub(in crate::report) struct Block<'a> {
    /// The finding that the shared parts are taken from.
    pub first: &'a Finding,
    /// What is said, each with every device that it is said of.
    pub statements: Vec<Statement<'a>>,
    /// Each statement's index, by what it says.
    places: HashMap<Said<'a>, usize>,
}

/// What a finding says, but for its device: message, bound, value, and the margin's bits.
type Said<'a> = (String, Option<&'a str>, Option<&'a str>, Option<u64>);

/// Findings that differ by the device alone.
pub(in crate::report) struct Statement<'a> {
    /// The finding whose message is shown.
    pub first: &'a Finding,
    /// The others.
    pub more: Vec<&'a Finding>,
}

/// Groups findings, in the order in which they first come.
pub(in crate::report) fn blocks<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> Vec<Block<'a>> {
    let mut blocks: Vec<Block<'a>> = Vec::new();
    for finding in findings {
        let at = blocks.iter().position(|block| shares_frame(block.first, finding)).unwrap_or_else(|| {
            blocks.push(Block { first: finding, statements: Vec::new(), places: HashMap::new() });
            blocks.len() - 1
        });
        blocks[at].add(finding);
    }
    blocks
}

impl<'a> Block<'a> {
    fn add(&mut self, finding: &'a Finding) {
        let next = self.statements.len();
        let at = *self.places.entry(said(finding)).or_insert(next);
        match self.statements.get_mut(at) {
            Some(statement) => statement.more.push(finding),
            None => self.statements.push(Statement { first: finding, more: Vec::new() }),
        }
    }

    pub fn severity(&self) -> Severity {
        self.first.severity
    }
}

fn shares_frame(a: &Finding, b: &Finding) -> bool {
    (a.severity, a.code) == (b.severity, b.code)
        && a.place == b.place
        && a.source == b.source
        && a.hint == b.hint
        && a.because == b.because
}

fn said(finding: &Finding) -> Said<'_> {
    let margin = finding.margin.map(f64::to_bits);
    (template(finding), finding.expected.as_deref(), finding.actual.as_deref(), margin)
}

fn template(finding: &Finding) -> String {
    template_of(&finding.message, finding.device.as_deref())
}

/// A message with a mark in place of its device: with the device it gives the message again, so nothing is lost.
pub(super) fn template_of(message: &str, device: Option<&str>) -> String {
    match device {
        Some(device) if !device.is_empty() => message.replace(device, "\0"),
        _ => message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::FindingCode;

    fn finding(device: &str, message: &str) -> Finding {
        let mut finding = Finding::new(FindingCode::LinkClass, Severity::Failure, message);
        finding.device = Some(device.to_owned());
        finding
    }

    #[test]
    fn what_differs_by_the_device_alone_is_one_statement() {
        let findings = [
            finding("GPU0-GPU1", "GPU0-GPU1 is SYS"),
            finding("GPU0-GPU2", "GPU0-GPU2 is PHB"),
            finding("GPU0-GPU3", "GPU0-GPU3 is SYS"),
        ];
        let blocks = blocks(&findings);
        assert_eq!(blocks.len(), 1);
        let sizes: Vec<usize> = blocks[0].statements.iter().map(|statement| statement.more.len()).collect();
        assert_eq!(sizes, [1, 0]);
    }

    #[test]
    fn another_hint_is_another_block() {
        let mut other = finding("GPU1", "GPU1 is lost");
        other.hint = Some("look at dmesg".into());
        assert_eq!(blocks(&[finding("GPU0", "GPU0 is lost"), other]).len(), 2);
    }
}
