//! The signal-to-noise ratio of quasi orthogonal outputs, line by line as the proof of Lemma 3 bounds it from both sides.

use crate::store::profile::{InputGroup, Profile};
use crate::theory::lemma_3::outputs::GivenOutputs;
use crate::theory::lemma_3::outputs::others_energy;
use workbench_ground::Error;
use workbench_ground::check::{position, within};
use workbench_ground::tabulated::{Columns, Tabulated};

/// Every member of the two chains around the ratio $R_y$ of one input and one rival.
///
/// **Source**: the displays that lead to Eq. 31 and to Eq. 33.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatioChain {
    /// The ratio itself.
    pub ratio: f64,
    /// Lower chain, line 1: coefficients $(1+\eta)^2$, $(1-\eta)^2$, $4\eta^2$ in the noise.
    pub lower_first: f64,
    /// Lower chain, line 2: coefficients 4, 4, $4\eta^2$.
    pub lower_fours: f64,
    /// Lower chain, line 3: the sum over all inputs less $q(x_0)^2$.
    pub lower_collected: f64,
    /// Lower chain, line 4: $\frac{\frac14q^2(1-\eta)^2}{\eta^2\lVert q\rVert^2+(1-\eta^2)(Q_y+Q_f)-q^2}$.
    pub lower_last: f64,
    /// Upper chain, line 1: $\frac{q^2(1+\eta)^2}{(1-\eta)^2Q_y+(1+\eta)^2(Q_f-q^2)}$.
    pub upper_first: f64,
    /// Upper chain, line 2 as printed: $\frac{q^2}{\frac{1-\eta}{1+\eta}Q_y+Q_f-q^2}$.
    pub upper_printed: f64,
    /// Line 2 with the fraction squared, which equals line 1.
    pub upper_squared: f64,
    /// The ratio without the noise of third classes: $\frac{q^2}{Q_y+Q_f-q^2}$, for unit vectors at most the printed line.
    pub upper_direct: f64,
}

/// One row for each member, in the order of the fields.
impl Tabulated for RatioChain {
    fn columns(&self) -> Result<Columns, Error> {
        let (members, values): (Vec<&str>, Vec<f64>) = [
            ("ratio", self.ratio),
            ("lower first", self.lower_first),
            ("lower fours", self.lower_fours),
            ("lower collected", self.lower_collected),
            ("lower last", self.lower_last),
            ("upper first", self.upper_first),
            ("upper printed", self.upper_printed),
            ("upper squared", self.upper_squared),
            ("upper direct", self.upper_direct),
        ]
        .into_iter()
        .unzip();
        Ok(Columns::new("Members of the chains around the ratio").with("member", members).with("value", values))
    }
}

/// The three elementary inequalities for one input and one rival, as slacks that must not be negative.
///
/// **Source**: "Here, we have used that ...", before Eq. 30.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elementary {
    /// $\langle u_f,u_y-u_f\rangle^2-(1-\eta)^2$.
    pub signal: f64,
    /// $(1+\eta)^2-\langle u_y,u_y-u_f\rangle^2$.
    pub rival: f64,
    /// $(2\eta)^2-\langle u_k,u_y-u_f\rangle^2$, the smallest over the other classes k; infinite without one.
    pub others: f64,
}

impl GivenOutputs {
    /// The chains around the ratio of one input against one rival, at a coherence `eta`.
    ///
    /// Members without noise below the bar are infinite.
    ///
    /// **Errors**: as [`GivenOutputs::ratio`], a rival that is the class itself, eta negative or not below 1.
    ///
    /// ```
    /// use workbench_memory::{GivenOutputs, Profile};
    /// let outputs = GivenOutputs::equiangular(3, 0.2, 50)?;
    /// let profile = Profile::from_weights(&[0.5, 0.3, 0.2], &[1.0, 1.0, 1.0], &[0, 1, 2], 3)?;
    /// let chain = outputs.ratio_chain(&profile, &profile.groups()[0], 1, 0.2)?;
    /// assert!(chain.lower_last <= chain.ratio && chain.ratio <= chain.upper_printed);
    /// # Ok::<(), workbench_memory::Error>(())
    /// ```
    pub fn ratio_chain(
        &self,
        profile: &Profile,
        input: &InputGroup,
        rival: usize,
        eta: f64,
    ) -> Result<RatioChain, Error> {
        let ratio = self.ratio(profile, input, rival)?;
        checked("GivenOutputs::ratio_chain", input.class, rival, eta)?;
        let q2 = input.weight * input.weight;
        let rest = others_energy(profile, input);
        let (own, theirs) = (rest[input.class], rest[rival]);
        let third: f64 = rest.iter().sum::<f64>() - own - theirs;
        let (whole, own_whole, e2) = (profile.total_energy(), profile.energy()[input.class], eta * eta);
        let signal = q2 * (1.0 - eta).powi(2);
        // The members of lines 3 and 4 subtract q^2 from sums that hold it; rounding must not leave a negative rest.
        let left = |x: f64| if x <= 1e-14 * whole { 0.0 } else { x };
        let collected: f64 = profile
            .energy()
            .iter()
            .enumerate()
            .map(|(k, q)| q * if k == rival || k == input.class { 1.0 } else { e2 })
            .sum();
        let shrink = (1.0 - eta) / (1.0 + eta);
        Ok(RatioChain {
            ratio,
            lower_first: signal / ((1.0 + eta).powi(2) * theirs + (1.0 - eta).powi(2) * own + 4.0 * e2 * third),
            lower_fours: 0.25 * signal / (theirs + own + e2 * third),
            lower_collected: 0.25 * signal / left(collected - q2),
            lower_last: 0.25 * signal / left(e2 * whole + (1.0 - e2) * (theirs + own_whole) - q2),
            upper_first: q2 * (1.0 + eta).powi(2) / ((1.0 - eta).powi(2) * theirs + (1.0 + eta).powi(2) * own),
            upper_printed: q2 / (shrink * theirs + own),
            upper_squared: q2 / (shrink * shrink * theirs + own),
            upper_direct: q2 / (theirs + own),
        })
    }

    /// The elementary inequalities behind the lower chain.
    ///
    /// **Errors**: classes that do not exist or are the same, eta negative or not below 1.
    pub fn elementary(&self, class: usize, rival: usize, eta: f64) -> Result<Elementary, Error> {
        const OP: &str = "GivenOutputs::elementary";
        for index in [class, rival] {
            position(OP, "class", index, self.n_classes())?;
        }
        checked(OP, class, rival, eta)?;
        let others = (0..self.n_classes())
            .filter(|&k| k != class && k != rival)
            .map(|k| (2.0 * eta).powi(2) - self.pull(k, rival, class).powi(2))
            .fold(f64::INFINITY, f64::min);
        Ok(Elementary {
            signal: self.lead(class, rival).powi(2) - (1.0 - eta).powi(2),
            rival: (1.0 + eta).powi(2) - self.pull(rival, rival, class).powi(2),
            others,
        })
    }
}

fn checked(op: &'static str, class: usize, rival: usize, eta: f64) -> Result<(), Error> {
    let allowed = "a class other than the input's own";
    within(op, "rival", rival as f64, class != rival, allowed)?;
    let allowed = "a coherence from 0 to below 1";
    within(op, "eta", eta, (0.0..1.0).contains(&eta), allowed)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use workbench_ground::stats::Streams;

    #[test]
    fn chains_hold_but_for_the_printed_line() {
        let mut stream = Streams::new(2).stream("u").unwrap();
        let mut broken = 0;
        for d in [8usize, 20, 100] {
            let outputs = GivenOutputs::random(5, d, &mut stream).unwrap();
            let eta = outputs.coherence();
            let weights = [1.0, 0.5, 0.25, 0.7, 0.1, 0.9, 0.3];
            let profile = Profile::from_weights(&[1.0 / 7.0; 7], &weights, &[0, 1, 2, 3, 4, 0, 1], 5).unwrap();
            for g in profile.groups() {
                for y in (0..5).filter(|&y| y != g.class) {
                    let c = outputs.ratio_chain(&profile, g, y, eta).unwrap();
                    let near = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-12;
                    assert!(c.lower_first <= c.ratio * (1.0 + 1e-12) && c.lower_fours <= c.lower_first);
                    assert!(near(c.lower_fours, c.lower_collected) && near(c.lower_collected, c.lower_last));
                    assert!(c.ratio <= c.upper_direct * (1.0 + 1e-12) && c.upper_direct <= c.upper_printed);
                    assert!(near(c.upper_first, c.upper_squared) && c.ratio <= c.upper_first);
                    broken += usize::from(c.upper_first > c.upper_printed * (1.0 + 1e-12));
                    let e = outputs.elementary(g.class, y, eta).unwrap();
                    assert!(e.signal >= 0.0 && e.rival >= 0.0 && e.others >= 0.0);
                }
            }
        }
        assert!(broken > 0, "the printed line is no upper bound of the one before it");
    }

    #[test]
    fn orthonormal_outputs_meet_both_ends() {
        let outputs = GivenOutputs::equiangular(3, 0.0, 9).unwrap();
        let profile = Profile::from_weights(&[0.4, 0.4, 0.2], &[1.0, 2.0, 0.5], &[0, 1, 2], 3).unwrap();
        let c = outputs.ratio_chain(&profile, &profile.groups()[0], 1, 0.0).unwrap();
        assert_eq!((c.ratio, c.upper_first, c.upper_printed), (0.25, 0.25, 0.25));
        assert_eq!(c.lower_last, 0.0625);
        let columns = c.columns().unwrap().list;
        assert_eq!((columns[0].1.len(), columns[1].1.len()), (9, 9));
    }

    #[test]
    fn refuses_bad_input() {
        let outputs = GivenOutputs::equiangular(3, 0.0, 9).unwrap();
        let profile = Profile::from_weights(&[1.0], &[1.0], &[0], 3).unwrap();
        let g = profile.groups()[0];
        assert!(matches!(outputs.ratio_chain(&profile, &g, 0, 0.1), Err(Error::Parameter { name: "rival", .. })));
        assert!(matches!(outputs.ratio_chain(&profile, &g, 1, 1.0), Err(Error::Parameter { name: "eta", .. })));
        assert!(matches!(outputs.elementary(0, 4, 0.1), Err(Error::NoSuch { .. })));
    }
}
