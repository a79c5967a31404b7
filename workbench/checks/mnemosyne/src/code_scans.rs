//! Appendix A.2, Eqs. 23 to 29 and Theorem A.1: the codes, and every flip of every input in their balls.

use std::sync::Arc;

use workbench_features::compact::{Guarantee, Patterns, Scan, scan_of};
use workbench_ledger::{Failure, Setting};

const SUNFLOWER: &str = "sunflower";

/// Which balls are scanned.
pub const ALL_ALIKE: &str = "of codes with more than 100 words or longer than 30 the balls of one word are scanned, of the large sunflower those of the centre and a petal: linear codes look alike from every word, and a sunflower from every petal";

/// One code and radius, with the extremes over all flips.
#[derive(Clone, Debug)]
pub struct Scanned {
    /// The code's name.
    pub name: &'static str,
    /// Patterns M.
    pub size: usize,
    /// N, tau, rho.
    pub guarantee: Guarantee,
    /// What the enumeration saw.
    pub seen: Scan,
}

impl Scanned {
    /// Whether M is within the printed limit of Eq. 26.
    pub fn within_limit(&self) -> bool {
        (self.size as f64).ln() <= self.guarantee.log_limit()
    }

    /// Whether M is within the limit of the second case, Eq. 29.
    pub fn within_limit_towards(&self) -> bool {
        (self.size as f64).ln() <= self.guarantee.log_limit_towards()
    }
}

/// The scans of this scale, computed once. Nothing in them is random.
pub fn scans(setting: &Setting) -> Result<Arc<Vec<Scanned>>, Failure> {
    setting.shared("exhaustive scans of codes", |own| {
        let code = Patterns::reed_muller;
        let mut list = vec![
            ("RM(1,4)", code(1, 4)?, vec![1, 2]),
            ("simplex", Patterns::simplex(4)?, vec![1, 2]),
            ("3 words of RM(1,4)", code(1, 4)?.first(3)?, vec![3]),
            (SUNFLOWER, Patterns::sunflower(2, 1, 2)?, vec![1]),
            (SUNFLOWER, Patterns::sunflower(22, 1, 3)?, vec![1]),
            ("BCH(15,5)", Patterns::cyclic(15, 0x537)?, vec![1]),
            ("RM(1,3)", code(1, 3)?, vec![1]),
            ("BCH(15,7)", Patterns::cyclic(15, 0x1D1)?, vec![1]),
            ("RM(1,4)", code(1, 4)?, vec![3]),
        ];
        if own.scale().pick(false, true) {
            list.push(("RM(1,5)", code(1, 5)?, vec![3, 4]));
            list.push(("RM(2,4)", code(2, 4)?, vec![1]));
        }
        list.push(("Golay", Patterns::golay()?, vec![1]));
        let mut scans = Vec::new();
        for (name, code, radii) in list {
            let size = code.len();
            // Linear codes look alike from every word; the large ones are scanned around one. Sunflowers are not linear, but look alike
            // from every petal: centre and one petal.
            let words = match (name, size > 100 || code.dim() > 30) {
                (SUNFLOWER, true) => 2,
                (_, true) => 1,
                (_, false) => size,
            };
            for radius in radii {
                let guarantee = Guarantee::of(&code, radius)?;
                let seen = scan_of(&code, &guarantee, &(0..words).collect::<Vec<usize>>())?;
                scans.push(Scanned { name, size, guarantee, seen });
            }
        }
        Ok(scans)
    })
}

/// Flips of all kinds over these scans.
pub fn flips<'a>(scans: impl IntoIterator<Item = &'a Scanned>) -> usize {
    scans.into_iter().map(|scan| scan.seen.flips() as usize).sum()
}
