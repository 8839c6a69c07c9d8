//! What linkspec itself read of a machine, and what the vendor's tools printed on it, in one folder.

use std::{fs, path::Path};

use serde_json::Value;

use crate::{
    machines::{Machine, guest_h200, hgx_h100},
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

/// A listing at another moment: the links are lowered, GPU 0 is at its power cap, and each GPU has a replay more.
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
            replays = 2 - index
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

/// What a run was judged by.
fn judged_facts(seat: &Seat, suite: &str) -> Value {
    let record = fs::read(seat.path("linkspec-out").join(suite).join("run.json")).unwrap();
    serde_json::from_slice::<Value>(&record).unwrap()["header"]["facts"].take()
}

/// The reason of every fact that the sources of a run contradict each other in.
fn conflicts(seat: &Seat, suite: &str) -> Vec<String> {
    let facts = judged_facts(seat, suite);
    let (mut found, mut waiting) = (Vec::new(), vec![&facts]);
    while let Some(value) = waiting.pop() {
        if let Some(conflict) = value.get("conflict") {
            found.push(conflict["reason"].as_str().unwrap().to_owned());
        }
        waiting.extend(value.as_object().into_iter().flat_map(|map| map.values()));
        waiting.extend(value.as_array().into_iter().flatten());
    }
    found
}

#[test]
fn a_capture_without_identifiers_and_the_tools_outputs_agree() {
    let seat = joined(&[matrix("NV18"), links(18), listing(DRIVER)]);
    judged(&seat).expect(0, &["4 passed"]);
    assert_eq!(conflicts(&seat, "one"), [""; 0]);
}

#[test]
fn another_link_class_is_a_conflict_that_names_both() {
    let seat = joined(&[matrix("NV17"), links(18), listing(DRIVER)]);
    judged(&seat).expect(3, &["says NV18, nvidia-smi-topo-m.txt says NV17"]);
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

/// `dmesg -T` of the guest, with more lines at its end.
fn kernel_log(more: &str) -> (&'static str, String) {
    let stamp = "[Mon Nov  3 08:12:01 2025]";
    let text = format!(
        "{stamp} Linux version 6.18.44\n{stamp} Command line: console=ttyS0 quiet reboot=k panic=1 swiotlb=noforce\n{more}"
    );
    ("dmesg.txt", text)
}

const LOG_TEST: &str = "  - { name: log, host: { kernel_log: { forbid: [xid, sxid] } } }\n";
const XID: &str = "[Mon Nov  3 09:40:27 2025] NVRM: Xid (PCI:0000:00:06): 79, GPU has fallen off the bus.\n";

fn judged_log(more: &str) -> (Seat, crate::seat::Ran) {
    let seat = joined(&[kernel_log(more)]);
    let run = seat.saved(&[seat.spec(LOG_TEST), "--host", "host"]);
    (seat, run)
}

#[test]
fn a_kernel_log_that_was_saved_later_goes_on_where_the_capture_ends() {
    let (seat, run) = judged_log("");
    run.expect(0, &["1 passed"]);
    assert_eq!(conflicts(&seat, "one"), [""; 0]);
    let (seat, run) = judged_log(XID);
    run.expect(1, &["GPU has fallen off the bus"]);
    assert_eq!(conflicts(&seat, "one"), [""; 0]);
}

/// A log without its end's line feed is cut, and proves nothing by itself.
#[test]
fn an_event_of_a_kernel_log_that_is_cut_is_not_lost_behind_the_capture() {
    let (_, run) = judged_log(&format!("{XID}[Mon Nov  3 09:41:"));
    run.expect(1, &["GPU has fallen off the bus"]);
}

/// `ibv_devinfo -v` of the devices that linkspec read, with their own identifiers, without interfaces.
fn devices(facts: &Value) -> (&'static str, String) {
    let known = |fact: &Value| fact["known"]["value"].clone();
    let text = |fact: &Value| known(fact).as_str().unwrap().to_owned();
    let device = |device: &Value| {
        let port = &device["ports"][0];
        let gids = known(&port["gids"]);
        let gids = gids.as_array().unwrap().iter().map(|gid| {
            let kind = gid["kind"].as_str().filter(|kind| *kind == "RoCE v2").map(|kind| format!(", {kind}"));
            format!(
                "\t\t\tGID[  {}]:\t\t{}{}\n",
                gid["index"],
                gid["address"].as_str().unwrap(),
                kind.unwrap_or_default()
            )
        });
        let (name, guid) = (device["name"].as_str().unwrap(), text(&device["node_guid"]));
        let mtu = |name: &str| match known(&port[name]).as_u64().unwrap() {
            4096 => "4096 (5)",
            _ => "1024 (3)",
        };
        format!(
            "hca_id:\t{name}\n\ttransport:\t\t\tInfiniBand (0)\n\tfw_ver:\t\t\t\t{}\n\tnode_guid:\t\t\t{guid}\n\
             \tsys_image_guid:\t\t\t{guid}\n\tvendor_id:\t\t\t0x02c9\n\tvendor_part_id:\t\t\t4129\n\
             \thw_ver:\t\t\t\t0x0\n\tboard_id:\t\t\t{}\n\tphys_port_cnt:\t\t\t1\n\t\tport:\t1\n\
             \t\t\tstate:\t\t\tPORT_ACTIVE (4)\n\t\t\tmax_mtu:\t\t{}\n\t\t\tactive_mtu:\t\t{}\n\
             \t\t\tsm_lid:\t\t\t1\n\t\t\tport_lid:\t\t17\n\t\t\tport_lmc:\t\t0x00\n\t\t\tlink_layer:\t\t{}\n{}\n",
            text(&device["firmware"]),
            text(&device["board"]),
            mtu("max_mtu"),
            mtu("active_mtu"),
            text(&port["link_layer"]),
            gids.collect::<String>(),
        )
    };
    ("ibv_devinfo.txt", facts["rdma_devices"].as_array().unwrap().iter().map(device).collect())
}

#[test]
fn ports_and_the_matrix_of_a_capture_without_identifiers_agree_with_the_tools() {
    let seat = Seat::new(&hgx_h100());
    let own = seat.facts();
    seat.live(&["capture", "host"]).expect(0, &[]);
    let (name, text) = devices(&own);
    fs::write(seat.path("host").join(name), text).unwrap();
    fs::copy(seat.path("host/topology.txt"), seat.path("host/nvidia-smi-topo-m.txt")).unwrap();
    seat.saved(&[seat.spec(TESTS), "--host", "host"]);
    assert_eq!(conflicts(&seat, "one"), [""; 0]);
    let facts = judged_facts(&seat, "one");
    let guids = |facts: &Value| -> Vec<Value> {
        let devices = facts["rdma_devices"].as_array().unwrap().iter();
        devices.map(|device| device["node_guid"]["known"]["value"].clone()).collect()
    };
    assert_eq!(guids(&facts), guids(&own));
    let source = facts["rdma_devices"][0]["ports"][0]["gids"]["known"]["source"].as_str().unwrap();
    assert!(source.ends_with("(identifiers replaced), ibv_devinfo.txt"), "{source}");
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
    seat.saved(&[pack.to_str().unwrap(), "--host", "host", "--level", "quick"]).expect(0, &["9 passed"]);
    assert_eq!(conflicts(&seat, "h200-x2"), [""; 0]);
}
