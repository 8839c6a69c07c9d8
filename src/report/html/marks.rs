use std::collections::HashMap;

use crate::{
    record::RunRecord,
    verdict::{Finding, FindingCode, Severity},
};

/// What is amiss with each device and pair, for the tables of the machine.
#[derive(Debug, Default)]
pub(super) struct Marks<'a> {
    by_device: HashMap<&'a str, Vec<&'a Finding>>,
    pairs: HashMap<&'a str, String>,
}

impl<'a> Marks<'a> {
    /// The marks of a record: failures, and errors on what could not be judged.
    pub fn new(record: &'a RunRecord) -> Self {
        let mut marks = Self::default();
        for finding in record.cases.iter().flat_map(|case| &case.verdict.findings) {
            let (Some(device), Severity::Failure | Severity::Error) = (finding.device.as_deref(), finding.severity)
            else {
                continue;
            };
            marks.by_device.entry(device).or_default().push(finding);
            if device.contains('-') {
                marks.pairs.entry(device).or_insert_with(|| short(finding));
            }
        }
        marks
    }

    /// The few words to put into the cell of a pair, in either order.
    pub fn pair(&self, first: &str, second: &str) -> Option<&str> {
        if self.pairs.is_empty() {
            return None;
        }
        let name = |a: &str, b: &str| self.pairs.get(format!("{a}-{b}").as_str()).map(String::as_str);
        name(first, second).or_else(|| name(second, first))
    }

    /// How many failures name a device, alone or in a pair: the one that is at fault stands in most of them.
    pub fn failures(&self, device: &str) -> usize {
        let names = |name: &str| name == device || name.split('-').any(|part| part == device);
        let of_device = self.by_device.iter().filter(|(name, _)| names(name)).flat_map(|(_, findings)| findings);
        of_device.filter(|finding| finding.severity == Severity::Failure).count()
    }

    /// The finding of one of these codes on a device.
    pub fn of(&self, device: &str, codes: &[FindingCode]) -> Option<&'a Finding> {
        self.by_device.get(device)?.iter().copied().find(|finding| codes.contains(&finding.code))
    }
}

/// `wanted NV18`, or what else is the matter.
fn short(finding: &Finding) -> String {
    match (finding.severity, finding.code, &finding.expected) {
        (Severity::Failure, FindingCode::LinkClass, Some(expected)) => format!("wanted {expected}"),
        (Severity::Failure, code, _) => code.as_str().to_owned(),
        (_, _, _) => "not judged".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_pair_is_marked_in_both_orders() {
        let mut finding = Finding::new(FindingCode::LinkClass, Severity::Failure, "x");
        finding.device = Some("GPU0-GPU1".into());
        finding.expected = Some("NV18".into());
        let mut marks = Marks::default();
        marks.pairs.insert("GPU0-GPU1", short(&finding));
        marks.by_device.insert("GPU0-GPU1", vec![&finding]);
        assert_eq!(marks.pair("GPU1", "GPU0"), Some("wanted NV18"));
        assert_eq!(marks.pair("GPU0", "GPU10"), None);
        assert_eq!((marks.failures("GPU1"), marks.failures("GPU10")), (1, 0));
    }
}
