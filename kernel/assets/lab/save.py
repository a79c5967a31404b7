"""A notebook that is saved shows outputs of the values that its lines have.

A configuration file of Jupyter's server, which `lab` puts into its folder. Turning a knob (`let d = 144; // knob 10..=200`) runs a cell
with another value than its text has. The kernel says among the outputs which values they were computed with
(`kernel/jupyter/src/note.rs`); before a notebook is written, these go into the lines. What cannot be made true that way, because
the reader has edited the line or a cell was not run again, says so.
"""

import html
import re

NOTE = '<div style="border-left:3px solid #b58900;padding:.1em .6em;margin:.2em 0" role="note">{}</div>'


def source(cell):
    text = cell.get("source", "")
    return text if isinstance(text, str) else "".join(text)


def lines(cell, name):
    """Where the values stand of the knobs with this name."""
    line = rf"^[ \t]*let\s+(?:mut\s+)?{re.escape(name)}\s*(?::[^=\n]*)?=\s*(.*?)\s*;[ \t]*// knob "
    return list(re.finditer(line, source(cell), re.MULTILINE))


def knobs(output):
    """What an output was computed with, if it is the place of a note."""
    told = output.get("metadata", {}).get("workbench")
    return told.get("knobs") if isinstance(told, dict) else None


def write(cell, knob):
    """Puts a value into its line, if that is as it was when the reader ran the cell."""
    found = lines(cell, knob["name"])
    as_run = [line for line in found if line[1] == knob.get("ran")]
    if len(as_run) == 1 and all(line[1] != knob["value"] for line in found):
        text, (start, end) = source(cell), as_run[0].span(1)
        text = text[:start] + knob["value"] + text[end:]
        cell["source"] = text if isinstance(cell["source"], str) else text.splitlines(keepends=True)


def note(cell, told, by_id):
    """What is to be said of values that the lines do not have; nothing if a line cannot be found, so that nothing is known."""
    sentences = []
    for knob in told:
        where = by_id.get(knob["cell"]) if "cell" in knob else cell
        says = [line[1] for line in lines(where, knob["name"])] if where else []
        if not says:
            return None
        if knob["value"] not in says:
            whose = f"cell [{where.get('execution_count') or ' '}]" if "cell" in knob else "this cell"
            sentences.append(f"computed with {knob['name']} = {knob['value']}; the line of {whose} says {says[0]}")
    return sentences


def keep_pairs(model, **_):
    """Makes the notebook of a request to save true. What goes wrong here is logged by the server, which saves all the same."""
    if model.get("type") != "notebook" or not model.get("content"):
        return
    cells = [cell for cell in model["content"]["cells"] if cell["cell_type"] == "code"]
    for cell in cells:
        for told in filter(None, map(knobs, cell["outputs"])):
            for knob in told:
                if "cell" not in knob:
                    write(cell, knob)
    by_id = {cell["id"]: cell for cell in cells if "id" in cell}
    for cell in cells:
        kept = []
        for output in cell["outputs"]:
            told = knobs(output)
            sentences = None if told is None else note(cell, told, by_id)
            if sentences:
                markup = NOTE.format("<br>".join(map(html.escape, sentences)))
                output["data"] = {"text/plain": "\n".join(sentences), "text/html": markup}
            if sentences != []:
                kept.append(output)
        cell["outputs"] = kept


if "get_config" in globals():
    get_config().ContentsManager.pre_save_hook = keep_pairs  # noqa: F821
