//! What the speed of a PCIe link says.

/// The generation that introduced a speed per lane, in GT/s (PCI Express Base Specification). Some print it without its
/// fraction.
pub(super) fn generation_of(speed: f64) -> Option<u32> {
    [(2.5, 1), (5.0, 2), (8.0, 3), (16.0, 4), (32.0, 5), (64.0, 6)]
        .into_iter()
        .find(|(named, _)| (speed - named).abs() < 0.05)
        .map(|(_, generation)| generation)
}

/// The same of a text: `32GT/s` of lspci, `32.0 GT/s PCIe` of the kernel (`drivers/pci/probe.c`, pci_speed_string).
pub(in crate::probe) fn generation(speed: &str) -> Option<u32> {
    let (number, rest) = speed.split_once("GT/s")?;
    let ends = rest.is_empty() || rest.starts_with(' ');
    generation_of(number.trim().parse().ok().filter(|_| ends)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generations_by_speed() {
        for (speed, wanted) in [
            ("2.5 GT/s PCIe", Some(1)),
            ("5.0 GT/s PCIe", Some(2)),
            ("8GT/s", Some(3)),
            ("16.0 GT/s PCIe", Some(4)),
            ("32GT/s", Some(5)),
            ("64.0 GT/s PCIe", Some(6)),
            ("32GT/seconds", None),
            ("7 GT/s", None),
            ("NaN GT/s", None),
            ("Unknown", None),
            ("", None),
        ] {
            assert_eq!(generation(speed), wanted, "{speed}");
        }
    }
}
