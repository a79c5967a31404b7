"""Opens a built site in a browser of this machine: search, links, graphs, equations, requests, errors, accessibility.

    python site.py FOLDER BROWSER WORST

FOLDER holds the pages, BROWSER is the program, WORST holds pages of a record in which every word tries to run. Needs playwright and axe-core-python, as `cargo workbench test` installs them.
Prints a line for each thing that was looked at; the exit status is 1 if one of them is not as it should be.
"""

import contextlib
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

from common import Browser, failed, inaccessible, tell
from live import live

MOST_BYTES = 30_000_000
MOST_PAGE = 1_500_000
# What another theme and another width can break; the other rules have been asked once.
OF_COLOURS = ["color-contrast", "link-in-text-block", "scrollable-region-focusable"]
HREF = re.compile(r'\b(?:href|src)="([^"]*)"')
ID = re.compile(r'\bid="([^"]*)"')


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
    """All bytes but those of the checks' sources, the largest page when compressed, and what is too large."""
    files = [path for path in folder.rglob("*") if path.is_file() and folder / "checks" not in path.parents]
    total = sum(path.stat().st_size for path in files)
    wrong = [f"{total} bytes, at most {MOST_BYTES}"] if total > MOST_BYTES else []
    largest = (0, "")
    for page in folder.rglob("*.html"):
        # No page grows when it is compressed.
        if page.stat().st_size > largest[0]:
            largest = max(largest, (len(gzip.compress(page.read_bytes())), page.relative_to(folder).as_posix()))
    wrong += [f"{largest[1]}: {largest[0]} bytes compressed, at most {MOST_PAGE}"] if largest[0] > MOST_PAGE else []
    told = f"the site has {total / 1e6:.1f} MB without sources (at most {MOST_BYTES / 1e6:.0f}); its largest page compressed is"
    return f"{told} {largest[1]}, {largest[0] / 1e6:.2f} MB (at most {MOST_PAGE / 1e6:.1f})", wrong


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
        # A name may be broken at the end of a line, and its hyphen be lost with it.
        text = re.sub(r"[\s-]", "", text)
        ids = re.findall(r'class="wb-erratum" id="[^"]*/([^"/]*)"', page)
        lacking = [name for name in ids if name.replace("-", "") not in text]
        wrong += [f"it does not have {name}" for name in lacking] if ids else ["the page has no erratum"]
    return wrong


def pick(folder, has):
    """The shortest page below `folder` whose text has all of this."""
    for page in sorted(folder.rglob("*.html"), key=lambda page: (page.stat().st_size, page)):
        text = page.read_text()
        if all(part in text for part in has):
            return page
    return None


def search(page, root, folder, claim):
    begun = time.time()
    page.goto(root + "search.html?q=" + urllib.parse.quote(claim.stem))
    found = f'#search-results a[href*="{claim.relative_to(folder).as_posix()}"]'
    try:
        page.wait_for_selector(found, timeout=20_000)
        page.locator(found).first.click()
        page.wait_for_load_state()
        wrong = [] if page.url.split("?")[0].endswith(claim.name) else [f"the result leads to {page.url}"]
    except Exception:
        wrong = [f"no result leads to {claim.name}"]
    tell(f"search finds {claim.stem}", wrong, begun)


def graph(page, address, overview):
    """Depths of a claim's graph, its boxes, and the boxes of a section's."""
    begun = time.time()
    page.goto(address)
    boxes = page.locator(".wb-depths .wb-picture a.wb-node")
    first, wrong = page.locator(".wb-depths svg").first.evaluate("svg => svg.outerHTML"), []
    for choice in page.locator(".wb-depths label").all():
        wanted = int(re.search(r"\((\d+)\)", choice.inner_text())[1])
        choice.click()
        try:
            page.wait_for_function(
                "n => document.querySelectorAll('.wb-depths .wb-picture a.wb-node').length === n", arg=wanted, timeout=5_000
            )
        except Exception:
            wrong.append(f"{choice.inner_text()} shows {boxes.count()} boxes")
        if page.locator(".wb-depths .wb-focus").count() != 1:
            wrong.append(f"{choice.inner_text()} does not show the claim itself")
        shapes = page.locator(".wb-depths .wb-picture use").evaluate_all(
            "all => all.filter(use => !document.getElementById(use.getAttribute('href').slice(1))).length"
        )
        wrong += [f"{shapes} boxes have no shape"] if shapes else []
    deepest = page.locator(".wb-depths label").count()
    wrong += [] if deepest > 2 else [f"there are {deepest} depths to choose from"]
    page.locator(".wb-depths label").first.click()
    page.wait_for_timeout(100)
    again = page.locator(".wb-depths svg").first.evaluate("svg => svg.outerHTML")
    # Places and words, whatever stands in the address.
    places = re.compile(r"translate\([^)]*\)|<text>[^<]*</text>")
    wrong += [] if places.findall(first) == places.findall(again) else ["the script draws another picture than the page has"]
    wrong += follows(page, page.locator(".wb-depths a.wb-node:not(.wb-focus)").first)
    page.goto(overview)
    wrong += follows(page, page.locator(".wb-picture a.wb-node").first)
    tell("a graph's depth can be chosen, and boxes of claims and sections lead to claims", wrong, begun)


def follows(page, box):
    """Clicks the name in a box."""
    target = box.get_attribute("href").split("/")[-1]
    name = box.locator("text").nth(1)
    words = name.inner_html()
    name.click()
    page.wait_for_load_state()
    wrong = [] if page.url.endswith(target) else [f"a box leads to {page.url}, not to {target}"]
    title = page.locator("h1").first.inner_text()
    return wrong + ([] if words.rstrip("…") in title else [f"{words} leads to {title}"])


def numbers(page, address):
    """From a number in a chapter to its finding, from there to the cell, and to the source of the check."""
    begun, wrong = time.time(), []
    page.goto(address)
    page.locator('a.wb-number[href*="#finding-"]').first.click()
    page.wait_for_load_state()
    fragment = page.url.split("#")[-1]
    if not (fragment.startswith("finding-") and page.locator(f"#{fragment}").count() == 1):
        wrong.append(f"{page.url} is no finding")
    claim = page.url
    page.locator('.wb-facts a[href*="cell-id="]').first.click()
    page.wait_for_load_state()
    cell = urllib.parse.unquote(page.url.split("#")[-1])
    if page.locator(f'[id="{cell}"]').count() != 1:
        wrong.append(f"{page.url} has no such cell")
    page.goto(claim)
    page.locator('.wb-facts a[href*="checks/"]').first.click()
    page.wait_for_load_state()
    name = page.url.split("#")[-1]
    if page.locator(f'[id="{name}"]').count() != 1 or page.get_by_text(f"const {name}: Check").count() == 0:
        wrong.append(f"{page.url} has no such check")
    tell("a number leads to its finding, a claim to its cell and to the source of its check", wrong, begun)


def equations(page, addresses):
    begun, wrong = time.time(), []
    for address in addresses:
        page.goto(address)
        try:
            page.wait_for_selector("mjx-container", timeout=20_000)
            page.wait_for_function("MathJax.startup.promise.then(() => true)", timeout=20_000)
        except Exception as problem:
            wrong.append(f"{address}: {problem}")
        bad = page.locator("mjx-merror, [data-mjx-error]").count()
        wrong += [f"{address}: {bad} equations are wrong"] if bad else []
    tell("equations are set", wrong, begun)


# Handlers, addresses that run and elements that load, as the browser has them once all scripts of the site have run.
LIVE_NOW = """() => [...document.querySelectorAll('*')].flatMap((element) => {
  const name = element.tagName.toLowerCase();
  const wrong = ['iframe', 'object', 'embed', 'base'].includes(name) ? [name] : [];
  for (const { name: attribute, value } of element.attributes) {
    if (attribute.startsWith('on') || /^[\\x00-\\x20]*(javascript|vbscript|data:text)/i.test(value)) {
      wrong.push(`${name} ${attribute}=${value.slice(0, 60)}`);
    }
  }
  return wrong;
})"""


def worst(browser, folder):
    """Opens each page of a record with the worst words, and asks the search for them: nothing runs, nothing of the machine is copied."""
    begun, wrong = time.time(), live(folder)
    wrong += [f"{path.relative_to(folder)} is a file of this machine" for path in folder.rglob("*passwd*")]
    with serving(folder) as root:
        browser.root, own = root, browser.root
        heard, page = list(browser.errors), browser.page()
        page.on("dialog", lambda dialog: (wrong.append(f"{page.url}: a dialog says {dialog.message}"), dialog.dismiss()))
        for path in sorted(folder.rglob("*.html")):
            page.goto(root + path.relative_to(folder).as_posix())
            page.wait_for_function("window.MathJax?.startup?.promise?.then(() => true) ?? true", timeout=20_000)
            wrong += [f"{path.relative_to(folder)}: {what}" for what in page.evaluate(LIVE_NOW)]
            if root not in page.url:
                wrong.append(f"{path.relative_to(folder)} leads to {page.url}")
        page.goto(root + "search.html?q=alert")
        page.wait_for_selector("#search-results li a", timeout=20_000)
        page.wait_for_timeout(500)
        wrong += [f"search: {what}" for what in page.evaluate(LIVE_NOW)]
        # Pictures that are none were asked for.
        browser.root, browser.errors[:] = own, heard
    kept = (folder / "notebooks" / "worst.html").read_text()
    wrong += [] if "<details><summary>Kept</summary>" in kept and "<strong>Still</strong>" in kept else ["details are gone"]
    tell("the worst words of a record are words", wrong, begun)


@contextlib.contextmanager
def serving(folder):
    """The address under which a folder is served."""
    handler = functools.partial(Quiet, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    # A browser that goes on to the next page hangs up.
    server.handle_error = lambda *_: None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()


def main(folder, program, worst_folder):
    begun = time.time()
    wrong, outside = links(folder)
    tell("links lead somewhere", wrong, begun)
    tell("pages name nothing on other machines to load", outside)
    begun = time.time()
    tell("nothing is live that is not the site's own", live(folder), begun)
    tell(*sizes(folder))
    tell("the errata are printed", printed(folder))
    claim = pick(folder / "claims", ["wb-strip", "wb-focus", 'value="2"', "math notranslate", "cell-id="])
    changed = pick(folder / "claims", ["wb-beside", "wb-C", "checks/"])
    chapter = pick(folder / "notebooks", ["wb-number", "math notranslate"])
    source = pick(folder / "checks", ["wb-source"])
    refereed = pick(folder / "refereed", [""]) if (folder / "refereed").is_dir() else None
    if claim is None or chapter is None:
        tell("there is a claim with findings and a graph, and a chapter with numbers", ["none was found"])
        return
    paper = sorted((folder / "documents").glob("*.html"))[0]
    overview = folder / "graphs" / paper.name
    every = [folder / name for name in ("index.html", "errata.html", "comparison.html", "coverage.html", "search.html")]
    every += [page for page in (paper, overview, claim, changed, chapter, source, refereed) if page is not None]

    def at(path):
        return root + path.relative_to(folder).as_posix()

    with serving(folder) as root, Browser(program, root) as browser:
        page = browser.page(viewport={"width": 1400, "height": 900})
        search(page, root, folder, claim)
        graph(page, at(claim), at(overview))
        numbers(page, at(chapter))
        equations(page, [at(claim), at(chapter)])
        for scheme, width in [("light", 1400), ("dark", 420)]:
            begun, wrong = time.time(), []
            page = browser.page(viewport={"width": width, "height": 900}, color_scheme=scheme)
            for path in every:
                page.goto(at(path))
                # What is folded is read, too; and where it is not laid out, axe takes what lies beneath for its ground.
                page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
                wrong += inaccessible(page, path.relative_to(folder), rules=None if scheme == "light" else OF_COLOURS)
            tell(f"contrast and texts of {len(every)} pages are accessible, {scheme}, {width} points wide", wrong, begun)
        worst(browser, worst_folder)
        browser.tell_what_was_heard()


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), sys.argv[2], Path(sys.argv[3]).resolve())
    print(f"{len(failed)} failed")
    sys.exit(1 if failed else 0)
