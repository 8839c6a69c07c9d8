//! Answers as a healthy machine gives them, for tests.

use super::answer::{Answer, Driver, Identity, Link, Pair, Part};

/// What NVML writes where a virtual machine hides an address.
pub(super) const HIDDEN: &str = "FFFFFFFF:FF:FF.0";
pub(super) const GPU: u32 = 0;
pub(super) const SWITCH: u32 = 2;
pub(super) const UNKNOWN: u32 = 255;

pub(super) fn driver(count: u32) -> Vec<Answer> {
    let driver = Driver { version: Ok("575.12.03".to_owned()), cuda: Ok(12090) };
    vec![Answer::Driver(driver), Answer::Count(Ok(count)), Answer::CountAgain(Ok(count))]
}

/// GPU 0 is at bus 10, GPU 1 at bus 11, in hexadecimal.
pub(super) fn address(index: u32) -> String {
    format!("00000000:{:02X}:00.0", 0x10 + index)
}

pub(super) fn identity(index: u32) -> Answer {
    let identity = Identity {
        name: Ok("NVIDIA Example".to_owned()),
        uuid: Ok(format!("GPU-{index}")),
        serial: Err("nvmlDeviceGetSerial: not supported".to_owned()),
        vbios: Ok("96.00.a5.00.1a".to_owned()),
        pci_address: Ok(address(index)),
        memory: Ok(80 << 30),
        lost: false,
    };
    Answer::Gpu { index, part: Box::new(Part::Identity(identity)) }
}

/// An active link at 25 GB/s.
pub(super) fn link(index: u32, remote_type: u32, remote_address: &str) -> Link {
    Link {
        index,
        active: true,
        speed: Some(25_000),
        version: Some(6),
        remote_type: Ok(remote_type),
        remote_address: Ok(remote_address.to_owned()),
    }
}

/// Active links to switches that are hidden.
pub(super) fn switched(count: u32) -> Vec<Link> {
    (0..count).map(|index| link(index, SWITCH, HIDDEN)).collect()
}

pub(super) fn links(index: u32, links: Vec<Link>) -> Answer {
    Answer::Gpu { index, part: Box::new(Part::Links(Ok(links))) }
}

/// Two GPUs below one host bridge that reach each other.
pub(super) fn pair(a: u32, b: u32) -> Answer {
    pair_with(a, b, 30, 0)
}

pub(super) fn pair_with(a: u32, b: u32, ancestor: u32, nvlink: u32) -> Answer {
    let pair = Pair { ancestor: Ok(ancestor), read: Ok(0), write: Ok(0), nvlink: Ok(nvlink), atomics: Ok(0) };
    Answer::Pair { a, b, pair: Box::new(pair) }
}
