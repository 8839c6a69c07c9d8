//! linkspec measures on stand-ins: a rebuilt machine, the stand-ins for the vendors' libraries, and real processes of
//! linkspec, one for each GPU.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where it stopped")]

#[path = "../fakes/library.rs"]
mod library;
#[path = "../machines/mod.rs"]
#[expect(dead_code, unused_imports, reason = "other tests use the rest")]
mod machines;
#[path = "../seat/ran.rs"]
mod ran;
mod seat;

mod attacks;
mod busy;
mod data;
mod endings;
mod healthy;
mod interrupt;
mod locks;
mod pins;
mod repeated;
mod robust;
mod settings;
mod starting;
