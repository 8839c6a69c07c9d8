//! Logs of NCCL or RCCL for one case, whose last lines may be cut, read and put together.

#![no_main]

use libfuzzer_sys::fuzz_target;
use linkspec::evidence::{LibraryLog, LogReader};
use linkspec_fuzz::{PART, there_and_back};

fn read(text: &str) -> Option<LibraryLog> {
    let mut reader = LogReader::new("fuzz");
    for line in text.split_inclusive('\n') {
        match line.strip_suffix('\n') {
            Some(line) => reader.line(line),
            None => reader.unended_line(line),
        }
    }
    reader.finish()
}

fuzz_target!(|input: &str| {
    if let Some(together) = input.split(PART).filter_map(read).reduce(LibraryLog::merged) {
        there_and_back(&together);
    }
});
