//! What linkspec itself read of a machine, and what the vendor's tools printed on it, in one folder.

use std::{fs, path::Path};

use crate::{
    machines::{Machine, guest_h200},
    seat::Seat,
};

const UUIDS: [&str; 2] = ["GPU-5e1fd3b7-90c2-4a6e-b1d8-0f27c4a9e613", "GPU-c80b62f4-1d9e-4375-a6f0-93be5d2718ac"];
const SERIALS: [&str; 2] = ["1653924071182", "1653924088406"];

/// The guest, with identifiers that are none of the stand-ins.
fn guest() -> Machine {
    let mut machine = guest_h200();
    for (index, (uuid, serial)) in UUIDS.into_iter().zip(SERIALS).enumerate() {
        machine.nvml["gpus"][index]["uuid"] = uuid.into();
        machine.nvml["gpus"][index]["serial"] = serial.into();
    }
    machine
}

/// A folder `host` with a capture of the guest without its identifiers, and the tools' outputs beside it.
fn joined(outputs: &[(&str, String)]) -> Seat {
    let seat = Seat::new(&guest());
    seat.live(&["capture", "host"]).expect(0, &[]);
    for (name, text) in outputs {
        fs::write(seat.path("host").join(name), text).unwrap();
    }
    seat
}

fn matrix(class: &str) -> (&'static str, String) {
    let text = format!(
        "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\nGPU0\t X \t{class}\t0-31\t0\t\tN/A\nGPU1\t{class}\t X \t0-31\t0\t\tN/A\n\n\
         Legend:\n\n  X    = Self\n  NV#  = Connection traversing a bonded set of # NVLinks\n"
    );
    ("nvidia-smi-topo-m.txt", text)
}

fn links(count: u32) -> (&'static str, String) {
    let gpu = |(index, uuid): (usize, &str)| {
        let links: String = (0..count).map(|link| format!("\t Link {link}: 26.562 GB/s\n")).collect();
        format!("GPU {index}: NVIDIA H200 (UUID: {uuid})\n{links}")
    };
    ("nvidia-smi-nvlink-s.txt", UUIDS.into_iter().enumerate().map(gpu).collect())
}

/// A listing at another moment: the links are lowered, GPU 0 is at its power cap, and GPU 1 has a replay more.
fn listing(driver: &str) -> (&'static str, String) {
    let gpu = |index: usize| {
        let (uuid, serial, bus) = (UUIDS[index], SERIALS[index], 6 + index);
        let capped = if index == 0 { "Active" } else { "Not Active" };
        format!(
            "<gpu id=\"00000000:00:{bus:02}.0\"><product_name>NVIDIA H200</product_name><serial>{serial}</serial>\
             <uuid>{uuid}</uuid><fb_memory_usage><total>143771 MiB</total></fb_memory_usage>\
             <pci><pci_gpu_link_info><pcie_gen><max_link_gen>5</max_link_gen><current_link_gen>1</current_link_gen>\
             </pcie_gen><link_widths><max_link_width>16x</max_link_width><current_link_width>16x</current_link_width>\
             </link_widths></pci_gpu_link_info><replay_counter>{replays}</replay_counter></pci>\
             <clocks_event_reasons><clocks_event_reason_gpu_idle>Not Active</clocks_event_reason_gpu_idle>\
             <clocks_event_reason_sw_power_cap>{capped}</clocks_event_reason_sw_power_cap>\
             <clocks_event_reason_hw_slowdown>Not Active</clocks_event_reason_hw_slowdown>\
             <clocks_event_reason_hw_thermal_slowdown>Not Active</clocks_event_reason_hw_thermal_slowdown>\
             <clocks_event_reason_hw_power_brake_slowdown>Not Active</clocks_event_reason_hw_power_brake_slowdown>\
             <clocks_event_reason_sw_thermal_slowdown>Not Active</clocks_event_reason_sw_thermal_slowdown>\
             </clocks_event_reasons></gpu>",
            replays = 1
        )
    };
    let text = format!(
        "<?xml version=\"1.0\" ?><nvidia_smi_log><driver_version>{driver}</driver_version><cuda_version>13.0\
         </cuda_version><attached_gpus>2</attached_gpus>{}{}</nvidia_smi_log>\n",
        gpu(0),
        gpu(1)
    );
    ("nvidia-smi-q.xml", text)
}

const TESTS: &str = "  - { name: mesh, topology: { between: [gpu, gpu], require: NV18 } }\n  \
     - { name: links, gpu: { nvlinks_active: 18, nvlink_speed: 26.562 GB/s } }\n  \
     - { name: pcie, gpu: { pcie_generation: 5, pcie_width: 16 } }\n  \
     - { name: driver, gpu: { driver: { min: 550.54.15 }, memory: { min: 140G } } }\n";

const DRIVER: &str = "580.159.04";

fn judged(seat: &Seat) -> crate::seat::Ran {
    seat.saved(&[seat.spec(TESTS), "--host", "host"])
}

#[test]
fn a_capture_without_identifiers_and_the_tools_outputs_agree() {
    let seat = joined(&[matrix("NV18"), links(18), listing(DRIVER)]);
    let run = judged(&seat).expect(0, &["4 passed"]);
    assert!(!run.text.contains(" says "), "{}", run.text);
}

#[test]
fn another_link_class_is_a_conflict_that_names_both() {
    let seat = joined(&[matrix("NV17"), links(18), listing(DRIVER)]);
    let run = judged(&seat);
    assert!(run.code != 0);
    run.expect(3, &["says NV18, nvidia-smi-topo-m.txt says NV17"]);
}

#[test]
fn a_link_fewer_is_a_conflict_that_names_both() {
    let run = judged(&joined(&[matrix("NV18"), links(17), listing(DRIVER)]));
    run.expect(3, &["says 18 links", "nvidia-smi-nvlink-s.txt says 17 links"]);
}

#[test]
fn another_driver_is_a_conflict_that_names_both() {
    let run = judged(&joined(&[matrix("NV18"), links(18), listing("580.95.05")]));
    run.expect(3, &["says 580.159.04, nvidia-smi-q.xml says 580.95.05"]);
}

/// The recording is of the machine that the guest is rebuilt after.
#[test]
fn the_pack_of_the_recorded_guest_passes_on_its_outputs_beside_a_capture() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
    let seat = Seat::new(&guest_h200());
    seat.live(&["capture", "host"]).expect(0, &[]);
    for entry in fs::read_dir(repository.join("recordings/h200-x2")).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_file() {
            fs::copy(entry.path(), seat.path("host").join(entry.file_name())).unwrap();
        }
    }
    let pack = repository.join("specs/h200-x2.yaml");
    seat.saved(&[pack.to_str().unwrap(), "--host", "host", "--level", "quick"]).expect(0, &["8 passed"]);
}
