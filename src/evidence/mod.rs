//! What was measured of a collective, whoever measured it: outputs of nccl-tests and rccl-tests, logs of NCCL and RCCL,
//! answers of their RAS service.
//!
//! Readers take text line by line and keep what they need of it, so that memory does not grow with the file. What cannot
//! be relied on becomes [`crate::facts::Damage`] and gives no figure. Whether a figure is good enough is the judge's
//! matter.

mod collective;
mod engine_measurement;
mod engine_repeats;
mod engine_run;
mod library_log;
mod log;
mod measurement;
mod merge;
mod nccl_tests;
mod nccl_tests_json;
mod ras;

pub use collective::CollectiveEvidence;
pub use engine_measurement::{LINKSPEC, measurement_of};
pub use engine_repeats::median_of;
pub use engine_run::{EngineRun, LoadedLibrary, RankPlacement, RankSample, Trouble, TroubleKind, WrongElement};
pub use library_log::{Carrier, Choice, Edge, GpuPath, LibraryLog, LogLine, LogRank};
pub use log::LogReader;
pub use measurement::{Figure, Measurement, OutOfBounds, Rank, Row, Sample, SizeRange, Wrong};
pub use nccl_tests::NcclTestsReader;
pub use nccl_tests_json::read_nccl_tests_json;
pub use ras::{RasAnswer, RasCommunicator, RasSpread, read_ras};
