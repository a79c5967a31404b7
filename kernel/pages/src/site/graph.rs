//! Claims and what they rest on, as a picture with text and links in it: fill and letter by verdict, shape by kind, border by how well
//! a claim is tested.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;

use serde_json::{Value, json};

use super::facts::{Book, Mark, Tested};
use super::layers::{Layout, Sizes, lay_out};
use super::text::{html, name, short};

const NODE: (f64, f64) = (168.0, 42.0);
const SIZES: Sizes = Sizes { column: 214.0, node: NODE.0, row: 54.0, pass: 14.0 };
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

/// Claims in their places, and lines between them.
struct Drawn {
    nodes: Vec<usize>,
    edges: Vec<(usize, usize)>,
    layout: Layout,
}

impl Graph<'_> {
    /// Lays out these claims and the lines between them.
    fn drawn(&self, claims: &BTreeSet<usize>) -> Drawn {
        let nodes: Vec<usize> = claims.iter().copied().collect();
        let place: HashMap<usize, usize> = nodes.iter().enumerate().map(|(at, claim)| (*claim, at)).collect();
        let mut edges = Vec::new();
        for (at, claim) in nodes.iter().enumerate() {
            let used = self.book.facts(*claim).uses.iter().filter_map(|used| place.get(used));
            edges.extend(used.map(|used| (*used, at)));
        }
        if nodes.len() > CROWD {
            let focus = self.focus.and_then(|focus| place.get(&focus).copied());
            edges = without_shortcuts(nodes.len(), &edges, focus);
        }
        let layout = lay_out(nodes.len(), &edges, SIZES);
        Drawn { nodes, edges, layout }
    }

    /// The picture of these claims and of the lines between them.
    pub fn svg(&self, claims: &BTreeSet<usize>) -> String {
        let Drawn { nodes, edges, layout } = self.drawn(claims);
        let (width, height) = (layout.width + 2.0 * MARGIN, layout.height + 2.0 * MARGIN);
        let label = match self.focus {
            Some(focus) => format!("What {} rests on and what rests on it", self.book.claim(focus).id),
            None => "What rests on what".to_string(),
        };
        let mut out = format!(
            "<svg class=\"wb-graph\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" role=\"group\" \
             aria-label=\"{}\">",
            html(&label)
        );
        // One path for all lines of a kind: they are most of a large picture.
        let at_focus = |edge: &(usize, usize)| [edge.0, edge.1].iter().any(|end| self.focus == Some(nodes[*end]));
        for (near, class) in [(false, "wb-line"), (true, "wb-line wb-near")] {
            let lines = edges.iter().zip(&layout.lines);
            let curves: String =
                lines.filter(|(edge, _)| at_focus(edge) == near).map(|(_, line)| curve(line)).collect();
            if !curves.is_empty() {
                let _ = write!(out, "<path class=\"{class}\" d=\"{curves}\"/>");
            }
        }
        for (claim, (x, y)) in nodes.iter().zip(&layout.nodes) {
            out += &self.node(*claim, x + MARGIN - NODE.0 / 2.0, y + MARGIN - NODE.1 / 2.0);
        }
        out + "</svg>"
    }

    /// The same picture as numbers, which the script of the site draws with [`names`]: width, height, then claim, x and y of each box, then
    /// for each line its ends among the boxes and the heights at which it passes the columns between.
    pub fn numbers(&self, claims: &BTreeSet<usize>) -> Value {
        let Drawn { nodes, edges, layout } = self.drawn(claims);
        let whole = |x: f64| x.round() as i64;
        let boxes = nodes.iter().zip(&layout.nodes);
        let boxes: Vec<i64> =
            boxes.flat_map(|(claim, (x, y))| [*claim as i64, whole(x + MARGIN), whole(y + MARGIN)]).collect();
        let line = |(edge, points): (&(usize, usize), &Vec<(f64, f64)>)| -> Vec<i64> {
            let passed = points[1..points.len() - 1].iter().map(|(_, y)| whole(y + MARGIN));
            [edge.0 as i64, edge.1 as i64].into_iter().chain(passed).collect()
        };
        let lines: Vec<Vec<i64>> = edges.iter().zip(&layout.lines).map(line).collect();
        let sizes = [layout.width, layout.height].map(|size| whole(size + 2.0 * MARGIN));
        json!([sizes[0], sizes[1], boxes, lines])
    }

    fn node(&self, claim: usize, x: f64, y: f64) -> String {
        let Words { class, title, inside } = words(self.book, claim);
        let focus = if self.focus == Some(claim) { " wb-focus" } else { "" };
        let title = match title.is_empty() {
            true => String::new(),
            false => format!("<title>{title}</title>"),
        };
        format!(
            "<a href=\"{}\" class=\"wb-node {class}{focus}\" transform=\"translate({x:.0} {y:.0})\">{title}{inside}</a>",
            html(&self.address(&self.book.claim(claim).id)),
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

/// What a box says.
struct Words {
    class: String,
    /// The whole place, where the box has no room for it.
    title: String,
    inside: String,
}

fn words(book: &Book, claim: usize) -> Words {
    let (what, facts) = (book.claim(claim), book.facts(claim));
    let letter = facts.mark.letter();
    let place = short(&what.place, 23);
    Words {
        class: format!("wb-{letter} {}", border(facts.tested)),
        title: if place == what.place { String::new() } else { html(&what.place) },
        inside: format!(
            "<use href=\"#{}\"/><text>{letter}</text><text>{}</text><text>{}</text>",
            shape(&what.kind),
            html(&short(name(&what.id), 15)),
            html(&place)
        ),
    }
}

/// Where [`names`] lie, below the root of the source.
pub const NAMES: &str = "_static/graph.js";

/// What all boxes say, once for the whole site: a script, since pages that are opened from a disk may load nothing else.
pub fn names(book: &Book) -> String {
    let of = |claim: usize| {
        let Words { class, title, inside } = words(book, claim);
        json!([html(&book.claim(claim).id), class, title, inside])
    };
    let all: Vec<Value> = (0..book.count()).map(of).collect();
    format!("window.workbenchGraph = {};\n", Value::Array(all))
}

/// The name of the style of a border.
fn border(tested: Tested) -> &'static str {
    match tested {
        Tested::Well => "wb-well",
        Tested::Some(_) => "wb-some",
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
        let (across, down) = (pair[1].0.round() - pair[0].0.round(), pair[1].1.round() - pair[0].1.round());
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
        let _ = write!(out, "<li><span class=\"wb-chip wb-{letter}\">{letter}</span> {words}</li>");
    }
    out += "</ul><ul aria-label=\"Shape: kind\">";
    for (shape, kinds) in SHAPES {
        let _ = write!(
            out,
            "<li><svg class=\"wb-graph\" viewBox=\"-6 -6 180 54\" aria-hidden=\"true\">\
             <g class=\"wb-node wb-O wb-some\">{}</g></svg> {kinds}</li>",
            outline(shape)
        );
    }
    out += "</ul><ul aria-label=\"Border: how well tested\">";
    for (class, words) in [
        ("wb-well", "the document's scale, three seeds, a wrong form told apart"),
        ("wb-some", "less than that"),
        ("wb-split", "seeds or scales differ"),
        ("wb-not", "not tested"),
    ] {
        let _ = write!(out, "<li><span class=\"wb-key {class}\"></span> {words}</li>");
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
        let graph = Graph { book: &book, focus: Some(1), root: "../../" };
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
    fn the_numbers_of_a_picture_are_those_that_are_drawn() {
        let book = book();
        let graph = Graph { book: &book, focus: Some(1), root: "../../" };
        let claims = book.around(1, 1);
        let numbers = graph.numbers(&claims);
        let boxes: Vec<i64> = numbers[2].as_array().unwrap().iter().filter_map(Value::as_i64).collect();
        let svg = graph.svg(&claims);
        for place in boxes.chunks(3) {
            let corner = format!("translate({} {})", place[1] - 84, place[2] - 21);
            assert!(svg.contains(&corner), "{corner} in {svg}");
        }
        assert_eq!(numbers[3], json!([[0, 1], [1, 2]]), "no line passes a column");
        assert!(svg.contains(&format!("viewBox=\"0 0 {} {}\"", numbers[0], numbers[1])));
        let names = names(&book);
        assert!(names.starts_with("window.workbenchGraph = [[\"m/a\",\"wb-C wb-some\",\"\",\"<use href="), "{names}");
        assert!(names.contains(">Lemma a &lt;1&gt;</text>"));
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
