//! The real binary, one file per feature.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on says where it stopped")]

mod support;

mod amd;
mod capture;
mod collectives;
mod commands;
mod demo;
mod engine;
mod environment;
mod gate;
mod list;
mod parity;
mod ports;
mod results;
mod usage;
mod vbios;
