//! A labelled drawing of an object: boxes, grids and words in their places, joined by arrows.

use std::path::Path;

use super::figure::{FAINT, PNG_SCALE, Rgb, render_png, render_svg, spoken};
use super::{Bundle, Error, Mime, PALETTE, bundle, export};
use draw::UNIT;

mod draw;

/// The drawing of an object, made by code: a memory, a layer, a mask, a register.
///
/// Coordinates are units of 50 pixels, with y downwards, and are the centre of what is placed; the page is computed from what is drawn. `^{..}` raises and
/// `_{..}` lowers, a line break begins a new line. As the last expression of a cell it shows an SVG with a PNG twin, on a light ground of its
/// own, and what is drawn in words.
///
/// ```
/// use workbench_display::Sketch;
/// let chain = Sketch::chain("gradient: 1 number → size, sign: 2 numbers → memory: 2 × 272 numbers");
/// assert!(chain.text()?.contains("arrow from size, sign to memory"));
///
/// let memory = Sketch::new("A memory is a sum of sheets")
///     .block("key e", "64 numbers", 0, 0)
///     .grid("W", "64 × 64", 3, 0, (8, 8), |i, j| ((i + 1) * (j + 2) % 5) as f64 / 4.0)
///     .block("answer u", "64 numbers", 6, 0)
///     .colour(2)
///     .arrow("key e", "W", "asks")
///     .arrow("W", "answer u", "")
///     .note("each sheet is u e^{⊤}", 3, 2);
/// assert!(memory.svg()?.contains("role=\"img\""));
/// # Ok::<(), workbench_display::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sketch {
    title: String,
    parts: Vec<Part>,
    arrows: Vec<(End, End, String)>,
    frames: Vec<(Vec<usize>, String)>,
    problem: Option<String>,
}

#[derive(Clone, Debug)]
struct Part {
    name: String,
    holds: String,
    at: (f64, f64),
    size: Option<(f64, f64)>,
    kind: Kind,
    rgb: Rgb,
    copies: usize,
    labels: Vec<String>,
}

#[derive(Clone, Debug)]
enum Kind {
    Block,
    Grid { rows: usize, columns: usize, values: Vec<f64> },
    Words,
}

#[derive(Clone, Debug)]
enum End {
    Part(usize),
    Point(f64, f64),
}

/// An end of an arrow: the name of what was placed before, or a point.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Spot {
    /// The box, grid or words of this name that were placed last.
    Named(String),
    /// A point, in units.
    At(f64, f64),
}

impl From<&str> for Spot {
    fn from(name: &str) -> Spot {
        Spot::Named(name.to_string())
    }
}

impl<X: Into<f64>, Y: Into<f64>> From<(X, Y)> for Spot {
    fn from((x, y): (X, Y)) -> Spot {
        Spot::At(x.into(), y.into())
    }
}

impl Sketch {
    /// An empty drawing with a title, which may be empty.
    pub fn new(title: &str) -> Sketch {
        Sketch { title: title.to_string(), parts: vec![], arrows: vec![], frames: vec![], problem: None }
    }

    /// A row of boxes from left to right with arrows between them: `name: what it holds → name: what it holds ← name`.
    pub fn chain(chain: &str) -> Sketch {
        let (mut sketch, mut right) = (Sketch::new(""), 0.0);
        let mut before = None;
        for piece in chain.split_inclusive(['→', '←']) {
            let words = piece.trim_end_matches(['→', '←']);
            let (name, holds) = words.split_once(':').unwrap_or((words, ""));
            sketch = sketch.block(name.trim(), holds.trim(), 0, 0);
            let last = sketch.parts.len() - 1;
            let half = sketch.parts[last].half().0 / UNIT;
            sketch.parts[last].at.0 = right + half;
            right += 2.0 * half + 0.8;
            match before {
                Some('→') => sketch.arrows.push((End::Part(last - 1), End::Part(last), String::new())),
                Some(_) => sketch.arrows.push((End::Part(last), End::Part(last - 1), String::new())),
                None => {}
            }
            before = piece.chars().last();
        }
        sketch
    }

    /// The title above the drawing.
    pub fn title(mut self, title: &str) -> Sketch {
        self.title = title.to_string();
        self
    }

    /// A box with a name and what it holds, as wide as its words.
    pub fn block(self, name: &str, holds: &str, x: impl Into<f64>, y: impl Into<f64>) -> Sketch {
        self.part(name, holds, (x.into(), y.into()), Kind::Block)
    }

    /// A matrix as cells, its name above and what it holds below. `shade(row, column)` is -1 to 1: 0 is white, 1 full colour, NaN
    /// no cell; where some are below 0, orange is positive and blue negative. Larger numbers are divided by the largest of them.
    pub fn grid(
        self,
        name: &str,
        holds: &str,
        x: impl Into<f64>,
        y: impl Into<f64>,
        (rows, columns): (usize, usize),
        shade: impl Fn(usize, usize) -> f64,
    ) -> Sketch {
        let allowed = (1..=64).contains(&rows) && (1..=64).contains(&columns);
        let cells = if allowed { rows * columns } else { 0 };
        let values: Vec<f64> = (0..cells).map(|at| shade(at / columns, at % columns)).collect();
        let bad = match values.iter().position(|v| v.is_infinite()) {
            _ if !allowed => {
                Some(format!("grid \"{name}\" is {rows} x {columns}; draw 1 to 64 rows and columns of it"))
            }
            Some(at) => {
                let (row, column, value) = (at / columns, at % columns, values[at]);
                Some(format!("cell ({row}, {column}) of \"{name}\" is {value}; give it a number from -1 to 1"))
            }
            None => None,
        };
        let mut sketch = self.part(name, holds, (x.into(), y.into()), Kind::Grid { rows, columns, values });
        sketch.problem = sketch.problem.or(bad);
        sketch
    }

    /// Words without a box.
    pub fn note(self, words: &str, x: impl Into<f64>, y: impl Into<f64>) -> Sketch {
        self.part(words, "", (x.into(), y.into()), Kind::Words)
    }

    /// An arrow from one box, grid, words or point to another, with a label beside it. From a box to itself it is a loop above it.
    pub fn arrow(mut self, from: impl Into<Spot>, to: impl Into<Spot>, label: &str) -> Sketch {
        if let (Some(from), Some(to)) = (self.end(from.into()), self.end(to.into())) {
            self.arrows.push((from, to, label.to_string()));
        }
        self
    }

    /// A pale frame around what has these names, with a label above it.
    pub fn around(mut self, names: &[&str], label: &str) -> Sketch {
        let found: Vec<usize> = names.iter().filter_map(|name| self.find(name)).collect();
        if found.is_empty() {
            self.fail(format!("nothing is framed by \"{label}\"; name what was placed before"));
        }
        self.frames.push((found, label.to_string()));
        self
    }

    /// Colour of the part placed last: 0 to 7 of [`PALETTE`], the colours of figures.
    pub fn colour(self, index: usize) -> Sketch {
        self.last("colour", |part| part.rgb = PALETTE[index % PALETTE.len()])
    }

    /// Grey for the part placed last: what is frozen, or not asked.
    pub fn grey(self) -> Sketch {
        self.last("grey", |part| part.rgb = FAINT)
    }

    /// Width and height, in units, of the box or grid placed last.
    pub fn size(self, width: impl Into<f64>, height: impl Into<f64>) -> Sketch {
        let size = (width.into(), height.into());
        self.last("size", |part| part.size = Some(size))
    }

    /// Copies of the box or grid placed last, drawn as a stack of sheets: 1 to 6.
    pub fn copies(self, copies: usize) -> Sketch {
        self.last("copies", |part| part.copies = copies.clamp(1, 6))
    }

    /// Words in the cells of the grid placed last, row by row; an empty one leaves its cell as it is.
    pub fn labels(self, labels: &[&str]) -> Sketch {
        self.last("labels", |part| part.labels = labels.iter().map(|label| label.to_string()).collect())
    }

    fn part(mut self, name: &str, holds: &str, at: (f64, f64), kind: Kind) -> Sketch {
        let (name, holds) = (name.to_string(), holds.to_string());
        self.parts.push(Part { name, holds, at, size: None, kind, rgb: PALETTE[0], copies: 1, labels: vec![] });
        self
    }

    fn last(mut self, what: &str, change: impl FnOnce(&mut Part)) -> Sketch {
        match self.parts.last_mut() {
            Some(part) => change(part),
            None => self.fail(format!("there is nothing yet whose {what} could be set; place a box or a grid first")),
        }
        self
    }

    fn fail(&mut self, problem: String) {
        self.problem.get_or_insert(problem);
    }

    fn find(&mut self, name: &str) -> Option<usize> {
        let found = self.parts.iter().rposition(|part| part.name == name);
        if found.is_none() {
            let known: Vec<&str> = self.parts.iter().map(|part| part.name.as_str()).collect();
            self.fail(format!("there is no \"{name}\" yet; placed are: {}", known.join(", ")));
        }
        found
    }

    fn end(&mut self, spot: Spot) -> Option<End> {
        match spot {
            Spot::Named(name) => self.find(&name).map(End::Part),
            Spot::At(x, y) => Some(End::Point(x, y)),
        }
    }

    /// The drawing as an SVG document whose text needs no fonts.
    ///
    /// **Errors**: [`Error::Sketch`] for an empty drawing, a name that was not placed, a number that is not finite, an arrow without
    /// length, or a drawing too wide to be read on a page.
    pub fn svg(&self) -> Result<String, Error> {
        let (shapes, size) = self.scene()?;
        render_svg(&shapes, size, &self.name(), &self.listed())
    }

    /// The drawing as a PNG file.
    ///
    /// **Errors**: as for [`Sketch::svg`].
    pub fn png(&self) -> Result<Vec<u8>, Error> {
        let (shapes, size) = self.scene()?;
        render_png(&shapes, size, PNG_SCALE)
    }

    /// The drawing in words: what is placed and what points where.
    ///
    /// **Errors**: as for [`Sketch::svg`].
    pub fn text(&self) -> Result<String, Error> {
        self.scene().map(|_| format!("Sketch: {}\n{}", self.name(), self.listed()))
    }

    /// All forms as a bundle.
    ///
    /// **Errors**: as for [`Sketch::svg`].
    pub fn to_bundle(&self) -> Result<Bundle, Error> {
        let ((shapes, size), listed) = (self.scene()?, self.listed());
        let svg = render_svg(&shapes, size, &self.name(), &listed)?;
        let text = format!("Sketch: {}\n{listed}", self.name());
        Ok(Bundle::new(&text).with(Mime::Svg, &svg).with_png(&render_png(&shapes, size, PNG_SCALE)?))
    }

    /// Saves the drawing in the format named by the ending, `.svg` or `.png`, atomically. Missing folders are made.
    ///
    /// **Errors**: [`Error::Format`] for another ending, [`Error::Write`] if the file cannot be written, else as for [`Sketch::svg`].
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        export::save_image(path.as_ref(), || self.svg(), || self.png())
    }

    /// Shows the drawing as the output of a notebook cell; an error is shown as its message.
    pub fn evcxr_display(&self) {
        bundle::show(self.to_bundle());
    }

    /// The title, or the names of what is drawn.
    fn name(&self) -> String {
        let names: Vec<String> = self.parts.iter().map(|part| spoken(&part.name.replace('\n', " "))).collect();
        if self.title.is_empty() { names.join(", ") } else { spoken(&self.title) }
    }

    fn listed(&self) -> String {
        let one = |text: &str| spoken(&text.replace('\n', " "));
        let mut lines: Vec<String> = self.parts.iter().map(|part| part.listed()).collect();
        let called = |end: &End| match end {
            End::Part(at) => one(&self.parts[*at].name),
            End::Point(x, y) => format!("the point ({x}, {y})"),
        };
        for (from, to, label) in &self.arrows {
            let label = if label.is_empty() { String::new() } else { format!(": {}", one(label)) };
            lines.push(format!("  arrow from {} to {}{label}", called(from), called(to)));
        }
        for (parts, label) in &self.frames {
            let names: Vec<String> = parts.iter().map(|at| one(&self.parts[*at].name)).collect();
            lines.push(format!("  frame \"{}\" around {}", one(label), names.join(", ")));
        }
        lines.join("\n")
    }
}

#[cfg(test)]
mod tests;
