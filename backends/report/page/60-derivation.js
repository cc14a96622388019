// The derivation of every figure: a tree that is unfolded on demand, down to what the file, the library or a
// measurement sets, and a search over the names of figures.

const PROVENANCE = {
  derived: "", simulated: "simulated", assumed: "assumed", declared: "set", measured: "measured", calibrated: "calibrated",
};

/// The formula on a line of its own, then what the figure is.
function howText(figure) {
  return [figure.formula && el("span", { class: "how mono" }, "= " + figure.formula), figure.note && el("span", { class: "how" }, prose(figure.note))];
}

/// One figure of a layout with its value, its formula and, when unfolded, its inputs.
function treeNode(layout, path, open) {
  const figure = layout.figures[path];
  const item = el("li"), line = el("div", { class: "node" });
  const inputs = [...new Set((figure.inputs || []).map(i => i.path || i))].filter(i => layout.has(i));
  const inside = el("ul", { hidden: true });
  const fold = inputs.length ? el("button", { type: "button", class: "fold", "aria-expanded": "false", "aria-label": `inputs of ${path}` }, "▸") : el("span", { "aria-hidden": "true", class: "leaf soft" }, "·");
  const toggle = () => {
    if (!inside.childNodes.length) inside.append(...inputs.map(i => treeNode(layout, i, false)));
    inside.hidden = !inside.hidden;
    fold.textContent = inside.hidden ? "▸" : "▾";
    fold.setAttribute("aria-expanded", String(!inside.hidden));
  };
  if (inputs.length) fold.addEventListener("click", toggle);
  const tag = PROVENANCE[figure.provenance] ?? figure.provenance;
  add(line, [fold, el("span", { class: "mono" }, path), " ", figure.value === null ? null : el("span", { class: "value" }, show(figure.value, figure.unit, path)), " ",
    tag ? el("span", { class: "tag" }, tag) : null, figure.source ? [" ", el("span", { class: "small" }, place(figure.source))] : null,
    otherValue(layout, path), howText(figure)]);
  add(item, [line, inside]);
  if (open && inputs.length) toggle();
  return item;
}

/// The value of the other layout of a comparison, if it differs.
function otherValue(layout, path) {
  const other = page.data.kind === "diff" ? page.trees.find(t => t !== layout) : null;
  if (!other || (other.has(path) && other.value(path) === layout.value(path))) return null;
  return [" ", el("span", { class: "soft small" }, `(${sideName(page.layouts.indexOf(other))}: ${other.shown(path)})`)];
}

const mostMatches = 12;
let derivation = null;

/// Makes an entry of the browser's history, so that Back returns to this place.
function leavePlace(path, of) {
  if (location.protocol === "about:") return; // the frame of a notebook
  history.replaceState({ ...history.state, top: window.scrollY }, "");
  history.pushState({ figure: path, of }, "", "#derivation");
}

window.addEventListener("popstate", event => {
  const { figure, of, top } = event.state || {};
  if (figure) showDerivation(figure, page.trees[of || 0], true);
  if (top !== undefined) window.scrollTo(0, top);
});

/// Shows a figure of a layout; `again` if the browser's history asks for it.
function showDerivation(path, layout = derivation && derivation.layout, again = false) {
  if (!derivation || !layout || !layout.has(path)) return;
  if (!again) leavePlace(path, page.trees.indexOf(layout));
  derivation.choose(layout);
  derivation.tree.replaceChildren(treeNode(layout, path, true));
  derivation.input.value = path;
  derivation.matches.replaceChildren();
  document.getElementById("derivation").scrollIntoView();
  (derivation.tree.querySelector("button") || derivation.input).focus({ preventScroll: true });
}

/// Figures whose name or note has all words of the text; names that begin with it come first.
function matching(layout, text) {
  const figures = layout.figures, asked = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (!asked.length) return [];
  const found = Object.keys(figures).filter(p => asked.every(w => p.toLowerCase().includes(w) || words(p).toLowerCase().includes(w) || (figures[p].note || "").toLowerCase().includes(w)));
  const order = p => (p.startsWith(text) ? 0 : asked.every(w => p.includes(w)) ? 1 : 2);
  return found.sort((a, b) => order(a) - order(b) || a.length - b.length || (a < b ? -1 : 1));
}

/// What the layouts with a derivation are called in the list to choose from.
const treeName = layout => (page.data.kind === "diff" ? sideName(page.layouts.indexOf(layout)) : layout.name);

/// The list to choose a layout from; null if there is only one.
function treeChoice(shown) {
  if (page.trees.length < 2) return null;
  const choice = el("select", { id: "of" }, page.trees.map((layout, i) => el("option", { value: String(i) }, treeName(layout))));
  choice.addEventListener("change", () => shown(page.trees[Number(choice.value)]));
  return choice;
}

/// The first figures of the tree: the outputs of a study, or the step and the peak.
function firstFigures(layout) {
  const asked = page.data.kind === "study" ? page.answers.outputs : ["step_time", "memory.peak", Object.keys(layout.figures)[0]];
  return asked.filter(p => layout.has(p)).slice(0, page.data.kind === "study" ? 6 : 2);
}

section("derivation", "Where a figure comes from", () => page.trees.length > 0, root => {
  const input = el("input", { type: "search", id: "figure", autocomplete: "off", spellcheck: "false", placeholder: "step_time, memory, exposed, …" });
  const matches = el("ul", { class: "matches", "aria-live": "polite" });
  const tree = el("ul", { class: "tree" });
  const begin = layout => tree.replaceChildren(...firstFigures(layout).map((path, i) => treeNode(layout, path, i === 0)));
  const choice = treeChoice(layout => {
    derivation.layout = layout;
    const path = input.value.trim();
    if (layout.has(path)) tree.replaceChildren(treeNode(layout, path, true)); else begin(layout);
  });
  derivation = { tree, input, matches, layout: page.trees[0], choose(layout) { this.layout = layout; if (choice) choice.value = String(page.trees.indexOf(layout)); } };
  input.addEventListener("input", () => {
    const layout = derivation.layout, found = matching(layout, input.value.trim());
    matches.replaceChildren(...found.slice(0, mostMatches).map(path => el("li", {}, why(path, path, layout), " ", el("span", { class: "soft" }, layout.shown(path)))));
    if (found.length > mostMatches) matches.append(el("li", { class: "soft" }, `The first ${mostMatches} of ${plain(found.length)} figures; more words find fewer.`));
    if (input.value.trim() && !found.length) matches.append(el("li", { class: "soft" }, "No figure has this name or description."));
  });
  input.addEventListener("keydown", event => {
    const button = matches.querySelector("button");
    if (event.key !== "Enter" && event.key !== "ArrowDown") return;
    event.preventDefault();
    if (event.key === "Enter" && derivation.layout.has(input.value.trim())) showDerivation(input.value.trim());
    else if (button) event.key === "Enter" ? button.click() : button.focus();
  });
  matches.addEventListener("keydown", event => {
    const all = [...matches.querySelectorAll("button")], at = all.indexOf(document.activeElement);
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    (all[at + (event.key === "ArrowDown" ? 1 : -1)] || input).focus();
  });
  const all = plain(Object.keys(page.trees[0].figures).length);
  const what = page.data.kind === "study" ? `Every number above that is a link, and ${all} figures of each point from which the outputs are computed, with formula, inputs and the place that sets them.` : `Every number above that is a link, and ${all} figures in all, with formula, inputs and the place that sets them.`;
  add(root, [el("p", { class: "soft" }, what),
    choice ? el("div", { class: "controls" }, el("label", { for: "of" }, page.data.kind === "study" ? "Point" : "Layout"), choice) : null,
    el("div", { class: "controls" }, el("label", { for: "figure" }, "Figure"), input), matches, tree]);
  begin(page.trees[0]);
});
