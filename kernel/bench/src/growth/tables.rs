//! The table of growth: for the terminal, as CSV and as Markdown. Written from a run only.

use workbench_base::progress::table;

use super::points::Point;
use super::rows::{GrowthRow, SIZES};
use super::wide::{LEAST_SHARE, MOST_BYTES, WideLayer};

/// An exponent may be off the stated one by so much: caches and short loops move it on any machine.
const NEAR: f64 = 0.03;
/// An interval wider than this to either side decides nothing.
const WIDE: f64 = 0.5;
/// What is said not to grow grows by less than this, in bytes.
const STILL: f64 = 1024.0 * 1024.0;

const GIB: f64 = 1024.0 * 1024.0 * 1024.0;

/// A fitted exponent.
#[derive(Clone, Debug, PartialEq)]
pub struct Exponent {
    /// The slope of the line through the logarithms.
    pub value: f64,
    /// Its interval at 99.9 %.
    pub low: f64,
    /// See [`Exponent::low`].
    pub high: f64,
    /// Slopes between neighbouring sizes.
    pub local: String,
}

impl Exponent {
    /// Whether the interval has the stated exponent, or comes near it, and says something.
    fn is(&self, stated: f64) -> bool {
        let says = self.high - self.low <= 2.0 * WIDE;
        says && self.low - NEAR <= stated && stated <= self.high + NEAR
    }

    fn text(&self) -> String {
        format!("{:.2} [{:.2}, {:.2}]", self.value, self.low, self.high)
    }
}

/// A row and what was measured of it.
#[derive(Clone, Debug)]
pub struct Grown<'a> {
    /// The row.
    pub row: &'a GrowthRow,
    /// Its points.
    pub points: [Point; SIZES],
    /// Exponent of time.
    pub time: Exponent,
    /// Exponent of memory, where memory is to grow.
    pub memory: Option<Exponent>,
}

impl Grown<'_> {
    /// Whether time and memory grow as stated.
    pub fn as_stated(&self) -> bool {
        self.time.is(self.row.time) && self.memory_is()
    }

    fn memory_is(&self) -> bool {
        match (self.row.memory, &self.memory) {
            (None, _) => true,
            (Some(stated), Some(exponent)) => exponent.is(stated),
            (Some(_), None) => self.more_bytes() <= STILL,
        }
    }

    /// Bytes of the largest size beyond those of the least.
    fn more_bytes(&self) -> f64 {
        self.points[SIZES - 1].bytes - self.points[0].bytes
    }

    fn memory_text(&self) -> [String; 2] {
        let stated = self.row.memory.map_or("-".to_string(), |stated| format!("{stated}"));
        let measured = match (self.row.memory, &self.memory) {
            (None, _) => "-".to_string(),
            (Some(_), Some(exponent)) => exponent.text(),
            (Some(_), None) => format!("{:+.1} MiB", self.more_bytes() / STILL),
        };
        [stated, measured]
    }

    fn verdict(&self) -> String {
        let sure = |exponent: &Exponent| exponent.high - exponent.low <= 2.0 * WIDE;
        if self.as_stated() {
            return "as stated".into();
        }
        let undecided = !sure(&self.time) || self.memory.as_ref().is_some_and(|exponent| !sure(exponent));
        if undecided { "UNDECIDED" } else { "NOT AS STATED" }.into()
    }

    fn cells(&self) -> Vec<String> {
        let [stated, memory] = self.memory_text();
        let ([least, .., most], [.., largest]) = (self.row.sizes(), self.points);
        vec![
            format!("{}; {}", self.row.what, self.row.axis),
            format!("{least} to {most}"),
            format!("{}", self.row.time),
            self.time.text(),
            self.time.local.clone(),
            stated,
            memory,
            seconds(largest.seconds),
            format!("{:.1}", largest.bytes / STILL),
            self.verdict(),
        ]
    }
}

/// Seconds, short.
fn seconds(value: f64) -> String {
    if value >= 0.1 { format!("{value:.2} s") } else { format!("{:.3} ms", 1e3 * value) }
}

const HEADER: [&str; 10] = [
    "computation; size",
    "sizes",
    "time stated",
    "time measured",
    "between sizes",
    "memory stated",
    "memory measured",
    "time of the largest",
    "MiB of the largest",
    "",
];

/// For the terminal.
pub fn text(grown: &[Grown<'_>]) -> String {
    let rows: Vec<Vec<String>> = grown.iter().map(Grown::cells).collect();
    table(&HEADER, &rows, &[2, 5, 7, 8])
}

/// One line for each point.
pub fn csv(grown: &[Grown<'_>]) -> String {
    let mut lines = vec!["room,row,size,seconds,bytes".to_string()];
    for Grown { row, points, .. } in grown {
        for (size, point) in row.sizes().iter().zip(points) {
            lines.push(format!("{},{},{size},{:.4e},{:.0}", row.room, row.name, point.seconds, point.bytes));
        }
    }
    lines.join("\n") + "\n"
}

/// A table for each room, the costs as they are stated, and the wide layers.
pub fn markdown(grown: &[Grown<'_>], wide: &[WideLayer]) -> String {
    let mut out = String::from(
        "# How time and memory grow\n\n\
         Written by `cargo workbench bench growth`: each computation at nine sizes, from one to sixteen, or to less where more would \
         cross from one cache into the next; a process for each point, on one thread; seconds on a processor, counted in a loop of \
         fixed length that runs beside each and told at its best pace, the median of several rounds, of more where points lie off their \
         line by more than 4 %; and the most memory beyond what the process began with, inputs and results among it. An exponent is the slope of a least-squares line through the logarithms, with its 99.9 % Student interval; it is as stated if the \
         interval comes within 0.03 of what the documentation of the function states. Memory that is said not to grow may grow by 1 MiB; \
         where several parts share it none is stated. `between sizes` has the slopes from one size to the next.\n\n\
         ![How time grows](growth.svg)\n",
    );
    let mut room = "";
    for each in grown {
        if each.row.room != room {
            room = each.row.room;
            out.push_str(&format!("\n## {room}\n\n{}\n{}\n", line(&HEADER), line(&["---"; HEADER.len()])));
        }
        let cells = each.cells();
        out.push_str(&(line(&cells.iter().map(String::as_str).collect::<Vec<_>>()) + "\n"));
    }
    out.push_str("\n## Costs as they are stated\n\n| computation; size | stands at | cost |\n| --- | --- | --- |\n");
    for Grown { row, .. } in grown {
        let cost = row.cost.replace('`', "");
        out.push_str(&format!("| {}; {} | `{}`, `{}` | `{cost}` |\n", row.what, row.axis, row.file, row.item));
    }
    out.push_str(
        "\n## Wide layers\n\nA step of the light learned rule reads and writes the state of every coordinate. Beside it, in turn, a copy of \
         as many bytes, on the same threads.\n\n",
    );
    out.push_str(&format!("{}\n{}\n", line(&WIDE_HEADER), line(&["---"; WIDE_HEADER.len()])));
    for layer in wide {
        out.push_str(&(line(&wide_cells(layer).iter().map(String::as_str).collect::<Vec<_>>()) + "\n"));
    }
    out
}

fn line(cells: &[&str]) -> String {
    format!("| {} |", cells.iter().map(|cell| cell.replace('|', "\\|")).collect::<Vec<_>>().join(" | "))
}

const WIDE_HEADER: [&str; 7] = ["coordinates", "to move", "step", "copy", "of the copy's speed", "memory", "limits"];

fn wide_cells(layer: &WideLayer) -> Vec<String> {
    vec![
        layer.coordinates.to_string(),
        format!("{:.2} GB", 1e-9 * layer.moved),
        seconds(layer.step),
        seconds(layer.copy),
        format!("{:.0} %", 100.0 * layer.share()),
        format!("{:.2} GiB", layer.bytes / GIB),
        format!(
            "at least {:.0} %, at most {:.0} GiB: {}",
            100.0 * LEAST_SHARE,
            MOST_BYTES / GIB,
            if layer.met() { "met" } else { "MISSED" }
        ),
    ]
}

/// The wide layers for the terminal.
pub fn text_of_wide(wide: &[WideLayer]) -> String {
    table(&WIDE_HEADER, &wide.iter().map(wide_cells).collect::<Vec<_>>(), &[0, 1, 2, 3, 4, 5])
}

#[cfg(test)]
mod tests {
    use super::super::rows;
    use super::*;

    fn exponent(value: f64, half: f64) -> Exponent {
        Exponent { value, low: value - half, high: value + half, local: "1.00 1.00".into() }
    }

    #[test]
    fn the_interval_decides() {
        assert!(exponent(1.05, 0.03).is(1.0), "within 0.03 of its end");
        assert!(exponent(1.2, 0.25).is(1.0));
        assert!(!exponent(1.2, 0.1).is(1.0));
        assert!(!exponent(0.9, 0.02).is(1.0));
        assert!(!exponent(1.0, 0.6).is(1.0), "says nothing");
    }

    #[test]
    fn rows_say_what_was_stated_and_measured() {
        let rows = rows::all();
        let row = rows.iter().find(|row| row.name == "recall-runs").unwrap();
        let point = |seconds, bytes| Point { seconds, bytes };
        let mut points = [point(1.0, 2e6); SIZES];
        points[SIZES - 1] = point(16.0, 2.5e6);
        let grown = Grown { row, points, time: exponent(1.0, 0.01), memory: None };
        assert!(grown.as_stated(), "half a megabyte more is not more");
        let mut leaks = grown.clone();
        leaks.points[SIZES - 1].bytes = 9e6;
        assert_eq!((leaks.as_stated(), leaks.verdict()), (false, "NOT AS STATED".to_string()));
        let noisy = Grown { time: exponent(1.0, 0.7), ..grown.clone() };
        assert_eq!(noisy.verdict(), "UNDECIDED");
        let wide = WideLayer { coordinates: 10, step: 0.1, copy: 0.07, moved: 1e9, bytes: 7e9 };
        let page = markdown(std::slice::from_ref(&grown), &[wide]);
        assert!(
            page.contains(
                "| which inputs are recalled; draws | 16 to 256 | 1 | 1.00 [0.99, 1.01] | 1.00 1.00 | 0 | +0.5 MiB |"
            ),
            "{page}"
        );
        assert!(page.contains("| 70 % | 6.52 GiB | at least 60 %, at most 8 GiB: met |"), "{page}");
        assert_eq!(csv(&[grown]).lines().nth(1).unwrap(), "memory,recall-runs,16,1.0000e0,2000000");
    }
}
