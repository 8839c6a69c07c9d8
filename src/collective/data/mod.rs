//! The data that ranks send, what must arrive, and how both are compared on the host. Pure: bytes in, bytes and counts
//! out.

mod check;
mod exact;
mod expected;
mod extreme;
mod format;
mod guard;
mod hash;
mod mean;
mod pattern;
mod place;
mod powers;
mod single;
#[cfg(test)]
mod tests;
mod windows;
mod words;
mod wrapping;

pub use check::{Check, WrongElement};
pub use expected::Expected;
pub use guard::{POISON, first_overwritten};
pub use pattern::{PERIOD, Pattern};
pub use windows::windows;
