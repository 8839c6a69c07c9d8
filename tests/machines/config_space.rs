/// How much of the configuration space there is to read, and what it says of ACS.
///
/// Offsets and numbers: PCI Express Base Specification; Linux, include/uapi/linux/pci_regs.h.
#[derive(Clone, Debug)]
pub struct ConfigSpace {
    /// 64 (who is not root), 256 (a kernel without extended configuration), or 4096 bytes.
    pub size: usize,
    /// ACS control: bit 0 SrcValid, 2 ReqRedir, 3 CmpltRedir, 4 UpstreamFwd. `None`: no such capability.
    pub acs: Option<u16>,
    /// Primary, secondary and subordinate bus of a bridge.
    pub buses: Option<[u8; 3]>,
}

const EXPRESS_AT: usize = 0x40;
const AER_AT: usize = 0x100;
const ACS_AT: usize = 0x220;

impl ConfigSpace {
    pub fn bytes(&self, vendor: u16, device: u16, class: u32) -> Vec<u8> {
        let mut bytes = vec![0; 4096];
        put(&mut bytes, 0x00, &vendor.to_le_bytes());
        put(&mut bytes, 0x02, &device.to_le_bytes());
        // Memory space, bus master; a list of capabilities.
        put(&mut bytes, 0x04, &[0x06, 0x00, 0x10, 0x00]);
        put(&mut bytes, 0x09, &class.to_le_bytes()[..3]);
        if let Some(buses) = self.buses {
            bytes[0x0e] = 1;
            put(&mut bytes, 0x18, &buses);
        }
        bytes[0x34] = EXPRESS_AT as u8;
        // PCI Express, the last capability.
        put(&mut bytes, EXPRESS_AT, &[0x10, 0x00]);
        self.extended(&mut bytes);
        bytes.truncate(self.size);
        bytes
    }

    /// Advanced error reporting, then ACS where there is one.
    fn extended(&self, bytes: &mut [u8]) {
        let next = if self.acs.is_some() { ACS_AT as u16 } else { 0 };
        put(bytes, AER_AT, &0x0001_u16.to_le_bytes());
        put(bytes, AER_AT + 2, &(next << 4 | 2).to_le_bytes());
        if let Some(control) = self.acs {
            put(bytes, ACS_AT, &0x000d_u16.to_le_bytes());
            put(bytes, ACS_AT + 2, &1_u16.to_le_bytes());
            // What a Broadcom switch's port is capable of.
            put(bytes, ACS_AT + 4, &0x001f_u16.to_le_bytes());
            put(bytes, ACS_AT + 6, &control.to_le_bytes());
        }
    }
}

fn put(bytes: &mut [u8], at: usize, what: &[u8]) {
    bytes[at..at + what.len()].copy_from_slice(what);
}
