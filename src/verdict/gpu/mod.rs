//! `gpu`: what holds of every GPU.

mod driver;
mod health;
mod identity;
mod links;
mod throttle;
mod xid;

use super::{
    FindingCode,
    gpu_set::{GpuSet, is_absent, lost},
    sheet::{Sheet, Subject},
};
use crate::{
    facts::{Facts, Gpu},
    plan::Case,
    spec::{GpuExpect, Place},
};

pub(super) fn judge(case: &Case, expect: &GpuExpect, facts: &Facts, sheet: &mut Sheet<'_>) {
    if let Some(count) = &expect.count {
        lost(facts, &count.place, sheet);
        let subject = Subject { device: None, ..subject(FindingCode::GpuCount, 0, "number of GPUs", "look for Xid 79 in the kernel log, and compare with `lspci`") };
        sheet.wanted(&subject, count, &facts.gpu_count);
    }
    driver::judge(expect, facts, sheet);
    xid::judge(expect, facts, sheet);
    let Some(place) = place(expect) else { return };
    let set = GpuSet::of(case, facts);
    set.tell_gaps(facts, place, sheet);
    for index in set.indices.iter().copied().filter(|index| !is_absent(facts, *index)) {
        let blank;
        let gpu = match facts.gpu(index) {
            Some(gpu) => gpu,
            None => {
                blank = Gpu::new(index);
                &blank
            }
        };
        identity::judge(expect, gpu, sheet);
        links::judge(expect, gpu, sheet);
        health::judge(expect, gpu, sheet);
        throttle::judge(expect, gpu, sheet);
    }
}

/// A subject of one GPU.
fn subject<'a>(code: FindingCode, index: u32, what: &'a str, hint: &'a str) -> Subject<'a> {
    Subject { code, device: Some(format!("GPU{index}")), what, unit: None, hint }
}

/// The first expectation that is asked of each GPU; `None` where only the machine is asked.
fn place(expect: &GpuExpect) -> Option<&Place> {
    let GpuExpect { count: _, driver: _, driver_range: _, xid: _, name, nvlinks_active, nvlink_speed, .. } = expect;
    let GpuExpect { pcie_generation, pcie_width, ecc, ecc_errors, remapped_rows, fabric_state, .. } = expect;
    let GpuExpect { persistence, mig, memory, throttled, .. } = expect;
    let places = [
        name.as_ref().map(|wanted| &wanted.place),
        nvlinks_active.as_ref().map(|wanted| &wanted.place),
        nvlink_speed.as_ref().map(|wanted| &wanted.place),
        pcie_generation.as_ref().map(|wanted| &wanted.place),
        pcie_width.as_ref().map(|wanted| &wanted.place),
        ecc.as_ref().map(|wanted| &wanted.place),
        ecc_errors.as_ref().map(|wanted| &wanted.place),
        remapped_rows.as_ref().map(|wanted| &wanted.place),
        fabric_state.as_ref().map(|wanted| &wanted.place),
        persistence.as_ref().map(|wanted| &wanted.place),
        mig.as_ref().map(|wanted| &wanted.place),
        memory.as_ref().map(|wanted| &wanted.place),
        throttled.as_ref().map(|wanted| &wanted.place),
    ];
    places.into_iter().flatten().next()
}
