//! Facts as they may be sent to others: identifiers are replaced, everything else stays. Pure.

mod facts;
mod forms;
mod gpu;
mod host;
mod known;
mod labelled;
mod rdma;
mod replacer;
mod stand_ins;
mod texts;
mod vocabulary;

pub use facts::without_identifiers;
pub use stand_ins::is_stand_in;

#[cfg(test)]
mod tests;
