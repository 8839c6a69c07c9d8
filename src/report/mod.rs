//! What people and other programs get to read of a run. Pure: a record or a part of one in, text out.
//!
//! `console` is for the person at the keyboard, [`libtest`] for what drives linkspec as a test binary; `junit`,
//! `json` and `markdown` are files. All of them show findings through `findings`, and what tools printed through
//! `plain`.

pub mod console;
mod devices;
mod engine;
mod findings;
mod headline;
pub mod html;
pub mod json;
pub mod junit;
pub mod libtest;
pub mod markdown;
pub mod matrix;
mod plain;
mod progress;
mod quantity;
mod quote;
pub mod sources;
mod style;
mod wrap;

pub use progress::Progress;
pub use style::Style;
