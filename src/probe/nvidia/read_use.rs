use nvml_wrapper::{Device, Nvml};

use super::{lane, read, reason::reason};
use crate::{
    probe::{
        GpuProcess, GpuUse,
        child::{Lane, Lanes},
        live::Site,
        occupancy::Answer,
        texts::PciAddress,
        tree::Tree,
    },
    sys::nvml_use::{Held, Holders, holders, memory_use},
};

/// Reads who is on each GPU, in the child.
pub(in crate::probe) fn read_use(site: &Site, lanes: &Lanes<Answer>) {
    let lane = lanes.open("NVML");
    let nvml = match read::open(site, |what| lane.begin(what), || ()) {
        Ok(nvml) => nvml,
        Err(why) => return lane.tell(Err(why)),
    };
    lane.begin("the number of GPUs");
    match read::count(&nvml) {
        Ok(count) => lanes.each(0..count, |index| lane::gpu(*index), |lane, index| read_gpu(&nvml, site, lane, index)),
        Err(why) => lane.tell(Err(why)),
    }
    // As the other reader of NVML does: the process ends with this anyway.
    std::mem::forget(nvml);
}

fn read_gpu(nvml: &Nvml, site: &Site, lane: &Lane<'_, Answer>, index: u32) {
    let begin = |what: &str| lane.begin(format!("{what} of GPU{index}"));
    begin("the handle");
    let handle = nvml.device_by_index(index).map_err(|error| reason("nvmlDeviceGetHandleByIndex_v2", &error));
    let known = handle.and_then(|device| {
        let pci = device.pci_info().map_err(|error| reason("nvmlDeviceGetPciInfo_v3", &error))?;
        let address = PciAddress::spell(&pci.bus_id);
        Ok((device, address.ok_or_else(|| format!("nvmlDeviceGetPciInfo_v3: {:?} is no PCI address", pci.bus_id))?))
    });
    let (device, address) = match known {
        Ok(known) => known,
        Err(why) => return lane.tell(Err(why)),
    };
    begin("the memory in use");
    let memory = memory_use(nvml, &device).map_err(|error| reason("nvmlDeviceGetMemoryInfo", &error));
    begin("the processes");
    let processes = processes(nvml, &device, &site.tree());
    lane.tell(Ok(GpuUse {
        pci: address,
        used: memory.as_ref().map(|memory| memory.used).map_err(String::clone),
        reserved: memory.as_ref().ok().and_then(|memory| memory.reserved),
        total: memory.map(|memory| memory.total),
        processes,
    }));
}

/// Every process once. Without the list of those that compute nothing is known; the others add to it where they can be
/// read.
fn processes(nvml: &Nvml, device: &Device<'_>, tree: &Tree) -> Result<Vec<GpuProcess>, String> {
    let list = |of| holders(nvml, device, of);
    let computing = list(Holders::Compute);
    let computing = computing.map_err(|error| reason("nvmlDeviceGetComputeRunningProcesses", &error))?;
    let mut processes: Vec<GpuProcess> = Vec::new();
    let clients = list(Holders::MpsClients).unwrap_or_default();
    let drawing = list(Holders::Graphics).unwrap_or_default();
    let computing = computing.into_iter().chain(clients).map(|held| (held, true));
    for (Held { pid, memory }, computes) in computing.chain(drawing.into_iter().map(|held| (held, false))) {
        if processes.iter().all(|known| known.pid != pid) {
            let name = tree.read(&format!("proc/{pid}/comm")).ok().filter(|name| !name.is_empty());
            processes.push(GpuProcess { pid, name, memory, computes });
        }
    }
    processes.sort_by_key(|process| process.pid);
    Ok(processes)
}
