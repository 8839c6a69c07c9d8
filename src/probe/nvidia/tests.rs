use super::{
    answer::{Answer, Fabric, Part},
    fill::fill_from,
    gathered::Gathered,
    testing::*,
};
use crate::{
    facts::{FabricState, Fact, Facts, LinkClass, Origin, P2pStatus, Vendor},
    probe::live::Silence,
};

fn filled(answers: impl IntoIterator<Item = Answer>) -> Facts {
    let mut facts = Facts::new(Origin::Live);
    fill_from(Gathered::of(answers.into_iter().collect()), Silence::all("NVML does not say"), &mut facts);
    facts
}

/// Two GPUs of a virtual machine with 18 links each to switches that are hidden.
fn two_h200() -> Vec<Answer> {
    let mut answers = driver(2);
    answers.extend((0..2).flat_map(|gpu| [identity(gpu), links(gpu, switched(18))]));
    answers.push(pair(0, 1));
    answers
}

#[test]
fn a_virtual_machine_with_two_gpus_behind_hidden_switches() {
    let facts = filled(two_h200());
    assert_eq!((facts.vendor.value(), facts.gpu_count.value()), (Some(&Vendor::Nvidia), Some(&2)));
    assert_eq!(facts.driver, Fact::known("575.12.03".to_owned(), "NVML"));
    assert_eq!(facts.cuda.value().map(String::as_str), Some("12.9"));
    assert_eq!(facts.sources["NVIDIA GPUs"], "2 GPUs through NVML (driver 575.12.03)");
    let pair = facts.pair(0, 1).unwrap();
    assert_eq!(pair.class.value(), Some(&LinkClass::NvLink(18)));
    assert_eq!((pair.nvlinks.value(), pair.ancestor.value()), (Some(&18), Some(&LinkClass::Phb)));
    assert_eq!(pair.p2p_atomics.value(), Some(&P2pStatus::Ok));
    let gpu = facts.gpu(1).unwrap();
    assert_eq!(gpu.pci_address.value().unwrap(), "0000:11:00.0");
    assert_eq!(gpu.vbios.value().unwrap(), "96.00.A5.00.1A");
    assert_eq!(gpu.serial.reason(), Some("nvmlDeviceGetSerial: not supported"));
    let links = gpu.nvlinks.value().unwrap();
    assert!((links[17].speed.unwrap().gigabytes_per_second() - 25.0).abs() < 1e-9);
    assert_eq!(links[17].remote.as_ref().unwrap().pci_address, None);
}

#[test]
fn the_vbios_of_a_virtual_gpu_is_no_version() {
    let Answer::Gpu { index, mut part } = identity(0) else { unreachable!() };
    if let Part::Identity(identity) = &mut *part {
        identity.vbios = Ok("00.00.00.00.00".to_owned());
    }
    let mut answers = two_h200();
    answers.push(Answer::Gpu { index, part });
    assert!(filled(answers).gpus[0].vbios.reason().unwrap().contains("00.00.00.00.00 in NVML, which is no version"));
}

#[test]
fn a_count_that_changes_is_a_conflict_of_both() {
    let mut answers = two_h200();
    answers.push(Answer::CountAgain(Ok(1)));
    let reason = filled(answers).gpu_count.reason().unwrap().to_owned();
    assert_eq!(reason, "NVML counted 2 GPUs before it read them, and 1 afterwards");
}

#[test]
fn a_count_that_fails_at_the_end_is_unknown() {
    let mut answers = two_h200();
    answers.push(Answer::CountAgain(Err("nvmlDeviceGetCount_v2: unknown error".to_owned())));
    assert!(filled(answers).gpu_count.reason().unwrap().contains("unknown error"));
}

#[test]
fn a_lost_gpu_is_there_by_index_and_named_by_the_address_that_is_left() {
    let mut answers = driver(3);
    answers.push(Answer::Listed(["0000:10:00.0", "0000:11:00.0", "0000:12:00.0"].map(str::to_owned).to_vec()));
    answers.extend([identity(0), identity(2), links(0, switched(4)), links(2, switched(4)), pair(0, 2)]);
    let reason = "nvmlDeviceGetHandleByIndex_v2: the GPU is lost".to_owned();
    answers.push(Answer::NoGpu { index: 1, reason: reason.clone(), lost: true });
    let facts = filled(answers);
    assert_eq!(facts.lost_gpus[0].pci_address, "0000:11:00.0");
    assert_eq!(facts.lost_gpus[0].quote, format!("GPU1: {reason}"));
    assert!(facts.gpu(1).is_some());
    assert!(facts.pair(0, 1).unwrap().class.reason().unwrap().contains("the GPU is lost"));
    assert_eq!(facts.pair(0, 2).unwrap().class.value(), Some(&LinkClass::NvLink(4)));
    assert!(facts.sources["NVIDIA GPUs"].ends_with("not read to the end: GPU1"));
}

#[test]
fn a_lost_gpu_without_an_address_is_not_given_that_of_another() {
    let mut answers = driver(2);
    answers.push(Answer::Listed(vec!["0000:10:00.0".to_owned(), "0000:11:00.0".to_owned()]));
    answers.push(Answer::NoGpu { index: 1, reason: "lost".to_owned(), lost: true });
    assert_eq!(filled(answers).lost_gpus[0].pci_address, "an unknown address (GPU1)");
}

#[test]
fn without_nvml_the_one_line_is_every_reason() {
    let why = "no NVIDIA driver: libnvidia-ml.so.1 cannot be loaded";
    let facts = filled([Answer::NoNvml(why.to_owned())]);
    assert_eq!(facts.sources["NVIDIA GPUs"], why);
    assert_eq!((facts.vendor.value(), facts.gpu_count.value(), facts.gpus.len()), (None, None, 0));
}

#[test]
fn a_stand_in_is_no_live_machine() {
    let answers = [Answer::Fake].into_iter().chain(two_h200());
    assert_eq!(filled(answers).origin, Origin::Fake);
}

#[test]
fn a_driver_that_sees_no_gpu_has_none() {
    let facts = filled(driver(0));
    assert_eq!((facts.gpu_count.value(), facts.gpus.len()), (Some(&0), 0));
}

fn with_fabric(state: u32, status: u32, mask: Result<u32, String>) -> Facts {
    let fabric = Fabric { state, status, cluster: [0; 16], clique: 7, health_mask: mask, health_summary: None };
    let part = Answer::Gpu { index: 0, part: Box::new(Part::Fabric(Ok(fabric))) };
    filled(driver(1).into_iter().chain([part]))
}

#[test]
fn a_fabric_that_is_ready_has_a_cluster_and_an_unassessed_one_no_health() {
    let facts = with_fabric(3, 0, Ok(0));
    let gpu = facts.gpu(0).unwrap();
    assert_eq!(gpu.fabric_state.value(), Some(&FabricState::Completed));
    assert_eq!(gpu.fabric_cluster.value().unwrap(), "00000000-0000-0000-0000-000000000000");
    assert_eq!(gpu.fabric_clique.value(), Some(&7));
    assert!(gpu.fabric_problems.reason().is_some());
}

#[test]
fn a_fabric_that_ended_without_success_failed() {
    let facts = with_fabric(3, 999, Ok(2));
    assert_eq!(facts.gpu(0).unwrap().fabric_state.value(), Some(&FabricState::Failed));
}

#[test]
fn a_fabric_that_is_under_way_has_no_cluster() {
    let facts = with_fabric(2, 0, Ok(2));
    let gpu = facts.gpu(0).unwrap();
    assert_eq!(gpu.fabric_state.value(), Some(&FabricState::InProgress));
    assert_eq!(gpu.fabric_clique.reason(), Some("the fabric's state is in-progress"));
}
