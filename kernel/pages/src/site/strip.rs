//! A finding as a picture: what is allowed, what was measured with its interval, other seeds and wrong forms, on one line.

use std::collections::BTreeSet;
use std::fmt::Write;

use workbench_record::number::{in_groups, power_of_ten, rounded};
use workbench_record::{FindingLine, Outcome, Role};

use super::axis::Axis;
use super::text::html;

const WIDTH: f64 = 300.0;
const MIDDLE: f64 = 15.0;

/// A place with at most one digit behind the point, and with none that is zero: a site has thousands of them.
struct Tenths(f64);

impl std::fmt::Display for Tenths {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = format!("{:.1}", self.0);
        f.write_str(text.strip_suffix(".0").unwrap_or(&text))
    }
}

/// A finding with what is drawn around it.
#[derive(Clone, Debug)]
pub struct Strip<'a> {
    /// The finding.
    pub line: &'a FindingLine,
    /// Wrong forms that are held to the same prediction.
    pub twins: Vec<&'a FindingLine>,
    /// Of a printed form that is contradicted, the changed ones; of a changed form, the printed ones that are: what they measure, if
    /// the prediction is the same, or else their predictions, if they measure the same.
    pub counterparts: Vec<&'a FindingLine>,
    /// The same finding from other seeds and scales.
    pub others: Vec<&'a FindingLine>,
}

impl<'a> Strip<'a> {
    /// Finds what belongs to a finding among those of its row and among all of its claim.
    pub fn new(line: &'a FindingLine, of_row: &[&'a FindingLine], of_claim: &[&'a FindingLine]) -> Strip<'a> {
        let bits = |x: Option<f64>| x.map(f64::to_bits);
        let prediction = |l: &FindingLine| (l.relation.clone(), bits(l.expected_low), bits(l.expected_high));
        let twin = |other: &&&FindingLine| {
            other.role == Role::Twin && line.role != Role::Twin && prediction(other) == prediction(line)
        };
        let measured = |l: &FindingLine| [l.measured, l.low, l.high].map(f64::to_bits);
        let counterpart = |other: &&&FindingLine| {
            let against = |l: &FindingLine| l.role == Role::Printed && l.outcome == Outcome::Contradicts;
            let changed = |l: &FindingLine| l.role == Role::Corrected && l.outcome == Outcome::Supports;
            ((against(line) && changed(other)) || (changed(line) && against(other)))
                && (prediction(other) == prediction(line) || measured(other) == measured(line))
        };
        let other = |other: &&&FindingLine| {
            (other.scale, other.seed) != (line.scale, line.seed) && other.role == line.role && other.what == line.what
        };
        Strip {
            line,
            twins: of_row.iter().filter(twin).copied().collect(),
            counterparts: of_row.iter().filter(counterpart).copied().collect(),
            others: of_claim.iter().filter(other).copied().collect(),
        }
    }

    /// The finding alone, with the other form beside it.
    pub fn pair(line: &'a FindingLine, counterpart: Option<&'a FindingLine>) -> Strip<'a> {
        let both: Vec<&FindingLine> = counterpart.into_iter().collect();
        Strip::new(line, &both, &[])
    }

    /// Whether a counterpart differs in what was measured, and not in the prediction.
    fn measures_otherwise(&self, other: &FindingLine) -> bool {
        other.measured.to_bits() != self.line.measured.to_bits()
    }

    /// The picture, as SVG with its words.
    pub fn svg(&self) -> String {
        let line = self.line;
        let axis = self.axis();
        let mut out = format!(
            "<svg class=\"wb-strip\" viewBox=\"0 0 {WIDTH} 36\" role=\"img\" aria-label=\"{}\">",
            html(&self.words(&axis))
        );
        let (low, high) = (line.expected_low.map(|x| axis.at(x)), line.expected_high.map(|x| axis.at(x)));
        if matches!(line.relation.as_str(), "near" | "excludes") {
            for x in [low, high].into_iter().flatten().take(1) {
                let _ = write!(out, "<path class=\"wb-edge\" d=\"M{} 3V27\"/>", Tenths(x));
            }
        } else if low.is_some() || high.is_some() {
            let (from, to) = (low.unwrap_or(2.0), high.unwrap_or(WIDTH - 2.0));
            let (from, to) = if to - from < 3.0 { (from - 1.5, to + 1.5) } else { (from, to) };
            let _ = write!(
                out,
                "<rect class=\"wb-band\" x=\"{}\" y=\"5\" width=\"{}\" height=\"20\"/>",
                Tenths(from),
                Tenths(to - from)
            );
            let edges: String = [low, high].into_iter().flatten().map(|x| format!("M{} 5V25", Tenths(x))).collect();
            let _ = write!(out, "<path class=\"wb-edge\" d=\"{edges}\"/>");
        }
        out += &edge_numbers(line, low, high);
        out += &self.beside(&axis);
        for twin in &self.twins {
            let x = axis.at(twin.measured);
            let _ = write!(
                out,
                "<path class=\"wb-wrong\" d=\"M{} 11l8 8m0 -8l-8 8\"><title>wrong form: {}</title></path>",
                Tenths(x - 4.0),
                tell(twin.measured)
            );
        }
        // Seeds that agree are one dot, and all dots one path: lines of no length with round ends.
        let places: BTreeSet<String> =
            self.others.iter().map(|other| format!("M{} {MIDDLE}h0", Tenths(axis.at(other.measured)))).collect();
        if !places.is_empty() {
            let dots: String = places.into_iter().collect();
            let _ = write!(out, "<path class=\"wb-other\" d=\"{dots}\"/>");
        }
        let class = class(line);
        let (from, to) = (axis.at(line.low), axis.at(line.high));
        if to - from > 1.0 {
            let (from, to) = (Tenths(from), Tenths(to));
            let _ =
                write!(out, "<path class=\"wb-interval {class}\" d=\"M{from} {MIDDLE}H{to}M{from} 11v8M{to} 11v8\"/>");
        }
        out += &marker(line.role, axis.at(line.measured), class);
        out + "</svg>"
    }

    /// Printed and changed form on one line: what the other one gives as a hollow sign, what it predicts as broken lines.
    fn beside(&self, axis: &Axis) -> String {
        let mut out = String::new();
        for other in &self.counterparts {
            let words = match other.role {
                Role::Printed => "as printed",
                _ => "changed",
            };
            let mut place = |x: f64, path: String, said: String| {
                let x = Tenths(x);
                let _ =
                    write!(out, "<path class=\"wb-beside\" d=\"M{x} {path}\"><title>{words}: {said}</title></path>");
            };
            if self.measures_otherwise(other) {
                let sign = match other.role {
                    Role::Printed => "10a5 5 0 1 0 .01 0z",
                    _ => "8.5l6.5 6.5l-6.5 6.5l-6.5 -6.5z",
                };
                place(axis.at(other.measured), sign.to_string(), tell(other.measured));
            } else {
                for edge in [other.expected_low, other.expected_high].into_iter().flatten() {
                    place(axis.at(edge), "3V27".to_string(), html(&allowed(other)));
                }
            }
        }
        out
    }

    fn axis(&self) -> Axis {
        let line = self.line;
        let ends = [line.expected_low, line.expected_high].into_iter().flatten();
        let mut numbers = vec![line.measured, line.low, line.high];
        numbers.extend(ends.clone());
        numbers.extend(self.twins.iter().chain(&self.others).map(|other| other.measured));
        for other in &self.counterparts {
            numbers.extend([Some(other.measured), other.expected_low, other.expected_high].into_iter().flatten());
        }
        let (middle, unit) = match (line.expected_low, line.expected_high) {
            (Some(low), Some(high)) if high > low => (0.5 * (low + high), 0.5 * (high - low)),
            (Some(one), _) | (None, Some(one)) => (one, one.abs().max((line.high - line.low).abs())),
            (None, None) => (0.0, 0.0),
        };
        Axis::new(&numbers, middle, unit, 0.0, WIDTH)
    }

    fn words(&self, axis: &Axis) -> String {
        let mut said = format!("allowed: {}; measured: {}", allowed(self.line), measured(self.line));
        for other in &self.counterparts {
            let form = if other.role == Role::Printed { "as printed" } else { "changed" };
            said += &match self.measures_otherwise(other) {
                true => format!("; {form}: {}", tell(other.measured)),
                false => format!("; allowed {form}: {}", allowed(other)),
            };
        }
        if !self.twins.is_empty() {
            let told: Vec<String> = self.twins.iter().map(|twin| tell(twin.measured)).collect();
            said += &format!("; wrong forms: {}", told.join(", "));
        }
        if !self.others.is_empty() {
            let told: Vec<String> = self.others.iter().map(|other| tell(other.measured)).collect();
            said += &format!("; other seeds and scales: {}", told.join(", "));
        }
        match axis.words() {
            "" => said,
            words => format!("{said}; drawn {words}"),
        }
    }
}

/// The numbers at the ends of what is allowed, below them; side by side where they would cover each other.
fn edge_numbers(line: &FindingLine, low: Option<f64>, high: Option<f64>) -> String {
    // The page's style has the middle for all drawings, of which there are thousands.
    let text = |x: f64, anchor: &str, words: String| {
        let anchor = if anchor == "middle" { String::new() } else { format!(" text-anchor=\"{anchor}\"") };
        format!("<text x=\"{}\" y=\"34\"{anchor}>{words}</text>", Tenths(x))
    };
    let one = |x: f64, value: f64| match x {
        x if x < 40.0 => text(x.max(2.0), "start", tell(value)),
        x if x > WIDTH - 40.0 => text(x.min(WIDTH - 2.0), "end", tell(value)),
        x => text(x, "middle", tell(value)),
    };
    match (low.zip(line.expected_low), high.zip(line.expected_high)) {
        (Some((at, value)), Some((_, other))) if value == other => one(at, value),
        (Some((from, low)), Some((to, high))) if to - from < 70.0 => {
            let words = format!("{} to {}", tell(low), tell(high));
            let half = 3.2 * words.chars().count() as f64;
            let x = (0.5 * (from + to)).clamp(half.min(WIDTH / 2.0), (WIDTH - half).max(WIDTH / 2.0));
            text(x, "middle", words)
        }
        (low, high) => [low, high].into_iter().flatten().map(|(x, value)| one(x, value)).collect(),
    }
}

/// The sign of a role at a place.
fn marker(role: Role, x: f64, class: &str) -> String {
    let at = Tenths(x);
    match role {
        Role::Printed => format!("<circle class=\"wb-point {class}\" cx=\"{at}\" cy=\"{MIDDLE}\" r=\"5\"/>"),
        Role::Corrected => format!("<path class=\"wb-point {class}\" d=\"M{at} 8.5l6.5 6.5l-6.5 6.5l-6.5 -6.5z\"/>"),
        Role::Support | Role::Aside => format!(
            "<rect class=\"wb-point {class}\" x=\"{}\" y=\"{}\" width=\"9\" height=\"9\"/>",
            Tenths(x - 4.5),
            MIDDLE - 4.5
        ),
        Role::Twin => format!("<path class=\"wb-cross {class}\" d=\"M{} 10l10 10m0 -10l-10 10\"/>", Tenths(x - 5.0)),
    }
}

/// The name of the style of an outcome; a wrong form that is told apart is as it should be.
pub fn class(line: &FindingLine) -> &'static str {
    match (line.role, line.outcome) {
        (Role::Twin, Outcome::Contradicts) => "wb-told",
        (Role::Twin, Outcome::Supports) => "wb-con",
        (_, Outcome::Supports) => "wb-sup",
        (_, Outcome::Contradicts) => "wb-con",
        (_, Outcome::Undecided) => "wb-und",
    }
}

/// An outcome in words.
pub fn outcome(line: &FindingLine) -> &'static str {
    match (line.role, line.outcome) {
        (Role::Twin, Outcome::Contradicts) => "told apart",
        (Role::Twin, Outcome::Supports) => "not told apart",
        (_, outcome) => outcome.text(),
    }
}

/// A number with at most four digits, as people write it.
pub fn tell(x: f64) -> String {
    let size = x.abs();
    if x != 0.0 && !(1e-3..1e6).contains(&size) && x.is_finite() {
        let mut power = size.log10().floor() as i32;
        let mut front = rounded(x / 10f64.powi(power), 3);
        if front.trim_start_matches('-') == "10" {
            power += 1;
            front = front.replace("10", "1");
        }
        let front = front.replace('-', "−");
        return match front.as_str() {
            "1" => power_of_ten(power),
            front => format!("{front}×{}", power_of_ten(power)),
        };
    }
    in_groups(&rounded(x, 4).replace('-', "−"))
}

/// What was measured, with its interval and what it was counted from.
pub fn measured(line: &FindingLine) -> String {
    if line.low == line.high || tell(line.low) == tell(line.high) {
        return tell(line.measured);
    }
    format!("{} [{}, {}]", tell(line.measured), tell(line.low), tell(line.high))
}

/// What the prediction allows, in words.
pub fn allowed(line: &FindingLine) -> String {
    let relation = line.relation.as_str();
    match (relation, line.expected_low, line.expected_high) {
        ("identity", _, Some(0.0)) => "none".to_string(),
        ("identity", _, Some(high)) => format!("error at most {}", tell(high)),
        ("near", Some(value), _) => format!("interval holds {}", tell(value)),
        ("excludes", Some(value), _) => format!("interval does not hold {}", tell(value)),
        (_, Some(low), Some(high)) if low == high => tell(low),
        (_, Some(low), Some(high)) => format!("{} to {}", tell(low), tell(high)),
        (_, Some(low), None) => format!("at least {}", tell(low)),
        (_, None, Some(high)) => format!("at most {}", tell(high)),
        (other, None, None) => other.to_string(),
    }
}

/// How far what was measured lies from what is allowed, in words; nothing if it does not lie outside.
pub fn how_far(line: &FindingLine) -> Option<String> {
    if line.outcome != Outcome::Contradicts {
        return None;
    }
    let beyond = |edge: f64| match edge != 0.0 && (line.measured / edge) > 0.0 {
        true => format!("{} times {}", tell(line.measured / edge), tell(edge)),
        false => format!("{} from {}", tell((line.measured - edge).abs()), tell(edge)),
    };
    match (line.expected_low, line.expected_high) {
        (Some(low), Some(high)) if high > low => {
            let edge = if line.measured < low { low } else { high };
            let steps = (line.measured - edge).abs() / (0.5 * (high - low));
            Some(format!("{} times the tolerance beyond {}", tell(steps), tell(edge)))
        }
        (Some(edge), _) | (None, Some(edge)) => Some(beyond(edge)),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::facts::tests::book;

    #[test]
    fn a_picture_has_band_interval_point_twin_and_other_seeds() {
        let book = book();
        let of_claim: Vec<&FindingLine> = book.tables.findings.iter().filter(|l| l.claim == "m/b").collect();
        let of_row = book.findings(book.row(1).unwrap());
        let svg = Strip::new(of_row[0], &of_row, &of_claim).svg();
        for part in [
            "wb-band",
            "wb-edge",
            "wb-interval wb-sup",
            "wb-point wb-sup",
            "<title>wrong form: 40</title>",
            "wb-other",
            "allowed: at most 1; measured: 0.5 [0.4, 0.6]; wrong forms: 40; other seeds and scales: 0.5, 0.5, 0.5",
        ] {
            assert!(svg.contains(part), "{part} in {svg}");
        }
        assert!(!svg.contains('\n') && !svg.contains("NaN") && !svg.contains("wb-beside"));
        let twin = Strip::new(of_row[1], &of_row, &of_claim);
        assert!(twin.twins.is_empty() && twin.svg().contains("wb-cross wb-told"));
    }

    #[test]
    fn printed_and_changed_form_stand_on_one_line() {
        let book = book();
        let printed = FindingLine {
            measured: 3.0,
            low: 2.9,
            high: 3.1,
            outcome: Outcome::Contradicts,
            ..book.tables.findings[0].clone()
        };
        let changed = FindingLine {
            role: Role::Corrected,
            what: "with the root".into(),
            measured: 0.5,
            outcome: Outcome::Supports,
            ..printed.clone()
        };
        let svg = Strip::new(&printed, &[&printed, &changed], &[]).svg();
        assert!(svg.contains("<title>changed: 0.5</title>"), "{svg}");
        assert!(svg.contains("measured: 3 [2.9, 3.1]; changed: 0.5"), "{svg}");
        let svg = Strip::pair(&changed, Some(&printed)).svg();
        assert!(svg.contains("<title>as printed: ") && svg.contains("; as printed: 3"), "{svg}");
        // The same number against another prediction.
        let changed = FindingLine {
            relation: "at least".into(),
            expected_low: Some(2.0),
            expected_high: None,
            measured: 3.0,
            ..changed
        };
        let svg = Strip::pair(&printed, Some(&changed)).svg();
        assert!(svg.contains("allowed changed: at least 2") && svg.contains("3V27\"><title>changed"), "{svg}");
        assert!(!Strip::pair(&printed, None).svg().contains("wb-beside"));
    }

    #[test]
    fn numbers_are_told_as_people_write_them() {
        for (x, text) in [
            (0.0, "0"),
            (1e-12, "10⁻¹²"),
            (2.894e-14, "2.89×10⁻¹⁴"),
            (9.9999e-5, "10⁻⁴"),
            (-0.25, "−0.25"),
            (-1e-9, "−1×10⁻⁹"),
            (12_400.0, "12,400"),
            (19.492_428, "19.49"),
        ] {
            assert_eq!(tell(x), text);
        }
    }

    #[test]
    fn what_is_allowed_and_how_far_it_is_missed() {
        let book = book();
        let line = |relation: &str, low: Option<f64>, high: Option<f64>, measured: f64| FindingLine {
            relation: relation.into(),
            expected_low: low,
            expected_high: high,
            measured,
            outcome: Outcome::Contradicts,
            ..book.tables.findings[0].clone()
        };
        for (line, text, far) in [
            (line("at most", None, Some(0.01), 19.5), "at most 0.01", "1,950 times 0.01"),
            (line("at least", Some(0.0), None, -0.86), "at least 0", "0.86 from 0"),
            (line("equals", Some(0.9), Some(1.1), 1.4), "0.9 to 1.1", "3 times the tolerance beyond 1.1"),
            (line("identity", None, Some(0.0), 58.0), "none", "58 from 0"),
            (line("near", Some(0.5), Some(0.5), 0.2), "interval holds 0.5", "0.4 times 0.5"),
        ] {
            assert_eq!(allowed(&line), text);
            assert_eq!(how_far(&line).as_deref(), Some(far));
        }
    }
}
