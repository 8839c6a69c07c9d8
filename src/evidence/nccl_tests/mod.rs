//! The reader of what nccl-tests and rccl-tests print as text.
//!
//! Columns are told by the header row, never by their number, and a row that does not fit it gives nothing. `reader` takes
//! lines, `table` makes rows of them, `outline` keeps the rest.

mod columns;
mod consistency;
mod footer;
mod halves;
mod headless;
mod log_line;
mod notes;
mod outline;
mod preamble;
mod prefix;
mod ranks;
mod reader;
mod row;
mod table;
#[cfg(test)]
mod tests;
mod told;
mod words;

pub use reader::NcclTestsReader;
