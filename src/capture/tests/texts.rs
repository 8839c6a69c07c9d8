use std::collections::BTreeMap;

use proptest::prelude::*;

use crate::capture::{stand_ins::Kind, texts::Texts};

fn texts() -> Texts {
    let known = [("node17.example", Kind::Host), ("node17", Kind::Host), ("1654422000123", Kind::Serial)];
    Texts::new(known.map(|(name, kind)| (name.to_owned(), kind)).into())
}

fn replaced(text: &str) -> String {
    texts().replaced(text).unwrap_or_else(|| text.to_owned())
}

#[test]
fn what_is_no_identifier_stays() {
    for text in [
        "",
        "0000:41:00.0",
        "41:00.0 and 0000:c1:1f.7: bridge",
        "NVRM: Xid (PCI:0000:41:00): 79, pid=1234, GPU has fallen off the bus.",
        "nvidia 0000:41:00.0: enabling device (0140 -> 0142)",
        "pci 10000:e1:00.0: [10de:2335] type 00 class 0x030200",
        "pcieport 0000:40:01.1: AER: Uncorrected (Fatal) error",
        "[Mon Nov 30 11:26:31 2026] 2026-11-30T11:26:31.123456+00:00 12:34:56",
        "driver 580.159.04, libfabric 1.14.50.0, VBIOS 96.00.A5.00.1A, firmware 28.39.1002",
        "bnxt_en: version 1.10.2 fw 226.0.145.7/pkg 226.1.107.3 v10.1.2.3 2.1.1.1+cuda12.9 1.2.3.4.5",
        "127.0.0.1 0.0.0.0 255.255.255.0 224.0.0.251 ::1 :: ff02::1",
        "0000:0000:0000:0000 00:00:00:00:00:00 00000000-0000-0000-0000-000000000000",
        "BIOS-e820: [mem 0x0000000100000000-0x000000063fffffff] mask: 0xffffffffffffffff",
        "iommu=pt pci=realloc=off intel_iommu=on default_hugepagesz=1G",
        "/sys/class/infiniband/mlx5_0/ports/1/gids/3 is not there",
        "Serial: 8250/16550 driver, 32 ports, IRQ sharing enabled",
        "node1 node170 subnode17",
        "http://localhost:28028/ file:///etc/nccl.conf",
        "100000 transactions, 16-byte, 3:4:5 of x::y, a:::a",
    ] {
        assert_eq!(replaced(text), text);
    }
}

#[test]
fn identifiers_are_told_by_their_forms() {
    for (text, expected) in [
        ("GPU-8d3c1a52-07de-4f7b-9f9c-0b1c2d3e4f50", "GPU-00000000-0000-0000-0000-000000000001"),
        ("root=PARTUUID=5f3a9c01-02 ro", "root=PARTUUID=00000000-01 ro"),
        ("systemd.machine_id=0123456789abcdef0123456789abcdef", "systemd.machine_id=00000000000000000000000000000001"),
        ("eth0: link up (b8:3f:d2:ab:12:34)", "eth0: link up (00:00:00:00:00:01)"),
        ("BOOTIF=01-b8-3f-d2-ab-12-34", "BOOTIF=00-00-00-00-00-00-01"),
        (
            "ib0 80:00:11:07:fe:80:00:00:00:00:00:00:b8:3f:d2:03:00:ab:12:34",
            "ib0 00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:01",
        ),
        ("enxb83fd2ab1234 rocexb83fd2ab1234", "enx000000000001 rocex000000000001"),
        ("node guid b83f:d203:00ab:1234 is 0xb83fd20300ab1234", "node guid 0000:0000:0000:0001 is 0x0000000000000001"),
        ("from 10.2.3.4, then 10.2.3.4:5000.", "from 192.0.2.1, then 192.0.2.1:5000."),
        ("ip=10.2.3.4::10.2.3.1:255.255.255.0:node17:eth0", "ip=192.0.2.1::192.0.2.2:255.255.255.0:host-1:eth0"),
        ("dhcp 169.254.3.4/16", "dhcp 169.254.0.1/16"),
        ("net 10.20.0.0/16", "net 192.0.2.1/16"),
        ("peer 2a01:4f8:0:1::17 up", "peer 2001:db8::1 up"),
        ("addr:fe80::ba3f:d2ff:feab:1234", "addr:fe80::1"),
        ("2a01:04f8:0000:0001:0000:0000:0000:0017", "2001:0db8:0000:0000:0000:0000:0000:0001"),
        ("Node17.Example kernel: Hostname set to <node17>.", "host-1 kernel: Hostname set to <host-1>."),
        ("/dev/mapper/node17-root", "/dev/mapper/host-1-root"),
        ("board 1654422000123 of 3", "board 0000000000001 of 3"),
        ("usb 1-1: SerialNumber: 0A1B2C3D", "usb 1-1: SerialNumber: 00000001"),
        ("/dev/disk/by-id/nvme-SAMSUNG_S64GNE0R x", "/dev/disk/by-id/0000-0000000_00000001 x"),
        ("ds=nocloud;s=http://boot.corp.example:8080/x", "ds=nocloud;s=http://host-1:8080/x"),
        ("http://10.2.3.4/x http://u:p@pxe/", "http://192.0.2.1/x http://host-1/"),
        ("/home/alice/topo.xml: /mnt/home/bob", "/home/user/topo.xml: /mnt/home/user"),
        ("iqn.2004-10.com.ubuntu:01:abcdef", "iqn.2001-01.example:host-1"),
        ("nqn.2014-08.com.samsung:nvme:PM1733:S4YNNE0R", "nqn.2014-08.example:host-1"),
        ("/lustre/users/alice/topo.xml", "/lustre/users/user/topo.xml"),
        ("Linux version 6.8.0 (alice@build7.corp.example) (gcc 13)", "Linux version 6.8.0 (user@host-1) (gcc 13)"),
        ("nfs: server nas01.corp.example not responding", "nfs: server host-1 not responding"),
        ("NFS: server nas01 error", "NFS: server host-1 error"),
        ("mail root.b@corp.example: lost", "mail user@host-1: lost"),
        ("scsi 0:0:0:0: naa.5000c500a1b2c3d4", "scsi 0:0:0:0: naa.0000000000000001"),
        ("root=/dev/disk/by-path/x wwid eui.0025385b71b0a1c2", "root=/dev/disk/by-path/x wwid eui.0000000000000001"),
        ("hpsa: S/N: PDNLH0BRH7X, SN 12", "hpsa: S/N: 00000000001, SN 12"),
    ] {
        assert_eq!(replaced(text), expected, "{text}");
    }
}

/// A unit's name has `\\x2d` for the hyphens of the path that it is made of.
#[test]
fn disks_in_names_of_units() {
    for (text, expected) in [
        (r"systemd-fsck@dev-disk-by\x2duuid-5F3A\x2d9C01", r"systemd-fsck@dev-disk-by\x2duuid-0000\x2d0001"),
        (
            r"systemd-fsck@dev-disk-by\x2duuid-8d3c1a52\x2d07de\x2d4f7b\x2d9f9c\x2d0b1c2d3e4f50",
            r"systemd-fsck@dev-disk-by\x2duuid-00000000\x2d0000\x2d0000\x2d0000\x2d000000000001",
        ),
        (
            r"systemd-cryptsetup@luks\x2d8d3c1a52\x2d07de\x2d4f7b\x2d9f9c\x2d0b1c2d3e4f50",
            r"systemd-cryptsetup@luks\x2d00000000\x2d0000\x2d0000\x2d0000\x2d000000000001",
        ),
        ("UUID=8d3c1a52-07de-4f7b-9f9c-0b1c2d3e4f50", "UUID=00000000-0000-0000-0000-000000000001"),
    ] {
        assert_eq!(replaced(text), expected, "{text}");
    }
    for text in ["user@1000", "getty@tty1", r"systemd-fsck-root", r"nvidia\x2dfabricmanager", "lvm2-pvscan@259:3"] {
        assert_eq!(replaced(text), text);
    }
}

/// Arguments whose values are names of hosts, users or secrets.
#[test]
fn kernel_arguments_that_name() {
    for (text, expected) in [
        ("systemd.hostname=gpu-07.corp.example", "systemd.hostname=host-1"),
        ("hostname=gpu-07 ro", "hostname=host-1 ro"),
        ("domain=corp.example", "domain=host-1"),
        ("nfsroot=nas01.corp.example:/export/root,vers=4", "nfsroot=host-1:/export/root,vers=4"),
        ("nfsroot=10.2.3.4:/export", "nfsroot=192.0.2.1:/export"),
        ("root=nfs:nas01:/export", "root=nfs:host-1:/export"),
        ("netroot=iscsi:alice:secret@nas01::3260::iqn.2001-04.com.corp:disk", "netroot=iscsi:host-1"),
        ("netroot=dhcp", "netroot=dhcp"),
        ("root=dhcp root=/dev/nfs ip=dhcp ip=on ip=eth0:dhcp", "root=dhcp root=/dev/nfs ip=dhcp ip=on ip=eth0:dhcp"),
        (
            "ip=10.2.3.4::10.2.3.1:255.255.255.0:gpu-07.corp:ens3:off",
            "ip=192.0.2.1::192.0.2.2:255.255.255.0:host-1:ens3:off",
        ),
        ("rd.iscsi.username=alice rd.iscsi.password=hunter2", "rd.iscsi.username=hidden rd.iscsi.password=hidden"),
        ("inst.rootpw=hunter2 coreos.token=abc", "inst.rootpw=hidden coreos.token=hidden"),
        ("apic_id=7 key=value tokens=3 default_hugepagesz=1G", "apic_id=7 key=value tokens=3 default_hugepagesz=1G"),
    ] {
        assert_eq!(replaced(text), expected, "{text}");
    }
}

#[test]
fn the_same_identifier_is_the_same_in_other_texts() {
    let mut texts = texts();
    for (text, expected) in [
        ("10.2.3.4 10.2.3.5", "192.0.2.1 192.0.2.2"),
        ("::ffff:10.2.3.5", "::ffff:192.0.2.2"),
        ("0000:0000:0000:0000:0000:ffff:0a02:0304", "0000:0000:0000:0000:0000:ffff:c000:0201"),
    ] {
        assert_eq!(texts.replaced(text).as_deref(), Some(expected));
    }
}

/// Texts of the characters that forms are made of, which arbitrary ones rarely have.
fn nearly_identifiers() -> impl Strategy<Value = String> {
    proptest::string::string_regex("[0-9a-fA-Fx:.é/ -]{0,80}").unwrap()
}

proptest! {
    #[test]
    fn no_text_is_too_odd(text in any::<String>()) {
        replaced(&text);
    }

    #[test]
    fn what_was_replaced_stays_as_long_as_it_is(text in nearly_identifiers()) {
        let again = |text: &str| Texts::new(BTreeMap::new()).replaced(text).unwrap_or_else(|| text.to_owned());
        let once = again(&text);
        prop_assert_eq!(again(&once), once);
    }
}
