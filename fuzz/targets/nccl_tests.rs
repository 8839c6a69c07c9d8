//! Printed tables of nccl-tests or rccl-tests for one case, read and put together.

#![no_main]

use libfuzzer_sys::fuzz_target;
use linkspec::evidence::{Measurement, NcclTestsReader};
use linkspec_fuzz::{PART, there_and_back};

fn read(text: &str) -> Measurement {
    let mut reader = NcclTestsReader::new("fuzz");
    text.lines().for_each(|line| reader.line(line));
    reader.finish()
}

fuzz_target!(|input: &str| {
    if let Some(together) = input.split(PART).map(read).reduce(Measurement::merged) {
        there_and_back(&together);
    }
});
