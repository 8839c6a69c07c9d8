//! The language: what a spec can say, as types. `load` alone reads files; everything else works on text and trees.
//!
//! A spec passes through `compose` (YAML to a tree in which every value knows its place), the resolution of includes,
//! parameters and `extends` on that tree, and `decode` (tree to the types below), which reports every error at once.

mod bound;
pub(crate) mod cells;
mod collective;
mod collective_expect;
mod command;
mod compare;
mod compose;
mod copy;
mod cell_kinds;
mod decode_defaults;
mod decode_kind;
mod decode_matrix;
mod decode_override;
mod decode_suite;
mod decode_test;
mod decoder;
mod environment;
mod error;
mod explain;
mod extends;
mod gather;
mod gpu;
mod gpu_health;
mod host;
mod kind;
mod lines;
mod link_class;
mod lint;
mod load;
mod machine;
mod map_builder;
mod matrix;
mod node;
mod p2p;
mod packs;
mod pairs;
mod parameters;
mod pin;
mod place;
mod rdma_ports;
mod references;
mod resolve;
mod schema;
mod selection;
mod shape;
mod sizes;
mod skip;
mod suite;
#[cfg(test)]
mod testing;
mod topology;
mod tree;
mod values;
mod wanted;
mod words;
mod yaml_error;

pub use bound::{Bound, BoundBase, BoundValue};
pub use cells::Cell;
pub use collective::{Collective, Engine, InPlace, Operation};
pub use collective_expect::{CollectiveExpect, TransportExpect, Unchecked};
pub use command::{Command, TextExpect};
pub use compare::{Compare, CompareSide};
pub use copy::{Copy, CopyDirection, CopyEnd, CopyExpect};
pub use environment::{EnvironmentMap, EnvironmentValue};
pub use error::{SpecError, render};
pub use gpu::GpuExpect;
pub use gpu_health::{EccErrorsExpect, RemappedRowsExpect, ThrottleExpect, XidExpect};
pub use host::{
    GpuDirect, HostExpect, KernelArguments, KernelLogExpect, LogPattern, MemoryLimit, NcclEnvironmentExpect,
};
pub use kind::Kind;
pub use machine::MachineExpect;
pub use matrix::{Axis, AxisKey, CellPattern, MachineCondition, Matrix, Override};
pub use node::{Node, NodeValue, Parameter, ParameterKind};
pub use p2p::{P2p, P2pWanted};
pub use pin::Pin;
pub use place::{Place, Placed};
pub use rdma_ports::{GidExpect, NearGpu, RdmaPorts};
pub use selection::GpuSelection;
pub use sizes::{SizeStep, Sizes};
pub use skip::SkipWhen;
pub use suite::{Level, Retries, Suite, Test};
pub use topology::{Between, EachGpuHas, LinkWanted, Topology};
pub use wanted::{Glob, Globs, Wanted};
