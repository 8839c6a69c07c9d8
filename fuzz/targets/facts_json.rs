//! A `facts.json` of anyone's making, judged by every kind of test.

#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use linkspec::probe::read_saved;
use linkspec_fuzz::judge_all;

fuzz_target!(|input: &str| {
    if let Ok(saved) = read_saved(input, Path::new("facts.json")) {
        judge_all(&saved.before, saved.after.as_ref(), &saved.collectives);
    }
});
