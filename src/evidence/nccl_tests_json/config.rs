use serde::Deserialize;
use serde_json::value::RawValue;

use super::source::Source;
use crate::evidence::{Measurement, Rank, SizeRange};

/// `config` of nccl-tests. What it does not say stays unknown.
#[derive(Deserialize)]
struct Config<'a> {
    nthreads: Option<u32>,
    ngpus: Option<u32>,
    minimum_bytes: Option<u64>,
    maximum_bytes: Option<u64>,
    warmup_iters: Option<u32>,
    iterations: Option<u32>,
    validation: Option<u32>,
    #[serde(borrow)]
    devices: Option<Vec<&'a RawValue>>,
}

#[derive(Deserialize)]
struct Device {
    rank: u32,
    hostname: Option<String>,
    device: Option<u32>,
    device_hex: Option<String>,
    device_info: Option<String>,
}

/// Puts what the configuration says into the measurement.
pub(super) fn read<'a>(part: &'a RawValue, source: &Source<'a>, measurement: &mut Measurement) {
    let config: Config<'a> = match source.object(part, "config") {
        Ok(config) => config,
        Err(damage) => {
            measurement.ranks_doubt = Some("the configuration that lists the ranks cannot be read".to_owned());
            measurement.damage.push(damage);
            return;
        }
    };
    measurement.range = config.minimum_bytes.zip(config.maximum_bytes).map(|(from, to)| SizeRange { from, to });
    measurement.warmup = config.warmup_iters;
    measurement.iterations = config.iterations;
    measurement.validation = config.validation.map(|iterations| iterations > 0);
    ranks(&config, source, measurement);
}

/// nccl-tests 2.19.6 lists the first device of each process, whatever number of GPUs each drives.
fn ranks<'a>(config: &Config<'a>, source: &Source<'a>, measurement: &mut Measurement) {
    let devices = config.devices.as_deref().unwrap_or_default();
    for device in devices {
        match source.object::<Device>(device, "config.devices") {
            Ok(device) => measurement.ranks.push(rank(device)),
            Err(damage) => {
                measurement.ranks_doubt = Some("an entry of the list of ranks cannot be read".to_owned());
                measurement.damage.push(damage);
            }
        }
    }
    let Some(per_process) = config.nthreads.zip(config.ngpus).map(|(threads, gpus)| threads.saturating_mul(gpus))
    else {
        measurement.ranks_doubt = Some("it does not say how many GPUs each process drives".to_owned());
        return;
    };
    if devices.len() < per_process as usize && measurement.ranks_doubt.is_none() {
        let listed = devices.len();
        measurement.ranks_doubt = Some(format!("each process drives {per_process} GPUs, and it lists {listed} in all"));
    }
}

fn rank(device: Device) -> Rank {
    let shown = |text: Option<String>| text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    Rank {
        rank: device.rank,
        host: shown(device.hostname),
        device: device.device,
        pci: shown(device.device_hex),
        name: shown(device.device_info),
    }
}
