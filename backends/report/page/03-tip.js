// What a bar, a mark or a heading is, in a box next to it: while the mouse is over it, and while the keys are on it.

/// Attributes of an element that says more than its text, by mouse and by keyboard.
const hint = text => ({ tabindex: "0", "data-tip": text, "aria-description": text });

/// The box, the element that it belongs to, and how it is shown again after that element has moved.
let tipBox = null, tipOwner = null, tipAgain = null;

/// Shows a text next to a place of the window; without a text it hides the box.
function showTip(text, x, y) {
  if (!tipBox) document.body.append(tipBox = el("div", { class: "tip", "aria-hidden": "true" }));
  tipBox.hidden = !text;
  if (!text) return;
  tipBox.textContent = text;
  tipBox.style.left = "0px";
  const { width, height } = tipBox.getBoundingClientRect(), right = document.documentElement.clientWidth - width - 6;
  const below = y + 16 + height < window.innerHeight;
  tipBox.style.left = Math.max(6, Math.min(x + 10, right)) + "px";
  tipBox.style.top = Math.max(4, below ? y + 16 : y - height - 10) + "px";
}

/// Shows a text at a place of an element that has the focus, also after the browser has scrolled to the element.
function showTipAt(owner, text, x, y) {
  tipOwner = owner;
  tipAgain = () => {
    const box = owner.getBoundingClientRect();
    showTip(text, box.left + x, box.top + y);
  };
  tipAgain();
}

function hideTip() {
  tipOwner = tipAgain = null;
  if (tipBox) tipBox.hidden = true;
}

/// Says a text to those who do not see the page.
let voice = null;
function announce(text) {
  if (!voice) document.body.append(voice = el("div", { class: "unseen", "aria-live": "polite" }));
  voice.textContent = text;
}

const owning = event => event.target.closest && event.target.closest("[data-tip]");

document.addEventListener("pointerover", event => {
  const owner = owning(event);
  if (owner) { tipOwner = owner; tipAgain = null; showTip(owner.dataset.tip, event.clientX, event.clientY); } else if (tipOwner) hideTip();
});
document.addEventListener("pointermove", event => { if (tipOwner && owning(event) === tipOwner) showTip(tipOwner.dataset.tip, event.clientX, event.clientY); });
document.addEventListener("focusin", event => {
  const owner = owning(event);
  if (!owner || owner !== event.target) return hideTip();
  showTipAt(owner, owner.dataset.tip, 0, owner.offsetHeight - 8);
});
document.addEventListener("focusout", hideTip);
document.addEventListener("keydown", event => { if (event.key === "Escape") hideTip(); });
window.addEventListener("scroll", () => { if (tipAgain && tipOwner === document.activeElement) tipAgain(); else hideTip(); }, { capture: true, passive: true });

/// Lets the mouse and the keys choose among the marks of an SVG picture; both say the same of a mark.
class MarkChooser {
  constructor(svg) {
    this.svg = svg;
    this.marks = [];
    this.at = -1;
    svg.setAttribute("tabindex", "0");
    svg.addEventListener("pointermove", event => this.point(event));
    svg.addEventListener("pointerleave", hideTip);
    svg.addEventListener("click", event => { const i = this.under(event); if (i >= 0) this.choose(i); });
    svg.addEventListener("keydown", event => this.key(event));
    svg.addEventListener("blur", () => this.choose(-1));
  }

  /// The marks of a new drawing as {x, y, r, text, pick}, in the order in which the keys visit them.
  show(marks) {
    this.marks = marks;
    if (this.at >= marks.length) this.at = -1;
    this.ring();
  }

  /// The factor from the units of the picture to pixels.
  get scale() { return this.svg.getBoundingClientRect().width / (this.svg.viewBox.baseVal.width || 1); }

  under(event) {
    const box = this.svg.getBoundingClientRect(), x = (event.clientX - box.left) / this.scale, y = (event.clientY - box.top) / this.scale;
    let best = -1, least = Infinity;
    this.marks.forEach((m, i) => { const far = Math.hypot(m.x - x, m.y - y); if (far < m.r + 8 && far < least) { least = far; best = i; } });
    return best;
  }

  /// What a mark is, and those that it covers.
  text(mark) {
    const same = this.marks.filter(m => Math.hypot(m.x - mark.x, m.y - mark.y) < 0.5).map(m => m.text);
    return same.length > 3 ? `${same.slice(0, 3).join("; ")}; ${same.length - 3} more` : same.join("; ");
  }

  point(event) {
    const i = this.under(event);
    this.svg.style.cursor = i >= 0 && this.marks[i].pick ? "pointer" : "";
    if (i >= 0) showTip(this.text(this.marks[i]), event.clientX, event.clientY); else hideTip();
  }

  /// Chooses a mark, says what it is and lets it act; -1 chooses none.
  choose(index) {
    this.at = index;
    this.ring();
    const mark = this.marks[index];
    if (!mark) return hideTip();
    const text = this.text(mark);
    showTipAt(this.svg, text, mark.x * this.scale, (mark.y + mark.r) * this.scale - 8);
    announce(text);
    if (mark.pick) mark.pick();
  }

  ring() {
    for (const old of this.svg.querySelectorAll(".ring")) old.remove();
    const mark = this.marks[this.at];
    if (mark) this.svg.append(el("circle", { class: "ring", cx: mark.x, cy: mark.y, r: mark.r + 3, fill: "none", stroke: INK.fg, "stroke-width": 2 }));
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const last = this.marks.length - 1, to = { ArrowRight: this.at + 1, ArrowDown: this.at + 1, ArrowLeft: this.at - 1, ArrowUp: this.at - 1, Home: 0, End: last, Escape: -1 }[event.key];
    if (to === undefined || last < 0) return;
    event.preventDefault();
    this.choose(event.key === "Escape" ? -1 : to < 0 ? last : to > last ? 0 : to);
  }
}
