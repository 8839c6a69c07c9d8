//! What the library took from the environment, and says so.

use std::env;

use super::info;

/// Variables that the library echoes as words.
const WORDS: &[&str] = &[
    "NCCL_ALGO",
    "NCCL_COLLNET_ENABLE",
    "NCCL_CONF_FILE",
    "NCCL_GRAPH_FILE",
    "NCCL_HOSTID",
    "NCCL_IB_HCA",
    "NCCL_NET",
    "NCCL_NET_GDR_LEVEL",
    "NCCL_NET_PLUGIN",
    "NCCL_P2P_DISABLE",
    "NCCL_P2P_LEVEL",
    "NCCL_PROTO",
    "NCCL_SOCKET_FAMILY",
    "NCCL_SOCKET_IFNAME",
    "NCCL_TOPO_FILE",
];

/// Variables that it reads as numbers, and echoes with a full stop.
const NUMBERS: &[&str] = &[
    "NCCL_BUFFSIZE",
    "NCCL_CHECK_POINTERS",
    "NCCL_CROSS_NIC",
    "NCCL_CUMEM_ENABLE",
    "NCCL_CUMEM_HOST_ENABLE",
    "NCCL_IB_DISABLE",
    "NCCL_IB_QPS_PER_CONNECTION",
    "NCCL_IB_TC",
    "NCCL_LAUNCH_MODE",
    "NCCL_MAX_CTAS",
    "NCCL_MAX_NCHANNELS",
    "NCCL_MIN_CTAS",
    "NCCL_MIN_NCHANNELS",
    "NCCL_NET_GDR_READ",
    "NCCL_NTHREADS",
    "NCCL_NVLS_ENABLE",
    "NCCL_NVLS_NCHANNELS",
    "NCCL_P2P_DIRECT_DISABLE",
    "NCCL_PXN_DISABLE",
    "NCCL_RAS_ENABLE",
    "NCCL_RUNTIME_CONNECT",
    "NCCL_SHM_DISABLE",
];

/// The lines of all that is set.
pub fn echo() {
    for name in WORDS {
        if let Ok(value) = env::var(name) {
            info(&["ENV"], &format!("{name} set by environment to {value}"));
        }
    }
    for name in NUMBERS {
        // What is no number is not taken.
        if let Some(value) = env::var(name).ok().and_then(|value| value.trim().parse::<i64>().ok()) {
            info(&["ENV"], &format!("{name} set by environment to {value}."));
        }
    }
}
