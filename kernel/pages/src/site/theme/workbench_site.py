"""Pictures and sources of checks as parts of a page that the search does not look into; and pages in which no word that somebody wrote
is live."""

import html
import re
import shutil
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import Directive
from markupsafe import escape
from myst_parser.mdit_to_docutils.base import DocutilsRenderer
from sphinx import addnodes
from workbench_clean import clean

# Pages with words as somebody wrote them; all others are made, and words in them are quoted.
WRITTEN = ("notebooks/", "documents/", "refereed/")
# What made pages tell Sphinx to do.
DIRECTIVES = ("{picture}", "{source}", "{toctree}")
# Where a ready part of a page stands until the rest has been cleaned.
READY = re.compile(r'<div class="wb-ready" id="wb-ready-(\d+)"></div>')

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
    text = node["text"]
    if node["lexer"]:
        code = self.highlighter.highlight_block(text, node["lexer"])
        text = f'<div class="highlight-rust notranslate wb-source" role="region" tabindex="0" aria-label="Source">{code}</div>'
    parts = ready_parts(self.document)
    self.body.append(f'<div class="wb-ready" id="wb-ready-{len(parts)}"></div>')
    parts.append(text)
    raise nodes.SkipNode


def ready_parts(document):
    """The ready parts of a page in their order, while it is written."""
    if not hasattr(document, "workbench_ready"):
        document.workbench_ready = []
    return document.workbench_ready


def skip(self, node):
    raise nodes.SkipNode


render_fence = DocutilsRenderer.render_fence


def fence(self, token):
    """A directive of a made page, or code: in words that somebody wrote a directive is code too, as in JupyterLab."""
    name = (token.info.split() or [""])[0]
    made = name in DIRECTIVES and not self.sphinx_env.docname.startswith(WRITTEN)
    if not name.startswith("{") or made:
        return render_fence(self, token)
    self.current_node.append(self.create_highlighted_code_block(token.content, "text", source=self.document["source"]))


def words_and_own_files(app, doctree):
    """Headings, which a theme repeats as HTML, hold none. Files of this machine that a text names are not copied to the site."""
    for title in list(doctree.findall(nodes.title)):
        for raw in list(title.findall(nodes.raw)):
            raw.parent.remove(raw)
    for link in list(doctree.findall(addnodes.download_reference)):
        link.parent.replace(link, link.children)
    # Sources, and beside them what `myst_nb` makes of outputs.
    ours = Path(app.outdir).resolve().parent
    for image in list(doctree.findall(nodes.image)):
        if not re.match(r"[a-z]+:", image["uri"]):
            _, path = app.env.relfn2path(image["uri"], app.env.docname)
            if not Path(path).resolve().is_relative_to(ours):
                image.parent.replace(image, nodes.Text(image.get("alt", "")))


def cleaned(app, pagename, templatename, context, doctree):
    """Nothing live but what the site itself has put into the page. The theme takes the titles for HTML that they are not."""
    for name in ("pagetitle", "root_title"):
        if name in context:
            context[name] = html.escape(context[name])
    # The layout escapes the site's own title where it says so, and not once more.
    if "docstitle" in context:
        context["docstitle"] = escape(context["docstitle"])
    if doctree is not None and "body" in context:
        parts = ready_parts(doctree)
        body = clean(context["body"], drawings=not pagename.startswith(WRITTEN))
        context["body"] = READY.sub(lambda place: "".join(parts[int(place[1]) :][:1]), body)


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
# Titles that a script would draw anew, versions of files that come with the theme, and names of styles that no style has.
DRAWN = re.compile(r' data-bs-toggle="tooltip"| data-bs-placement="bottom"|(?<=\.css)\?digest=[0-9a-f]+(?=")|(?<=\.js)\?digest=[0-9a-f]+(?=")| class="reference internal"|(?<=class=")reference internal (?=nav-link)')
# The index of the search, which is larger than any page, and what reads it: for the page that searches.
INDEX = re.compile(r'<script src="[./]*(?:_static/searchtools|_static/language_data|searchindex)\.js[^>]*></script>')
KEPT = re.compile(r"(<pre.*?</pre>|<textarea.*?</textarea>)", re.S)


def lean(name, page):
    """A page without the blanks of its template, and what it does not use."""
    if name != "search.html":
        page = INDEX.sub("", page)
    parts = KEPT.split(PLAIN.sub(r"\1", ICONS.sub("", PRINTED.sub("", page))))
    return "".join(part if at % 2 else re.sub(r"\s*\n\s*", "\n", DRAWN.sub("", TOLD.sub("", part)).replace(' title="Link to this heading"', ' title="Link"')) for at, part in enumerate(parts))


def make_lean(app):
    templates = getattr(app.builder, "templates", None)
    if templates is not None:
        render = templates.render
        templates.render = lambda name, context: lean(name, render(name, context))


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
    DocutilsRenderer.render_fence = fence
    # Before Sphinx collects titles and files, and behind what the theme does.
    app.connect("doctree-read", words_and_own_files, priority=100)
    app.connect("html-page-context", cleaned, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
