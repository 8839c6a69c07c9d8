use std::{
    ffi::{c_char, c_int},
    ptr,
};

/// `NCCL_CONFIG_UNDEF_INT`: the library decides.
const UNDEFINED: c_int = c_int::MIN;
/// What every configuration begins with, behind its size.
const MAGIC: u32 = 0xcafe_beef;
/// From this version on a communicator knows NVLink-centric scheduling.
const CENTRIC_SCHEDULING: c_int = 22_800;

/// `ncclConfig_t` of NCCL 2.30.5 (NVIDIA/nccl: src/nccl.h.in). It only grows at its end, and the library takes no more
/// of it than it knows. Fields newer than `version` go back to their defaults, so that this must be the version of the
/// library that runs.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct Config {
    size: usize,
    magic: u32,
    version: u32,
    blocking: c_int,
    cga_cluster_size: c_int,
    min_ctas: c_int,
    max_ctas: c_int,
    net_name: *const c_char,
    split_share: c_int,
    traffic_class: c_int,
    comm_name: *const c_char,
    collnet_enable: c_int,
    cta_policy: c_int,
    shrink_share: c_int,
    nvls_ctas: c_int,
    channels_per_net_peer: c_int,
    nvlink_centric_sched: c_int,
    graph_usage_mode: c_int,
    num_rma_ctx: c_int,
    max_p2p_peers: c_int,
    graph_stream_ordering: c_int,
}

impl Config {
    /// What nccl-tests passes to a library of this version code: nothing, but that NVLink-centric scheduling is on
    /// where the library has it. `blocking` stays undefined then, which is blocking.
    pub(crate) fn new(version: c_int, blocking: bool, centric_scheduling: bool) -> Self {
        let centric = centric_scheduling && version >= CENTRIC_SCHEDULING;
        Self {
            size: size_of::<Self>(),
            magic: MAGIC,
            version: u32::try_from(version).unwrap_or_default(),
            blocking: if blocking { UNDEFINED } else { 0 },
            cga_cluster_size: UNDEFINED,
            min_ctas: UNDEFINED,
            max_ctas: UNDEFINED,
            net_name: ptr::null(),
            split_share: UNDEFINED,
            traffic_class: UNDEFINED,
            comm_name: ptr::null(),
            collnet_enable: UNDEFINED,
            cta_policy: UNDEFINED,
            shrink_share: UNDEFINED,
            nvls_ctas: UNDEFINED,
            channels_per_net_peer: UNDEFINED,
            nvlink_centric_sched: if centric { 1 } else { UNDEFINED },
            graph_usage_mode: UNDEFINED,
            num_rma_ctx: UNDEFINED,
            max_p2p_peers: UNDEFINED,
            graph_stream_ordering: UNDEFINED,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::*;

    #[test]
    fn centric_scheduling_is_of_libraries_that_have_it() {
        let of = |version, wanted| Config::new(version, true, wanted).nvlink_centric_sched;
        assert_eq!([of(22_799, true), of(22_800, true), of(22_800, false)], [UNDEFINED, 1, UNDEFINED]);
    }

    #[test]
    fn as_the_library_has_it() {
        assert_eq!(size_of::<Config>(), 96);
        for (offset, at) in [
            (offset_of!(Config, size), 0),
            (offset_of!(Config, magic), 8),
            (offset_of!(Config, version), 12),
            (offset_of!(Config, blocking), 16),
            (offset_of!(Config, max_ctas), 28),
            (offset_of!(Config, net_name), 32),
            (offset_of!(Config, split_share), 40),
            (offset_of!(Config, traffic_class), 44),
            (offset_of!(Config, comm_name), 48),
            (offset_of!(Config, collnet_enable), 56),
            (offset_of!(Config, nvls_ctas), 68),
            (offset_of!(Config, channels_per_net_peer), 72),
            (offset_of!(Config, nvlink_centric_sched), 76),
            (offset_of!(Config, graph_usage_mode), 80),
            (offset_of!(Config, max_p2p_peers), 88),
            (offset_of!(Config, graph_stream_ordering), 92),
        ] {
            assert_eq!(offset, at);
        }
    }

    #[test]
    fn what_nccl_tests_passes() {
        let config = Config::new(22_809, true, true);
        assert_eq!((config.size, config.magic, config.version), (96, 0xcafe_beef, 22_809));
        assert_eq!((config.blocking, config.nvlink_centric_sched), (i32::MIN, 1));
        assert_eq!((config.min_ctas, config.max_p2p_peers), (i32::MIN, i32::MIN));
        assert!(config.net_name.is_null() && config.comm_name.is_null());
    }

    #[test]
    fn older_libraries_and_ablations() {
        assert_eq!(Config::new(22_707, true, true).nvlink_centric_sched, i32::MIN);
        assert_eq!(Config::new(22_809, true, false).nvlink_centric_sched, i32::MIN);
        assert_eq!(Config::new(22_809, false, true).blocking, 0);
    }
}
