"""What becomes of a notebook before JupyterLab's server writes it: `python3 save.py` checks `assets/lab/save.py`."""

import copy
import importlib.util
import unittest
from pathlib import Path

spec = importlib.util.spec_from_file_location("save", Path(__file__).parents[2] / "assets/lab/save.py")
save = importlib.util.module_from_spec(spec)
spec.loader.exec_module(save)

TEXT = {"output_type": "stream", "name": "stdout", "text": "shown\n"}


def place(*knobs, text=""):
    return {"output_type": "display_data", "data": {"text/plain": text}, "metadata": {"workbench": {"knobs": list(knobs)}}}


def own(value, name="d", ran="144"):
    return {"name": name, "value": value, "ran": ran}


def other(value, cell="a", name="d"):
    return {"name": name, "value": value, "cell": cell}


def code(source, *outputs, id="a", count=3):
    return {"cell_type": "code", "id": id, "metadata": {}, "execution_count": count, "source": source, "outputs": [TEXT, *outputs]}


def saved(*cells):
    content = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": copy.deepcopy(list(cells))}
    save.keep_pairs({"type": "notebook", "content": content}, path="n.ipynb", contents_manager=None)
    return content["cells"]


def notes(cell):
    return [output["data"]["text/plain"] for output in cell["outputs"] if output is not TEXT and "data" in output]


LINE = "let d = 144; // knob 10..=200\nd * d"


class Save(unittest.TestCase):
    def test_the_value_of_the_outputs_goes_into_the_line_and_the_note_goes(self):
        for line, turned in [
            (LINE, own("30")),
            ("let mut d : usize = 144usize ; // knob 10..=200", own("30usize", ran="144usize")),
            ("  let d =144;// knob 10..=200", own("30")),
            ('let d = "a;b"; // knob "a;b" | "c"', own('"c"', ran='"a;b"')),
        ]:
            (cell,) = saved(code(line, place(turned, text="computed with")))
            self.assertEqual(cell["source"], line.replace(turned["ran"], turned["value"], 1))
            self.assertEqual(cell["outputs"], [TEXT])
        (cell,) = saved(code(LINE.splitlines(keepends=True), place(own("30"))))
        self.assertEqual(cell["source"], ["let d = 30; // knob 10..=200\n", "d * d"])

    def test_a_true_pair_is_left_alone(self):
        for cell in [code(LINE), code("plot(x)"), {"cell_type": "markdown", "source": LINE}]:
            self.assertEqual(saved(cell), [cell])
        (cell,) = saved(code(LINE, place(own("144"))))
        self.assertEqual((cell["source"], cell["outputs"]), (LINE, [TEXT]))

    def test_a_line_that_the_reader_edited_is_kept_and_the_outputs_say_so(self):
        (cell,) = saved(code(LINE.replace("144", "50"), place(own("30"))))
        self.assertIn("d = 50;", cell["source"])
        self.assertEqual(notes(cell), ["computed with d = 30; the line of this cell says 50"])
        (cell,) = saved(code("plot(x)", place(own("30"), text="computed with d = 30")))
        self.assertEqual(notes(cell), ["computed with d = 30"])

    def test_of_two_knobs_with_one_name_each_has_its_line(self):
        text = "let d = 1; // knob 1..=9\nlet d = 2; // knob 1..=9"
        (cell,) = saved(code(text, place(own("1", ran="1"), own("7", ran="2"))))
        self.assertEqual(cell["source"], text.replace("= 2", "= 7"))
        text = "let d = 1; // knob 1..=9\nlet d = 1; // knob 1..=9"
        (cell,) = saved(code(text, place(own("7", ran="1"))))
        self.assertEqual(cell["source"], text)
        self.assertEqual(notes(cell), ["computed with d = 7; the line of this cell says 1"])

    def test_a_cell_that_rests_on_the_knob_is_compared_with_its_line(self):
        cells = saved(
            code(LINE, place(own("30"))),
            code("plot(d)", place(other("30"), text="computed with d = 30; the line of cell [3] says 144"), id="b"),
            code("println!()", place(other("144")), id="c"),
            code("println!()", place(other("144", cell="gone")), id="e"),
            code("// follow", place(), id="f"),
        )
        told = ["computed with d = 144; the line of cell [3] says 30"]
        self.assertEqual([notes(cell) for cell in cells], [[], [], told, [""], []])

    def test_markup_of_a_value_is_text(self):
        (cell,) = saved(code('let d = "<b>"; // knob "<b>" | "c"', place(own('"c"', ran='"e"'))))
        self.assertIn("says &quot;&lt;b&gt;&quot;</div>", cell["outputs"][1]["data"]["text/html"])

    def test_other_files_and_notebooks_without_ids_are_saved(self):
        save.keep_pairs({"type": "file", "content": "text"})
        save.keep_pairs({"type": "notebook"})
        cell = code(LINE, place(own("30")))
        del cell["id"]
        self.assertIn("d = 30;", saved(cell)[0]["source"])


unittest.main()
