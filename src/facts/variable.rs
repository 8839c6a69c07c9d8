/// Whether an environment variable may be kept and shown; nothing else of an environment leaves the process or the file
/// that shows it.
pub fn is_kept_variable(name: &str) -> bool {
    let devices = ["CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"];
    name.starts_with("NCCL_") || name.starts_with("RCCL_") || devices.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_variables_of_the_libraries_and_of_gpu_selection_are_kept() {
        for (name, kept) in
            [("NCCL_ALGO", true), ("CUDA_VISIBLE_DEVICES", true), ("AWS_SECRET", false), ("XNCCL_", false)]
        {
            assert_eq!(is_kept_variable(name), kept, "{name}");
        }
    }
}
