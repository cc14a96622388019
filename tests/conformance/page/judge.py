"""Opens pages in Chromium and says what is wrong with them: judge.py CHROMIUM, in the environment of page.txt.

Each line of the standard input is a page as JSON: {"path", "must": [texts that it shows], "plain": [texts that it shows
without scripts], "damaged": true for a page with one fault, which is opened at one width only}. Answers each with a
line: the list of its faults.
"""
import json
import os
import sys

from playwright.sync_api import Error, sync_playwright

HERE = os.path.dirname(os.path.abspath(__file__))
WIDTHS, SCHEMES = (500, 900, 1400), ("light", "dark")
MOST_NODES = 3000


def checks_of():
    with open(os.path.join(HERE, "checks.js"), encoding="utf-8") as file:
        return file.read()


CHECKS = checks_of()


class Opened:
    """A page in a context of its own, offline, with what it says and asks for."""

    def __init__(self, browser, path, scripts=True):
        self.context = browser.new_context(viewport={"width": 900, "height": 900}, color_scheme="light", offline=True,
                                           java_script_enabled=scripts, accept_downloads=True)
        self.page = self.context.new_page()
        self.said, self.asked = [], []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.said.append("dialog " + dialog.message), dialog.dismiss()))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto("file://" + os.path.abspath(path))
        if scripts:
            self.page.wait_for_selector("body[data-ready]", timeout=30000)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.context.close()

    def ask(self, check):
        return self.page.evaluate(f"() => ({CHECKS}).{check}()")

    def faults(self, most_nodes=MOST_NODES):
        """What is wrong with any page at any width."""
        size = self.ask("size")
        found = [f"{size['nodes']} nodes"] if size["nodes"] > most_nodes else []
        found += [f"{size['wide']} px wider than the window"] if size["wide"] > 0 else []
        found += [f"text over text: {pair}" for pair in self.ask("overlaps")]
        found += [f"a number on two lines: {text}" for text in self.ask("broken")]
        found += [f"unwritten value: {text}" for text in self.ask("unwritten")]
        found += [f"a table is cut: {text}" for text in self.ask("cut")]
        found += [f"a column of letters: {text}" for text in self.ask("letters")]
        return found

    def look(self, width, height=900, **media):
        """Gives the window another size or the page another medium, and waits until its pictures are drawn again."""
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.emulate_media(**media)
        self.page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def faint(self):
        """Texts with too little contrast. The colour below a text is asked of a window that shows the whole page."""
        size = self.page.viewport_size
        self.look(size["width"], self.page.evaluate("() => document.documentElement.scrollHeight"))
        found = self.ask("faint")
        self.look(**size)
        return [f"faint text {text}" for text in found]

    def talk(self):
        """Requests except the one for the page itself, and messages on the console."""
        return [f"asks for {url[:80]}" for url in self.asked[1:] if not url.startswith("blob:")] + [f"says {text[:120]}" for text in self.said]


def read_by_keyboard(opened):
    """Tab reaches every control, with a mark around it."""
    page = opened.page
    wanted = page.evaluate("""() => {
      document.activeElement.blur();
      window.scrollTo(0, 0);
      window.reached = new Map();
      document.addEventListener("focusin", event => {
        const style = getComputedStyle(event.target);
        window.reached.set(event.target, style.outlineStyle !== "none" || event.target.classList.contains("mark") && style.stroke !== "none");
      });
      window.controls = (CHECKS).controls();
      return window.controls.length;
    }""".replace("CHECKS", CHECKS))
    for _ in range(wanted + 2):
        page.keyboard.press("Tab")
    missed, unmarked = page.evaluate("""() => [
      window.controls.filter(e => !window.reached.has(e)).map(e => e.outerHTML.slice(0, 70)),
      [...window.reached.values()].filter(marked => !marked).length]""")
    return [f"Tab does not reach {text}" for text in missed[:3]] + ([f"{unmarked} controls show no focus"] if unmarked else [])


def move_over_timeline(opened):
    """The keys of the timeline zoom, move, choose a bar and say what it is."""
    page, canvas = opened.page, opened.page.locator("#pipeline canvas")
    if not canvas.count():
        return []
    found, status = [], page.locator("#pipeline .status")
    picture = lambda: canvas.evaluate("c => c.toDataURL()")  # noqa: E731
    canvas.focus()
    before = picture()
    for key, what in (("+", "zooms in"), ("ArrowRight", "moves on"), ("0", "shows all")):
        page.keyboard.press(key)
        after = picture()
        if (after == before) and key != "0":
            found.append(f"the timeline does not change where {key} {what}")
    if picture() != before:
        found.append("0 does not show the whole timeline")
    page.keyboard.press(".")
    page.keyboard.press(".")
    text = status.inner_text()
    if "ank 0" not in text or "from" not in text:
        found.append(f"the chosen bar says {text!r}")
    page.keyboard.press("Escape")
    return found


def said(picture):
    return picture.evaluate(f"picture => ({CHECKS}).said(picture)")


def say_the_same(opened):
    """The keys reach a mark of each SVG picture, and the mouse over it says the same."""
    page, found = opened.page, []
    for picture in page.locator("figure svg[tabindex='0']").all():
        name = (picture.get_attribute("aria-label") or "")[:40]
        picture.focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        ring = picture.locator(".ring")
        if not ring.count():
            found.append(f"the keys choose nothing in {name!r}")
            continue
        text, box = said(picture), ring.bounding_box()
        page.keyboard.press("End")
        if page.locator(".tip").count() and page.locator(".tip").is_visible():
            page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
            over = said(picture)
        else:  # a moment can be narrower than a pixel: the keys go on from where the mouse is
            picture.hover()
            over = said(picture)
            for one, other in (("ArrowLeft", "ArrowRight"), ("ArrowRight", "ArrowLeft")):  # the first and the last moment
                picture.hover()
                page.keyboard.press(one)
                page.keyboard.press(other)
                text = said(picture)
                if text == over:
                    break
        if not text or over != text:
            found.append(f"a picture says {text[:60]!r} by keyboard and {over[:60]!r} by mouse: {name!r}")
        page.mouse.move(0, 0)
    for bar in page.locator(".track[tabindex='0']").all()[:3]:
        bar.focus()
        if said(bar) != bar.get_attribute("aria-label"):
            found.append(f"a bar says {said(bar)!r}")
    page.evaluate("() => { document.activeElement.blur(); window.scrollTo(0, 0); }")
    return found


def follow_figures(opened):
    """Figures that are links show their derivation."""
    page, found = opened.page, []
    shown = [link for link in page.locator("section:not(#derivation) button[title^='how ']").all() if link.is_visible()]
    for link in shown[:2] + shown[-2:]:
        path = link.get_attribute("title")[len("how "):-len(" is computed")]
        link.click()
        if page.locator("#derivation .tree .mono").first.inner_text() != path:
            found.append(f"a link does not show how {path} is computed")
    if page.locator("#derivation").count() and not shown:
        found.append("no figure leads to its derivation")
    return found


def move_together(opened):
    """Two timelines of a comparison have one time axis."""
    page = opened.page
    page.evaluate("() => { for (const part of document.querySelectorAll('#comparison details')) part.open = true; }")
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    canvases = page.locator("#comparison canvas").all()
    if len(canvases) < 2:
        return []
    picture = lambda: canvases[1].evaluate("c => c.toDataURL()")  # noqa: E731
    before = picture()
    canvases[0].focus()
    page.keyboard.press("+")
    return [] if picture() != before else ["the second timeline does not move with the first"]


def repeated(opened):
    """Headings that stand on the page twice, and folders in its title."""
    names = opened.page.evaluate("() => [...document.querySelectorAll('h2, h3, dt')].map(e => e.textContent)")
    found = [f"{name!r} stands there twice" for name in ("What to change",) if names.count(name) > 1]
    return found + (["its title has folders"] if "/" in opened.page.title() else [])


def unfold_derivation(opened):
    """A figure is found by its name, and its inputs unfold."""
    page, box = opened.page, opened.page.locator("#figure")
    if not box.count():
        return []
    if not opened.page.evaluate("() => page.trees[0].has('step_time')"):
        return []
    box.fill("step_time")
    page.keyboard.press("Enter")
    rows = page.locator("#derivation .tree li")
    before = rows.count()
    page.locator("#derivation .tree ul button.fold").first.focus()
    page.keyboard.press("Enter")
    after = rows.count()
    return [] if after > before > 1 else [f"the derivation of step_time has {before} rows, {after} after a key"]


def save_trace(opened):
    """The trace has a complete event for each action."""
    button = opened.page.locator("#pipeline button", has_text="Save trace")
    if not button.count():
        return []
    with opened.page.expect_download() as download:
        button.click()
    with open(download.value.path(), encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    ranks = {e["pid"] for e in events if e["ph"] == "X" and e["tid"] == 1}
    named = {e["pid"] for e in events if e["ph"] == "M" and e["name"] == "process_name"}
    wrong = [e for e in events if e["ph"] == "X" and not e["dur"] >= 0]
    return [] if ranks and ranks <= named and not wrong else [f"the trace has {len(ranks)} ranks, {len(named)} of them with a name"]


def without_scripts(browser, entry):
    with Opened(browser, entry["path"], scripts=False) as opened:
        text = opened.page.inner_text("body")
        size = opened.ask("size")
        found = opened.talk() + ([f"{size['wide']} px wider than the window"] if size["wide"] > 0 else [])
        found += [f"text over text: {pair}" for pair in opened.ask("overlaps")]
        found += [f"there is no {part!r}" for part in entry.get("plain", []) if part not in text]
        return [f"without scripts: {fault}" for fault in found]


def unfolded(opened):
    """What is wrong once everything is unfolded."""
    opened.page.evaluate("""() => {
      for (const part of document.querySelectorAll("details")) part.open = true;
      for (const more of [...document.querySelectorAll("button")].filter(b => b.textContent.startsWith("Show all"))) more.click();
    }""")
    found = []
    for width in (WIDTHS[0], WIDTHS[-1]):
        opened.look(width, media="screen")
        found += [f"unfolded, {width} px: {fault}" for fault in opened.faults(most_nodes=100000)]
    return found


def printed(opened):
    opened.look(720, media="print", color_scheme="light")
    found = opened.faults() + opened.faint()
    paper = opened.page.pdf(format="A4")
    if len(paper) < 20000 or not paper.startswith(b"%PDF"):
        found.append("the paper is empty")
    return [f"in print: {fault}" for fault in found]


def policy_holds(opened):
    """The page itself cannot ask for anything: its policy forbids it."""
    allowed = opened.page.evaluate("() => fetch('http://localhost:9/').then(() => true, e => false)")
    blocked = any("Content Security Policy" in text for text in opened.said)
    opened.said.clear()
    return [] if blocked and not allowed else ["its policy does not forbid requests"]


def judged(browser, entry):
    """All faults of one page."""
    damaged = entry.get("damaged")
    with Opened(browser, entry["path"]) as opened:
        text = opened.page.inner_text("main").replace("\u00a0", " ").replace("\u2009", "")
        found = [f"does not show {part!r}" for part in entry.get("must", []) if part not in text]
        found += [f"has the element {text}" for text in opened.ask("foreign")]
        for width, scheme in [(900, "light")] if damaged else [(w, s) for w in WIDTHS for s in SCHEMES]:
            opened.look(width, color_scheme=scheme)
            here = opened.faults() + (opened.faint() if width == 900 else [])
            found += [f"{width} px, {scheme}: {fault}" for fault in here]
        opened.look(900, color_scheme="light")
        found += read_by_keyboard(opened) + move_over_timeline(opened) + say_the_same(opened) + repeated(opened)
        found += follow_figures(opened) + unfold_derivation(opened) + save_trace(opened) + move_together(opened)
        found += [] if damaged else printed(opened) + unfolded(opened)
        found += opened.talk() + policy_holds(opened)
    return found + ([] if damaged else without_scripts(browser, entry))


def main():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=sys.argv[1], args=["--no-sandbox", "--disable-gpu"])
        for line in sys.stdin:
            try:
                found = judged(browser, json.loads(line))
            except Error as error:
                found = [f"cannot be opened: {error.message.splitlines()[0]}"]
            print(json.dumps(found), flush=True)
        browser.close()


if __name__ == "__main__":
    main()
