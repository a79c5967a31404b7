"""How Sphinx builds the site. Written by the command `site`; changes here are overwritten."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

from workbench_clean import TEX

project = html_title = "Workbench"
extensions = ["myst_nb", "workbench_site"]
exclude_patterns = ["_ext", "_templates"]
suppress_warnings = ["misc.highlighting_failure", "mystnb.mime_type", "mystnb.lexer"]

# Notebooks are shown as they were saved; nothing is run.
nb_execution_mode = "off"
nb_merge_streams = True
nb_render_markdown_format = "myst"
nb_ipywidgets_js = {}
myst_enable_extensions = ["dollarmath", "amsmath"]
# Roles of MyST would be commands in words that somebody wrote; directives are those of `workbench_site`.
myst_disable_syntax = ["myst_role"]
myst_dmath_allow_labels = False
myst_dmath_double_inline = True
myst_update_mathjax = False
highlight_language = "rust"

html_theme = "sphinx_book_theme"
html_static_path = ["_static"]
html_favicon = "_static/logo.svg"
templates_path = ["_templates"]
html_sidebars = {part: ["navbar-logo.html", "search-button-field.html", "beside.html"] for part in ("claims/**", "checks/**")}
html_css_files = ["workbench.css"]
html_js_files = [("equations.js", {"priority": 100}), "workbench.js"]
html_show_sourcelink = False
html_copy_source = False
html_permalinks = False
html_show_copyright = False
html_show_sphinx = False
html_context = {"default_mode": "auto"}
html_theme_options = {
    "show_navbar_depth": 1,
    "show_toc_level": 2,
    "home_page_in_toc": True,
    "use_download_button": False,
    "use_fullscreen_button": False,
    "use_repository_button": False,
    "navigation_with_keys": False,
    "navbar_persistent": [],
    "footer_content_items": [],
    "search_bar_text": "Search claims and chapters",
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}

# Equations are set by a file of the site, and told how by another, once for all pages. Outside of them a dollar is an equation's only in
# outputs of cells.
mathjax_path = "mathjax/tex-svg-full.js"
EQUATIONS = {
    "tex": {**TEX, "inlineMath": [["\\(", "\\)"], ["$", "$"]], "processEscapes": True},
    "options": {
        "ignoreHtmlClass": "bd-container",
        "processHtmlClass": "math|text_html|wb-math",
        "enableMenu": False,
    },
}
(Path(__file__).parent / "_static/equations.js").write_text(f"window.MathJax = {json.dumps(EQUATIONS)};\n", encoding="utf-8")
