//! A spec and what it includes: read, told its errors, planned and listed.

#![no_main]

use std::hint::black_box;

use libfuzzer_sys::fuzz_target;
use linkspec::{plan::plan, spec::load_texts};
use linkspec_fuzz::{PART, everything};

/// The parts of an input are the spec and the files that it can include.
const FILES: [&str; 3] = ["s.yaml", "a.yaml", "b.yaml"];

fuzz_target!(|input: &str| {
    let files: Vec<(&str, &str)> = FILES.into_iter().zip(input.split(PART)).collect();
    match load_texts(&files, &[]) {
        Ok(loaded) => {
            let Some(suite) = loaded.suite else { return };
            if let Ok(plan) = plan(&suite, &everything()) {
                black_box(plan.cases.iter().map(|case| case.name().len()).sum::<usize>());
            }
        }
        Err(error) => assert!(!error.render(true).trim().is_empty(), "an error that says nothing"),
    }
});
