use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::spec::Place;

/// One thing that the judge found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// The stable code; `docs/findings.md` has its causes and cures.
    pub code: FindingCode,
    /// What it does to the case.
    pub severity: Severity,
    /// The device: `GPU0`, `NIC0`, `mlx5_0/1`, a pair `GPU0-GPU2`.
    pub device: Option<String>,
    /// The finding in one line, with device, value and bound.
    pub message: String,
    /// What was asked, with its unit.
    pub expected: Option<String>,
    /// What was found, with its unit.
    pub actual: Option<String>,
    /// The unit of a quantity: `GB/s`, `Gb/s`, `bytes`, `links`.
    pub unit: Option<String>,
    /// By how much a bound was missed, relative to it: -0.05 is 5 % below a floor.
    pub margin: Option<f64>,
    /// The expectation's place in the spec.
    pub place: Option<Place>,
    /// The file or interface that the value is from.
    pub source: Option<String>,
    /// What to look at next.
    pub hint: Option<String>,
    /// Findings of this or other cases that explain this one.
    pub because: Vec<Cause>,
}

impl Finding {
    /// A finding with nothing but its line.
    pub fn new(code: FindingCode, severity: Severity, message: impl Into<String>) -> Self {
        Self {
            code,
            severity,
            device: None,
            message: message.into(),
            expected: None,
            actual: None,
            unit: None,
            margin: None,
            place: None,
            source: None,
            hint: None,
            because: Vec::new(),
        }
    }
}

/// What explains a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cause {
    /// The case that found the cause.
    pub case: String,
    /// The code of the cause.
    pub code: FindingCode,
    /// The device of the cause.
    pub device: Option<String>,
    /// The cause in one line.
    pub message: String,
}

/// What a finding does to its case, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Known facts violate the spec.
    Failure,
    /// Something could not be judged.
    Error,
    /// Worth a look; the case can pass.
    Warning,
    /// For the record.
    Note,
}

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $variant:ident = $code:literal,)+) => {
        /// Stable names of what can be found.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        pub enum FindingCode {
            $($(#[doc = $doc])+ #[serde(rename = $code)] $variant,)+
        }

        impl FindingCode {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The name as it stands in reports.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $code,)+
                }
            }
        }
    };
}

codes! {
    /// A fact that the case needs is unknown.
    Unknown = "unknown",
    /// The machine is not the one that the suite is for.
    WrongMachine = "wrong-machine",
    /// The number of GPUs differs.
    GpuCount = "gpu-count",
    /// A tool names a GPU that it cannot reach.
    GpuLost = "gpu-lost",
    /// A GPU or NIC that the spec names by number is not there.
    DeviceMissing = "device-missing",
    /// Two devices are joined by another class of link.
    LinkClass = "link-class",
    /// A GPU has fewer or more near NICs than asked.
    NearNics = "near-nics",
    /// A selection of the spec (NICs, devices, pairs, GPUs) chooses nothing that is there.
    NothingSelected = "nothing-selected",
    /// A P2P capability is not as asked.
    P2p = "p2p",
    /// The product name of a GPU differs.
    GpuName = "gpu-name",
    /// The version of a GPU's VBIOS differs.
    Vbios = "vbios",
    /// A GPU has another number of active NVLinks.
    NvlinkCount = "nvlink-count",
    /// An NVLink runs at another speed.
    NvlinkSpeed = "nvlink-speed",
    /// The PCIe generation differs.
    PcieGeneration = "pcie-generation",
    /// The number of PCIe lanes differs.
    PcieWidth = "pcie-width",
    /// A PCIe link above a GPU runs below what both of its ends reach.
    PcieUplink = "pcie-uplink",
    /// ECC is on or off against the spec.
    EccMode = "ecc-mode",
    /// More ECC errors than allowed.
    EccErrors = "ecc-errors",
    /// Remapped rows of memory.
    RemappedRows = "remapped-rows",
    /// The NVSwitch fabric is in another state.
    FabricState = "fabric-state",
    /// The driver's version differs.
    Driver = "driver",
    /// Persistence mode differs.
    Persistence = "persistence",
    /// Multi-instance mode differs.
    Mig = "mig",
    /// The size of a GPU's memory differs.
    GpuMemory = "gpu-memory",
    /// Clocks are lowered.
    Throttled = "throttled",
    /// The kernel log holds an Xid.
    Xid = "xid",
    /// The kernel log holds a line that the spec forbids.
    KernelLog = "kernel-log",
    /// An argument on the kernel's command line is missing or forbidden.
    KernelArgument = "kernel-argument",
    /// The IOMMU is in another mode.
    Iommu = "iommu",
    /// ACS redirection is on or off against the spec.
    AcsRedirect = "acs-redirect",
    /// Automatic NUMA balancing differs.
    NumaBalancing = "numa-balancing",
    /// The number of NUMA nodes differs.
    NumaNodes = "numa-nodes",
    /// The limit on locked memory differs.
    Memlock = "memlock",
    /// The size of /dev/shm differs.
    ShmSize = "shm-size",
    /// A service is in another state.
    Service = "service",
    /// The fabric manager's version is not the driver's.
    FabricManager = "fabric-manager",
    /// GPUDirect RDMA is not there in the way asked.
    GpuDirect = "gpudirect",
    /// An NCCL variable is set where none should be.
    NcclEnvironment = "nccl-environment",
    /// A device that the spec names is not there.
    RdmaMissing = "rdma-missing",
    /// The number of RDMA devices differs.
    RdmaCount = "rdma-count",
    /// A port is not in the state asked.
    PortState = "port-state",
    /// A port is not in the physical state asked.
    PortPhysicalState = "port-physical-state",
    /// A port runs at another rate.
    PortRate = "port-rate",
    /// A port runs at another width.
    PortWidth = "port-width",
    /// A port has another link layer.
    PortLinkLayer = "port-link-layer",
    /// A port has another active MTU.
    PortMtu = "port-mtu",
    /// A port's GID table lacks the entry asked.
    PortGid = "port-gid",
    /// A device runs another firmware.
    Firmware = "firmware",
    /// A counter grew more than allowed.
    Counter = "counter",
    /// The nearest GPU is too far from a port's device.
    NearGpu = "near-gpu",
    /// A command ended with another exit code.
    CommandExit = "command-exit",
    /// A command's output lacks what was asked.
    CommandOutput = "command-output",
    /// A command could not be run or did not end.
    CommandNotRun = "command-not-run",
    /// The bus bandwidth of a size is outside its bound.
    BusBandwidth = "bus-bandwidth",
    /// The time of a size is outside its bound.
    Latency = "latency",
    /// Data arrived wrong.
    WrongData = "wrong-data",
    /// The data was not checked.
    DataUnchecked = "data-unchecked",
    /// The ranks are not 0 to n-1, once each, or not as many as asked.
    Ranks = "ranks",
    /// A size that the test names was not measured.
    SizeNotMeasured = "size-not-measured",
    /// A measurement did not come to its end.
    Unfinished = "unfinished",
    /// The library, a driver or a function of theirs is missing.
    LibraryMissing = "library-missing",
    /// A GPU cannot be opened or found by the rank that should drive it.
    GpuUnusable = "gpu-unusable",
    /// Another process uses a GPU, or its memory is not free.
    GpuBusy = "gpu-busy",
    /// A rank is not on the CPUs or the memory that were asked for.
    Pin = "pin",
    /// The process of a rank died.
    RankCrashed = "rank-crashed",
    /// No communicator came about within its deadline.
    HangInit = "hang-init",
    /// The first collective did not end within its deadline.
    HangFirstCollective = "hang-first-collective",
    /// A later collective did not end within its deadline.
    HangMidRun = "hang-mid-run",
    /// The library reported an error.
    LibraryError = "library-error",
    /// There was not memory enough.
    OutOfMemory = "out-of-memory",
    /// The library refuses what was asked.
    Unsupported = "unsupported",
    /// A process or memory is left on a GPU after the measurement.
    GpuNotFree = "gpu-not-free",
    /// Ranks need different times for the same operation.
    RankSpread = "rank-spread",
    /// A figure that was measured several times lies on both sides of its bound.
    Marginal = "marginal",
    /// What was measured was a stand-in for a library.
    StandIn = "stand-in",
    /// An output is of another operation, data type or reduction than the test.
    OtherOperation = "other-operation",
    /// The bandwidth falls as the size grows.
    BandwidthDrop = "bandwidth-drop",
    /// A row's size is above what the header of its output announces.
    SizeAboveRange = "size-above-range",
    /// A part of an output could not be read and gave no figures.
    DamagedOutput = "damaged-output",
    /// A connection uses a transport that is forbidden, or none of those required.
    Transport = "transport",
    /// The library chose another algorithm.
    Algorithm = "algorithm",
    /// The library chose another protocol.
    Protocol = "protocol",
    /// The library uses another number of channels.
    Channels = "channels",
    /// The traffic went through another number of NICs.
    NicsUsed = "nics-used",
    /// The library's log holds a warning.
    LibraryWarning = "library-warning",
    /// The library's RAS service reports trouble.
    Ras = "ras",
    /// Two measurements are in another proportion than asked.
    Ratio = "ratio",
    /// This version has no judge for the case's kind, or does not measure it.
    NotJudged = "not-judged",
    /// A comparison needs a case that was not selected.
    CaseMissing = "case-missing",
    /// A setting that was asked for did not take effect, or a pin of the operator's rules it out.
    Setting = "setting",
    /// The files cannot show whether a setting took effect.
    Unproved = "unproved",
    /// A pass on a later try.
    Flaky = "flaky",
    /// The run ended before the case.
    NotFinished = "not-finished",
    /// linkspec itself failed on the case.
    Internal = "internal",
}

impl fmt::Display for FindingCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn codes_are_unique_and_the_same_in_json() {
        let names: BTreeSet<&str> = FindingCode::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(names.len(), FindingCode::ALL.len());
        for code in FindingCode::ALL {
            assert_eq!(serde_json::to_value(code).unwrap(), code.as_str());
        }
    }
}
