use super::{
    gpu::{gpu, gpu_nic, gpu_pair, lost_gpu, nic, nic_pair},
    host::host,
    rdma,
    replacer::Replacer,
};
use crate::facts::{Damage, Facts, Origin};

/// The facts with every identifier replaced by a stand-in of its form: names of hosts, serial numbers, UUIDs, GUIDs,
/// hardware and IP addresses, users' folders. The same identifier gets the same stand-in wherever it stands.
///
/// Everything is taken apart field by field: the compiler asks of a new fact whether it identifies the machine.
pub fn without_identifiers(mut facts: Facts) -> Facts {
    let mut replacer = Replacer::new(&facts);
    let all = &mut replacer;
    let Facts {
        version: _,
        origin,
        vendor,
        gpu_count,
        gpus,
        lost_gpus,
        gpu_pairs,
        nics,
        gpu_nics,
        nic_pairs,
        rdma_count,
        rdma_devices,
        driver,
        cuda,
        host: the_host,
        libraries,
        damage: damages,
        sources,
    } = &mut facts;
    if let Origin::Captured { path } | Origin::Saved { path } = origin {
        all.text(path);
    }
    all.plain([vendor]);
    all.plain([gpu_count, rdma_count]);
    all.fact(driver, Replacer::version);
    all.fact(cuda, Replacer::version);
    gpus.iter_mut().for_each(|each| gpu(each, all));
    lost_gpus.iter_mut().for_each(|each| lost_gpu(each, all));
    gpu_pairs.iter_mut().for_each(|each| gpu_pair(each, all));
    rdma_devices.iter_mut().for_each(|each| rdma::device(each, all));
    // Facts are found by their place in the order of names.
    rdma_devices.sort_by(|one, other| one.name.cmp(&other.name));
    all.fact(nics, |all, nics| nics.iter_mut().for_each(|each| nic(each, all)));
    gpu_nics.iter_mut().for_each(|each| gpu_nic(each, all));
    nic_pairs.iter_mut().for_each(|each| nic_pair(each, all));
    host(the_host, all);
    all.by_name(libraries, |all, version| all.fact(version, Replacer::version));
    damages.iter_mut().for_each(|each| damage(each, all));
    all.by_name(sources, Replacer::text);
    facts
}

fn damage(Damage { file, line: _, quote, reason }: &mut Damage, all: &mut Replacer) {
    [file, quote, reason].into_iter().for_each(|text| all.text(text));
}
