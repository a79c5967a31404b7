"""What keeps words that somebody wrote from becoming script in a page, a formula or a document of LaTeX. Exported pages and the site
are both cleaned here, and only here; what a page may hold is listed, and the rest is shown as the text that it is. Written by
`cargo workbench`; changes here are overwritten."""

import functools
import html
import json
import re

from bleach.css_sanitizer import ALLOWED_CSS_PROPERTIES, CSSSanitizer
from bleach.html5lib_shim import Filter
from bleach.sanitizer import Cleaner

# Elements that show something and do nothing.
TAGS = set(
    "a abbr article aside b bdi bdo blockquote br caption center cite code col colgroup dd del details dfn div dl dt em figcaption "
    "figure font footer h1 h2 h3 h4 h5 h6 header hr i img input ins kbd li mark ol p pre q s samp section small span strike strong "
    "sub summary sup table tbody td tfoot th thead tr tt u ul var wbr".split()
)
# Of the drawings that pages of claims have among their words.
DRAWING = set("svg g path rect circle text title".split())
EVERYWHERE = set(
    "class id title lang dir role tabindex style align data-mime-type data-type "
    "aria-label aria-labelledby aria-hidden aria-level aria-describedby aria-current".split()
)
ATTRIBUTES = {
    "a": {"href", "rel"},
    "img": {"src", "alt", "width", "height", "loading"},
    "font": {"color", "face", "size"},
    "input": {"type", "checked", "disabled"},
    "ol": {"start", "type", "reversed"},
    "li": {"value"},
    "details": {"open"},
    "col": {"span", "width"},
    "colgroup": {"span", "width"},
    "table": {"border"},
    "td": {"colspan", "rowspan", "headers", "scope", "valign"},
    "th": {"colspan", "rowspan", "headers", "scope", "valign"},
    "svg": {"viewBox", "width", "height"},
    "path": {"d"},
    "rect": {"x", "y", "width", "height", "rx"},
    "circle": {"cx", "cy", "r"},
    "text": {"x", "y", "text-anchor"},
}
LINKS = {"http", "https", "mailto"}
PICTURES = re.compile(r"(https?:|data:image/(png|jpeg|gif|webp|svg\+xml)[;,])")
PROPERTIES = ALLOWED_CSS_PROPERTIES | set(
    "background border border-left border-radius font-variant-numeric margin max-height max-width min-width opacity padding".split()
)

# What MathJax is told of TeX: signs and their arrangement. Links, styles, scripts and packages to load are left out, and the one
# command that gives any attribute gives none.
TEX = {
    "packages": "base ams amscd boldsymbol braket bussproofs cancel cases centernot color empheq extpfeil gensymb mathtools mhchem "
    "newcommand noerrors noundefined tagformat textcomp textmacros unicode upgreek verb configmacros".split(),
    "macros": {"mmlToken": [r"\workbenchtoken", 1], "workbenchtoken": [r"\mathrm{#2}", 2, ""], "bmod": r"\;\mathrm{mod}\;"},
}


def leads(value):
    """The scheme of an address as browsers read it; nothing of one without."""
    seen = re.sub(r"[^\x21-\x7e]", "", html.unescape(value)).lower()
    scheme = re.match(r"([a-z][a-z0-9+.-]*):", seen)
    return scheme and scheme[1], seen


def allowed(tag, name, value):
    if name == "href":
        scheme, _ = leads(value)
        return tag == "a" and (scheme is None or scheme in LINKS)
    if name == "src":
        scheme, seen = leads(value)
        return tag == "img" and (scheme is None or PICTURES.match(seen) is not None)
    if tag == "input" and name == "type":
        return value == "checkbox"
    return name in EVERYWHERE or name in ATTRIBUTES.get(tag, ())


def is_elsewhere(value):
    """Whether a browser would ask another machine for an address, which so learns who reads the page."""
    _, seen = leads(value)
    return re.match(r"https?:|[\\/]{2}", seen) is not None


class Elsewhere(Filter):
    """Pictures of other machines as links: a page loads nothing from them until its reader asks."""

    def __iter__(self):
        links = 0
        for token in super().__iter__():
            if token.get("name") == "a":
                links += {"StartTag": 1, "EndTag": -1}.get(token["type"], 0)
            is_picture = token.get("name") == "img" and token["type"] in ("EmptyTag", "StartTag")
            data = token["data"] if is_picture else {}
            source = data.get((None, "src"), "")
            if not is_elsewhere(source):
                yield token
                continue
            words = data.get((None, "alt")) or "a picture"
            said = {"type": "Characters", "data": html.unescape(f"{words} ({source.strip()})")}
            link = {"name": "a", "namespace": token.get("namespace")}
            begin, end = {"type": "StartTag", "data": {(None, "href"): source}} | link, {"type": "EndTag", "data": {}} | link
            yield from [said] if links else [begin, said, end]


class Styles(CSSSanitizer):
    @functools.lru_cache(maxsize=1000)
    def sanitize_css(self, style):
        """Sizes, colours and sides; nothing that is loaded."""
        kept = super().sanitize_css(style)
        return "" if re.search(r"\\|\(\s*['\"]?\s*[a-z]*:|url|image|@", kept, re.I) else kept


def cleaner(tags):
    return Cleaner(tags=tags, attributes=allowed, protocols=LINKS | {"data"}, css_sanitizer=Styles(PROPERTIES), strip_comments=True, filters=[Elsewhere])


@functools.cache
def cleaners():
    return cleaner(TAGS), cleaner(TAGS | DRAWING)


# A tag as our own programs write it.
TAG = re.compile(r'<(/?)([a-z][a-z0-9]*)((?:\s+[a-zA-Z][a-zA-Z-]*(?:="[^"<]*")?)*)\s*(/?)>')
ATTRIBUTE = re.compile(r'([a-zA-Z][a-zA-Z-]*)(?:="([^"<]*)")?')
PLAIN_STYLE = re.compile(r"\s*([a-z-]+)\s*:[\w\s#%.,()-]*")
VOID = set("br col hr img input wbr".split())


@functools.lru_cache(maxsize=10_000)
def is_harmless(tag, attributes, drawings):
    """Whether a tag with its attributes may stay as it is."""
    if tag not in TAGS and not (drawings and tag in DRAWING):
        return False
    for name, value in ATTRIBUTE.findall(attributes):
        parts = [part for part in value.split(";") if part.strip()] if name == "style" else []
        found = [PLAIN_STYLE.fullmatch(part) for part in parts]
        if not allowed(tag, name, value) or (name == "src" and is_elsewhere(value)) or re.search(r"url|image", "".join(parts), re.I):
            return False
        if any(part is None or part[1] not in PROPERTIES for part in found):
            return False
    return True


def is_clean(page, drawings):
    """Whether a page is words and harmless tags, closed in turn. Most are, and to see it takes a twentieth of the time of cleaning."""
    opened, at = [], 0
    for tag in TAG.finditer(page):
        closing, name, attributes, closed = tag.groups()
        # What begins a tag of any other form is not passed over.
        if page.find("<", at) != tag.start():
            return False
        at = tag.end()
        if closing:
            if attributes or closed or not opened or opened.pop() != name:
                return False
        elif not is_harmless(name, attributes, drawings) or (closed and name not in VOID | DRAWING):
            return False
        elif not closed and name not in VOID:
            opened.append(name)
    return not opened and page.find("<", at) < 0


def clean(page, drawings=False):
    """A part of a page with nothing live in it. With `drawings` it may hold those of our own pages."""
    return page if is_clean(page, drawings) else cleaners()[drawings].clean(page)


def tex(_):
    """The settings of MathJax, for a script in a page."""
    return json.dumps(TEX).replace("<", "\\u003c")


# Commands that set something on paper. Others of a formula may read files, write them or run programs.
COMMANDS = set(
    "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi varpi rho varrho sigma varsigma "
    "tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega aleph ell hbar imath jmath Re Im "
    "partial nabla infty emptyset varnothing forall exists nexists neg top bot angle prime pm mp times div cdot ast star circ bullet "
    "oplus ominus otimes oslash odot dagger ddagger cap cup setminus wedge vee land lor wr amalg square blacksquare triangle checkmark "
    "surd le leq ge geq ll gg ne neq equiv sim simeq approx asymp propto prec succ preceq succeq subset supset subseteq supseteq "
    "subsetneq in ni mid nmid parallel perp vdash lesssim gtrsim leqslant geqslant lessgtr triangleq to gets leftarrow rightarrow "
    "leftrightarrow Leftarrow Rightarrow Leftrightarrow longleftarrow mapsto uparrow downarrow updownarrow hookrightarrow nearrow "
    "searrow vert Vert lbrace rbrace lbrack rbrack backslash cong doteq models notin longrightarrow Longleftarrow Longrightarrow "
    "Longleftrightarrow longleftrightarrow longmapsto implies impliedby iff sum prod coprod int iint iiint oint bigcap bigcup "
    "bigoplus bigotimes bigwedge bigvee arccos arcsin arctan arg cos cosh cot coth csc deg det dim exp gcd hom inf ker lg lim liminf "
    "limsup ln log max min Pr sec sin sinh sup tan tanh bmod pmod mod langle rangle lceil rceil lfloor rfloor lvert rvert lVert rVert "
    "dots ldots cdots vdots ddots dotsb dotsc quad qquad thinspace enspace displaystyle textstyle scriptstyle scriptscriptstyle colon "
    "mathbf mathrm mathit mathsf mathtt mathbb mathcal mathfrak mathscr text textbf textit textrm texttt operatorname boldsymbol bm "
    "hat widehat bar overline underline tilde widetilde vec dot ddot acute grave check breve mathring overrightarrow overbrace "
    "underbrace sqrt mathop mathbin mathrel mathord mathopen mathclose mathpunct phantom boxed not frac dfrac tfrac cfrac binom dbinom "
    "tbinom overset underset stackrel substack big Big bigg Bigg bigl Bigl biggl Biggl bigr Bigr biggr Biggr bigm Bigm left right "
    "middle limits nolimits tag notag nonumber label eqref hline lt gt begin end".split()
)
ENVIRONMENTS = set(
    "matrix pmatrix bmatrix Bmatrix vmatrix Vmatrix smallmatrix cases array aligned alignedat gathered split align align* equation "
    "equation* gather gather* multline multline*".split()
)


def sets_only(formula):
    """Whether a formula sets something and does nothing else when an engine of TeX reads it."""
    if "^^" in formula:
        return False
    for sign in re.finditer(r"\\([A-Za-z@]+|.)|%", formula, re.S):
        name = sign[1]
        if name in ("begin", "end"):
            environment = re.compile(r"\{([a-zA-Z]+\*?)\}").match(formula, sign.end())
            if environment is None or environment[1] not in ENVIRONMENTS:
                return False
        elif name is None or (name[0].isalpha() and name not in COMMANDS) or name[0] == "@":
            return False
    return True


def on_paper(words):
    """A text as pandoc's JSON with formulas that only set something; TeX of other kinds, files and links that run something are words."""

    def code(text):
        return {"t": "Code", "c": [["", [], []], text]}

    def lines(text):
        parts = [part for line in text.splitlines() for part in (code(line), {"t": "LineBreak"})]
        return {"t": "Para", "c": parts[:-1]}

    def value(node):
        if isinstance(node, list):
            return [part for one in node for part in item(one)]
        return {key: value(one) for key, one in node.items()} if isinstance(node, dict) else node

    def item(node):
        kind = node.get("t") if isinstance(node, dict) else None
        inside = node.get("c") if kind else None
        if kind == "Math" and not sets_only(inside[1]):
            return [code(inside[1])]
        if kind == "RawInline" and inside[0] in ("tex", "latex") and not sets_only(inside[1]):
            return [code(inside[1])]
        if kind == "RawBlock" and inside[0] in ("tex", "latex") and not sets_only(inside[1]):
            return [lines(inside[1])]
        # The environment that pandoc puts around code ends where the code says so.
        if kind == "CodeBlock" and "\\end" in inside[1]:
            return [lines(inside[1])]
        if kind in ("Link", "Image"):
            scheme, seen = leads(inside[2][0])
            outside = scheme is not None and scheme not in LINKS
            if outside or (kind == "Image" and (scheme or seen.startswith("/") or ".." in seen)):
                return value(inside[1])
        return [value(node)]

    return json.dumps(value(json.loads(words)))
