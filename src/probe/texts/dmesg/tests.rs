use proptest::prelude::*;

use super::*;
use crate::facts::{IommuMode, LogEventKind, Origin};

const FILE: &str = "dmesg.txt";

const WHOLE: &str = "\
[    0.000000] Linux version 6.8.0-60-generic (buildd@host) #63
[    0.000000] Command line: BOOT_IMAGE=/vmlinuz root=/dev/sda1 iommu=pt
[    1.100000] iommu: Default domain type: Passthrough (set via kernel command line)
[    1.200000] pci 0000:00:01.1: Adding to iommu group 0
[    2.000000] nvidia-nvlink: Nvlink Core is being initialized, major device number 510
[    2.100000] pcieport 0000:40:01.1: AER: enabled with IRQ 40
";

fn facts_of(text: &str) -> Facts {
    let mut facts = Facts::new(Origin::Live);
    read(text, FILE, &mut facts);
    facts
}

fn kinds(events: &[crate::facts::LogEvent]) -> Vec<(LogEventKind, Option<u32>, Option<&str>)> {
    events.iter().map(|event| (event.kind, event.code, event.device.as_deref())).collect()
}

fn known(text: &str) -> Vec<crate::facts::LogEvent> {
    facts_of(&format!("{WHOLE}{text}")).host.kernel_log.value().cloned().unwrap()
}

#[test]
fn a_whole_log_that_says_nothing_is_known_to_say_nothing() {
    let facts = facts_of(WHOLE);
    assert_eq!(facts.host.kernel_log.value(), Some(&Vec::new()));
    assert_eq!(facts.host.kernel_log_lines.value().map(Vec::len), Some(6));
    assert_eq!(facts.host.iommu.value(), Some(&IommuMode::Passthrough));
    assert_eq!(facts.damage, []);
}

#[test]
fn reports_of_gpus_and_switches() {
    let events = known(
        "[ 9.0] NVRM: Xid (PCI:0000:9b:00): 119, pid=2380, name=smi, Timeout after 6s of waiting for RPC response\n\
         [ 9.1] nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 12028, Non-fatal, Link 32 egress non-posted PRIV error\n\
         [ 9.2] NVRM: Xid (PCI:0000:44:00): 79, pid=1, GPU has fallen off the bus.\n\
         [ 9.3] NVRM: Xid (PCI:0000:45:00): 74, pid=7, NVLink: fatal error detected on link 3\n\
         [ 9.4] NVRM: Xid (PCI:0000:46:00 GPU-I:05): 94, pid=7, Contained: CE User Channel (0x9)\n",
    );
    assert_eq!(
        kinds(&events),
        [
            (LogEventKind::Xid, Some(119), Some("0000:9b:00")),
            (LogEventKind::Sxid, Some(12028), Some("0000:c1:00.0")),
            (LogEventKind::Xid, Some(79), Some("0000:44:00")),
            (LogEventKind::FallenOffBus, None, Some("0000:44:00")),
            (LogEventKind::Xid, Some(74), Some("0000:45:00")),
            (LogEventKind::NvlinkError, Some(74), Some("0000:45:00")),
            (LogEventKind::Xid, Some(94), Some("0000:46:00")),
        ]
    );
    assert_eq!(events[0].line, 7);
}

#[test]
fn a_gpu_lost_at_boot_has_no_xid_and_three_lines() {
    let events = known(
        "[ 5.0] NVRM: The NVIDIA GPU 0000:b3:00.0\n\
         [ 5.0] pcieport 0000:b0:01.0: AER: Uncorrected (Fatal) error received: 0000:b3:00.0\n\
         [ 5.0] NVRM: (PCI ID: 10de:2330) installed in this system has\n\
         [ 5.0] NVRM: fallen off the bus and is not responding to commands.\n\
         [ 5.1] nvidia: probe of 0000:b3:00.0 failed with error -1\n",
    );
    assert_eq!(
        kinds(&events),
        [
            (LogEventKind::FallenOffBus, None, Some("0000:b3:00.0")),
            (LogEventKind::AerFatal, None, Some("0000:b0:01.0")),
        ]
    );
}

#[test]
fn corrected_errors_and_unsupported_gpus_are_no_events() {
    let events = known(
        "[ 5.0] pcieport 0000:b0:01.0: AER: Corrected error received: 0000:b3:00.0\n\
         [ 5.0] nvidia 0000:b3:00.0: PCIe Bus Error: severity=Corrected, type=Physical Layer, (Receiver ID)\n\
         [ 5.0] nvidia 0000:b3:00.0: AER: aer_status: 0x00001000, aer_mask: 0x00002000\n\
         [ 5.0] pcieport 0000:b0:01.0: DPC: error containment capabilities: Int Msg #0, RPExt+ PoisonedTLP+ SwTrigger+\n\
         [ 5.1] NVRM: The NVIDIA GPU 0000:b3:00.0 (PCI ID: 10de:1234)\n\
         [ 5.1] NVRM: installed in this system is not supported by the driver.\n",
    );
    assert_eq!(events, []);
}

#[test]
fn uncorrected_errors_in_every_wording() {
    for line in [
        "pcieport 0000:40:01.1: AER: Uncorrectable (Non-Fatal) error message received from 0000:41:00.0",
        "nvidia 0000:41:00.0: PCIe Bus Error: severity=Uncorrected (Fatal), type=Transaction Layer",
        "pcieport 0000:40:01.1: DPC: unmasked uncorrectable error detected",
        "pcieport 0000:40:01.1: DPC: ERR_FATAL detected",
        "pcieport 0000:40:01.1: DPC: ERR_NONFATAL detected",
        "pcieport 0000:40:01.1: DPC: containment event, status:0x1f05, ERR_FATAL received from 0000:41:00.0",
        "pcieport 0000:40:01.1: DPC: RP PIO error detected",
        "nvidia 0000:41:00.0: AER: aer_uncor_severity: 0x004ef030",
    ] {
        let events = known(&format!("{line}\n"));
        assert_eq!(events.iter().map(|event| event.kind).collect::<Vec<_>>(), [LogEventKind::AerFatal], "{line}");
    }
}

#[test]
fn a_log_without_its_beginning_proves_no_absence_and_keeps_its_events() {
    let facts = facts_of("NVRM: Xid (PCI:0000:44:00): 79, GPU has fallen off the bus\n");
    assert_eq!(facts.host.kernel_log.reason(), Some("dmesg.txt does not reach back to the boot"));
    assert_eq!(
        kinds(&facts.host.kernel_log_seen),
        [(LogEventKind::Xid, Some(79), Some("0000:44:00")), (LogEventKind::FallenOffBus, None, Some("0000:44:00"))]
    );
    assert_eq!(facts.host.kernel_log_lines_seen.len(), 1);
}

/// Anybody may write into the kernel's own ring, and it holds one boot: no line in it begins another.
#[test]
fn the_ring_of_the_kernel_is_of_one_boot() {
    let text = format!(
        "{WHOLE}[ 9.0] NVRM: Xid (PCI:0000:44:00): 48, pid=7, DBE\n[10.0] Linux version 6.8.0-60-generic\n\
         [10.0] Command line: iommu=pt\n"
    );
    let mut live = Facts::new(Origin::Live);
    read_ring(&text, "/dev/kmsg", None, &mut live);
    assert_eq!(live.host.kernel_log.value().map(Vec::len), Some(1));
    assert_eq!(live.host.kernel_log_lines.value().map(Vec::len), Some(9));
    assert_eq!(facts_of(&text).host.kernel_log.value().map(Vec::len), Some(0));
}

#[test]
fn gaps_are_seen() {
    for (more, reason) in [
        ("[ 9.0] ** 12 printk messages dropped **\n", "dmesg.txt has a gap in line 7"),
        ("[...]\n", "dmesg.txt has a gap in line 7"),
        ("[ 9.0] NVRM: Xid (PCI:0000:44:00): 7", "dmesg.txt ends within a line"),
    ] {
        let facts = facts_of(&format!("{WHOLE}{more}"));
        assert!(facts.host.kernel_log.reason().unwrap().starts_with(reason), "{more}");
        assert!(facts.host.kernel_log_seen.iter().all(|event| event.code.is_none()));
    }
}

#[test]
fn only_the_last_boot_counts() {
    let facts = facts_of(&format!("{WHOLE}NVRM: Xid (PCI:0000:44:00): 79, lost\n{WHOLE}"));
    assert_eq!(facts.host.kernel_log.value(), Some(&Vec::new()));
}

#[test]
fn what_dmesg_may_not_read_is_unknown() {
    let facts = facts_of("dmesg: read kernel buffer failed: Operation not permitted\n");
    let reason = facts.host.kernel_log.reason().unwrap();
    assert!(reason.contains("read kernel buffer failed: Operation not permitted"), "{reason}");
    assert_eq!(facts.damage.len(), 1);
    assert_eq!(facts_of("\n").host.kernel_log.reason(), Some("dmesg.txt is empty"));
}

proptest! {
    #[test]
    fn never_panics(text in "\\PC*|([\\[\\]<>: 0-9.NVRMXid(PCI,The NVIDIA GPU\n\u{e9}]|Xid \\(|NVRM: )*") {
        facts_of(&text);
    }

    /// A log whose first lines are gone, or which ends within a line, proves nothing.
    #[test]
    fn a_cut_log_proves_nothing(start in 20_usize..WHOLE.len(), end in 0_usize..WHOLE.len()) {
        let tail = facts_of(&WHOLE[start..]);
        prop_assert!(tail.host.kernel_log.value().is_none() && tail.host.iommu.value().is_none());
        let head = facts_of(&WHOLE[..end]);
        prop_assert!(head.host.kernel_log.value().is_none() || WHOLE[..end].ends_with('\n'));
        prop_assert!(head.host.iommu.value().is_none_or(|mode| *mode == IommuMode::Passthrough));
    }
}
