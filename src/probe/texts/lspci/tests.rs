use proptest::prelude::*;

use super::*;
use crate::facts::{Origin, PciBridge};

const FILE: &str = "lspci-vvv.txt";

/// A root port with ACS, a switch with its two ports, a GPU, and another root port without redirection above a NIC.
const WHOLE: &str = "\
00:00.0 Host bridge: Advanced Micro Devices, Inc. [AMD] Genoa Root Complex
\tControl: I/O- Mem- BusMaster-

00:01.1 PCI bridge: Advanced Micro Devices, Inc. [AMD] Genoa GPP Bridge (prog-if 00 [Normal decode])
\tBus: primary=00, secondary=41, subordinate=43, sec-latency=0
\tCapabilities: [58] Express (v2) Root Port (Slot+), MSI 00
\t\tLnkSta:\tSpeed 32GT/s, Width x16
\tCapabilities: [2a0 v1] Access Control Services
\t\tACSCap:\tSrcValid+ TransBlk+ ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl- DirectTrans+
\t\tACSCtl:\tSrcValid+ TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd- EgressCtrl- DirectTrans-

00:02.1 PCI bridge: Advanced Micro Devices, Inc. [AMD] Genoa GPP Bridge (prog-if 00 [Normal decode])
\tBus: primary=00, secondary=61, subordinate=61, sec-latency=0
\tCapabilities: [58] Express (v2) Root Port (Slot+), MSI 00
\t\tLnkSta:\tSpeed 32GT/s, Width x16
\tCapabilities: [2a0 v1] Access Control Services
\t\tACSCtl:\tSrcValid+ TransBlk- ReqRedir- CmpltRedir- UpstreamFwd- EgressCtrl- DirectTrans-

41:00.0 PCI bridge: Broadcom / LSI PEX890xx PCIe Gen 5 Switch (rev b0) (prog-if 00 [Normal decode])
\tBus: primary=41, secondary=42, subordinate=43, sec-latency=0
\tCapabilities: [68] Express (v2) Upstream Port, IntMsgNum 0
\tCapabilities: [100 v1] Device Serial Number 00-00-00-00-00-00-00-00

42:00.0 PCI bridge: Broadcom / LSI PEX890xx PCIe Gen 5 Switch (rev b0) (prog-if 00 [Normal decode])
\tBus: primary=42, secondary=43, subordinate=43, sec-latency=0
\tCapabilities: [68] Express (v2) Downstream Port (Slot-), IntMsgNum 0
\tCapabilities: [100 v1] Device Serial Number 00-00-00-00-00-00-00-00

43:00.0 3D controller: NVIDIA Corporation GH100 [H100 SXM5 80GB] (rev a1)
\tCapabilities: [60] Express (v2) Endpoint, MSI 00
\t\tLnkSta:\tSpeed 2.5GT/s (downgraded), Width x16 (ok)
\t\tLnkSta2: Current De-emphasis Level: -3.5dB

61:00.0 Infiniband controller: Mellanox Technologies MT2910 Family [ConnectX-7]
\tCapabilities: [60] Express (v2) Endpoint, MSI 00
\t\tLnkSta:\tSpeed 32GT/s, Width x8 (downgraded)

";

fn facts_of(text: &str) -> Facts {
    let mut facts = Facts::new(Origin::Live);
    read(text, FILE, &mut facts);
    facts
}

fn acs(bridges: &[PciBridge]) -> Vec<(&str, Option<Vec<&str>>)> {
    bridges
        .iter()
        .map(|bridge| {
            let bits = bridge.acs_redirect.as_ref().map(|bits| bits.iter().map(String::as_str).collect());
            (bridge.address.as_str(), bits)
        })
        .collect()
}

#[test]
fn bridges_with_their_redirect_bits() {
    let facts = facts_of(WHOLE);
    let bridges = facts.host.bridges.value().unwrap();
    assert_eq!(
        acs(bridges),
        [
            ("0000:00:01.1", Some(vec!["ReqRedir", "CmpltRedir"])),
            ("0000:00:02.1", Some(vec![])),
            ("0000:41:00.0", Some(vec![])),
            ("0000:42:00.0", None),
        ]
    );
    assert_eq!(bridges[0].buses_below, Some((0x41, 0x43)));
    assert_eq!(facts.damage, []);
    assert!(facts.host.bridges_seen.is_empty());
}

#[test]
fn links_of_devices() {
    let facts = facts_of(WHOLE);
    let links: Vec<_> = facts
        .host
        .pci_devices
        .value()
        .unwrap()
        .iter()
        .map(|device| (device.address.as_str(), device.generation, device.width))
        .collect();
    assert_eq!(
        links,
        [("0000:00:00.0", None, None), ("0000:43:00.0", Some(1), Some(16)), ("0000:61:00.0", Some(5), Some(8))]
    );
}

#[test]
fn without_root_the_acs_control_is_unknown() {
    let text: String = WHOLE
        .lines()
        .filter(|line| !line.contains("ACS") && !line.contains("Access Control") && !line.contains("Express"))
        .map(|line| match line.contains("Bus:") {
            true => format!("{line}\n\tCapabilities: <access denied>\n"),
            false => format!("{line}\n"),
        })
        .collect();
    let facts = facts_of(&text);
    let bridges = facts.host.bridges.value().unwrap();
    assert_eq!(bridges.len(), 4);
    assert!(bridges.iter().all(|bridge| bridge.acs_redirect.is_none()));
}

#[test]
fn a_cut_listing_keeps_what_it_shows_apart() {
    let end = WHOLE.find("41:00.0 PCI").unwrap() + 20;
    let facts = facts_of(&WHOLE[..end]);
    assert!(facts.host.bridges.reason().unwrap().contains("it may be cut"));
    assert_eq!(acs(&facts.host.bridges_seen)[0], ("0000:00:01.1", Some(vec!["ReqRedir", "CmpltRedir"])));
}

#[test]
fn a_bridge_that_is_missing_is_missed() {
    let (start, end) = (WHOLE.find("42:00.0").unwrap(), WHOLE.find("43:00.0").unwrap());
    let facts = facts_of(&format!("{}{}", &WHOLE[..start], &WHOLE[end..]));
    assert_eq!(facts.host.bridges.reason(), Some("lspci-vvv.txt shows no bridge that leads to 0000:43:00.0"));
}

#[test]
fn acs_lines_without_their_bridges_say_nothing() {
    let facts = facts_of("\t\tACSCtl: SrcValid+ TransBlk- ReqRedir- CmpltRedir- UpstreamFwd- EgressCtrl-\n");
    assert!(facts.host.bridges.value().is_none() && facts.host.bridges_seen.is_empty());
    assert_eq!(facts.damage.len(), 1);
}

#[test]
fn a_line_that_is_not_lspcis_is_damage() {
    let text = WHOLE.replace("\t\tACSCap:", "[output omitted]\n\t\tACSCap:");
    let facts = facts_of(&text);
    assert!(facts.host.bridges.value().is_none());
    assert_eq!(acs(&facts.host.bridges_seen)[0].0, "0000:00:02.1");
    assert_eq!(facts.damage.len(), 1);
}

/// The header of the second of two bridges is lost with what stands before it.
#[test]
fn a_bridge_does_not_take_the_buses_of_the_next_one() {
    let (upstream, downstream) = (WHOLE.find("41:00.0 ").unwrap(), WHOLE.find("42:00.0 ").unwrap());
    let details = |at: usize| at + WHOLE[at..].find('\n').unwrap() + 1;
    let text = format!("{}{}", &WHOLE[..details(upstream)], &WHOLE[details(downstream)..]);
    let facts = facts_of(&text);
    let bridges = facts.host.bridges.value().unwrap_or(&facts.host.bridges_seen);
    for bridge in bridges.iter().filter(|bridge| bridge.address == "0000:41:00.0") {
        assert_eq!((bridge.buses_below, &bridge.acs_redirect), (None, &None));
    }
}

proptest! {
    #[test]
    fn never_panics(text in "\\PC*|(\n|\t|00:0[0-9].0 |PCI bridge: |Bus: secondary=|[0-9a-f,]|ACSCtl:|ReqRedir\\+|\u{e9}|] Express \\()*") {
        facts_of(&text);
    }

    /// Lines that are missing make bridges unknown, or leave them as they are.
    #[test]
    fn missing_lines_never_change_a_value(from in 0_usize..42, count in 0_usize..42) {
        let kept = |at: &usize| *at < from || *at >= from + count;
        let text: String =
            WHOLE.lines().enumerate().filter(|(at, _)| kept(at)).map(|(_, line)| format!("{line}\n")).collect();
        let whole = facts_of(WHOLE);
        let cut = facts_of(&text);
        let all = whole.host.bridges.value().unwrap();
        for bridge in cut.host.bridges.value().into_iter().flatten() {
            let same = all.iter().find(|one| one.address == bridge.address).unwrap();
            prop_assert!(bridge.acs_redirect.is_none() || bridge.acs_redirect == same.acs_redirect);
            prop_assert!(bridge.buses_below.is_none() || bridge.buses_below == same.buses_below);
        }
    }

    #[test]
    fn a_cut_end_never_passes(end in 0_usize..WHOLE.len() - 1) {
        let cut = facts_of(&WHOLE[..end]);
        prop_assert!(cut.host.bridges.value().is_none() || WHOLE[..end].ends_with("\n\n"));
    }
}
