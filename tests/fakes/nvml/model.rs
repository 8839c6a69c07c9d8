//! The file that describes the machine: JSON, every key but a GPU's name, UUID, and PCI address optional.
//!
//! `null` (or a key not there) where an answer is optional means that the library answers "not supported".

use serde::Deserialize;

/// The whole machine, as the driver sees it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// Driver version, such as `580.159.04`.
    #[serde(default = "driver")]
    pub driver: String,
    /// CUDA version as NVML numbers it: 1000 * major + 10 * minor.
    #[serde(default = "cuda")]
    pub cuda: i32,
    /// GPUs by NVML index.
    #[serde(default)]
    pub gpus: Vec<Gpu>,
    /// What is between two GPUs; pairs not named are one host bridge apart, without peer access.
    #[serde(default)]
    pub pairs: Vec<Pair>,
    /// What goes wrong, and where.
    #[serde(default)]
    pub faults: Vec<Fault>,
}

/// One GPU.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gpu {
    /// Product name.
    pub name: String,
    /// `GPU-` and a UUID.
    pub uuid: String,
    /// PCI address `DDDD:BB:DD.F`, hexadecimal.
    pub pci: String,
    /// Device id in the upper, vendor id in the lower half.
    #[serde(default)]
    pub device_id: u32,
    /// Subsystem: device id in the upper, vendor id in the lower half.
    #[serde(default)]
    pub subsystem_id: u32,
    /// Serial number of the board.
    pub serial: Option<String>,
    /// VBIOS version.
    pub vbios: Option<String>,
    /// Number of `/dev/nvidiaN`.
    #[serde(default)]
    pub minor: u32,
    /// Total memory, bytes.
    #[serde(default)]
    pub memory: u64,
    /// Memory in use, bytes.
    #[serde(default)]
    pub used: u64,
    /// Memory that the driver keeps for itself, bytes: older calls count it as used.
    #[serde(default)]
    pub reserved: u64,
    /// Processes on it.
    #[serde(default)]
    pub processes: Vec<Process>,
    /// The PCIe link.
    pub pcie: Option<Pcie>,
    /// ECC mode and counts.
    pub ecc: Option<Ecc>,
    /// Rows of memory that were remapped: correctable, uncorrectable, pending, failed.
    pub remapped: Option<[u32; 4]>,
    /// Retired pages: single bit, double bit, pending. Before Ampere only.
    pub retired: Option<[u32; 3]>,
    /// Bit mask of clock event ("throttle") reasons; 1 is an idle GPU.
    pub throttle: Option<u64>,
    /// Persistence mode, 0 or 1.
    pub persistence: Option<u32>,
    /// MIG mode: current, pending.
    pub mig: Option<[u32; 2]>,
    /// Registration with the NVLink fabric.
    pub fabric: Option<Fabric>,
    /// CPUs near the GPU, as the kernel writes lists: `0-31,64-95`.
    pub cpus: Option<String>,
    /// NUMA nodes near the GPU, as a list.
    pub memory_nodes: Option<String>,
    /// NUMA node of the GPU's own memory, where it is one (Grace).
    pub numa: Option<u32>,
    /// NVLink slots. A slot that the GPU does not have is not in the list.
    #[serde(default)]
    pub nvlinks: Vec<Link>,
}

/// A process on a GPU.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Process {
    /// Its number.
    pub pid: u32,
    /// What it does there; one that does two things is listed twice.
    pub kind: ProcessKind,
    /// Its memory, bytes; not there where the driver does not know.
    pub memory: Option<u64>,
}

/// What a process does on a GPU: the list that it is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProcessKind {
    /// It computes.
    Compute,
    /// It computes as a client of the Multi-Process Service.
    Mps,
    /// It draws.
    Graphics,
}

/// The PCIe link of a GPU.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pcie {
    /// Generation now.
    #[serde(rename = "gen")]
    pub generation: u32,
    /// Highest generation of GPU and slot together.
    pub max_gen: u32,
    /// Highest generation of the GPU alone.
    pub gpu_max_gen: u32,
    /// Lanes now.
    pub width: u32,
    /// Highest number of lanes.
    pub max_width: u32,
    /// Replays since the driver was loaded.
    #[serde(default)]
    pub replays: u32,
}

/// ECC of a GPU.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ecc {
    /// Mode now and after the next reset, 0 or 1.
    pub mode: [u32; 2],
    /// Corrected errors: since the driver was loaded, of the board's life.
    #[serde(default)]
    pub corrected: [u64; 2],
    /// Uncorrected errors: since the driver was loaded, of the board's life.
    #[serde(default)]
    pub uncorrected: [u64; 2],
}

/// Registration with the NVLink fabric.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fabric {
    /// 0 not supported, 1 not started, 2 in progress, 3 completed.
    pub state: u8,
    /// A return code of NVML; says something when completed.
    #[serde(default)]
    pub status: u32,
    /// 32 hexadecimal digits, dashes ignored; all zero on a machine whose fabric is the machine.
    #[serde(default)]
    pub cluster: String,
    /// Clique within the cluster.
    #[serde(default)]
    pub clique: u32,
    /// Health, bit fields.
    #[serde(default)]
    pub health_mask: u32,
    /// 0 not supported, 1 healthy, 2 unhealthy, 3 limited capacity.
    #[serde(default)]
    pub health_summary: u8,
}

/// One NVLink slot.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// Whether the link is up.
    pub active: bool,
    /// Speed, MB/s.
    #[serde(default)]
    pub speed: u32,
    /// Version, as NVML numbers it.
    #[serde(default)]
    pub version: u32,
    /// 0 GPU, 1 NPU, 2 switch, 255 unknown.
    #[serde(default = "unknown_device")]
    pub remote_type: u32,
    /// PCI address of the other end. A guest does not see it: all digits are F then.
    pub remote_pci: Option<String>,
    /// Replay, recovery, CRC flit, CRC data, ECC data.
    #[serde(default)]
    pub errors: [u64; 5],
}

/// What is between two GPUs.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pair {
    /// NVML indices.
    pub gpus: [usize; 2],
    /// 0 one board, 10 PIX, 20 PXB, 30 PHB, 40 NODE, 50 SYS.
    pub ancestor: u32,
    /// Peer access: read, write, NVLink, atomics, PCI. 0 fine, 1 chipset, 2 GPU, 3 topology, 4 registry, 5 not
    /// supported, 6 unknown.
    pub p2p: [u32; 5],
}

/// Something that goes wrong.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// Full name of the function, such as `nvmlDeviceGetName`; not there: every function.
    pub call: Option<String>,
    /// NVML index; not there: every GPU, and calls that name none.
    pub gpu: Option<usize>,
    /// How many calls that match are answered well before.
    #[serde(default)]
    pub after: u64,
    /// What happens.
    pub kind: Kind,
}

/// What happens.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The call never comes back.
    Hang,
    /// The process dies of a segmentation fault.
    Crash,
    /// The process aborts.
    Abort,
    /// The GPU is lost: return code 15.
    Gone,
    /// A return code.
    Error(u32),
    /// The call takes so many milliseconds longer.
    Slow(u64),
    /// The number of GPUs is another one.
    Count(u32),
    /// The library writes to standard output, as it stands, and answers well.
    Print(String),
    /// The library closes standard output, and answers well.
    CloseOutput,
    /// The library ends the process with an exit code.
    Exit(i32),
}

fn driver() -> String {
    "580.159.04".to_owned()
}

fn cuda() -> i32 {
    13000
}

fn unknown_device() -> u32 {
    255
}
