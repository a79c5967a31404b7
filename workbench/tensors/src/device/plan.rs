//! Plan of a pass, counted before it runs: sizes, memory, launches.

use crate::architecture::{AttentionKind, FullArchitecture, HadamardWeight, TokenRegisters};
use workbench_ground::Error;
use workbench_memformer::Precision;

/// Matrices up to this width are read as one product with a `(w^2, w^2)` matrix for all heads, larger ones head by head.
const WIDEST: usize = 16;
/// Tiles of results that keep a device busy, about, and their rows and columns in its library. Gradients are added up by groups of prompts,
/// a product each, and the groups' sums in a second product: one product over all prompts has few tiles and many terms.
const TILES: usize = 2048;
const TILE: usize = 32;
/// Terms that are worth a product.
const TERMS: usize = 128;
/// Sums of products of adjoints and registers that are made at the same time, about.
const LANES: usize = 8192;
/// The part of the free memory that is used: the library's workspace and what other programs take meanwhile have room in the rest.
const USED: f64 = 0.85;

/// How a weight lies over a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cover {
    /// No registers.
    None,
    /// One number.
    Number,
    /// One number for each entry of a token.
    Rows,
    /// One number for each entry of each token.
    Entries,
}

/// The sizes of a pass over some prompts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sizes {
    /// Prompts, filled up to whole groups.
    pub(crate) prompts: usize,
    pub(super) groups: usize,
    /// Tokens of a prompt, the query with them, and those that are keys.
    pub(super) tokens: usize,
    /// d + 1.
    pub(super) width: usize,
    pub(super) depth: usize,
    pub(super) heads: usize,
    pub(super) cover: Cover,
    pub(super) attention: AttentionKind,
    pub(super) precision: Precision,
}

impl Sizes {
    /// For `prompts` prompts of n examples: with scores or weights of single tokens all of them go through the layers, and else d + 1 with
    /// the same moments (`prompts`).
    pub(crate) fn new(architecture: &FullArchitecture, examples: usize, prompts: usize, precision: Precision) -> Sizes {
        let attention = architecture.attention();
        let cover = match architecture.registers() {
            TokenRegisters::None => Cover::None,
            TokenRegisters::Single => Cover::Number,
            TokenRegisters::Separate { weight, .. } => match weight {
                HadamardWeight::Scalar => Cover::Number,
                HadamardWeight::Rows => Cover::Rows,
                HadamardWeight::Full { .. } => Cover::Entries,
            },
        };
        let width = architecture.dim() + 1;
        let keys = if tells_tokens_apart(architecture) { examples } else { examples.min(width) };
        let mut sizes = Sizes {
            prompts,
            groups: 1,
            tokens: keys + 1,
            width,
            depth: architecture.depth(),
            heads: architecture.heads(),
            cover,
            attention,
            precision,
        };
        let (terms, tiles) = sizes.summed();
        let most = TILES.div_ceil(sizes.depth * tiles);
        let groups = most.min(prompts * terms / TERMS).clamp(1, prompts.max(1));
        let each = prompts.div_ceil(groups);
        sizes.groups = prompts.div_ceil(each.max(1));
        sizes.prompts = sizes.groups * each;
        sizes
    }

    /// What a layer's gradient is added up from: terms of a prompt, and tiles of the result.
    fn summed(&self) -> (usize, usize) {
        let (w, heads) = (self.width, self.heads);
        let (terms, rows, columns) = match self.joined() {
            true => (1, w * w, w * w),
            false if self.scored() => (self.tokens, w, 2 * heads * w),
            false => (w, w, heads * w),
        };
        (terms, rows.div_ceil(TILE) * columns.div_ceil(TILE))
    }

    /// Whether tokens are read by their scores, and not by moments.
    pub(super) fn scored(&self) -> bool {
        self.attention == AttentionKind::Softmax
    }

    /// Numbers in the scores of a prompt, of all heads.
    pub(super) fn scores(&self) -> usize {
        self.heads * self.tokens * self.tokens
    }

    /// Whether all heads are one matrix.
    pub(super) fn joined(&self) -> bool {
        self.width <= WIDEST && !self.scored()
    }

    pub(super) fn square(&self) -> usize {
        self.width * self.width
    }

    /// Numbers in a state of one prompt.
    pub(super) fn state(&self) -> usize {
        self.tokens * self.width
    }

    /// Numbers in a weight as it is laid over states.
    pub(super) fn weight(&self) -> usize {
        match self.cover {
            Cover::None | Cover::Number => 1,
            Cover::Rows => self.width,
            Cover::Entries => self.state(),
        }
    }

    /// What rows that share a weight are dealt to: as many sums as keep a device busy.
    pub(super) fn lanes(&self) -> usize {
        match self.cover {
            Cover::None => 1,
            _ => (LANES / self.weight()).clamp(1, self.prompts * self.state() / self.weight()),
        }
    }

    /// Ones that a pass multiplies by: for sums of groups, of lanes, for the identity in each map.
    pub(super) fn ones(&self) -> usize {
        let identities = match self.cover {
            Cover::None if !self.joined() && !self.scored() => self.depth * self.prompts,
            _ => 1,
        };
        self.groups.max(self.lanes()).max(identities)
    }

    /// Numbers that a pass keeps for one prompt, those of its tokens apart.
    fn kept(&self) -> usize {
        let (state, square, depth, heads) = (self.state(), self.square(), self.depth, self.heads);
        if self.scored() {
            // States, registers and adjoints; weights of all layers, their adjoint and scores of one; reads and values.
            let states = match self.cover {
                Cover::None => depth + 3,
                _ => 3 * depth + 3,
            };
            return (states + 2 * depth * heads) * state + (depth + 2) * self.scores();
        }
        // S and M; what is kept between them, and adjoints.
        let maps = 2 * depth * square + depth;
        let between = match self.joined() {
            true => (depth + 1) * square,
            false => (2 * depth * (heads + 1) + heads + 1) * square + depth,
        };
        let registers = match self.cover {
            Cover::None => 3 * state,
            _ => (2 * depth + 2) * state,
        };
        depth * state + maps + between + registers
    }

    /// Numbers that a pass keeps once: parameters, gradients by groups and lanes.
    fn shared(&self) -> usize {
        let matrices = match self.joined() {
            true => self.square() * (self.square() + 1),
            false => (if self.scored() { 2 } else { 3 }) * self.heads * self.square(),
        };
        let pairs = self.depth * self.depth * self.weight();
        self.depth * matrices * (self.groups + 3)
            + pairs * (self.lanes() + 5)
            + self.groups
            + self.lanes()
            + self.square()
    }

    /// Bytes that a pass over these prompts takes, their tokens apart.
    pub(crate) fn bytes(&self) -> usize {
        bytes_of(self.precision) * (self.prompts * self.kept() + self.shared())
    }

    /// Products and kernels of a training step over one chunk, the first step with it apart.
    pub(crate) fn launches(&self) -> usize {
        if self.scored() {
            // Nothing is asked of T_0, and not of T_L as a whole; weights' gradients take two.
            return match self.cover {
                Cover::None => 11 * self.depth + 3,
                _ => 12 * self.depth + 3,
            };
        }
        let layer = if self.joined() { 7 } else { 11 };
        match self.cover {
            Cover::None => layer * self.depth,
            // Weighted sums forward and back. The last layer's is the errors'; the weights' gradient takes two; with heads apart no identity
            // is laid out.
            _ => (layer + 2) * self.depth + usize::from(self.joined()),
        }
    }

    /// Multiplications of one step for one prompt.
    pub(crate) fn work(&self) -> usize {
        let (w, t) = (self.width, self.tokens);
        if self.scored() {
            return self.depth * self.heads * (6 * t * w * w + 6 * t * t * w);
        }
        let maps = match self.joined() {
            true => 3 * w * w * w * w,
            false => 7 * self.heads * w * w * w + 2 * w * w * t,
        };
        self.depth * (maps + 5 * w * w * t)
    }
}

/// Whether the model sees more of a prompt than its moments: scores of single tokens, or weights of theirs.
pub(super) fn tells_tokens_apart(architecture: &FullArchitecture) -> bool {
    let full = matches!(architecture.registers(), TokenRegisters::Separate { weight: HadamardWeight::Full { .. }, .. });
    full || architecture.attention() == AttentionKind::Softmax
}

/// How many prompts go through at a time, so that all fits into `free` bytes; `None` leaves memory out of account.
///
/// **Errors**: not even one prompt fits beside the tokens of all.
pub(super) fn chunk(
    op: &'static str,
    architecture: &FullArchitecture,
    (examples, prompts): (usize, usize),
    precision: Precision,
    free: Option<usize>,
) -> Result<usize, Error> {
    let sizes = |chunk: usize| Sizes::new(architecture, examples, chunk, precision);
    let Some(free) = free else {
        return Ok(prompts);
    };
    let room = (USED * free as f64) as usize;
    let tokens = |prompts: usize| prompts * (sizes(1).state() + 1) * bytes_of(precision);
    let needs = |chunk: usize, prompts: usize| sizes(chunk).bytes() + tokens(prompts);
    if needs(prompts, prompts) <= room {
        return Ok(prompts);
    }
    if needs(1, prompts) <= room {
        let mut parts = 2;
        while needs(prompts.div_ceil(parts), prompts) > room {
            parts += 1 + parts / 8;
        }
        return Ok(prompts.div_ceil(parts));
    }
    let (mut fits, mut not) = (0, prompts);
    while not - fits > 1 {
        let middle = fits.midpoint(not);
        if needs(1, middle) <= room {
            fits = middle;
        } else {
            not = middle;
        }
    }
    let megabytes = |bytes: usize| (bytes as f64 / 1e6).max(0.001);
    let next = match fits {
        0 => {
            "no batch of this model fits: take fewer layers, a smaller d, or the machine's own cores (`Processor::Cpu`)"
                .to_string()
        }
        fits => format!("take B = {fits} or fewer, or the machine's own cores (`Processor::Cpu`)"),
    };
    Err(Error::Refused {
        op,
        problem: format!(
            "B = {prompts} prompts of d = {} and n = {examples} through L = {} layers in {} precision need {:.3} MB at least, one \
             prompt at a time, and {:.3} MB of {:.3} MB free can be used",
            architecture.dim(),
            architecture.depth(),
            match precision {
                Precision::Single => "single",
                Precision::Double => "double",
            },
            megabytes(needs(1, prompts)),
            megabytes(room),
            megabytes(free),
        ),
        next: next.into(),
    })
}

fn bytes_of(precision: Precision) -> usize {
    match precision {
        Precision::Single => 4,
        Precision::Double => 8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(depth: usize, d: usize) -> FullArchitecture {
        FullArchitecture::new(depth, d).unwrap()
    }

    #[test]
    fn groups_are_filled_and_long_prompts_are_short_unless_weights_tell_their_tokens_apart() {
        let sizes = |a: &FullArchitecture, n: usize, b: usize| Sizes::new(a, n, b, Precision::Single);
        let plain = sizes(&model(3, 5), 20, 1300);
        assert_eq!((plain.prompts, plain.groups, plain.tokens), (1300, 10, 7));
        // 4 tiles for each of 3 layers, in 171 groups; terms of one prompt each, and of 21 tokens.
        let many = sizes(&model(3, 5), 20, 100_000);
        assert_eq!((many.prompts, many.groups), (100_035, 171));
        let soft = sizes(&model(3, 5).with_attention(AttentionKind::Softmax), 20, 1000);
        assert_eq!((soft.prompts, soft.groups), (1001, 143));
        assert_eq!(sizes(&model(3, 5), 20, 1).groups, 1);
        assert_eq!(sizes(&model(3, 5), 4, 7).tokens, 5);
        let weight = HadamardWeight::Full { examples: 20 };
        let full = model(3, 5).with_registers(TokenRegisters::Separate { weight, tied: true }).unwrap();
        assert_eq!(sizes(&full, 20, 7).tokens, 21);
    }

    #[test]
    fn launches_are_few_at_every_size() {
        let weight = HadamardWeight::Full { examples: 20 };
        for (depth, most) in [(1, 15), (3, 40), (8, 120)] {
            let soft = model(depth, 64).with_attention(AttentionKind::Softmax);
            for registers in [TokenRegisters::None, TokenRegisters::Separate { weight, tied: false }] {
                let launches = |heads: usize| {
                    let model = soft.with_registers(registers).unwrap().with_heads(heads).unwrap();
                    Sizes::new(&model, 20, 4096, Precision::Single).launches()
                };
                assert!(launches(1) <= most, "{depth} {registers:?}: {}", launches(1));
                assert_eq!(launches(3), launches(1));
            }
            for d in [1, 5, 15, 16, 20, 64, 200] {
                for cover in [TokenRegisters::None, TokenRegisters::Separate { weight, tied: false }] {
                    let model = model(depth, d).with_registers(cover).unwrap().with_heads(4).unwrap();
                    let launches = Sizes::new(&model, 20, 4096, Precision::Single).launches();
                    assert!(launches <= most, "{depth} {d} {cover:?}: {launches}");
                }
            }
        }
    }

    #[test]
    fn chunks_fit_and_what_does_not_is_named() {
        let model = model(8, 64);
        let plan = |free: Option<usize>| chunk("x", &model, (256, 4096), Precision::Single, free);
        assert_eq!(plan(None).unwrap(), 4096);
        assert_eq!(plan(Some(1 << 36)).unwrap(), 4096);
        // A smaller chunk for less memory, and what it takes is what there is.
        let mut before = 4096;
        for free in [3_000_000_000usize, 1_000_000_000, 300_000_000, 120_000_000] {
            let got = plan(Some(free)).unwrap();
            assert!(got < before && got > 0, "{free} {got}");
            let bytes = Sizes::new(&model, 256, got, Precision::Single).bytes();
            assert!(bytes <= free && (before > 1000 || 3 * bytes > free / 2), "{free} {got} {bytes}");
            before = got;
        }
        let error = plan(Some(50_000_000)).unwrap_err().to_string();
        for part in ["B = 4096", "d = 64", "n = 256", "L = 8", "single", "MB", "50.000", "take B = "] {
            assert!(error.contains(part), "{part}: {error}");
        }
        // The size that it names does fit.
        let named: usize = error.split("take B = ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
        assert!(chunk("x", &model, (256, named), Precision::Single, Some(50_000_000)).is_ok());
        let error = plan(Some(1000)).unwrap_err().to_string();
        assert!(error.contains("no batch"), "{error}");
    }
}
