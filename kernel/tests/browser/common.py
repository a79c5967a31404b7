"""What the browser tests share: lines that say what was looked at, a browser that notes what leaves the machine, accessibility."""

import shutil
import time
from pathlib import Path

import axe_core_python
from playwright.sync_api import sync_playwright

AXE = (Path(axe_core_python.__file__).parent / "axe.min.js").read_text()
failed = []


def tell(what, wrong, begun=None):
    """One line; `wrong` is empty if all is well. `begun` is when looking began."""
    taken = "" if begun is None else f" ({time.time() - begun:.1f} s)"
    if not wrong:
        print(f"ok     {what}{taken}", flush=True)
        return
    failed.append(what)
    print(f"FAILED {what}{taken}", flush=True)
    for line in list(wrong)[:12]:
        print(f"       {line}", flush=True)


class Browser:
    """A browser of this machine. Pages are to load from `root` alone; what else they ask for, and what they complain of, is kept."""

    def __init__(self, program, root):
        self.program, self.root = program, root
        self.left, self.errors = [], []

    def __enter__(self):
        self.playwright = sync_playwright().start()
        self.browser = self.playwright.chromium.launch(executable_path=shutil.which(self.program), args=["--no-sandbox"])
        return self

    def __exit__(self, *_):
        self.browser.close()
        self.playwright.stop()

    def page(self, **options):
        page = self.browser.new_context(**options).new_page()
        here = (self.root, self.root.replace("http:", "ws:"), "data:", "blob:")

        def ask(url):
            if not url.startswith(here):
                self.left.append(url)

        page.on("request", lambda request: ask(request.url))
        page.on("websocket", lambda socket: ask(socket.url))
        page.on("console", lambda m: self.errors.append(f"{page.url}: {m.text}") if m.type == "error" else None)
        page.on("pageerror", lambda e: self.errors.append(f"{page.url}: {e}"))
        return page

    def tell_what_was_heard(self):
        tell("no request leaves the machine", sorted(set(self.left)))
        tell("no error in the console", sorted(set(self.errors)))


def inaccessible(page, where, inside=None, rules=None, others=()):
    """Violations of the rules that axe knows for WCAG A and AA, contrast among them, or of these rules; not in what is others' work."""
    if not page.evaluate("typeof axe !== 'undefined'"):
        page.add_script_tag(content=AXE)
    result = page.evaluate(
        "([inside, rules, others]) => axe.run({include: [inside ?? 'html'], exclude: others.map((part) => [part])},"
        " {runOnly: rules ? {type: 'rule', values: rules} : ['wcag2a', 'wcag2aa'], resultTypes: ['violations']})",
        [inside, rules, list(others)],
    )
    return [
        f"{where}: {v['id']}, {len(v['nodes'])} times, as {v['nodes'][0]['target']}: {v['nodes'][0]['html'][:150]}"
        for v in result["violations"]
    ]
