//! Claims and what they rest on, as a picture with text and links in it: fill and letter by verdict, shape by kind, border by how well
//! a claim is tested.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;

use super::facts::{Book, Mark, Tested};
use super::layers::{Sizes, lay_out};
use super::text::{html, name, short};

const NODE: (f64, f64) = (168.0, 42.0);
const SIZES: Sizes = Sizes {
    column: 214.0,
    node: NODE.0,
    row: 54.0,
    pass: 14.0,
};
const MARGIN: f64 = 8.0;
/// From how many claims on lines that follow from others are left out.
const CROWD: usize = 30;

/// A picture of some claims.
#[derive(Clone, Copy, Debug)]
pub struct Graph<'a> {
    /// Everything known.
    pub book: &'a Book,
    /// The claim that it is about, if it is about one.
    pub focus: Option<usize>,
    /// From the page that it stands on to the root of the site, as `../`.
    pub root: &'a str,
}

impl Graph<'_> {
    /// The picture of these claims and of the lines between them.
    pub fn svg(&self, claims: &BTreeSet<usize>) -> String {
        let nodes: Vec<usize> = claims.iter().copied().collect();
        let place: HashMap<usize, usize> = nodes.iter().enumerate().map(|(at, claim)| (*claim, at)).collect();
        let mut edges = Vec::new();
        for (at, claim) in nodes.iter().enumerate() {
            let used = self.book.facts(*claim).uses.iter().filter_map(|used| place.get(used));
            edges.extend(used.map(|used| (*used, at)));
        }
        let focus = self.focus.and_then(|focus| place.get(&focus).copied());
        if nodes.len() > CROWD {
            edges = without_shortcuts(nodes.len(), &edges, focus);
        }
        let layout = lay_out(nodes.len(), &edges, SIZES);
        let (width, height) = (layout.width + 2.0 * MARGIN, layout.height + 2.0 * MARGIN);
        let label = match self.focus {
            Some(focus) => format!("What {} rests on and what rests on it", self.book.claim(focus).id),
            None => "What rests on what".to_string(),
        };
        let mut out = format!(
            "<svg class=\"wb-graph\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" role=\"group\" \
             aria-label=\"{}, {} claims\">",
            html(&label),
            nodes.len()
        );
        // One path for all lines of a kind: they are most of a large picture.
        let at_focus = |edge: &(usize, usize)| focus.is_some_and(|focus| focus == edge.0 || focus == edge.1);
        for (near, class) in [(false, "wb-line"), (true, "wb-line wb-near")] {
            let lines = edges.iter().zip(&layout.lines);
            let curves: String = lines
                .filter(|(edge, _)| at_focus(edge) == near)
                .map(|(_, line)| curve(line))
                .collect();
            if !curves.is_empty() {
                let _ = write!(out, "<path class=\"{class}\" d=\"{curves}\"/>");
            }
        }
        for (claim, (x, y)) in nodes.iter().zip(&layout.nodes) {
            out += &self.node(*claim, x + MARGIN - NODE.0 / 2.0, y + MARGIN - NODE.1 / 2.0);
        }
        out + "</svg>"
    }

    fn node(&self, claim: usize, x: f64, y: f64) -> String {
        let (what, facts) = (self.book.claim(claim), self.book.facts(claim));
        let focus = if self.focus == Some(claim) { " wb-focus" } else { "" };
        let letter = facts.mark.letter();
        let place = short(&what.place, 23);
        let title = match place == what.place {
            true => String::new(),
            false => format!("<title>{}</title>", html(&what.place)),
        };
        format!(
            "<a href=\"{}\" class=\"wb-node wb-{letter} {}{focus}\" transform=\"translate({x:.0} {y:.0})\">{title}\
             <use href=\"#{}\"/><text>{letter}</text><text>{}</text><text>{}</text></a>",
            html(&self.address(&what.id)),
            border(facts.tested),
            shape(&what.kind),
            html(&short(name(&what.id), 15)),
            html(&place),
        )
    }

    /// The page of a claim, seen from the page of the picture; one of the same document lies beside it.
    fn address(&self, id: &str) -> String {
        let folder = |id: &str| id.split_once('/').map(|(folder, _)| folder.to_string());
        match self.focus.map(|focus| folder(&self.book.claim(focus).id)) {
            Some(beside) if beside == folder(id) => format!("{}.html", name(id)),
            _ => format!("{}claims/{id}.html", self.root),
        }
    }
}

/// The name of the style of a border.
fn border(tested: Tested) -> &'static str {
    match tested {
        Tested::Well => "wb-well",
        Tested::Some => "wb-some",
        Tested::Split => "wb-split",
        Tested::Not => "wb-not",
    }
}

/// The shapes with the kinds that have them.
const SHAPES: [(&str, &str); 5] = [
    ("wb-hexagon", "definition"),
    ("wb-pill", "theorem, lemma"),
    ("wb-box", "identity, bound"),
    ("wb-round", "statement"),
    ("wb-sheet", "figure, table, experiment"),
];

/// The shape of a kind of claim.
fn shape(kind: &str) -> &'static str {
    let of_kind = |(_, kinds): &&(&str, &str)| kinds.split(", ").any(|known| known == kind);
    SHAPES.iter().find(of_kind).map_or("wb-round", |(shape, _)| shape)
}

/// The outline of a shape.
fn outline(shape: &str) -> String {
    let (w, h) = NODE;
    match shape {
        "wb-hexagon" => format!(
            "<path id=\"{shape}\" d=\"M10 0H{}L{w} {}L{} {h}H10L0 {}z\"/>",
            w - 10.0,
            h / 2.0,
            w - 10.0,
            h / 2.0
        ),
        "wb-sheet" => format!("<path id=\"{shape}\" d=\"M0 0H{}L{w} 14V{h}H0z\"/>", w - 14.0),
        _ => {
            let round = match shape {
                "wb-pill" => 21,
                "wb-round" => 9,
                _ => 0,
            };
            format!("<rect id=\"{shape}\" width=\"{w}\" height=\"{h}\" rx=\"{round}\"/>")
        }
    }
}

/// A smooth line from the right side of the first to the left side of the last.
fn curve(line: &[(f64, f64)]) -> String {
    let mut points: Vec<(f64, f64)> = line.iter().map(|(x, y)| (x + MARGIN, y + MARGIN)).collect();
    let last = points.len() - 1;
    points[0].0 += NODE.0 / 2.0;
    points[last].0 -= NODE.0 / 2.0;
    let mut out = format!("M{:.0} {:.0}", points[0].0, points[0].1);
    // Each piece leaves and arrives level.
    for pair in points.windows(2) {
        let (across, down) = (
            pair[1].0.round() - pair[0].0.round(),
            pair[1].1.round() - pair[0].1.round(),
        );
        let half = across / 2.0;
        let _ = write!(out, "c{half:.0} 0 {half:.0} {down:.0} {across:.0} {down:.0}");
    }
    out
}

/// Edges that do not follow from others; those at the focus stay.
fn without_shortcuts(count: usize, edges: &[(usize, usize)], focus: Option<usize>) -> Vec<(usize, usize)> {
    let mut next = vec![Vec::new(); count];
    for (from, to) in edges {
        next[*from].push(*to);
    }
    let reaches = |from: usize, to: usize| {
        let (mut open, mut seen) = (next[from].clone(), BTreeSet::new());
        open.retain(|step| *step != to);
        while let Some(step) = open.pop() {
            if step == to {
                return true;
            }
            if seen.insert(step) {
                open.extend(&next[step]);
            }
        }
        false
    };
    let stays = |(from, to): &&(usize, usize)| focus == Some(*from) || focus == Some(*to) || !reaches(*from, *to);
    edges.iter().filter(stays).copied().collect()
}

/// What fills, letters, shapes and borders mean. A page with pictures has it once: the pictures take their shapes from it.
pub fn legend() -> String {
    let mut out = String::from("<div class=\"wb-legend\"><ul aria-label=\"Fill and letter: verdict\">");
    for mark in Mark::ALL {
        let letter = mark.letter();
        let words = mark.words();
        let _ = write!(
            out,
            "<li><span class=\"wb-chip wb-{letter}\">{letter}</span> {words}</li>"
        );
    }
    out += "</ul><ul aria-label=\"Shape: kind\">";
    let sample = |class: &str, inside: &str, words: &str| {
        format!(
            "<li><svg class=\"wb-graph\" viewBox=\"-6 -6 180 54\" width=\"60\" height=\"18\" aria-hidden=\"true\">\
             <g class=\"wb-node wb-O {class}\">{inside}</g></svg> {words}</li>"
        )
    };
    for (shape, kinds) in SHAPES {
        out += &sample("wb-some", &outline(shape), kinds);
    }
    out += "</ul><ul aria-label=\"Border: how well tested\">";
    for (class, words) in [
        ("wb-well", "the document's scale, three seeds, a wrong form told apart"),
        ("wb-some", "less than that"),
        ("wb-split", "seeds or scales differ"),
        ("wb-not", "not tested"),
    ] {
        // Drawn and not referred to: a stroke that keeps its width is the shape's own.
        out += &sample(class, &outline("wb-box").replace(" id=\"wb-box\"", ""), words);
    }
    out + "</ul></div>"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::facts::tests::book;

    #[test]
    fn a_picture_has_text_links_letters_and_borders() {
        let book = book();
        let graph = Graph {
            book: &book,
            focus: Some(1),
            root: "../../",
        };
        let svg = graph.svg(&book.around(1, 1));
        assert_eq!(svg.matches("<a href=\"").count(), 3);
        assert_eq!(graph.address("m/a"), "a.html");
        assert_eq!(graph.address("other/a"), "../../claims/other/a.html");
        let near = &svg[svg.find("wb-line wb-near").unwrap()..];
        assert_eq!(near[..near.find("/>").unwrap()].matches('M').count(), 2);
        for part in [
            "wb-node wb-C wb-some\"",
            "wb-node wb-H wb-well wb-focus",
            "<use href=\"#wb-pill\"/>",
            ">C</text>",
            ">Lemma a &lt;1&gt;</text>",
        ] {
            assert!(svg.contains(part), "{part} in {svg}");
        }
        assert!(!svg.contains('\n') && !svg.contains("NaN") && !svg.contains("inf"));
    }

    #[test]
    fn what_follows_from_other_lines_is_left_out_but_at_the_focus() {
        let edges = [(0, 1), (1, 2), (0, 2), (2, 3), (0, 3)];
        assert_eq!(without_shortcuts(4, &edges, None), [(0, 1), (1, 2), (2, 3)]);
        assert_eq!(without_shortcuts(4, &edges, Some(3)), [(0, 1), (1, 2), (2, 3), (0, 3)]);
    }

    #[test]
    fn the_legend_names_every_verdict_and_has_every_shape() {
        let legend = legend();
        assert!(Mark::ALL.iter().all(|mark| legend.contains(mark.words())));
        for kind in ["definition", "bound", "table", "proposition"] {
            assert!(legend.contains(&format!("id=\"{}\"", shape(kind))), "{kind}");
        }
    }
}
