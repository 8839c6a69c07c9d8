use super::{
    super::{Difference, Identifiers, Nic},
    lists::{Listed, same},
};

/// Newer matrices number the NICs and have a legend that may be cut off, older ones name the devices: devices decide
/// where both know all of them, labels else. The first one's labels stay.
impl Listed for Nic {
    fn agree(first: &[Self], second: &[Self], identifiers: Identifiers) -> Result<Vec<Self>, Difference> {
        let known = |nics: &[Self]| nics.iter().all(|nic| nic.device.is_some());
        // A device that is named by its hardware address has a stand-in for a name.
        let own = identifiers == Identifiers::Own;
        let by_device = own && known(first) && known(second);
        let key = |nic: &Self| nic.device.clone().filter(|_| by_device).unwrap_or_else(|| nic.label.clone());
        same((first, second), "NIC", key, |one, other| {
            let device = one.device.clone().or_else(|| other.device.clone());
            if own && one.device.is_some() && other.device.is_some() && one.device != other.device {
                return Err(Difference::new(shown(one), shown(other)));
            }
            Ok(Self { label: one.label.clone(), device })
        })
    }
}

fn shown(nic: &Nic) -> String {
    format!("{} is {}", nic.label, nic.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nic(label: &str, device: Option<&str>) -> Nic {
        Nic { label: label.to_owned(), device: device.map(str::to_owned) }
    }

    #[test]
    fn a_matrix_without_its_legend_and_one_that_names_devices_agree_with_the_whole() {
        let whole = [nic("NIC0", Some("mlx5_0")), nic("NIC1", Some("mlx5_3"))];
        let cut = [nic("NIC0", None), nic("NIC1", None)];
        let named = [nic("mlx5_0", Some("mlx5_0")), nic("mlx5_3", Some("mlx5_3"))];
        for other in [cut.clone(), named] {
            assert_eq!(Nic::agree(&whole, &other, Identifiers::Own).unwrap(), whole);
        }
        assert_eq!(Nic::agree(&cut, &whole, Identifiers::Own).unwrap(), whole);
    }

    #[test]
    fn other_devices_are_named() {
        let wrong = Nic::agree(&[nic("NIC0", Some("mlx5_0"))], &[nic("NIC0", Some("mlx5_1"))], Identifiers::Own);
        let difference = Difference::new("1 NIC without NIC mlx5_1", "1 NIC without NIC mlx5_0");
        assert_eq!(wrong.unwrap_err(), difference);
        let wrong = Nic::agree(&[nic("NIC0", None)], &[], Identifiers::Own);
        assert_eq!(wrong.unwrap_err(), Difference::new("1 NIC", "0 NICs without NIC NIC0"));
    }
}
