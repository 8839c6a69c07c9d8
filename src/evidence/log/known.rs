//! Messages that are known and say nothing of what is judged: what is normal, and what is told elsewhere better.
//!
//! `Connected all rings, use ring PXN 0 GDR 1` and `NVLS multicast support is available` are here on purpose: they tell
//! what could be used, not what is.

/// Beginnings of messages, by their first letter. From the sources of NCCL 2.10 to 2.30 and RCCL 2.21.
const BEGINNINGS: &[(u8, &[&str])] = &[
    (b'A', &["Allocated ", "Affinity ", "Assigned ", "Adding ", "Attaching ", "Alloc ", "AMD "]),
    (b'B', &["Bootstrap", "bw "]),
    (
        b'C',
        &[
            "CC ",
            "CPU/",
            "CUDA ",
            "Call to ",
            "Check ",
            "Closing ",
            "CollNet ",
            "Comm config",
            "Connected ",
            "Connection ",
            "Could not ",
            "Cuda ",
            "Communicator ",
            "Created ",
            "Config ",
        ],
    ),
    (b'D', &["DMA-BUF", "DMABUF", "Data Direct", "Deregister", "Device ", "Dmabuf", "Dumping "]),
    (b'E', &["ENV/", "Enabled NCCL ", "Enqueue", "Env "]),
    (b'F', &["Failed to ", "Flush ", "Found ", "Free ", "Function "]),
    (b'G', &["GIN", "GPU Direct RDMA ", "GPU/", "Group ", "GDRCOPY", "GDRDMA"]),
    (b'H', &["HIP version", "HIP ", "Hostname", "HSA_"]),
    (b'I', &["Init timings", "Initialized ", "Intranode", "Imported "]),
    (b'K', &["KV ", "Kernel "]),
    (b'L', &["Launch mode ", "Legacy IPC", "Loaded ", "Librccl", "Libnccl"]),
    (b'M', &["MMAP ", "MNNVL ", "MSCCL", "Mem ", "MemManager", "Max ", "Multicast ", "Made "]),
    (
        b'N',
        &["NCCL git version", "NCCL_", "NET", "NIC", "NVLS ", "NVML ", "NVS/", "New proxy ", "No ", "NUMA ", "Net "],
    ),
    (b'O', &["OOB ", "Opened ", "Other "]),
    (b'P', &["P2P ", "P2P/", "PCI", "PROFILER", "Pattern ", "Proxy ", "Plugin ", "PXN ", "Profiler"]),
    (b'R', &["RAS", "RCCL ", "RMA", "ROCm version", "Received ", "Register", "Rank ", "ROCR"]),
    (b'S', &["SHM", "Search", "Setting ", "Sym", "Skipping", "Successfully ", "System ", "Send "]),
    (b'T', &["TOPO", "TUNER", "Topology ", "Tuner", "Timing", "Timings", "threadThresholds"]),
    (b'U', &["UDS", "Unloaded ", "Using ", "UBR", "User "]),
    (b'V', &["Virtual "]),
    (b'W', &["Waiting ", "Warmup"]),
    (b'a', &["affinity ", "allocated ", "all "]),
    (b'b', &["buffer "]),
    (b'c', &["cuMem ", "cudaDriverVersion", "comm ", "cliqueId", "cuda"]),
    (b'd', &["dev ", "dlvsym ", "dlsym ", "dlopen"]),
    (b'f', &["failed ", "freeing"]),
    (b'g', &["graph", "gdr"]),
    (b'h', &["hip", "hsa"]),
    (b'i', &["isAllDirectP2p", "intraNode"]),
    (b'm', &["mlx5", "memory "]),
    (b'n', &["nccl", "network "]),
    (b'p', &["peer ", "pid ", "proxy"]),
    (b'r', &["ras", "register ", "resp.", "rocm", "rank "]),
    (b's', &["shm", "socket", "symmetric"]),
    (b't', &["threadThresholds", "transport"]),
    (b'u', &["ucx", "unregister"]),
    (b'x', &["xgmi"]),
    (b'=', &["==="]),
    (b'+', &["+ "]),
    (b'[', &["[Proxy ", "[Symmetric]", "[Copy Engine]", "[Service ", "[RAS", "[Rank "]),
];

/// Whether a message is one of the known ones.
pub(super) fn is_known(message: &str) -> bool {
    let Some(first) = message.bytes().next() else { return true };
    let listed = BEGINNINGS.iter().find(|(letter, _)| *letter == first);
    listed.is_some_and(|(_, beginnings)| beginnings.iter().any(|beginning| message.starts_with(beginning)))
        || is_place(message)
        || is_table(message)
        || is_pattern(message)
}

/// Warnings that are normal on good machines.
pub(super) fn is_harmless(warning: &str) -> bool {
    const HARMLESS: &[&str] = &[
        "NET/Plugin: Could not find",
        "NET/Plugin : Could not find",
        "NET/IB : No device found",
        "TUNER/Plugin: ",
        "PROFILER/Plugin: ",
        "Failed to find ncclNetPlugin",
        "Failed to find ncclCollNetPlugin",
        "Failed to find symbol",
        "cuMem host allocations do not appear",
        "dlvsym ",
        "Could not find real path of",
    ];
    HARMLESS.iter().any(|beginning| warning.starts_with(beginning))
        || (warning.starts_with("Affinity for GPU ") && warning.contains(" is empty, ignoring"))
}

/// An error on its way up, `transport/net.cc:728 -> 2`, or an allocation, `init.cc:90 Cuda Alloc Size ..`.
fn is_place(message: &str) -> bool {
    let word = message.split(' ').next().unwrap_or_default();
    let Some((file, line)) = word.rsplit_once(':') else { return false };
    let source = [".cc", ".cu", ".h", ".cpp", ".c", ".hpp"].iter().any(|end| file.ends_with(end));
    source && !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit())
}

/// A row of the table of times, `AllReduce |  4.4/ 0.0 | ..`.
fn is_table(message: &str) -> bool {
    let front = message.bytes().take(20);
    front.clone().any(|byte| byte == b'|') && front.take_while(|byte| *byte != b'|').all(|byte| byte != b'-')
}

/// A channel of a pattern, `0 : GPU/0-60 GPU/0-70`, `3 : NET/0-0 GPU/0-60 NET/0-0`.
fn is_pattern(message: &str) -> bool {
    let Some((channel, rest)) = message.split_once(" : ") else { return false };
    channel.bytes().all(|byte| byte.is_ascii_digit()) && (rest.starts_with("GPU/") || rest.starts_with("NET/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_messages() {
        for message in [
            "transport/net.cc:11 -> 2",
            "init.cc:90 Cuda Host Alloc Size 4 pointer 0x7f",
            "AllReduce |     4.4/   0.0 |     8.8/   0.0 |",
            "12 : GPU/0-60 GPU/0-70",
            "3 : NET/0-0 GPU/0-60 NET/0-0",
            "Connected all rings, use ring PXN 0 GDR 1",
            "+ PCI[24.0] - NIC/0-60",
            "==========",
            "",
        ] {
            assert!(is_known(message), "{message}");
        }
        assert!(!is_known("Quite another thing"));
    }

    #[test]
    fn harmless_warnings() {
        assert!(is_harmless("NET/IB : No device found."));
        assert!(is_harmless("Affinity for GPU 0 is empty, ignoring"));
        assert!(!is_harmless("Call to ibv_modify_qp failed"));
    }
}
