//! The console: [`start`], a [`case`] at a time, and [`end`], or the [`digest`] of a run that is over. Nothing in it depends on a terminal but colour and width.

mod case;
mod digest;
mod end;
mod start;

pub use case::{case, related};
pub use digest::digest;
pub use end::{Reports, end};
pub use start::start;

use super::style::{Role, Style};
use crate::record::RunRecord;

/// A whole run, as it is shown when it is over.
pub fn whole(record: &RunRecord, reports: Option<Reports<'_>>, style: Style) -> String {
    let mut text = start(&record.header, style);
    for one in &record.cases {
        text.push_str(&case(one, style));
    }
    text.push_str(&end(record, reports, style));
    text
}

/// A line of a label and a text, wrapped under the text.
fn field(label: &str, text: &str, style: Style) -> String {
    let label = format!("{label:<LABEL$}");
    let lines = super::wrap::wrap(text, style.width.saturating_sub(LABEL), 0);
    let indent = format!("\n{:LABEL$}", "");
    format!("{}{}\n", style.paint(Role::Strong, label), lines.join(&indent))
}

/// The width of a label.
const LABEL: usize = 10;
