//! What the NVLinks of one GPU carry.

/// The links of a product.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LinkRate {
    /// Payload per direction of all links of one GPU, in GB/s: half of the data sheet's bidirectional figure.
    pub(crate) rate: f64,
    /// Whether the switches can reduce (NVLink SHARP, from Hopper on).
    pub(crate) nvls: bool,
}

/// The products whose links are known. Data sheets of NVIDIA: 300, 600, 900 and 1800 GB/s in both directions.
const PRODUCTS: [(&str, LinkRate); 6] = [
    ("V100", LinkRate { rate: 150.0, nvls: false }),
    ("A100", LinkRate { rate: 300.0, nvls: false }),
    ("H100", LinkRate { rate: 450.0, nvls: true }),
    ("H200", LinkRate { rate: 450.0, nvls: true }),
    ("B200", LinkRate { rate: 900.0, nvls: true }),
    ("B300", LinkRate { rate: 900.0, nvls: true }),
];

/// Forms of these products that have other links, or none.
const OTHER_FORMS: [&str; 2] = ["PCIe", "NVL"];

/// The links of the product that a name or glob means. None where it is not known, or where several can be meant.
pub(crate) fn of(name: &str) -> Option<LinkRate> {
    if OTHER_FORMS.iter().any(|form| name.contains(form)) {
        return None;
    }
    let mut meant = PRODUCTS.iter().filter(|(product, _)| name.contains(product)).map(|(_, rate)| *rate);
    meant.next().filter(|_| meant.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_is_known_by_its_name() {
        for (name, rate) in [
            ("NVIDIA H100 80GB HBM3", Some(450.0)),
            ("NVIDIA H200*", Some(450.0)),
            ("NVIDIA A100-SXM4-80GB", Some(300.0)),
            ("Tesla V100-SXM2-32GB", Some(150.0)),
            ("NVIDIA GB200", Some(900.0)),
            ("NVIDIA H100 PCIe", None),
            ("NVIDIA H200 NVL", None),
            ("NVIDIA [HB]*", None),
            ("NVIDIA L40S", None),
        ] {
            assert_eq!(of(name).map(|links| links.rate), rate, "{name}");
        }
    }
}
