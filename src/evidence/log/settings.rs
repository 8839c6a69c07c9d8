//! Variables, networks and their devices.

use std::collections::{BTreeMap, BTreeSet};

use super::{super::LibraryLog, scan::Scan};

/// More names or values than this are not kept.
const MOST: usize = 4_096;

/// `NCCL_ALGO set by environment to Ring`, `NCCL_SHM_DISABLE set by environment to 1.`.
pub(super) fn variable(message: &str, log: &mut LibraryLog) -> Option<()> {
    let mut scan = Scan(message);
    let name = scan.word();
    if !scan.skip_if(" set by environment to ") {
        scan.skip(" set to ")?;
    }
    // Only numbers get a full stop from the library.
    let number = scan.0.strip_suffix('.').filter(|value| value.parse::<i64>().is_ok());
    keep_under(&mut log.environment, name, number.unwrap_or(scan.0));
    Some(())
}

fn keep_under(sets: &mut BTreeMap<String, BTreeSet<String>>, name: &str, value: &str) {
    if let Some(values) = sets.get_mut(name) {
        keep(values, value);
    } else if sets.len() < MOST {
        sets.insert(name.to_owned(), BTreeSet::from([value.to_owned()]));
    }
}

/// Keeps a text once, without a copy of one that is known.
pub(super) fn keep(set: &mut BTreeSet<String>, text: &str) {
    if !set.contains(text) && set.len() < MOST {
        set.insert(text.to_owned());
    }
}

/// A message that begins with `NET/`: the network's devices, and the adapters without GPUDirect; `None` for others.
pub(super) fn network(message: &str, log: &mut LibraryLog) -> Option<()> {
    let (name, text) = message.strip_prefix("NET/")?.split_once(':')?;
    let (name, text) = (name.trim_ascii_end(), text.trim_ascii_start());
    if let Some(devices) = text.strip_prefix("Using ") {
        if name != "Socket" {
            device_list(devices, log);
        }
        return Some(());
    }
    if let Some(device) = text.strip_prefix("Made virtual device ") {
        return virtual_device(device, log);
    }
    if let Some(adapter) = text.strip_prefix("GPU Direct RDMA Disabled for HCA ") {
        // Sockets have no GPUDirect to disable.
        if name != "Socket" {
            keep(&mut log.gpudirect_disabled, quoted(adapter)?);
        }
        return Some(());
    }
    None
}

/// `[0]mlx5_0:1/IB [1]mlx5_1:1/RoCE [RO]; OOB eth0:10.0.0.1<0>`.
fn device_list(text: &str, log: &mut LibraryLog) {
    let list = text.split("; OOB").next().unwrap_or(text);
    for word in list.split_ascii_whitespace() {
        let mut scan = Scan(word);
        let number = scan.skip("[").and_then(|()| scan.number()).filter(|_| scan.skip_if("]"));
        if let (Some(number), Some((device, _))) = (number, scan.0.split_once(':')) {
            keep_device(log, number, device);
        }
    }
}

/// `[4] name=mlx5_0+mlx5_1 speed=800000 ndevs=2`.
fn virtual_device(text: &str, log: &mut LibraryLog) -> Option<()> {
    let mut scan = Scan(text);
    scan.skip("[")?;
    let number = scan.number()?;
    scan.skip("] name=")?;
    let (device, _) = scan.0.split_once(' ')?;
    keep_device(log, number, device);
    Some(())
}

fn keep_device(log: &mut LibraryLog, number: u32, device: &str) {
    if log.network_devices.len() < MOST || log.network_devices.contains_key(&number) {
        keep(log.network_devices.entry(number).or_default(), device);
    }
}

/// What stands in quotes.
fn quoted(text: &str) -> Option<&str> {
    let (_, text) = text.split_once('\'')?;
    Some(text.split_once('\'')?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_lose_the_full_stop() {
        let mut log = LibraryLog::default();
        for line in [
            "NCCL_SHM_DISABLE set by environment to 1.",
            "NCCL_IB_TC set by environment to -1.",
            "NCCL_P2P_LEVEL set by environment to PHB",
            "NCCL_SOCKET_IFNAME set to eth0.",
        ] {
            assert_eq!(variable(line, &mut log), Some(()), "{line}");
        }
        let value = |name: &str| log.environment[name].first().cloned().unwrap_or_default();
        assert_eq!(value("NCCL_SHM_DISABLE"), "1");
        assert_eq!(value("NCCL_IB_TC"), "-1");
        assert_eq!(value("NCCL_P2P_LEVEL"), "PHB");
        assert_eq!(value("NCCL_SOCKET_IFNAME"), "eth0.");
        assert_eq!(variable("NCCL_ALGO is odd", &mut log), None);
    }

    #[test]
    fn devices_by_their_numbers() {
        let mut log = LibraryLog::default();
        for line in [
            "NET/IB : Using [0]mlx5_2:1/IB [1]mlx5_4:1/RoCE/SHARP [RO]; OOB eth0:10.0.0.1<0>",
            "NET/IB : Made virtual device [2] name=mlx5_2+mlx5_4 speed=800000 ndevs=2",
            "NET/IB : Using [RO]; OOB eth0:10.0.0.1<0>",
            "NET/Socket : Using [0]eth0:10.0.0.1<0>",
        ] {
            assert_eq!(network(line, &mut log), Some(()), "{line}");
        }
        let devices = [(0, "mlx5_2"), (1, "mlx5_4"), (2, "mlx5_2+mlx5_4")];
        assert_eq!(log.network_devices, devices.map(|(at, name)| (at, BTreeSet::from([name.to_owned()]))).into());
    }

    #[test]
    fn adapters_without_gpudirect() {
        let mut log = LibraryLog::default();
        for line in [
            "NET/IB : GPU Direct RDMA Disabled for HCA 0 'mlx5_7'",
            "NET/Some Plugin v9 : GPU Direct RDMA Disabled for HCA 1 'mlx5_8'",
            "NET/Socket : GPU Direct RDMA Disabled for HCA 0 'eth0'",
        ] {
            assert_eq!(network(line, &mut log), Some(()), "{line}");
        }
        assert_eq!(log.gpudirect_disabled, ["mlx5_7".to_owned(), "mlx5_8".to_owned()].into());
        for other in ["GPU Direct RDMA Disabled for HCA 0 'mlx5", "GPU Direct RDMA Enabled for HCA 2 'mlx5_9'"] {
            assert_eq!(network(&format!("NET/IB : {other}"), &mut log), None, "{other}");
        }
    }
}
