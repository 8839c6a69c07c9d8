//! Outputs of tools to verdicts of every kind of test.

#![no_main]

use std::collections::BTreeMap;

use libfuzzer_sys::fuzz_target;
use linkspec_fuzz::{facts, folder, judge_all};

fuzz_target!(|input: &str| {
    let facts = facts(&folder(input));
    judge_all(&facts, Some(&facts), &BTreeMap::new());
});
