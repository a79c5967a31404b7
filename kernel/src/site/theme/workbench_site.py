"""Pictures and sources of checks as parts of a page that the search does not look into."""

import re
import shutil

from docutils import nodes
from docutils.parsers.rst import Directive


# Marks of what is not coloured: names, signs, blanks. They are most of a highlighted page.
PLAIN = re.compile(r'<span class="(?:n|p|o|w|fm|bp|nn)">([^<]*)</span>')


class ready(nodes.General, nodes.Element):
    """HTML that is put into the page as it stands."""


class Picture(Directive):
    """`picture`: the HTML of a drawing."""

    has_content = True

    def run(self):
        return [ready(text="\n".join(self.content), lexer="")]


class Source(Directive):
    """`source`: Rust, highlighted when the page is written."""

    has_content = True

    def run(self):
        return [ready(text="\n".join(self.content), lexer="rust")]


def write(self, node):
    if node["lexer"]:
        code = self.highlighter.highlight_block(node["text"], node["lexer"])
        self.body.append(f'<div class="highlight-rust notranslate wb-source" role="region" tabindex="0" aria-label="Source">{code}</div>')
    else:
        self.body.append(node["text"])
    raise nodes.SkipNode


def skip(self, node):
    raise nodes.SkipNode


def plain_displays(app, doctree):
    """Displayed equations as JupyterLab sets them: no `split` around lines, in which a tag would not be allowed."""
    for node in doctree.findall(nodes.math_block):
        if not node.get("no-wrap") and not node.get("nowrap"):
            node["no-wrap"] = node["nowrap"] = True
            node.children = [nodes.Text("\\[" + node.astext() + "\\]")]


# What only a printed page shows: its contents once more.
PRINTED = re.compile(r'<div id="jb-print-toc">.*?</nav>\s*</div>', re.S)
# Icons come from a font; the same as a script is ten times as large.
ICONS = re.compile(r'<script[^>]*scripts/fontawesome\.js[^>]*></script>')
# What the theme says to itself, to services that no page asks, and twice.
TOLD = re.compile(
    r'<!--.*?-->|<div id="ethical-ad-placement".*?</div>|<link rel="preload"[^>]*>|<meta name="docsearch[^>]*>'
    r'|<meta name="viewport" content="width=device-width, initial-scale=1"\s*/>',
    re.S,
)
KEPT = re.compile(r"(<pre.*?</pre>|<textarea.*?</textarea>)", re.S)


def lean(page):
    """A page without the blanks of its template."""
    parts = KEPT.split(PLAIN.sub(r"\1", ICONS.sub("", PRINTED.sub("", page))))
    return "".join(part if at % 2 else re.sub(r"\s*\n\s*", "\n", TOLD.sub("", part)) for at, part in enumerate(parts))


def make_lean(app):
    templates = getattr(app.builder, "templates", None)
    if templates is not None:
        render = templates.render
        templates.render = lambda name, context: lean(render(name, context))


def take_away(app, problem):
    """Files of the theme that no page asks for."""
    if problem is None:
        static = app.outdir / "_static"
        for unused in [*static.glob("**/*.map"), *static.glob("*macros.html"), *static.glob("**/fa-brands-*"), static / "scripts" / "fontawesome.js"]:
            unused.unlink(missing_ok=True)
        for folder in ("locales",):
            shutil.rmtree(static / folder, ignore_errors=True)


def setup(app):
    app.connect("builder-inited", make_lean)
    app.connect("build-finished", take_away)
    app.add_node(ready, html=(write, None), text=(skip, None), latex=(skip, None))
    app.add_directive("picture", Picture)
    app.add_directive("source", Source)
    app.connect("doctree-read", plain_displays)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
