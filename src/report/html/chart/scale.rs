use crate::units::Size;

/// The drawing's width, in its own units, which are a CSS pixel where there is room.
pub(super) const WIDTH: f64 = 560.0;
/// Its height.
pub(super) const HEIGHT: f64 = 310.0;
/// Where the plot is within it.
pub(super) const LEFT: f64 = 52.0;
pub(super) const RIGHT: f64 = WIDTH - 18.0;
pub(super) const TOP: f64 = 32.0;
pub(super) const BOTTOM: f64 = HEIGHT - 48.0;

/// About so many labels stand at an axis.
const LABELS: u32 = 7;

/// From sizes and bandwidths to places: the size logarithmic, as sweeps double it; the bandwidth from 0, so that a small
/// loss does not look like a large one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    /// log2 of the least and largest size.
    from: f64,
    to: f64,
    /// GB/s between two lines of the grid.
    step: f64,
    /// GB/s at the top.
    top: f64,
}

impl Scale {
    /// The scale on which all of these can be seen. Sizes are above 0.
    pub fn new(sizes: impl Iterator<Item = u64> + Clone, most: f64) -> Self {
        let (least, largest) = (sizes.clone().min().unwrap_or(1), sizes.max().unwrap_or(1));
        let (mut from, mut to) = (log2(least), log2(largest));
        if to - from < 1.0 {
            (from, to) = (from - 1.0, to + 1.0);
        }
        let step = step(most.max(1e-3) * 1.06);
        let top = (most.max(1e-3) * 1.06 / step).ceil() * step;
        Self { from, to, step, top }
    }

    /// The place of a size, from the left.
    pub fn x(self, size: u64) -> f64 {
        self.across(log2(size))
    }

    /// The place of a bandwidth, from the top.
    pub fn y(self, bandwidth: f64) -> f64 {
        BOTTOM - bandwidth / self.top * (BOTTOM - TOP)
    }

    /// The labels of the size axis and their places.
    pub fn sizes(self) -> Vec<(f64, String)> {
        let (from, to) = (self.from.ceil() as u32, (self.to.floor() as u32).min(63));
        // 10 gives whole K, M and G, and 5 halves of it.
        let every = [1, 2, 5, 10, 20].into_iter().find(|every| (to - from.min(to)) / every <= LABELS).unwrap_or(20);
        (from..=to)
            .filter(|power| power.is_multiple_of(every))
            .map(|power| (self.across(f64::from(power)), Size(1 << power).to_string()))
            .collect()
    }

    /// The labels of the bandwidth axis and their places.
    pub fn bandwidths(self) -> Vec<(f64, String)> {
        let count = (self.top / self.step).round() as u32;
        let decimals = if self.step < 0.1 { 2 } else { usize::from(self.step < 1.0) };
        (0..=count)
            .map(|line| f64::from(line) * self.step)
            .map(|value| (self.y(value), format!("{value:.decimals$}")))
            .collect()
    }

    fn across(self, power: f64) -> f64 {
        LEFT + 8.0 + (power - self.from) / (self.to - self.from) * (RIGHT - LEFT - 16.0)
    }
}

fn log2(size: u64) -> f64 {
    (size as f64).max(1.0).log2()
}

/// 1, 2 or 5 times a power of ten, so that there are four to eight lines.
fn step(most: f64) -> f64 {
    let rough = most / 7.0;
    let power = 10f64.powf(rough.log10().floor());
    let digit = rough / power;
    let nice = [1.0, 2.0, 5.0, 10.0].into_iter().find(|nice| digit <= *nice).unwrap_or(10.0);
    nice * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sweep_from_8_bytes_to_8_gib() {
        let scale = Scale::new([8, 1 << 33].into_iter(), 482.3);
        let labels = |list: Vec<(f64, String)>| list.into_iter().map(|(_, text)| text).collect::<Vec<_>>();
        assert_eq!(labels(scale.sizes()), ["32", "1K", "32K", "1M", "32M", "1G"]);
        assert_eq!(labels(scale.bandwidths()), ["0", "100", "200", "300", "400", "500", "600"]);
        assert_eq!((scale.y(0.0), scale.y(600.0)), (BOTTOM, TOP));
        assert_eq!((scale.x(8), scale.x(1 << 33)), (LEFT + 8.0, RIGHT - 8.0));
    }

    #[test]
    fn one_size_stands_in_the_middle() {
        let scale = Scale::new([1 << 30].into_iter(), 0.0);
        assert_eq!(scale.x(1 << 30), (LEFT + RIGHT) / 2.0);
        assert_eq!(scale.sizes().len(), 3);
        assert!(scale.y(0.0).is_finite());
    }

    #[test]
    fn the_largest_size_there_is() {
        let scale = Scale::new([1, u64::MAX].into_iter(), 1e-9);
        assert!(scale.sizes().len() >= 3);
    }
}
