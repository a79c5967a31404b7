"""What is live in pages: scripts that are not the site's own, handlers, addresses that run, and elements that load or send.

    python live.py FOLDER

Prints a line for each such thing in the pages of a folder; the exit status is 1 if there is one.
"""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path

# Scripts of the theme and of ours by how they begin; none of them says `alert`.
OURS = (
    "window.MathJax = ",
    "document.documentElement.dataset.mode = ",
    "DOCUMENTATION_OPTIONS.",
    "// Activate the search field on page load",
)
FORBIDDEN = {"iframe", "frame", "object", "embed", "base", "applet", "portal", "foreignobject", "animate", "set"}
ADDRESSES = {"href", "xlink:href", "src", "action", "formaction", "data", "poster", "background", "srcset", "ping"}
RUNS = re.compile(r"javascript:|vbscript:|file:|data:(?!image/(png|jpeg|gif|webp|svg\+xml)[;,])", re.I)


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.wrong, self.script = [], None

    def handle_starttag(self, tag, attributes):
        had = {name: value or "" for name, value in attributes}
        self.wrong += [f"<{tag}>"] if tag in FORBIDDEN else []
        # The theme's search is the only form.
        self.wrong += [f"<form {had}>"] if tag == "form" and "bd-search" not in had.get("class", "") else []
        self.wrong += [f"<meta {had}>"] if tag == "meta" and "http-equiv" in had else []
        for name, value in had.items():
            address = re.sub(r"[\x00-\x20]", "", value)
            if name.startswith("on") or name == "srcdoc" or (name in ADDRESSES and RUNS.match(address)):
                self.wrong.append(f"<{tag} {name}={value[:80]!r}>")
            if tag == "img" and name == "src" and re.match(r"https?:|[\\/]{2}", address, re.I):
                self.wrong.append(f"<img src={value[:80]!r}> is loaded from elsewhere")
            if name == "style" and re.search(r"url|expression|@import", value, re.I):
                self.wrong.append(f"<{tag} style={value[:80]!r}>")
        if tag == "script":
            self.script = ""
            own = had.get("type") == "application/json" or re.match(r"(\.\./)*(_static/|mathjax/|searchindex\.js)", had.get("src", ""))
            if had.get("src") and not own:
                self.wrong.append(f"<script src={had['src']!r}>")
            if own:
                self.script = None

    handle_startendtag = handle_starttag

    def handle_data(self, data):
        if self.script is not None:
            self.script += data

    def handle_endtag(self, tag):
        if tag == "script":
            text = (self.script or "").strip()
            if text and (not text.startswith(OURS) or "alert" in text):
                self.wrong.append(f"<script>{text[:80]}")
            self.script = None


def live(folder):
    """What is live in the pages of a folder, each with its page."""
    wrong = []
    for path in sorted(folder.rglob("*.html")):
        page = Page()
        page.feed(path.read_text())
        page.close()
        wrong += [f"{path.relative_to(folder)}: {what}" for what in page.wrong]
    for path in sorted(folder.rglob("*.svg")):
        if "<script" in path.read_text() or re.search(r"\son\w+=", path.read_text()):
            wrong.append(f"{path.relative_to(folder)} would run")
    return wrong


if __name__ == "__main__":
    found = live(Path(sys.argv[1]))
    print("\n".join(found))
    sys.exit(1 if found else 0)
