//! `ncclConfig_t`: what the library takes of it, by the version that wrote it and by its own.

use super::{start::Options, version};

const MAGIC: i32 = 0xcafe_beef_u32 as i32;
/// `NCCL_CONFIG_UNDEF_INT`.
const UNDEFINED: i32 = i32::MIN;

/// Where the field is, since which version it is there, its name, and the values that are taken beside the undefined.
type Field = (usize, i32, &'static str, fn(i32) -> bool);

const BLOCKING: usize = 16;
const CENTRIC: usize = 76;

const FIELDS: &[Field] = &[
    (BLOCKING, 21_400, "blocking", is_switch),
    (20, 21_700, "cgaClusterSize", |value| (0..=8).contains(&value)),
    (24, 21_700, "minCTAs", |value| value > 0),
    (28, 21_700, "maxCTAs", |value| value > 0),
    (40, 21_800, "splitShare", is_switch),
    (44, 22_500, "trafficClass", |_| true),
    (56, 22_700, "collnetEnable", is_switch),
    (60, 22_700, "CTAPolicy", |value| value >= 0),
    (64, 22_700, "shrinkShare", is_switch),
    (68, 22_700, "nvlsCTAs", |value| value > 0),
    (72, 22_800, "nChannelsPerNetPeer", |value| (1..=64).contains(&value)),
    (CENTRIC, 22_800, "nvlinkCentricSched", is_switch),
    (80, 22_900, "graphUsageMode", |value| (0..=2).contains(&value)),
    (84, 22_900, "numRmaCtx", |value| value > 0),
    (88, 23_000, "maxP2pPeers", |value| value > 0),
    (92, 23_005, "graphStreamOrdering", is_switch),
];

fn is_switch(value: i32) -> bool {
    value == 0 || value == 1
}

/// Reads a configuration; null is one without settings.
///
/// # Safety
///
/// The pointer is null, or points to as many bytes as the first eight say.
pub unsafe fn read(config: *const u8) -> Result<Options, String> {
    let mut options = Options { function: "ncclCommInitRankConfig", blocking: true, is_centric: false };
    if config.is_null() {
        return Ok(options);
    }
    // SAFETY: as the caller promises.
    let size = unsafe { config.cast::<u64>().read_unaligned() };
    let end = size.min(own_size(version::code())) as usize;
    // SAFETY: only fields within the size are read.
    let number = |at: usize| unsafe { config.add(at).cast::<i32>().read_unaligned() };
    if end < BLOCKING || number(8) != MAGIC {
        return Err("ncclConfig_t argument not initialized via NCCL_CONFIG_INITIALIZER".to_owned());
    }
    let written_by = number(12);
    for (at, since, name, takes) in FIELDS {
        // Fields that the writer did not know are not believed.
        if at + 4 > end || written_by < *since {
            continue;
        }
        match (*at, number(*at)) {
            (_, UNDEFINED) => {}
            (_, value) if !takes(value) => return Err(format!("Invalid config {name} attribute value {value}")),
            (BLOCKING, value) => options.blocking = value == 1,
            (CENTRIC, value) => options.is_centric = value == 1,
            _ => {}
        }
    }
    Ok(options)
}

/// The size of the library's own configuration.
const fn own_size(version: i32) -> u64 {
    match version {
        ..21_700 => 24,
        21_700..22_700 => 48,
        22_700..22_800 => 72,
        22_800..22_900 => 80,
        22_900..23_000 => 88,
        _ => 96,
    }
}
