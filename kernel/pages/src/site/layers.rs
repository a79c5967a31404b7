//! Layout of a graph without circles in columns: every line goes from left to right, and few of them cross.

/// Where nodes and lines lie.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// The middle of each node.
    pub nodes: Vec<(f64, f64)>,
    /// For each edge, in order, the points that its line passes, from node to node.
    pub lines: Vec<Vec<(f64, f64)>>,
    /// Width of everything.
    pub width: f64,
    /// Height of everything.
    pub height: f64,
}

/// Sizes that the layout keeps to.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Distance of two columns.
    pub column: f64,
    /// Width of a node.
    pub node: f64,
    /// Distance of two nodes of a column.
    pub row: f64,
    /// Distance between a line that passes a column and its neighbours.
    pub pass: f64,
}

/// How often the order in the columns is mended.
const SWEEPS: usize = 12;

/// Lays out `count` nodes with edges `(from, to)`, where `from` comes to stand left of `to`. The edges make no circle.
pub fn lay_out(count: usize, edges: &[(usize, usize)], sizes: Sizes) -> Layout {
    let column = columns(count, edges);
    let mut graph = Graph::new(count, edges, &column);
    for sweep in 0..SWEEPS {
        graph.mend_order(sweep % 2 == 0);
    }
    let y = graph.heights(sizes);
    let x = |node: usize| graph.column[node] as f64 * sizes.column + sizes.node / 2.0;
    let columns = graph.columns.len().max(1);
    let top = y.iter().copied().fold(f64::INFINITY, f64::min);
    let bottom = y.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let place = |node: usize| (x(node), y[node] - top + sizes.row / 2.0);
    Layout {
        nodes: (0..count).map(place).collect(),
        lines: graph.chains.iter().map(|chain| chain.iter().map(|node| place(*node)).collect()).collect(),
        width: (columns - 1) as f64 * sizes.column + sizes.node,
        height: if count == 0 { 0.0 } else { bottom - top + sizes.row },
    }
}

/// The column of each node: one right of the rightmost that it hangs on, then as far right as what hangs on it allows, so that lines
/// are short.
fn columns(count: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let mut column = vec![0; count];
    // As many rounds as the longest way has steps settle it.
    for _ in 0..count {
        let before = column.clone();
        for (from, to) in edges {
            column[*to] = column[*to].max(column[*from] + 1);
        }
        if column == before {
            break;
        }
    }
    for _ in 0..count {
        let before = column.clone();
        for node in 0..count {
            let nearest = edges.iter().filter(|(from, _)| *from == node).map(|(_, to)| column[*to]);
            if let Some(nearest) = nearest.min() {
                column[node] = nearest - 1;
            }
        }
        if column == before {
            break;
        }
    }
    let first = column.iter().copied().min().unwrap_or(0);
    column.iter().map(|c| c - first).collect()
}

/// The nodes, and a place for each column that a long line passes.
struct Graph {
    count: usize,
    column: Vec<usize>,
    columns: Vec<Vec<usize>>,
    left: Vec<Vec<usize>>,
    right: Vec<Vec<usize>>,
    chains: Vec<Vec<usize>>,
}

impl Graph {
    fn new(count: usize, edges: &[(usize, usize)], column: &[usize]) -> Graph {
        let mut all = column.to_vec();
        let mut chains = Vec::new();
        for (from, to) in edges {
            let mut chain = vec![*from];
            for passed in column[*from] + 1..column[*to] {
                chain.push(all.len());
                all.push(passed);
            }
            chain.push(*to);
            chains.push(chain);
        }
        let mut columns = vec![Vec::new(); all.iter().max().map_or(0, |last| last + 1)];
        for (node, column) in all.iter().enumerate() {
            columns[*column].push(node);
        }
        let (mut left, mut right) = (vec![Vec::new(); all.len()], vec![Vec::new(); all.len()]);
        for pair in chains.iter().flat_map(|chain| chain.windows(2)) {
            right[pair[0]].push(pair[1]);
            left[pair[1]].push(pair[0]);
        }
        Graph { count, column: all, columns, left, right, chains }
    }

    /// Sorts each column by where the neighbours in the column before it stand.
    fn mend_order(&mut self, rightward: bool) {
        let mut order = vec![0.0; self.column.len()];
        for column in &self.columns {
            for (place, node) in column.iter().enumerate() {
                order[*node] = place as f64;
            }
        }
        let last = self.columns.len();
        for step in 0..last {
            let at = if rightward { step } else { last - 1 - step };
            let beside = if rightward { &self.left } else { &self.right };
            let mean = |node: usize| match beside[node].len() {
                0 => order[node],
                n => beside[node].iter().map(|other| order[*other]).sum::<f64>() / n as f64,
            };
            let mut keyed: Vec<(f64, usize)> = self.columns[at].iter().map(|node| (mean(*node), *node)).collect();
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
            for (place, (_, node)) in keyed.iter().enumerate() {
                order[*node] = place as f64;
            }
            self.columns[at] = keyed.into_iter().map(|(_, node)| node).collect();
        }
    }

    /// Heights that keep the order and bring nodes near their neighbours.
    fn heights(&self, sizes: Sizes) -> Vec<f64> {
        let gap = |a: usize, b: usize| match (a < self.count, b < self.count) {
            (true, true) => sizes.row,
            (false, false) => sizes.pass,
            _ => 0.5 * (sizes.row + sizes.pass),
        };
        let mut y = vec![0.0; self.column.len()];
        for column in &self.columns {
            let mut down = 0.0;
            for pair in column.windows(2) {
                down += gap(pair[0], pair[1]);
                y[pair[1]] = down;
            }
            column.iter().for_each(|node| y[*node] -= down / 2.0);
        }
        for round in 0..SWEEPS {
            for step in 0..self.columns.len() {
                let at = if round % 2 == 0 { step } else { self.columns.len() - 1 - step };
                let column = &self.columns[at];
                let wanted: Vec<f64> = column
                    .iter()
                    .map(|node| {
                        let beside = self.left[*node].iter().chain(&self.right[*node]);
                        let n = self.left[*node].len() + self.right[*node].len();
                        match n {
                            0 => y[*node],
                            n => beside.map(|other| y[*other]).sum::<f64>() / n as f64,
                        }
                    })
                    .collect();
                for (node, height) in column.iter().zip(apart(column, &wanted, gap)) {
                    y[*node] = height;
                }
            }
        }
        y
    }
}

/// The heights nearest to those wanted that keep the nodes in order and apart: neighbours that push each other move as one block.
fn apart(column: &[usize], wanted: &[f64], gap: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    let mut offset = vec![0.0; column.len()];
    for at in 1..column.len() {
        offset[at] = offset[at - 1] + gap(column[at - 1], column[at]);
    }
    // Without the gaps it is a matter of heights that never fall.
    let mut blocks: Vec<(f64, usize)> = Vec::new();
    for (height, offset) in wanted.iter().zip(&offset) {
        blocks.push((height - offset, 1));
        while let [.., (before, n), (after, m)] = blocks[..] {
            if before <= after {
                break;
            }
            blocks.truncate(blocks.len() - 2);
            blocks.push(((before * n as f64 + after * m as f64) / (n + m) as f64, n + m));
        }
    }
    let settled = blocks.iter().flat_map(|(height, n)| std::iter::repeat_n(*height, *n));
    settled.zip(&offset).map(|(height, offset)| height + offset).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: Sizes = Sizes { column: 200.0, node: 150.0, row: 50.0, pass: 16.0 };

    fn crossings(layout: &Layout) -> usize {
        let segments: Vec<_> = layout.lines.iter().flat_map(|line| line.windows(2)).collect();
        let mut found = 0;
        for (at, a) in segments.iter().enumerate() {
            for b in &segments[at + 1..] {
                let same = a[0].0 == b[0].0;
                found += usize::from(same && (a[0].1 - b[0].1) * (a[1].1 - b[1].1) < 0.0);
            }
        }
        found
    }

    #[test]
    fn lines_go_right_and_nodes_keep_apart() {
        let edges = [(0, 1), (0, 2), (1, 3), (2, 3), (0, 3), (4, 3)];
        let layout = lay_out(5, &edges, SIZES);
        for ((from, to), line) in edges.iter().zip(&layout.lines) {
            assert_eq!((line[0], *line.last().unwrap()), (layout.nodes[*from], layout.nodes[*to]));
            assert!(line.windows(2).all(|pair| pair[0].0 < pair[1].0), "{line:?}");
        }
        for a in 0..5 {
            for b in 0..a {
                let ((ax, ay), (bx, by)) = (layout.nodes[a], layout.nodes[b]);
                assert!(ax != bx || (ay - by).abs() >= 49.9, "{a} and {b}");
            }
        }
        assert_eq!(layout.nodes[4].0, layout.nodes[1].0, "as far right as it can");
        assert_eq!(layout.lines[4].len(), 3, "a long line passes a column");
        assert_eq!(layout.width, 550.0);
        assert!(layout.nodes.iter().all(|(_, y)| *y >= 25.0 && *y <= layout.height - 24.9));
    }

    #[test]
    fn what_need_not_cross_does_not() {
        let edges = [(0, 4), (1, 3), (2, 5), (3, 6), (4, 7), (5, 8)];
        assert_eq!(crossings(&lay_out(9, &edges, SIZES)), 0);
    }

    #[test]
    fn nothing_and_one_node_are_fine() {
        assert_eq!(lay_out(0, &[], SIZES).height, 0.0);
        let one = lay_out(1, &[], SIZES);
        assert_eq!((one.nodes[0], one.width, one.height), ((75.0, 25.0), 150.0, 50.0));
    }
}
