use super::*;
use crate::facts::LogEventKind;

const BOOT: &str = "[    0.000000] Linux version 6.8.0\n[    0.000000] Command line: ro intel_iommu=on\n";
const XID: &str = "[   99.000000] NVRM: Xid (PCI:0000:17:00): 79, GPU has fallen off the bus.\n";

fn filled(answers: Vec<Answer>) -> Facts {
    let mut facts = Facts::new(Origin::Live);
    let mut heard = Heard::nothing("the process was ended by SIGSEGV");
    heard.answers = answers;
    let _ = fill(heard, &mut facts);
    facts
}

fn log(text: String, lost: Option<&str>) -> Answer {
    Answer::KernelLog(Ok(KernelLog { text, lost: lost.map(str::to_owned) }))
}

#[test]
fn nothing_was_heard() {
    let facts = filled(Vec::new());
    assert_eq!(facts.sources["host"], "not read: the process was ended by SIGSEGV");
    for reason in
        [facts.host.fabric_manager.reason(), facts.libraries["NCCL"].reason(), facts.libraries["RCCL"].reason()]
    {
        assert_eq!(reason, Some("the process was ended by SIGSEGV"));
    }
}

#[test]
fn gaps_are_named_once() {
    let gone = "/proc/sys/kernel/hostname is not there";
    let answers = vec![
        Answer::Name(Fact::unknown(gone)),
        Answer::Kernel(Fact::unknown(gone)),
        Answer::Cpus(Fact::known(192, "/sys/devices/system/cpu/online")),
        Answer::FabricManager(Fact::unknown("nv-fabricmanager is not there")),
    ];
    let facts = filled(answers);
    assert_eq!(facts.sources["host"], format!("read from /proc and /sys, but: {gone}"));
    assert_eq!(facts.host.cpus, Fact::known(192, "/sys/devices/system/cpu/online"));
    assert_eq!(facts.host.fabric_manager.reason(), Some("nv-fabricmanager is not there"));
}

#[test]
fn what_sysfs_shows_of_the_iommu_is_what_is() {
    let asked = || Answer::KernelArguments(Ok("ro intel_iommu=on iommu=pt".to_owned()));
    let shown = |fact| vec![Answer::Iommu(fact), asked()];
    let translating = Fact::known(IommuMode::Translating, "/sys/kernel/iommu_groups");
    assert_eq!(filled(shown(translating.clone())).host.iommu, translating);
    let facts = filled(shown(Fact::unknown("/sys/kernel/iommu_groups is not there")));
    assert_eq!(facts.host.iommu, Fact::known(IommuMode::Passthrough, "/proc/cmdline"));
    assert_eq!(facts.host.kernel_arguments.value().map(Vec::len), Some(3));
    let neither = vec![Answer::KernelArguments(Ok("ro".to_owned())), Answer::Iommu(Fact::unknown("no group"))];
    assert_eq!(filled(neither).host.iommu.reason(), Some("no group"));
}

#[test]
fn a_whole_kernel_log() {
    let facts = filled(vec![log(BOOT.to_owned(), None)]);
    assert_eq!(facts.host.kernel_log.value().map(Vec::len), Some(0));
    assert_eq!(facts.host.kernel_log_lines.value().map(Vec::len), Some(2));
    let facts = filled(vec![log(format!("{BOOT}{XID}"), None)]);
    assert_eq!(facts.host.kernel_log.source(), Some("/dev/kmsg"));
    assert_eq!(facts.host.kernel_log.value().and_then(|events| events[0].code), Some(79));
}

#[test]
fn a_log_that_lost_lines_proves_no_absence() {
    let facts = filled(vec![log(format!("{BOOT}{XID}"), Some("the kernel's ring lost records before number 9"))]);
    assert_eq!(facts.host.kernel_log.reason(), Some("the kernel's ring lost records before number 9"));
    assert_eq!(facts.host.kernel_log_lines.value(), None);
    assert_eq!(facts.host.kernel_log_seen.iter().map(|event| event.code).next(), Some(Some(79)));
    assert!(facts.host.kernel_log_seen.iter().any(|event| event.kind == LogEventKind::Xid));
    assert_eq!(facts.host.kernel_log_lines_seen.len(), 3);
    assert!(facts.sources["host"].contains("lost records"));
}

#[test]
fn a_log_that_may_not_be_read() {
    let reason = "the kernel log can be read by root only (kernel.dmesg_restrict)";
    let facts = filled(vec![Answer::KernelLog(Err(reason.to_owned()))]);
    assert_eq!(facts.host.kernel_log.reason(), Some(reason));
    assert_eq!(facts.host.kernel_log_lines.reason(), Some(reason));
    assert!(facts.sources["host"].ends_with(reason));
}

#[test]
fn services_and_their_number() {
    let services = [("ssh", "active"), ("openibd", "failed")].map(|(name, state)| (name.to_owned(), state.to_owned()));
    let facts = filled(vec![Answer::Services(Ok(services.into()))]);
    assert_eq!(facts.host.service_count.value(), Some(&2));
    assert_eq!(facts.host.services["openibd"].value().map(String::as_str), Some("failed"));
    let facts = filled(vec![Answer::Services(Err("systemctl is not there".to_owned()))]);
    assert_eq!(facts.host.service_count.reason(), Some("systemctl is not there"));
    assert!(facts.host.services.is_empty());
}

#[test]
fn a_stand_in_makes_the_machine_one() {
    let library = |fake| Library {
        name: "NCCL".to_owned(),
        version: Fact::known("2.28.3".to_owned(), "/lib/libnccl.so.2"),
        fake,
    };
    let facts = filled(vec![Answer::Library(library(true))]);
    assert_eq!((facts.origin, facts.libraries["NCCL"].value().map(String::as_str)), (Origin::Fake, Some("2.28.3")));
    assert_eq!(filled(vec![Answer::Library(library(false))]).origin, Origin::Live);
}
