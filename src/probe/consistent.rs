//! Facts that were saved, and that a person or a program may have changed since.

use std::fmt::Display;

use crate::facts::{Fact, Facts};

/// Puts lists in the order that they are searched by. What is there twice is refused: the first would hide what the
/// second says. A number of devices that is less than are listed is unknown.
pub(super) fn consistent(mut facts: Facts) -> Result<Facts, String> {
    let ports =
        facts.rdma_devices.iter().flat_map(|device| device.ports.iter().map(|port| (&device.name, port.number)));
    once(ports.map(|(device, port)| format!("{device}/{port}")))?;
    once(facts.gpus.iter().map(|gpu| format!("GPU{}", gpu.index)))?;
    once(facts.rdma_devices.iter().map(|device| &device.name))?;
    once(facts.gpu_nics.iter().map(|pair| format!("GPU{}-{}", pair.gpu, pair.nic)))?;
    once(facts.nics.value().into_iter().flatten().map(|nic| &nic.label))?;
    for pair in &mut facts.gpu_pairs {
        (pair.a, pair.b) = (pair.a.min(pair.b), pair.a.max(pair.b));
        if pair.a == pair.b {
            return Err(format!("it pairs GPU{} with itself", pair.a));
        }
    }
    once(facts.gpu_pairs.iter().map(|pair| format!("GPU{}-GPU{}", pair.a, pair.b)))?;
    let ordered = |pair: &crate::facts::NicPair| match pair.a <= pair.b {
        true => format!("{}-{}", pair.a, pair.b),
        false => format!("{}-{}", pair.b, pair.a),
    };
    once(facts.nic_pairs.iter().map(ordered))?;
    facts.gpus.sort_by_key(|gpu| gpu.index);
    facts.gpu_pairs.sort_by_key(|pair| (pair.a, pair.b));
    facts.rdma_devices.sort_by(|one, other| one.name.cmp(&other.name));
    counted(&mut facts.gpu_count, facts.gpus.len(), "GPUs");
    counted(&mut facts.rdma_count, facts.rdma_devices.len(), "RDMA devices");
    Ok(facts)
}

fn once<T: Display + Ord>(names: impl Iterator<Item = T>) -> Result<(), String> {
    let mut names: Vec<T> = names.collect();
    names.sort_unstable();
    let twice = names.windows(2).find(|pair| pair[0] == pair[1]);
    twice.map_or(Ok(()), |pair| Err(format!("it has {} twice", pair[0])))
}

fn counted(count: &mut Fact<u32>, listed: usize, what: &str) {
    if let Fact::Known { value, source } = count
        && usize::try_from(*value).is_ok_and(|value| value < listed)
    {
        *count = Fact::Conflict { reason: format!("{source} says {value}, and {listed} {what} are listed") };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{Gpu, GpuPair, LinkClass, Origin, RdmaDevice};

    fn facts(change: impl FnOnce(&mut Facts)) -> Result<Facts, String> {
        let mut facts = Facts::new(Origin::Live);
        change(&mut facts);
        consistent(facts)
    }

    fn pair(a: u32, b: u32, class: LinkClass) -> GpuPair {
        GpuPair { a, b, class: Fact::known(class, "NVML"), ..GpuPair::new(0, 1) }
    }

    #[test]
    fn what_is_there_twice_is_refused() {
        let twice = |change: fn(&mut Facts)| facts(change).unwrap_err();
        assert_eq!(twice(|facts| facts.gpus = vec![Gpu::new(3), Gpu::new(3)]), "it has GPU3 twice");
        let pairs = |facts: &mut Facts| facts.gpu_pairs = vec![pair(0, 1, LinkClass::Pix), pair(1, 0, LinkClass::Sys)];
        assert_eq!(twice(pairs), "it has GPU0-GPU1 twice");
        assert_eq!(twice(|facts| facts.gpu_pairs = vec![pair(2, 2, LinkClass::Pix)]), "it pairs GPU2 with itself");
        let devices =
            |facts: &mut Facts| facts.rdma_devices = vec![RdmaDevice::new("mlx5_0"), RdmaDevice::new("mlx5_0")];
        assert_eq!(twice(devices), "it has mlx5_0 twice");
    }

    #[test]
    fn any_order_is_read() {
        let facts = facts(|facts| {
            facts.gpus = vec![Gpu::new(1), Gpu::new(0)];
            facts.gpu_pairs = vec![pair(1, 0, LinkClass::Pix)];
        });
        let facts = facts.unwrap();
        assert_eq!(facts.gpus.iter().map(|gpu| gpu.index).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(facts.pair(0, 1).unwrap().class.value(), Some(&LinkClass::Pix));
    }

    #[test]
    fn fewer_than_are_listed_is_not_known() {
        let facts = facts(|facts| {
            facts.gpus = vec![Gpu::new(0), Gpu::new(1)];
            facts.gpu_count = Fact::known(1, "NVML");
            facts.rdma_count = Fact::known(2, "/sys");
        });
        let facts = facts.unwrap();
        assert_eq!(facts.gpu_count.reason(), Some("NVML says 1, and 2 GPUs are listed"));
        // A device that is counted and cannot be listed is no contradiction.
        assert_eq!(facts.rdma_count.value(), Some(&2));
    }
}
