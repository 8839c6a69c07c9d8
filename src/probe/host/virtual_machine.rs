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
    let cpuinfo = tree.read(CPUINFO).unwrap_or_default();
    let flags = values(&cpuinfo, "flags");
    if !flags.is_empty() {
        // CPUID leaf 1, ECX bit 31: set by every hypervisor, never by a CPU.
        let set = flags.iter().any(|flags| flags.split(' ').any(|flag| flag == "hypervisor"));
        return Fact::known(set, "/proc/cpuinfo");
    }
    if tree.read(HYPERVISOR).is_ok_and(|kind| !kind.is_empty()) {
        return Fact::known(true, "/sys/hypervisor/type");
    }
    firmware(tree)
}

fn firmware(tree: &Tree) -> Fact<bool> {
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
    }
}
