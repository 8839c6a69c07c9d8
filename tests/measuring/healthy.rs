//! Measurements that come to their end.

use crate::seat::Seat;

const ONE: &str = "  - name: all-reduce\n    pin: none\n    collective:\n      op: all_reduce\n      sizes: { from: 8, to: 64K, factor: 4 }\n      \
                   expect: { transport: { require: [P2P] } }\n";

#[test]
fn two_gpus_reduce_right_data_over_p2p() {
    let seat = Seat::two_h200();
    seat.run(ONE, &[]).expect(0, &["1 passed", "no measurement of any machine"]);
}
