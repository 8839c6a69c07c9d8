//! Logs of NCCL and RCCL (`NCCL_DEBUG=INFO` or `WARN`), pure or between the lines of the program that used the library.
//!
//! A log tells what carries a connection by one line only, that of the connection. Lines that tell what the library could
//! do are known and give nothing.

mod choices;
mod edges;
mod graph;
mod known;
mod merge;
mod paths;
mod prefix;
mod ranks;
mod reader;
mod scan;
mod settings;
mod versions;

#[cfg(test)]
mod tests;

pub use reader::LogReader;
