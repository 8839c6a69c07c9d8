//! A `run.json` of anyone's making: as a machine, and as a record that is reported again.

#![no_main]

use std::{hint::black_box, path::Path};

use libfuzzer_sys::fuzz_target;
use linkspec::{probe::read_saved, report::json};
use linkspec_fuzz::report_all;

fuzz_target!(|input: &str| {
    black_box(read_saved(input, Path::new("run.json")).is_ok());
    if let Ok(record) = json::read(input) {
        report_all(&record);
    }
});
