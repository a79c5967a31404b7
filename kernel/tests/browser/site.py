"""Opens a built site in a browser of this machine: search, links, graphs, equations, requests, errors, accessibility.

    python site.py FOLDER BROWSER

FOLDER holds the pages, BROWSER is the program. Needs playwright and axe-core-python, as `cargo workbench test` installs them.
Prints a line for each thing that was looked at; the exit status is 1 if one of them is not as it should be.
"""

import functools
import gzip
import http.server
import re
import shutil
import subprocess
import sys
import threading
import time
import urllib.parse
from pathlib import Path

import axe_core_python
from playwright.sync_api import sync_playwright

MOST_BYTES = 30_000_000
MOST_PAGE = 1_500_000
HREF = re.compile(r'\b(?:href|src)="([^"]*)"')
ID = re.compile(r'\bid="([^"]*)"')
failed = []


def tell(what, wrong, seconds=None):
    """One line; `wrong` is empty if all is well."""
    time_taken = "" if seconds is None else f" ({seconds:.1f} s)"
    if wrong:
        failed.append(what)
        print(f"FAILED {what}{time_taken}")
        for line in list(wrong)[:12]:
            print(f"       {line}")
    else:
        print(f"ok     {what}{time_taken}")


def links(folder):
    """Every link inside the site leads to a file, and to a place in it if it names one."""
    ids, pages = {}, sorted(folder.rglob("*.html"))
    texts = {page: page.read_text() for page in pages}
    for page, text in texts.items():
        ids[page] = set(ID.findall(text))
    wrong, outside = [], []
    for page, text in texts.items():
        for link in set(HREF.findall(text)):
            place = urllib.parse.urlsplit(link.replace("&amp;", "&"))
            if place.scheme or place.netloc:
                continue
            path = urllib.parse.unquote(place.path)
            target = (page.parent / path).resolve() if path else page
            if not target.is_file():
                wrong.append(f"{page.relative_to(folder)}: {link} is no file")
            elif place.fragment and target in ids:
                fragment = urllib.parse.unquote(place.fragment)
                if fragment not in ids[target]:
                    wrong.append(f"{page.relative_to(folder)}: {link} is no place")
        for loaded in re.findall(r'<(?:script|img|link|iframe)[^>]*(?:src|href)="(https?:)?//[^"]*"', text):
            outside.append(f"{page.relative_to(folder)} loads from {loaded}")
    return wrong, outside


def sizes(folder):
    """All bytes but those of the checks' sources, and pages that are too large when compressed."""
    files = [path for path in folder.rglob("*") if path.is_file() and folder / "checks" not in path.parents]
    total = sum(path.stat().st_size for path in files)
    large = []
    for page in folder.rglob("*.html"):
        if page.stat().st_size > MOST_PAGE:
            size = len(gzip.compress(page.read_bytes()))
            if size > MOST_PAGE:
                large.append(f"{page.relative_to(folder)}: {size} bytes compressed")
    wrong = [f"{total} bytes, at most {MOST_BYTES}"] if total > MOST_BYTES else []
    return total, wrong + large


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def printed(folder):
    """What is wrong with the printed errata."""
    page, path = (folder / "errata.html").read_text(), folder / "errata.pdf"
    if not path.is_file():
        return ["there is none, and a browser is here"]
    data = path.read_bytes()
    wrong = [] if data.startswith(b"%PDF-") else ["it is no PDF"]
    wrong += [] if re.search(rb"/Type\s*/Page\b", data) else ["it has no page"]
    wrong += [] if 'href="errata.pdf"' in page else ["the errata do not lead to it"]
    wrong += ["it names a folder of this machine"] if b"file://" in data else []
    if shutil.which("pdftotext"):
        text = subprocess.run(["pdftotext", path, "-"], capture_output=True, text=True, timeout=60).stdout
        ids = re.findall(r'class="wb-erratum" id="[^"]*/([^"/]*)"', page)
        lacking = [name for name in ids if name not in text]
        wrong += [f"it does not have {name}" for name in lacking] if ids else ["the page has no erratum"]
    return wrong


def pick(folder, has):
    """The shortest page below `folder` whose text has all of this."""
    for page in sorted(folder.rglob("*.html"), key=lambda page: (page.stat().st_size, page)):
        text = page.read_text()
        if all(part in text for part in has):
            return page
    return None


def main(folder, program):
    started = time.time()
    wrong, outside = links(folder)
    tell("links lead somewhere", wrong, time.time() - started)
    tell("pages name nothing on other machines to load", outside)
    total, large = sizes(folder)
    tell(f"the site has {total / 1e6:.1f} MB without sources", large)

    tell("the errata are printed", printed(folder))

    handler = functools.partial(Quiet, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    # A browser that goes on to the next page hangs up.
    server.handle_error = lambda *_: None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    root = f"http://127.0.0.1:{server.server_port}/"
    axe = (Path(axe_core_python.__file__).parent / "axe.min.js").read_text()
    claim = pick(folder / "claims", ["wb-strip", "wb-focus", "wb-depth-1", "math notranslate", "cell-id="])
    chapter = pick(folder / "notebooks", ["wb-number", "math notranslate"])
    source = pick(folder / "checks", ["wb-source"])
    if claim is None or chapter is None:
        tell("there is a claim with findings and a graph, and a chapter with numbers", ["none was found"])
        return

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which(program), args=["--no-sandbox"])
        left, errors = [], []

        def page_of(**options):
            page = browser.new_context(**options).new_page()
            page.on("request", lambda r: None if r.url.startswith((root, "data:", "blob:")) else left.append(r.url))
            page.on("console", lambda m: errors.append(f"{page.url}: {m.text}") if m.type == "error" else None)
            page.on("pageerror", lambda e: errors.append(f"{page.url}: {e}"))
            return page

        def at(path):
            return root + path.relative_to(folder).as_posix()

        page = page_of(viewport={"width": 1400, "height": 900})
        begun = time.time()
        words = " ".join(re.findall(r"[A-Za-z0-9.]+", claim.stem)[:3])
        page.goto(root + "search.html?q=" + urllib.parse.quote(claim.stem))
        found = f'#search-results a[href*="{claim.relative_to(folder).as_posix()}"]'
        try:
            page.wait_for_selector(found, timeout=20_000)
            wrong = []
        except Exception:
            wrong = [f"no result leads to {claim.name} for {words}"]
        tell(f"search finds {claim.stem}", wrong, time.time() - begun)

        begun = time.time()
        page.goto(at(claim))
        shown = page.locator(".wb-picture:visible")
        wrong = [] if shown.count() == 1 else [f"{shown.count()} pictures are seen"]
        before = shown.first.get_attribute("aria-label")
        page.locator('label[for="wb-depth-1"]').click()
        if page.locator(".wb-picture:visible").first.get_attribute("aria-label") == before:
            wrong.append("another depth shows the same picture")
        other = page.locator(".wb-picture:visible a.wb-node:not(.wb-focus)").first
        target = other.get_attribute("href").split("/")[-1]
        other.locator("text").nth(1).click()
        page.wait_for_load_state()
        if not page.url.endswith(target):
            wrong.append(f"a box leads to {page.url}, not to {target}")
        tell("a graph's depth can be chosen, and its boxes lead to claims", wrong, time.time() - begun)

        begun, wrong = time.time(), []
        page.goto(at(chapter))
        number = page.locator('a.wb-number[href*="#finding-"]').first
        number.click()
        page.wait_for_load_state()
        fragment = page.url.split("#")[-1]
        if not (fragment.startswith("finding-") and page.locator(f"#{fragment}").count() == 1):
            wrong.append(f"{page.url} is no finding")
        page.locator('.wb-facts a[href*="cell-id="]').first.click()
        page.wait_for_load_state()
        cell = urllib.parse.unquote(page.url.split("#")[-1])
        if page.locator(f'[id="{cell}"]').count() != 1:
            wrong.append(f"{page.url} has no such cell")
        tell("a number leads to its finding, and a claim to its cell", wrong, time.time() - begun)

        begun, wrong = time.time(), []
        for path in [claim, chapter]:
            page.goto(at(path))
            try:
                page.wait_for_selector("mjx-container", timeout=20_000)
                page.wait_for_function("MathJax.startup.promise.then(() => true)", timeout=20_000)
            except Exception as problem:
                wrong.append(f"{path.name}: {problem}")
            bad = page.locator("mjx-merror, [data-mjx-error]").count()
            wrong += [f"{path.name}: {bad} equations are wrong"] if bad else []
        tell("equations are set", wrong, time.time() - begun)

        begun, wrong = time.time(), []
        paper = sorted((folder / "documents").glob("*.html"))[0]
        wide = [folder / "index.html", paper, claim, chapter, folder / "coverage.html"] + ([source] if source else [])
        for scheme, width, pages in [("light", 1400, wide), ("dark", 420, wide[1:4])]:
            page = page_of(viewport={"width": width, "height": 900}, color_scheme=scheme)
            for path in pages:
                page.goto(at(path))
                page.add_script_tag(content=axe)
                result = page.evaluate("axe.run(document, {runOnly: ['wcag2a', 'wcag2aa'], resultTypes: ['violations']})")
                for violation in result["violations"]:
                    node = violation["nodes"][0]
                    wrong.append(
                        f"{path.relative_to(folder)}, {scheme}: {violation['id']}, {len(violation['nodes'])} times,"
                        f" as {node['target']}: {node['html'][:150]}"
                    )
        tell("contrast and texts are accessible", wrong, time.time() - begun)
        tell("no request leaves the machine", sorted(set(left)))
        tell("no error in the console", sorted(set(errors)))
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), sys.argv[2])
    print(f"{len(failed)} failed")
    sys.exit(1 if failed else 0)
