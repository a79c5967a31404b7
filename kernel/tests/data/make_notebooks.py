"""Writes the golden notebooks of this folder with Python's nbformat 5.11.1 (the reference implementation)."""
import pathlib

import nbformat
from nbformat import v4

HERE = pathlib.Path(__file__).parent


def code(identifier, source, outputs=(), count=None, **metadata):
    return v4.new_code_cell(
        source, id=identifier, outputs=list(outputs), execution_count=count, metadata=metadata
    )


plain = v4.new_notebook(
    cells=[
        v4.new_markdown_cell("# Title\n\nText with $x^2$ and ünïcode – \U0001f980.", id="intro"),
        code("empty", ""),
        code("one", "1 + 1", [v4.new_output("execute_result", {"text/plain": "2"}, execution_count=1)], 1),
        code(
            "print",
            "println!(\"a\");\nprintln!(\"b\");",
            [v4.new_output("stream", name="stdout", text="a\nb\n"), v4.new_output("stream", name="stderr", text="")],
            2,
            tags=["raises-exception"],
            editor={"zeta": 1, "alpha": [1.5, None, {"deep": True}]},
        ),
        code(
            "figure",
            "figure",
            [
                v4.new_output(
                    "display_data",
                    {
                        "image/svg+xml": "<svg>\n<g/>\n</svg>",
                        "image/png": "iVBORw0KGgo=",
                        "text/plain": "figure",
                        "application/json": {"b": 1, "a": [1, 2]},
                    },
                    metadata={"image/png": {"width": 320}},
                )
            ],
            3,
        ),
        code(
            "fails",
            "panic!()",
            [v4.new_output("error", ename="Panic", evalue="no", traceback=["\x1b[31mline\x1b[0m", "two"])],
            4,
        ),
        v4.new_raw_cell("raw\n", id="raw"),
    ],
    metadata={
        "kernelspec": {"display_name": "Rust (Workbench)", "language": "rust", "name": "workbench"},
        "language_info": {"name": "rust", "file_extension": ".rs"},
        "authors": [{"name": "Ada"}],
        "unknown": {"kept": ["as", "it", "is"], "number": 0.1},
    },
)
nbformat.validate(plain)
nbformat.write(plain, HERE / "golden.ipynb")

minimal = v4.new_notebook(
    cells=[], metadata={"kernelspec": {"display_name": "Rust (Workbench)", "name": "workbench"}}
)
nbformat.write(minimal, HERE / "minimal.ipynb")
