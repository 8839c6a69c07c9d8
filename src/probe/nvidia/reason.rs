use nvml_wrapper::error::NvmlError;

/// Why a function of NVML gave no value, such as `nvmlDeviceGetVbiosVersion: not supported`.
pub(super) fn reason(function: &str, error: &NvmlError) -> String {
    match error {
        NvmlError::FailedToLoadSymbol(_) => format!("libnvidia-ml.so.1 has no {function}"),
        error => format!("{function}: {}", words(error)),
    }
}

/// The names of NVML's own results, shortened.
fn words(error: &NvmlError) -> String {
    match error {
        NvmlError::NotSupported => "not supported".to_owned(),
        NvmlError::NoPermission => "no permission (more privilege is needed)".to_owned(),
        NvmlError::InvalidArg => "invalid argument".to_owned(),
        NvmlError::GpuLost => "the GPU is lost".to_owned(),
        NvmlError::ResetRequired => "the GPU requires a reset".to_owned(),
        NvmlError::Unknown => "unknown error".to_owned(),
        NvmlError::Timeout => "timeout".to_owned(),
        NvmlError::NotFound => "not found".to_owned(),
        NvmlError::NoData => "no data".to_owned(),
        NvmlError::InsufficientPower => "insufficient external power".to_owned(),
        NvmlError::IrqIssue => "interrupt issue".to_owned(),
        NvmlError::CorruptedInfoROM => "corrupted InfoROM".to_owned(),
        NvmlError::OperatingSystem => "blocked by the operating system".to_owned(),
        NvmlError::FunctionNotFound => "function not found".to_owned(),
        NvmlError::UnexpectedVariant(code) => format!("answered {code}, which is not known"),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_names_the_function() {
        assert_eq!(reason("nvmlDeviceGetSerial", &NvmlError::NotSupported), "nvmlDeviceGetSerial: not supported");
        let missing = NvmlError::FailedToLoadSymbol("undefined symbol".to_owned());
        assert_eq!(reason("nvmlDeviceGetX", &missing), "libnvidia-ml.so.1 has no nvmlDeviceGetX");
    }
}
