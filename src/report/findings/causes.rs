use super::devices::named;
use crate::{report::plain::plain_line, verdict::Cause};

/// The causes of a finding as text: those of one case with one code are one, and the devices that are like it.
pub(super) fn folded(causes: &[Cause]) -> Vec<String> {
    let mut groups: Vec<(&Cause, Vec<&Cause>)> = Vec::new();
    for cause in causes {
        let like = |first: &Cause| (&first.case, first.code) == (&cause.case, cause.code);
        match groups.iter_mut().find(|(first, _)| like(first)) {
            Some((_, more)) => more.push(cause),
            None => groups.push((cause, Vec::new())),
        }
    }
    groups.into_iter().map(|(first, more)| text(first, &more)).collect()
}

/// `hgx::nvlink-mesh: GPU0-GPU5 is NV17, expected NV18 [link-class], and 2 more like it: GPU1-GPU5, GPU2-GPU5`.
fn text(first: &Cause, more: &[&Cause]) -> String {
    let text = plain_line(&format!("{}: {} [{}]", first.case, first.message, first.code)).into_owned();
    if more.is_empty() {
        return text;
    }
    let devices = more.iter().filter_map(|cause| cause.device.as_deref()).collect();
    format!("{text}, {}", named(more.len(), devices, false))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::FindingCode;

    fn cause(case: &str, code: FindingCode, device: Option<&str>) -> Cause {
        let device = device.map(str::to_owned);
        Cause { case: case.into(), code, message: format!("{} is bad", device.as_deref().unwrap_or("it")), device }
    }

    #[test]
    fn causes_of_one_case_and_code_are_one_line_that_names_every_device() {
        let causes = [
            cause("s::links", FindingCode::NvlinkCount, Some("GPU5")),
            cause("s::mesh", FindingCode::LinkClass, Some("GPU0-GPU5")),
            cause("s::mesh", FindingCode::LinkClass, Some("GPU1-GPU5")),
            cause("s::mesh", FindingCode::Unknown, Some("GPU2-GPU5")),
            cause("s::mesh", FindingCode::LinkClass, Some("GPU3-GPU5")),
        ];
        assert_eq!(
            folded(&causes),
            [
                "s::links: GPU5 is bad [nvlink-count]",
                "s::mesh: GPU0-GPU5 is bad [link-class], and 2 more like it: GPU1-GPU5, GPU3-GPU5",
                "s::mesh: GPU2-GPU5 is bad [unknown]",
            ]
        );
    }

    #[test]
    fn causes_without_a_device_are_counted() {
        let causes = [cause("s::copy", FindingCode::Unknown, None), cause("s::copy", FindingCode::Unknown, None)];
        assert_eq!(folded(&causes), ["s::copy: it is bad [unknown], and 1 more like it"]);
    }
}
