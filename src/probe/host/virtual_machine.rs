use super::cpuinfo::{CPUINFO, values};
use crate::{facts::Fact, probe::tree::Tree};

const HYPERVISOR: &str = "sys/hypervisor/type";
const VENDOR: &str = "sys/class/dmi/id/sys_vendor";
const PRODUCT: &str = "sys/class/dmi/id/product_name";

/// Words in the vendor or product of a machine's firmware tables that a hypervisor wrote.
///
/// Source: systemd, src/basic/virt.c.
const WORDS: [&str; 14] = [
    "QEMU",
    "KVM",
    "KubeVirt",
    "VMware",
    "VirtualBox",
    "Xen",
    "OpenStack",
    "Google",
    "Virtual",
    "Parallels",
    "BHYVE",
    "Bochs",
    "Hyper-V",
    "Alibaba",
];

/// Whether this is a virtual machine: by the CPU's flags on x86, by the firmware's tables elsewhere.
pub(super) fn virtual_machine(tree: &Tree) -> Fact<bool> {
    let cpuinfo = tree.read(CPUINFO);
    let flags = values(cpuinfo.as_deref().unwrap_or_default(), "flags");
    if !flags.is_empty() {
        // CPUID leaf 1, ECX bit 31: set by every hypervisor, never by a CPU.
        let set = flags.iter().any(|flags| flags.split(' ').any(|flag| flag == "hypervisor"));
        return Fact::known(set, "/proc/cpuinfo");
    }
    if tree.read(HYPERVISOR).is_ok_and(|kind| !kind.is_empty()) {
        return Fact::known(true, "/sys/hypervisor/type");
    }
    let told = firmware(tree);
    match (told.value(), cpuinfo) {
        // The flag, where there is one, may say another thing.
        (Some(false), Err(reason)) => Fact::unknown(reason),
        _ => told,
    }
}

/// The firmware's own table of itself, which root alone may read.
const BIOS: &str = "sys/firmware/dmi/entries/0-0/raw";
/// The second extension byte of its characteristics, and the bit there that says: a virtual machine.
///
/// Source: the SMBIOS specification, BIOS Information (type 0).
const EXTENSION: usize = 0x13;
const IS_VIRTUAL: u8 = 1 << 4;

/// Whether the firmware calls the machine virtual. That it does not is no proof: not every hypervisor sets the bit.
fn says_virtual(tree: &Tree) -> bool {
    let Ok(bytes) = tree.bytes(BIOS) else { return false };
    let holds = bytes.get(1).is_some_and(|length| usize::from(*length) > EXTENSION);
    holds && bytes.get(EXTENSION).is_some_and(|byte| byte & IS_VIRTUAL != 0)
}

fn firmware(tree: &Tree) -> Fact<bool> {
    if says_virtual(tree) {
        return Fact::known(true, format!("/{BIOS}"));
    }
    let vendor = match tree.read(VENDOR) {
        Ok(vendor) if vendor.is_empty() => return Fact::unknown(format!("/{VENDOR} is empty")),
        Ok(vendor) => vendor,
        Err(reason) => return Fact::unknown(format!("neither CPU nor firmware says it: {reason}")),
    };
    let product = match tree.read(PRODUCT) {
        Ok(product) => product,
        Err(reason) => return Fact::unknown(reason),
    };
    let made_by = |word: &str| vendor.contains(word) || product.contains(word);
    // Amazon calls its machines without a hypervisor `c7g.metal` and the like.
    let is_virtual = WORDS.into_iter().any(made_by) || (vendor == "Amazon EC2" && !product.contains("metal"));
    Fact::known(is_virtual, "/sys/class/dmi/id/sys_vendor, /sys/class/dmi/id/product_name")
}

#[cfg(test)]
mod tests {
    use super::{super::testing::rebuilt, *};

    #[test]
    fn the_flag_of_x86() {
        for (flags, expected) in [("fpu sse2 hypervisor lahf_lm", true), ("fpu sse2 lahf_lm", false)] {
            let cpuinfo = format!("processor\t: 0\nflags\t\t: {flags}\nbugs\t\t: spectre_v1\n");
            // A vendor of virtual machines who sells bare metal too: the CPU knows better.
            let machine = rebuilt(&[(CPUINFO, &cpuinfo), (VENDOR, "Google\n"), (PRODUCT, "Google Compute Engine\n")]);
            assert_eq!(virtual_machine(&machine.tree), Fact::known(expected, "/proc/cpuinfo"), "{flags}");
        }
    }

    #[test]
    fn the_firmware_of_arm() {
        for (vendor, product, expected) in [
            ("QEMU", "KVM Virtual Machine", true),
            ("NVIDIA", "GB200 NVL", false),
            ("Microsoft Corporation", "Virtual Machine", true),
            ("Microsoft Corporation", "C4140", false),
            ("Amazon EC2", "c7g.16xlarge", true),
            ("Amazon EC2", "c7g.metal", false),
        ] {
            let cpuinfo = (CPUINFO, "processor\t: 0\nFeatures\t: fp asimd\n");
            let machine = rebuilt(&[cpuinfo, (VENDOR, vendor), (PRODUCT, product)]);
            assert_eq!(virtual_machine(&machine.tree).value(), Some(&expected), "{vendor} {product}");
        }
    }

    #[test]
    fn nothing_that_says_it_is_not_bare_metal() {
        let machine = rebuilt(&[]);
        assert!(virtual_machine(&machine.tree).reason().unwrap().contains("/sys/class/dmi/id/sys_vendor is not there"));
        machine.write(VENDOR, "\n");
        assert_eq!(virtual_machine(&machine.tree).value(), None);
        machine.write(HYPERVISOR, "xen\n");
        assert_eq!(virtual_machine(&machine.tree).value(), Some(&true));
        let unread = rebuilt(&[(VENDOR, "Dell Inc."), (PRODUCT, "PowerEdge XE9680")]);
        assert_eq!(virtual_machine(&unread.tree).reason(), Some("/proc/cpuinfo is not there"));
    }

    /// A hypervisor whose vendor is none of the words, on Arm.
    #[test]
    fn the_firmware_says_it_itself() {
        let machine = rebuilt(&[
            ("proc/cpuinfo", "CPU part : 0xd4f\n"),
            ("sys/class/dmi/id/sys_vendor", "Hetzner\n"),
            ("sys/class/dmi/id/product_name", "vServer\n"),
        ]);
        assert_eq!(virtual_machine(&machine.tree).value(), Some(&false));
        let table = |length: char, byte: char| format!("\0{length}{}{byte}", "\0".repeat(17));
        for (table, right) in
            [(table('\x18', '\x1c'), true), (table('\x18', '\x0c'), false), (table('\x13', '\x1c'), false)]
        {
            machine.write("sys/firmware/dmi/entries/0-0/raw", &table);
            assert_eq!(virtual_machine(&machine.tree).value(), Some(&right));
        }
    }
}
