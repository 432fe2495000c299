#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The site in a real browser: links lead somewhere, pictures are there, the search finds, the dark theme is dark. Where
Selenium or Chromium is missing the exit status is 77.

    browser.py SITE, the folder with html/, in which screenshots are left"""
import functools
import html.parser
import http.server
import pathlib
import shutil
import sys
import threading
import unittest
import urllib.parse

try:
    from selenium import webdriver
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.ui import WebDriverWait
except ImportError:
    sys.exit(77)

SITE = pathlib.Path(sys.argv.pop(1)).resolve()
HTML = SITE / "html"


class Names(html.parser.HTMLParser):
    """Links and anchors of a page."""

    def __init__(self, page):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.anchors.add(values.get("id"))
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves the site."""

    def log_message(self, *_):
        pass


class Browser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=HTML))
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()
        cls.address = f"http://127.0.0.1:{cls.server.server_address[1]}/"
        options = webdriver.ChromeOptions()
        for word in ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     "--window-size=1400,1000"):
            options.add_argument(word)
        cls.browser = webdriver.Chrome(options=options)
        cls.browser.set_page_load_timeout(60)

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()
        cls.server.shutdown()

    def open(self, page):
        self.browser.get(self.address + page)

    def test_links_lead_somewhere(self):
        names = {page: Names(page) for page in HTML.rglob("*.html")}
        self.assertGreater(len(names), 50)
        for page, found in names.items():
            for link in found.links:
                path, _, anchor = link.partition("#")
                if urllib.parse.urlparse(link).scheme:
                    continue
                target = (page.parent / urllib.parse.unquote(path)).resolve() if path else page
                with self.subTest(page=page.name, link=link):
                    self.assertTrue(target.exists())
                    if anchor and target in names:
                        self.assertIn(urllib.parse.unquote(anchor), names[target].anchors)

    def test_pictures_are_there(self):
        self.open("gallery.html")
        pictures = self.browser.find_elements(By.CSS_SELECTOR, "article img")
        self.assertGreater(len(pictures), 10)
        for picture in pictures:
            self.assertGreater(picture.get_property("naturalWidth"), 100, picture.get_attribute("src"))

    def test_the_search_finds(self):
        self.open("search.html?q=block+cyclic+reduction")
        WebDriverWait(self.browser, 30).until(
            lambda browser: browser.find_elements(By.CSS_SELECTOR, "#search-results li a"))
        found = [link.text for link in self.browser.find_elements(By.CSS_SELECTOR, "#search-results li a")]
        self.assertIn("Algorithms", found)
        self.open("search.html?q=xyzzyplugh")
        WebDriverWait(self.browser, 30).until(lambda browser: "did not match" in browser.page_source)

    def test_the_dark_theme_is_dark(self):
        self.open("index.html")
        self.assertTrue(self.browser.save_screenshot(str(SITE / "light.png")))
        colour = "return getComputedStyle(document.body).backgroundColor"
        light = self.browser.execute_script(colour)
        self.browser.execute_script("document.body.dataset.theme = 'dark'")
        self.assertTrue(self.browser.save_screenshot(str(SITE / "dark.png")))
        dark = self.browser.execute_script(colour)
        brightness = [sum(int(part) for part in text[text.index("(") + 1:-1].split(",")[:3]) for text in (light, dark)]
        self.assertGreater(brightness[0], 600)
        self.assertLess(brightness[1], 150)
        for name in ("light.png", "dark.png"):
            self.assertGreater((SITE / name).stat().st_size, 50000)

    def test_formulas_are_drawn(self):
        """By MathJax 3 or 2."""
        self.open("docs/algorithms.html")
        drawn = "mjx-container svg, mjx-container mjx-math, .MathJax_SVG svg"
        WebDriverWait(self.browser, 60).until(lambda browser: browser.find_elements(By.CSS_SELECTOR, drawn))
        self.assertTrue(self.browser.save_screenshot(str(SITE / "formulas.png")))
        self.assertEqual(self.browser.find_elements(By.CSS_SELECTOR, ".MathJax_Error, [data-mjx-error]"), [])

    def test_the_tree_has_every_page(self):
        self.open("index.html")
        links = self.browser.find_elements(By.CSS_SELECTOR, ".sidebar-tree a")
        tree = {link.get_attribute("href").split("#")[0] for link in links}
        for page in HTML.rglob("*.html"):
            if page.name not in ("index.html", "search.html", "genindex.html"):
                self.assertIn(self.address + str(page.relative_to(HTML)), tree)


if __name__ == "__main__":
    if not shutil.which("chromium"):
        sys.exit(77)
    unittest.main()
