//! Colours that readers with any kind of colour vision can tell apart.

/// A colour as red, green and blue.
pub(crate) type Rgb = (u8, u8, u8);

/// The eight colours of Okabe and Ito, ordered so that neighbours differ in lightness; the yellow is last, as it is weak
/// on white. **Source** M. Okabe and K. Ito, Color Universal Design (2008).
pub const PALETTE: [(u8, u8, u8); 8] = [
    (0, 114, 178),
    (213, 94, 0),
    (0, 158, 115),
    (204, 121, 167),
    (86, 180, 233),
    (230, 159, 0),
    (0, 0, 0),
    (240, 228, 66),
];

pub(crate) const WHITE: Rgb = (255, 255, 255);
pub(crate) const TEXT: Rgb = (34, 34, 34);
pub(crate) const FAINT: Rgb = (96, 96, 96);
pub(crate) const GUIDE: Rgb = (60, 60, 60);
pub(crate) const GRID: Rgb = (228, 228, 228);

pub(crate) fn series(index: usize) -> Rgb {
    PALETTE[index % PALETTE.len()]
}

/// Ten points of the viridis map (dark violet to yellow, even steps of lightness), joined linearly.
const VIRIDIS: [Rgb; 10] = [
    (68, 1, 84),
    (72, 40, 120),
    (62, 73, 137),
    (49, 104, 142),
    (38, 130, 142),
    (31, 158, 137),
    (53, 183, 121),
    (110, 206, 88),
    (181, 222, 43),
    (253, 231, 37),
];

/// Blue to white to vermilion for signed values.
const SIGNED: [Rgb; 5] = [(0, 72, 130), (86, 160, 215), (247, 247, 247), (235, 140, 80), (160, 60, 0)];

/// Steps of a colour map. Fewer distinct colours keep files small; neighbours cannot be told apart by eye.
const STEPS: f64 = 127.0;

/// A perceptually even colour for a value in 0..=1.
pub(crate) fn sequential(unit: f64) -> Rgb {
    along(&VIRIDIS, unit)
}

/// A colour for a value in 0..=1 where 0.5 is neutral.
pub(crate) fn diverging(unit: f64) -> Rgb {
    along(&SIGNED, unit)
}

fn along(points: &[Rgb], unit: f64) -> Rgb {
    let unit = (unit.clamp(0.0, 1.0) * STEPS).round() / STEPS;
    let at = unit * (points.len() - 1) as f64;
    let index = (at.floor() as usize).min(points.len() - 2);
    let part = at - index as f64;
    let mix = |a: u8, b: u8| (f64::from(a) + part * (f64::from(b) - f64::from(a))).round() as u8;
    let (a, b) = (points[index], points[index + 1]);
    (mix(a.0, b.0), mix(a.1, b.1), mix(a.2, b.2))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance of an sRGB colour (ITU-R BT.709 weights).
    fn luminance((r, g, b): Rgb) -> f64 {
        let linear = |v: u8| (f64::from(v) / 255.0).powf(2.2);
        0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
    }

    #[test]
    fn the_sequential_map_grows_lighter_without_a_break() {
        let light: Vec<f64> = (0..=100).map(|i| luminance(sequential(f64::from(i) / 100.0))).collect();
        assert!(light.windows(2).all(|w| w[1] >= w[0]));
        assert!(light[100] - light[0] > 0.6);
    }

    #[test]
    fn ends_and_middle_are_exact_and_values_outside_are_clamped() {
        assert_eq!(sequential(-3.0), VIRIDIS[0]);
        assert_eq!(sequential(2.0), VIRIDIS[9]);
        let middle = diverging(0.5);
        assert!(middle.0.abs_diff(247) < 4 && middle.2.abs_diff(247) < 4);
    }
}
