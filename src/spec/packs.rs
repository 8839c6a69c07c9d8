//! The specs that are built in.

/// Names and texts, in byte order. Those that are made to be included are under `common/`.
const PACKS: &[(&str, &str)] = &[
    ("common/hgx-8gpu", include_str!("../../specs/common/hgx-8gpu.yaml")),
    ("common/nvidia-node", include_str!("../../specs/common/nvidia-node.yaml")),
    ("common/rdma-compute-ports", include_str!("../../specs/common/rdma-compute-ports.yaml")),
    ("h200-x2", include_str!("../../specs/h200-x2.yaml")),
    ("hgx-h100", include_str!("../../specs/hgx-h100.yaml")),
];

/// The text of a built-in spec.
pub(super) fn pack(name: &str) -> Option<&'static str> {
    PACKS.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// The names of the built-in specs.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    PACKS.iter().map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::compose::compose;

    #[test]
    fn every_pack_is_found_and_is_yaml() {
        for name in names() {
            let text = pack(name).expect("a text");
            assert!(compose(text, &format!("pack:{name}").into()).is_ok(), "{name}");
        }
        assert_eq!(pack("h100"), None);
        assert!(PACKS.is_sorted());
    }
}
