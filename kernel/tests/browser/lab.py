"""Works with the kernel in JupyterLab, as a person does: outputs, knobs, notes on what is out of date, stop, crates, completion.

    python lab.py URL BROWSER FOLDER CRATE

URL is a JupyterLab over FOLDER, with its token in JUPYTER_TOKEN; CRATE is the folder of the crate `workbench`. Ends the server.
Prints a line for each thing that was looked at; the exit status is 1 if one of them is not as it should be.
"""

import json
import os
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

from common import Browser, failed, inaccessible, tell

# Jupyter's slider has no name for its handle.
THEIRS = [".noUi-handle"]

CELLS = {
    "load": ':dep workbench = {{ path = "{crate}" }}\nuse workbench::prelude::*;',
    "knobs": 'let n = 4; // knob 2..=9\nlet law = "falling"; // knob "falling" | "rising"\n'
    "let x: Vec<f64> = (1..=n).map(|k| f64::from(k)).collect();\n"
    'let y: Vec<f64> = x.iter().map(|x| if law == "falling" {{ 1.0 / x }} else {{ x + 0.5 }}).collect();\n'
    'Table::new(frame(&[("x", &x), ("y", &y)])?).title("A table")',
    "figure": 'Figure::new("A figure").panel(Panel::new("a law").x_label("x").y_label("y").points("y", &x, &y))',
    "card": 'let ledger = Ledger::scratch("browser")?;\n'
    'ledger.claim("largest", "The first is the largest.", Evidence::of(Finding::identity("the first, less one", y[0] - 1.0, 0.0)))?',
    "refused": "let z = y.len() + law;",
    "loop": 'let progress = Progress::new("counting").log_curve();\n'
    'for k in progress.over(0..u64::MAX) {{ progress.value("half", 0.5f64.powi((k % 9) as i32)); }}',
    "after": 'println!("{{}} values are left", y.len());',
    "foreign": ':dep scaled = {{ path = "scaled" }}\n'
    'println!("twice is {{}}", scaled::twice(&workbench::ndarray::array![1.5, 4.0]));',
}
# A crate of the reader's own that takes arrays of the crate's ndarray.
SCALED = {
    "Cargo.toml": '[package]\nname = "scaled"\nversion = "0.1.0"\nedition = "2024"\n\n[dependencies]\nndarray = "0.17"\n',
    "src/lib.rs": "pub fn twice(x: &ndarray::Array1<f64>) -> ndarray::Array1<f64> {\n    2.0 * x\n}\n",
}
# Written by JupyterLab's own pages where a folder is new: none of them is ours.
OWN = ("favicon.ico", "/api/workspaces/")
IDLE = """() => {
  const session = window.jupyterapp?.shell.currentWidget?.sessionContext?.session;
  return session?.kernel?.status === 'idle' && session.kernel.connectionStatus === 'connected';
}"""


def notebook(folder, crate):
    cells = [
        {"cell_type": "code", "id": name, "metadata": {}, "outputs": [], "execution_count": None, "source": text.format(crate=crate)}
        for name, text in CELLS.items()
    ]
    spec = {"kernelspec": {"name": "workbench", "display_name": "Rust (Workbench)", "language": "rust"}}
    for name, text in SCALED.items():
        file = folder / "scaled" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    (folder / "check.ipynb").write_text(json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": spec, "cells": cells}))


class Lab:
    def __init__(self, page):
        self.page = page

    def cell(self, name):
        return self.page.locator(".jp-Notebook .jp-CodeCell").nth(list(CELLS).index(name))

    def outputs(self, name):
        return self.cell(name).locator(".jp-OutputArea").first

    def do(self, command, arguments=None):
        self.page.evaluate("([name, args]) => { window.jupyterapp.commands.execute(name, args) }", [command, arguments or {}])

    def run(self, name):
        """Runs a cell as Ctrl-Enter does, and does not wait for it."""
        self.page.evaluate(
            "at => { window.jupyterapp.shell.currentWidget.content.activeCellIndex = at;"
            " window.jupyterapp.commands.execute('notebook:run-cell') }",
            list(CELLS).index(name),
        )

    def has(self, name, words, seconds=30):
        """Waits for words among what a cell shows; what is wrong."""
        try:
            self.outputs(name).get_by_text(words).first.wait_for(timeout=1000 * seconds)
            return []
        except Exception:
            return [f"cell {name} does not show {words!r} within {seconds} s but {self.outputs(name).inner_text()[:300]!r}"]

    def says(self, name, lines):
        """Waits for lines in the editor of a cell; what is wrong."""
        wrong = []
        for line in lines:
            try:
                self.cell(name).locator(".cm-line", has_text=line).wait_for(timeout=10_000)
            except Exception:
                wrong.append(f"the editor does not say {line!r} but {self.cell(name).locator('.cm-content').inner_text()[:120]!r}")
        return wrong

    def saved(self, file):
        """The notebook as it is on disk after a save: the sources and the outputs of its cells, by their names."""
        before = file.stat().st_mtime_ns
        begun, asked, cells = time.time(), 0, None
        while cells is None and time.time() - begun < 20:
            # JupyterLab passes over a save that is asked for while another one is under way.
            if time.time() - asked > 2:
                self.do("docmanager:save")
                asked = time.time()
            time.sleep(0.05)
            try:
                # The server writes into the file itself, so that half of it may be there.
                cells = json.loads(file.read_text())["cells"] if file.stat().st_mtime_ns != before else None
            except ValueError:
                pass
        if cells is None:
            raise TimeoutError(f"{file.name} is not saved within 20 s")
        return {cell["id"]: ("".join(cell["source"]), json.dumps(cell["outputs"])) for cell in cells}

    def idle(self, seconds=60):
        self.page.wait_for_function(IDLE, timeout=1000 * seconds)


def ready(root, seconds=60):
    begun = time.time()
    while time.time() - begun < seconds:
        try:
            urllib.request.urlopen(root + "login", timeout=5).close()
            return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise TimeoutError(f"no JupyterLab at {root} within {seconds} s")


def ask(root, token, method, path, content=None):
    """A request to the server, by its own doors."""
    data = None if content is None else json.dumps(content).encode()
    request = urllib.request.Request(root + path, data=data, method=method, headers={"Authorization": f"token {token}"})
    with urllib.request.urlopen(request, timeout=20) as answer:
        return answer.read()


def save_a_turned_knob(root, token, folder):
    """What a page saves whose line was not written, as one without the script."""
    begun = time.time()
    knob = {"name": "d", "value": "30", "ran": "144"}
    note = {"output_type": "display_data", "data": {"text/plain": "a note"}, "metadata": {"workbench": {"knobs": [knob]}}}
    source = "let d = 144; // knob 10..=200"
    cell = {"cell_type": "code", "id": "a", "metadata": {}, "execution_count": 1, "source": source, "outputs": [note]}
    content = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]}
    ask(root, token, "PUT", "api/contents/pair.ipynb", {"type": "notebook", "format": "json", "content": content})
    saved = json.loads((folder / "pair.ipynb").read_text())["cells"][0]
    pair = ("".join(saved["source"]), saved["outputs"])
    wrong = [] if pair == (source.replace("144", "30"), []) else [f"saved as {pair}"]
    tell("a notebook is saved with the values that its outputs were computed with", wrong, begun)


def look(browser, root, token, folder):
    begun = time.time()
    page = browser.page(viewport={"width": 1400, "height": 1000})
    page.set_default_timeout(30_000)
    lab = Lab(page)
    page.goto(f"{root}lab/tree/check.ipynb?token={token}")
    lab.idle()
    tell("JupyterLab opens a notebook, and the kernel is idle", [], begun)

    begun = time.time()
    wrong = []
    for name in ["load", "knobs", "figure", "card"]:
        lab.run(name)
        page.wait_for_timeout(100)
        # The first cell may wait for what a machine that is busy still builds.
        lab.idle(240 if name == "load" else 60)
    wrong += lab.has("knobs", "0.25")
    wrong += lab.has("card", "The first is the largest.")
    picture = lab.outputs("figure").locator("img, svg").first
    picture.wait_for()
    box = picture.bounding_box()
    if not box or box["width"] < 200 or box["height"] < 100:
        wrong.append(f"the figure is {box}")
    tell("a table, a figure and a card are shown", wrong, begun)

    begun = time.time()
    wrong = []
    knobs = lab.outputs("knobs")
    slider = knobs.locator(".widget-slider .noUi-handle").first
    slider.wait_for()
    slider.focus()
    page.keyboard.press("ArrowRight")
    wrong += lab.has("knobs", "0.2000")
    wrong += lab.has("figure", "out of date")
    knobs.locator(".widget-dropdown select").select_option("rising")
    wrong += lab.has("knobs", "5.500")
    tables = knobs.locator("table.dataframe, .jp-RenderedHTMLCommon table").count()
    if tables != 1:
        wrong.append(f"{tables} tables stand where one was to be replaced")
    tell("a slider and a list are turned: the cell runs, its outputs are replaced, what rests on them says so", wrong, begun)

    begun = time.time()
    lines = ["let n = 5; // knob 2..=9", 'let law = "rising"; // knob "falling" | "rising"']
    wrong = lab.says("knobs", lines)
    saved = lab.saved(folder / "check.ipynb")
    source, outputs = saved["knobs"]
    wrong += [f"the file does not say {line!r}" for line in lines if line not in source]
    wrong += [f"the file's outputs: {words}" for words in ("computed with", ">0.2000<") if words in outputs]
    wrong += [] if "5.500" in outputs else ["the file's outputs are not those of the line's values"]
    for name in ("figure", "card"):
        wrong += [] if "out of date" in saved[name][1] else [f"{name} is saved as if it were of these values"]
    tell("the line says what the slider says, and the file is saved so", wrong, begun)

    begun = time.time()
    lab.run("figure")
    lab.idle()
    lab.saved(folder / "check.ipynb")
    page.reload()
    lab.idle()
    slider.wait_for()
    wrong = [] if lab.outputs("figure").get_by_text("out of date").count() == 0 else ["the figure was not run again"]
    slider.focus()
    page.keyboard.press("ArrowRight")
    wrong += lab.has("knobs", "6.500") + lab.has("figure", "out of date")
    wrong += lab.says("knobs", ["let n = 6; // knob 2..=9"])
    source, outputs = lab.saved(folder / "check.ipynb")["knobs"]
    wrong += [] if "let n = 6;" in source and "6.500" in outputs else ["the file's outputs are not those of the line's values"]
    tell("a page that is loaded again shows what a knob turns there", wrong, begun)

    begun = time.time()
    lab.run("refused")
    wrong = lab.has("refused", "cannot add")
    tell("a cell that does not compile says why", wrong, begun)

    begun = time.time()
    lab.run("loop")
    wrong = lab.has("loop", "counting")
    page.wait_for_timeout(500)
    stopped = time.time()
    lab.do("notebook:interrupt-kernel")
    lab.idle(20)
    taken = time.time() - stopped
    wrong += [] if taken < 5 else [f"it took {taken:.1f} s to stop"]
    lab.run("after")
    wrong += lab.has("after", "6 values are left")
    tell(f"a loop shows its progress, is stopped after {taken:.1f} s, and leaves the variables", wrong, begun)

    begun = time.time()
    lab.run("foreign")
    wrong = lab.has("foreign", "twice is [3, 8]", seconds=60)
    tell("a crate of the reader's own takes our arrays", wrong, begun)

    begun = time.time()
    editor = lab.cell("after").locator(".cm-content")
    editor.click()
    page.keyboard.press("Control+End")
    page.keyboard.type("\nx.partition")
    wrong = ["no completion of `x.partition` names partition_point"]
    # JupyterLab waits a second for an answer and then shows what it has; on a busy machine a user presses Tab again.
    for _ in range(5):
        page.keyboard.press("Tab")
        try:
            page.locator(".jp-Completer-item", has_text="partition_point").first.wait_for(timeout=5000)
            wrong = []
            break
        except Exception:
            page.keyboard.press("Escape")
            editor.click()
            page.keyboard.press("Control+End")
    page.keyboard.press("Escape")
    tell("methods are completed", wrong, begun)

    begun, wrong = time.time(), []
    for theme in ["JupyterLab Light", "JupyterLab Dark"]:
        lab.do("apputils:change-theme", {"theme": theme})
        page.wait_for_selector(f'body[data-jp-theme-name="{theme}"]', state="attached")
        page.wait_for_timeout(300)
        for name in ["knobs", "figure", "card", "refused"]:
            place = f".jp-Notebook .jp-Cell:nth-of-type({1 + list(CELLS).index(name)}) .jp-OutputArea-output"
            lab.cell(name).scroll_into_view_if_needed()
            wrong += inaccessible(page, f"{name}, {theme}", place, others=THEIRS)
    tell("contrast and texts of outputs are accessible, light and dark", wrong, begun)


def finish(root, token):
    """Kernels first, then the server, by its own door."""
    for kernel in json.loads(ask(root, token, "GET", "api/kernels")):
        ask(root, token, "DELETE", f"api/kernels/{kernel['id']}")
    ask(root, token, "POST", "api/shutdown")


def main(root, program, folder, crate):
    token = os.environ["JUPYTER_TOKEN"]
    notebook(folder, crate)
    ready(root)
    try:
        with Browser(program, root) as browser:
            try:
                save_a_turned_knob(root, token, folder)
                look(browser, root, token, folder)
            except Exception as problem:
                tell("JupyterLab", [str(problem)])
            browser.errors = [error for error in browser.errors if not any(own in error for own in OWN)]
            browser.tell_what_was_heard()
    finally:
        finish(root, token)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4]).resolve())
    print(f"{len(failed)} failed")
    sys.exit(1 if failed else 0)
