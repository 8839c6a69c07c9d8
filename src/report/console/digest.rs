use super::{
    case,
    end::verdict,
    field,
    start::{gpus, judged},
};
use crate::{
    record::RunRecord,
    report::style::{Role, Style},
    verdict::Outcome,
};

/// A run that is over, in short: what was judged, the cases that need a look in full, and the verdict. Passes are only
/// counted.
pub fn digest(title: &str, record: &RunRecord, style: Style) -> String {
    let facts = &record.header.facts;
    let mut text = format!("{}\n", style.paint(Role::Strong, title));
    text.push_str(&field("judged", &judged(&facts.origin), style));
    text.push_str(&field("gpus", &gpus(facts), style));
    let bad = |outcome: Outcome| matches!(outcome, Outcome::Fail | Outcome::Error);
    let mut bad = record.cases.iter().filter(|case| bad(case.verdict.outcome)).peekable();
    if bad.peek().is_some() {
        text.push('\n');
    }
    bad.for_each(|one| text.push_str(&case(one, style)));
    text.push_str(&verdict(record, style));
    text
}
