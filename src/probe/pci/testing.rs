//! Devices for tests.

use super::{Device, Link};

/// A GPU of NVIDIA at the end of a path.
pub(super) fn device(path: &str, numa_node: Option<u32>) -> Device {
    let path: Vec<String> = path.split('/').map(str::to_owned).collect();
    Device {
        address: path.last().cloned().unwrap_or_default(),
        path,
        class: 0x03_0200,
        identity: Some((super::NVIDIA, 0x2330)),
        numa_node,
        driver: Some("nvidia".to_owned()),
        link: Link::default(),
        bridge: None,
        hidden: false,
    }
}

/// The same as a bridge.
pub(super) fn bridge(path: &str, link: Link) -> Device {
    Device { class: 0x06_0400, link, ..device(path, Some(0)) }
}
