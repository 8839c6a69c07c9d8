//! A `run.jsonl` of anyone's making, to a record and its reports.

#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use linkspec::{record::RunRecord, run::read_journal_bytes};
use linkspec_fuzz::report_all;

fuzz_target!(|input: &[u8]| {
    let Ok((events, _)) = read_journal_bytes(Path::new("run.jsonl"), input) else { return };
    if let Some(record) = RunRecord::from_events(events) {
        report_all(&record);
    }
});
