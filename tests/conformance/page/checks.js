// What the judge asks a page: which texts cover another one, which are too faint, and how large the document is.
({
  /// The boxes of all lines of visible text, cut to what the boxes around them show.
  texts() {
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode, parent = node.parentElement;
      if (!node.data.trim() || ["SCRIPT", "STYLE", "NOSCRIPT", "TITLE", "OPTION"].includes(parent.nodeName) && !parent.closest("svg")) continue;
      if (parent.nodeName === "title" || !parent.checkVisibility({ visibilityProperty: true })) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      for (const line of range.getClientRects()) {
        const box = this.shown(line, parent);
        if (box) found.push({ text: node.data.trim().slice(0, 60), whole: node.data, parent, node, box });
      }
    }
    return found;
  },

  /// The part of a box that is not cut off by an ancestor that scrolls or hides.
  shown(line, element) {
    let box = { left: line.left, top: line.top, right: line.right, bottom: line.bottom };
    for (let around = element; around && around !== document.body; around = around.parentElement) {
      const style = getComputedStyle(around);
      if (around.namespaceURI.endsWith("svg") && around.nodeName !== "svg") continue;
      if (style.overflowX === "visible" && style.overflowY === "visible") continue;
      const cut = around.getBoundingClientRect();
      box = { left: Math.max(box.left, cut.left), top: Math.max(box.top, cut.top), right: Math.min(box.right, cut.right), bottom: Math.min(box.bottom, cut.bottom) };
    }
    return box.right - box.left > 0.5 && box.bottom - box.top > 0.5 ? box : null;
  },

  /// Pairs of texts of which one covers the other by more than a fifth of a line in both directions.
  overlaps() {
    const all = this.texts().sort((a, b) => a.box.top - b.box.top), found = [];
    for (let i = 0; i < all.length; ++i)
      for (let j = i + 1; j < all.length && all[j].box.top < all[i].box.bottom; ++j) {
        const a = all[i].box, b = all[j].box;
        if (all[i].node === all[j].node) continue;
        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left), high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        const line = Math.min(a.bottom - a.top, b.bottom - b.top);
        if (wide > 1.5 && high > 0.3 * line) found.push(`"${all[i].text}" and "${all[j].text}" by ${wide.toFixed(1)} x ${high.toFixed(1)} px`);
      }
    return found.slice(0, 5);
  },

  /// Numbers of tables that do not stand on one line.
  broken() {
    const found = [];
    for (const cell of document.querySelectorAll("td:not(.text):not(.left):not(.bar)")) {
      const range = document.createRange();
      range.selectNodeContents(cell);
      const tops = [...range.getClientRects()].filter(box => box.width > 0).map(box => Math.round(box.top));
      if (tops.length && Math.max(...tops) - Math.min(...tops) > 8) found.push(`"${cell.textContent.slice(0, 60)}"`);
    }
    return found.slice(0, 5);
  },

  /// Tables that are cut off: in a narrow window all that scroll, in others those that the keyboard does not reach.
  cut() {
    if (matchMedia("print").matches) return [];
    const scrolls = box => box.scrollWidth > box.clientWidth + 1 && (window.innerWidth < 640 || !box.hasAttribute("tabindex"));
    return [...document.querySelectorAll(".wide")].filter(scrolls).map(box => `the one with "${box.querySelector("th").textContent}"`).slice(0, 5);
  },

  /// Cells whose text stands in a column of letters.
  letters() {
    const found = [...document.querySelectorAll("td, th")].filter(cell => cell.textContent.length > 12 && cell.clientWidth < 50 && cell.clientHeight > 150);
    return found.map(cell => `"${cell.textContent.slice(0, 40)}"`).slice(0, 5);
  },

  /// What the box next to the mouse or the keyboard's place says, or else the line below a picture.
  said(picture) {
    const tip = document.querySelector(".tip"), status = picture.closest("section").querySelector(".status");
    return tip && !tip.hidden ? tip.textContent : status ? status.textContent : "";
  },

  /// Values that became text without being written for people; sources may have any word.
  unwritten() {
    return this.texts().filter(item => /\[object |\bundefined\b|\bNaN\b|\bInfinity\b/.test(item.whole) && !item.parent.closest(".source")).map(item => item.text).slice(0, 5);
  },

  /// The relative luminance of a colour over the one below it (WCAG 2.2).
  luminance([r, g, b]) {
    const part = v => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  },

  colour(text) {
    const numbers = (text.match(/[\d.]+/g) || []).map(Number);
    return text === "none" || numbers.length < 3 ? null : [numbers[0], numbers[1], numbers[2], numbers[3] ?? 1];
  },

  over(front, back) {
    return [0, 1, 2].map(i => front[i] * front[3] + back[i] * (1 - front[3]));
  },

  /// The colour behind an element: of the shapes of a picture that hold the place, or of the boxes around the element.
  behind(item) {
    const x = (item.box.left + item.box.right) / 2, y = (item.box.top + item.box.bottom) / 2;
    const layers = [];
    for (const element of document.elementsFromPoint(x, y)) {
      const style = getComputedStyle(element), shape = element.namespaceURI.endsWith("svg") && element.nodeName !== "svg";
      if (shape && ["text", "line", "polyline"].includes(element.nodeName)) continue;
      const colour = this.colour(shape ? style.fill : style.backgroundColor);
      if (colour && colour[3] > 0) layers.push(colour);
    }
    return layers.reverse().reduce((back, front) => this.over(front, back), [255, 255, 255]);
  },

  /// Texts with a contrast below 4.5; the window has to be as high as the page.
  faint() {
    const found = new Set();
    for (const item of this.texts()) {
      const style = getComputedStyle(item.parent), colour = this.colour(item.parent.closest("svg") ? style.fill : style.color);
      if (!colour) continue;
      const back = this.behind(item), front = this.over(colour, back);
      const [high, low] = [this.luminance(front), this.luminance(back)].sort((a, b) => b - a), contrast = (high + 0.05) / (low + 0.05);
      if (contrast < 4.5) found.add(`"${item.text}" ${contrast.toFixed(2)}`);
    }
    return [...found].slice(0, 5);
  },

  /// Texts of a hostile plan that became elements.
  foreign() {
    return [...document.querySelectorAll("img, iframe, object, embed, link, base, form, video, audio, script[src], a[href^='javascript']")].map(e => e.outerHTML.slice(0, 80));
  },

  size() {
    let nodes = 0;
    const walker = document.createTreeWalker(document, NodeFilter.SHOW_ALL);
    while (walker.nextNode()) ++nodes;
    return { nodes, wide: document.documentElement.scrollWidth - window.innerWidth };
  },

  /// What the keyboard has to reach, in the order of the page.
  controls() {
    return [...document.querySelectorAll("a[href], button, input, select, summary, [tabindex='0']")].filter(e => e.checkVisibility() && !e.disabled);
  },
})
