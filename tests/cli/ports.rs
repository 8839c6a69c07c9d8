//! Ports of devices that the spec names.

use crate::support::Bench;

const SPEC: &str = "\
linkspec: 1
suite: rails
tests:
  - { name: ports, rdma_ports: { devices: DEVICES, state: Active } }
";

/// The built-in server has `mlx5_0` to `mlx5_11`.
fn run(devices: &str, code: i32, texts: &[&str]) {
    let bench = Bench::new().file("spec.yaml", &SPEC.replace("DEVICES", devices));
    bench.run(&["spec.yaml", "--host", "demo:healthy"]).expect(code, texts);
}

#[test]
fn a_device_that_is_gone_is_missed_whichever_way_it_is_named() {
    run("[mlx5_0, mlx5_3]", 0, &["1 passed"]);
    run("\"mlx5_{0,3}\"", 0, &["1 passed"]);
    run("[mlx5_0, mlx5_99]", 1, &["fail[rdma-missing]: mlx5_99"]);
    run("\"mlx5_{0,99}\"", 1, &["fail[rdma-missing]: mlx5_99"]);
    run("[mlx5_0, \"mlx5_{3,99}\"]", 1, &["fail[rdma-missing]: mlx5_99"]);
}
