//! The commands that may stand in a formula: what LaTeX with amsmath and amssymb knows, by the arguments they take.

/// Commands that LaTeX with amsmath and amssymb knows and that are one sign, as a letter is.
pub(super) const LETTERS: &str = "\
alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi varpi rho varrho sigma \
varsigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega \
aleph ell hbar imath jmath Re Im partial nabla infty emptyset varnothing forall exists nexists neg top bot angle prime \
pm mp times div cdot ast star circ bullet oplus ominus otimes oslash odot dagger ddagger cap cup setminus wedge vee land \
lor wr amalg square blacksquare triangle checkmark surd \
le leq ge geq ll gg ne neq equiv sim simeq approx asymp propto prec succ preceq succeq subset supset subseteq supseteq \
subsetneq in ni mid nmid parallel perp vdash lesssim gtrsim leqslant geqslant lessgtr triangleq \
to gets leftarrow rightarrow leftrightarrow Leftarrow Rightarrow Leftrightarrow longleftarrow mapsto uparrow downarrow \
updownarrow hookrightarrow nearrow searrow vert Vert lbrace rbrace lbrack rbrack backslash";

/// Further commands without an argument, which need braces around them in an exponent or an index.
pub(super) const OPERATORS: &str = "\
cong doteq models notin longrightarrow Longleftarrow Longrightarrow Longleftrightarrow longleftrightarrow longmapsto \
implies impliedby iff sum prod coprod int iint iiint oint bigcap bigcup bigoplus bigotimes bigwedge bigvee \
arccos arcsin arctan arg cos cosh cot coth csc deg det dim exp gcd hom inf ker lg lim liminf limsup ln log max min Pr sec \
sin sinh sup tan tanh bmod langle rangle lceil rceil lfloor rfloor lvert rvert lVert rVert \
dots ldots cdots vdots ddots dotsb dotsc quad qquad thinspace displaystyle textstyle scriptstyle colon";

/// Commands with one argument that may stand in an exponent or an index as they are.
pub(super) const FONTS: &str = "mathbf mathrm mathit mathsf mathtt mathbb mathcal mathfrak";

/// Commands with words in braces.
pub(super) const WORDS: &str = "text textbf textit textrm operatorname";

/// Further commands with one argument.
pub(super) const ONE: &str = "\
boldsymbol hat widehat bar overline underline tilde widetilde vec dot ddot acute grave check breve mathring overrightarrow \
overbrace underbrace sqrt mathop mathbin mathrel mathord pmod phantom boxed not";

/// Commands with two arguments.
pub(super) const TWO: &str = "frac dfrac tfrac binom dbinom tbinom overset underset stackrel";

/// Commands that take a delimiter, as `\left` does.
pub(super) const SIZES: &str = "big Big bigg Bigg bigl Bigl biggl Biggl bigr Bigr biggr Biggr bigm Bigm";

/// Environments that stand inside a formula.
pub(super) const ENVIRONMENTS: &str =
    "matrix pmatrix bmatrix Bmatrix vmatrix Vmatrix smallmatrix cases aligned gathered split";

/// What `\left` and `\right` take as a command.
pub(super) const DELIMITERS: &str = "\
langle rangle lceil rceil lfloor rfloor vert Vert lvert rvert lVert rVert lbrace rbrace lbrack rbrack uparrow downarrow \
backslash | { }";

/// Commands of one sign that take no argument.
pub(super) const SHORT: &str = ", ; : ! > { } | % # & _ $";

/// Whether a name stands in one of these lists.
pub(super) fn among(list: &str, name: &str) -> bool {
    list.split(' ').any(|word| word == name)
}
