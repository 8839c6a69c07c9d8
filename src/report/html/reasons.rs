use std::collections::BTreeMap;

use super::Html;
use crate::facts::Fact;

/// Things that are named of one reason.
const MOST_NAMED: usize = 12;

/// Why values of a table are unknown, each reason once with what it is of.
#[derive(Debug, Default)]
pub(super) struct Reasons<'a> {
    reasons: BTreeMap<&'a str, Vec<String>>,
}

impl<'a> Reasons<'a> {
    /// Takes the reason of a fact, where it is unknown.
    pub fn note<T>(&mut self, device: &str, what: &str, fact: &'a Fact<T>) {
        if let Some(reason) = fact.reason() {
            self.reasons.entry(reason).or_default().push(format!("{device} {what}").trim().to_owned());
        }
    }

    /// The reasons, folded.
    pub fn list(&self, html: &mut Html) {
        if self.reasons.is_empty() {
            return;
        }
        html.element("details", &[("class", "fold why")], |html| {
            html.leaf("summary", &[], "Why values are unknown");
            html.element("ul", &[], |html| {
                for (reason, of) in &self.reasons {
                    html.element("li", &[], |html| {
                        html.text(reason);
                        html.classed("span", "faint", &named(of));
                    });
                }
            });
        });
        html.line();
    }
}

fn named(of: &[String]) -> String {
    let named = of.iter().take(MOST_NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    match of.len().saturating_sub(MOST_NAMED) {
        0 => format!(": {named}"),
        more => format!(": {named}, and {more} others"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_told_once() {
        let known = Fact::known(1, "a");
        let cut = Fact::<u32>::unknown("the row is cut");
        let mut reasons = Reasons::default();
        reasons.note("GPU0", "serial", &known);
        for gpu in 0..14 {
            reasons.note(&format!("GPU{gpu}"), "serial", &cut);
        }
        let mut html = Html::default();
        reasons.list(&mut html);
        let markup = html.into_markup();
        assert_eq!(markup.matches("the row is cut").count(), 1);
        assert!(markup.contains("GPU11 serial, and 2 others"), "{markup}");
    }
}
