use super::{group::template_of, text::Fold};
use crate::{report::plain::plain_line, verdict::Cause};

/// The causes of a finding, a text for each. Those of one case that differ by the device alone are told as one: a GPU
/// that lacks a link is in seven pairs.
pub(super) fn texts(because: &[Cause], fold: Fold) -> Vec<String> {
    let mut told: Vec<(&Cause, Vec<&str>)> = Vec::new();
    for cause in because {
        let alike = |(first, _): &&mut (&Cause, Vec<&str>)| fold == Fold::Devices && said(first) == said(cause);
        match (told.iter_mut().find(alike), cause.device.as_deref()) {
            (Some((_, more)), Some(device)) => more.push(device),
            _ => told.push((cause, Vec::new())),
        }
    }
    told.into_iter().map(|(cause, more)| text(cause, &more)).collect()
}

/// All but the device.
fn said(cause: &Cause) -> (&str, &'static str, String) {
    (&cause.case, cause.code.as_str(), template_of(&cause.message, cause.device.as_deref()))
}

fn text(cause: &Cause, more: &[&str]) -> String {
    let text = format!("{}: {} [{}]", cause.case, cause.message, cause.code);
    if more.is_empty() {
        return text;
    }
    let devices: Vec<_> = more.iter().map(|device| plain_line(device)).collect();
    format!("{text} and {} more like it: {}", more.len(), devices.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::FindingCode;

    fn cause(device: &str, class: &str) -> Cause {
        Cause {
            case: "s::mesh".into(),
            code: FindingCode::LinkClass,
            device: Some(device.into()),
            message: format!("{device} is {class}, expected NV18"),
        }
    }

    #[test]
    fn pairs_of_one_gpu_are_one_cause_on_a_screen_and_each_its_own_in_a_file() {
        let because = [cause("GPU0-GPU5", "NV17"), cause("GPU1-GPU5", "NV17"), cause("GPU1-GPU2", "SYS")];
        assert_eq!(
            texts(&because, Fold::Devices),
            [
                "s::mesh: GPU0-GPU5 is NV17, expected NV18 [link-class] and 1 more like it: GPU1-GPU5",
                "s::mesh: GPU1-GPU2 is SYS, expected NV18 [link-class]"
            ]
        );
        assert_eq!(texts(&because, Fold::Nothing).len(), 3);
    }
}
