//! Fills [`crate::facts::Facts`]: from saved tool outputs (`texts`), from recorded facts, from the live machine.

pub mod texts;
