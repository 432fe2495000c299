# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sphinx's configuration of the site: extensions, theme and links; for docs/site/make, which names the folders."""
# pylint: disable=invalid-name
import logging
import os
import re

project, author, copyright = "Starfish", "the authors of Starfish", "2026, the authors of Starfish"  # noqa: A001
extensions = ["myst_parser", "breathe"]
html_theme, html_title = "furo", "Starfish"
html_copy_source = html_show_sourcelink = False
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
# Formulas: by the MathJax 2 that docs/site/make has copied, or else by MathJax 3 from Sphinx's default address.
if os.path.exists(os.path.join(os.environ["STARFISH_SITE"], "static/mathjax")):
    html_static_path, mathjax_path = [os.path.join(os.environ["STARFISH_SITE"], "static")], "mathjax/MathJax.js"
    mathjax2_config = {"config": ["TeX-AMS_SVG.js"], "showMathMenu": False, "tex2jax": {"processClass": "math"}}
breathe_projects = {"starfish": os.environ["STARFISH_XML"]}
breathe_default_project, breathe_domain_by_extension = "starfish", {"h": "c"}
breathe_default_members = ("members",)


def link(page, found):
    """A link inside the site, or the words of one that leads out of it."""
    text, target = found.groups()
    path, _, place = target.partition("#")
    if re.match(r"https?:", target) or not path:
        return found.group(0)
    path = os.path.normpath(os.path.join(os.path.dirname(page), path))
    if path == "README.md":
        path = "index.md"
    if not os.path.isfile(os.path.join(os.environ["STARFISH_PAGES"], path)):
        return text
    return f"[{text}]({os.path.relpath(path, os.path.dirname(page))}{'#' + place if place else ''})"


def read(app, name, source):
    """Of a page, all but its code: links that lead out of the site become words."""
    del app
    parts = re.split(r"(^```.*?^```$)", source[0], flags=re.MULTILINE | re.DOTALL)
    source[0] = "".join(part if part.startswith("```") else
                        re.sub(r"(?<!!)\[((?:[^\]`]|`[^`]*`)*)\]\(([^)\s]+)\)", lambda f: link(name + ".md", f), part)
                        for part in parts)


def setup(app):
    """Sphinx calls this. Structs and functions of one name are no duplicates in C."""
    logging.getLogger("sphinx.sphinx.domains.c").addFilter(lambda record: "Duplicate C" not in str(record.msg))
    app.connect("source-read", read)
