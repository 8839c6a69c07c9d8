//! GPUs that are lost, or that nothing tells apart.

use super::{
    answer::{Answer, Driver, Identity, Part},
    fill::fill_from,
    gathered::Gathered,
    testing::*,
};
use crate::{
    facts::{Facts, LinkClass, Origin},
    probe::live::Silence,
};

fn filled(answers: impl IntoIterator<Item = Answer>) -> Facts {
    let mut all = driver(2);
    all.extend((0..2).map(|gpu| links(gpu, switched(18))));
    all.push(pair(0, 1));
    all.extend(answers);
    let mut facts = Facts::new(Origin::Live);
    fill_from(Gathered::of(all), Silence::all("NVML does not say"), &mut facts);
    facts
}

#[test]
fn a_gpu_that_is_lost_while_it_is_read_is_named_by_its_address() {
    let why = "nvmlDeviceGetHandleByIndex_v2: the GPU is lost".to_owned();
    let gone = Answer::NoGpu { index: 1, reason: why.clone(), lost: true };
    let facts = filled([identity(0), identity(1), gone]);
    assert_eq!(facts.lost_gpus.len(), 1);
    assert_eq!(facts.lost_gpus[0].pci_address, "0000:11:00.0");
    assert_eq!(facts.lost_gpus[0].quote, format!("GPU1: {why}"));
    // What it told before stands.
    assert_eq!(facts.pair(0, 1).unwrap().class.value(), Some(&LinkClass::NvLink(18)));
}

#[test]
fn a_lost_gpu_has_an_address_only_where_no_other_can_be_it() {
    let listed = |gpus: u32| Answer::Listed((0..gpus).map(address).collect());
    let gone = || Answer::NoGpu { index: 1, reason: "the GPU is lost".to_owned(), lost: true };
    let facts = filled([identity(0), gone(), listed(2)]);
    assert_eq!(facts.lost_gpus[0].pci_address, "0000:11:00.0");
    // The driver has one more, which NVML may keep from this process.
    let facts = filled([identity(0), gone(), listed(3)]);
    assert_eq!(facts.lost_gpus[0].pci_address, "an unknown address (GPU1)");
}

/// The second GPU with an identity that is changed.
fn second(change: impl FnOnce(&mut Identity)) -> Answer {
    let Answer::Gpu { index, mut part } = identity(1) else { unreachable!() };
    if let Part::Identity(identity) = &mut *part {
        change(identity);
    }
    Answer::Gpu { index, part }
}

#[test]
fn two_gpus_with_one_address_or_uuid_are_a_conflict_of_both() {
    let facts = filled([identity(0), second(|gpu| gpu.pci_address = Ok(address(0)))]);
    for gpu in &facts.gpus {
        assert_eq!(gpu.pci_address.reason(), Some("NVML gives GPU0 and GPU1 the same PCI address"));
        assert!(gpu.uuid.value().is_some());
    }
    let facts = filled([identity(0), second(|gpu| gpu.uuid = Ok("GPU-0".to_owned()))]);
    assert_eq!(facts.gpus[0].uuid.reason(), Some("NVML gives GPU0 and GPU1 the same UUID"));
    // What neither has is not shared.
    let facts = filled([identity(0), second(|gpu| gpu.serial = Err("not supported".to_owned()))]);
    assert!(facts.gpus.iter().all(|gpu| gpu.uuid.value().is_some() && gpu.pci_address.value().is_some()));
}

#[test]
fn a_version_of_the_driver_without_a_letter_is_none() {
    let driver = Driver { version: Ok(" ".to_owned()), cuda: Ok(12090) };
    let facts = filled([Answer::Driver(driver)]);
    assert_eq!(facts.driver.reason(), Some("nvmlSystemGetDriverVersion: answered nothing"));
}
