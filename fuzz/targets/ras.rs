//! An answer of the RAS service of NCCL or RCCL.

#![no_main]

use libfuzzer_sys::fuzz_target;
use linkspec::evidence::read_ras;
use linkspec_fuzz::there_and_back;

fuzz_target!(|input: &str| there_and_back(&read_ras(input, "fuzz")));
