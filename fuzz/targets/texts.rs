//! Outputs of tools, any text under any tool's name, to facts.

#![no_main]

use std::hint::black_box;

use libfuzzer_sys::fuzz_target;
use linkspec_fuzz::{facts, folder};

fuzz_target!(|input: &str| {
    let facts = facts(&folder(input));
    let written = serde_json::to_string(&facts).expect("facts can be written");
    let read: linkspec::facts::Facts = serde_json::from_str(&written).expect("facts that were written can be read");
    assert_eq!(read, facts, "facts read back");
    black_box(read);
});
