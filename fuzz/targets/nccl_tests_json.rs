//! A JSON file of nccl-tests or rccl-tests.

#![no_main]

use libfuzzer_sys::fuzz_target;
use linkspec::evidence::read_nccl_tests_json;
use linkspec_fuzz::there_and_back;

fuzz_target!(|input: &str| there_and_back(&read_nccl_tests_json(input, "fuzz")));
