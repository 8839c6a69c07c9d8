//! The real binary, one file per feature.

mod support;

mod commands;
mod environment;
mod gate;
mod list;
mod results;
mod usage;
