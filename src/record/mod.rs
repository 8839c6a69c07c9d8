//! What is kept of a run: the events of the journal, and the record that they add up to.
//!
//! The journal (`run.jsonl`) is the source of truth. [`RunRecord`] is what a reader has after applying its events in
//! order; every report is rendered from that, at once or later.

mod builder;
mod case_record;
mod counts;
mod event;
pub mod exit;

mod run_record;

pub use builder::RecordBuilder;
pub use case_record::{CaseRecord, EnvironmentEntry, Flaky};
pub use counts::Counts;
pub use event::Event;
pub use run_record::{RunHeader, RunRecord};
