//! linkspec on machines as they stand, here rebuilt in folders.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on says where it stopped")]

#[path = "../fakes/library.rs"]
mod library;
#[path = "../machines/mod.rs"]
mod machines;

mod captured;
mod faults;
mod healthy;
mod joined;
mod nvidia;
mod occupancy;
mod parity;
#[path = "../seat/ran.rs"]
mod ran;
mod rebuilt;
mod seat;
mod stand_in;
