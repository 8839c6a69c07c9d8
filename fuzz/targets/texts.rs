//! Outputs of tools, any text under any tool's name, to facts.

#![no_main]

use libfuzzer_sys::fuzz_target;
use linkspec_fuzz::{facts, folder, there_and_back};

fuzz_target!(|input: &str| there_and_back(&facts(&folder(input))));
