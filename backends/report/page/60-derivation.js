// The derivation of every figure: a tree that is unfolded on demand, down to what the file, the library or a
// measurement sets, and a search over the names of figures.

const PROVENANCE = {
  derived: "", simulated: "simulated", assumed: "assumed", declared: "set", measured: "measured", calibrated: "calibrated",
};

/// The formula on a line of its own, then what the figure is.
function howText(figure) {
  return [figure.formula && el("span", { class: "how mono" }, "= " + figure.formula), figure.note && el("span", { class: "how" }, prose(figure.note))];
}

/// One figure with its value, its formula and, when unfolded, its inputs.
function treeNode(path, open) {
  const layout = first(), figure = layout.figures[path];
  const item = el("li"), line = el("div", { class: "node" });
  const inputs = [...new Set((figure.inputs || []).map(i => i.path || i))].filter(i => layout.has(i));
  const inside = el("ul", { hidden: true });
  const fold = inputs.length ? el("button", { type: "button", class: "fold", "aria-expanded": "false", "aria-label": `inputs of ${path}` }, "▸") : el("span", { "aria-hidden": "true", class: "leaf soft" }, "·");
  const toggle = () => {
    if (!inside.childNodes.length) inside.append(...inputs.map(i => treeNode(i, false)));
    inside.hidden = !inside.hidden;
    fold.textContent = inside.hidden ? "▸" : "▾";
    fold.setAttribute("aria-expanded", String(!inside.hidden));
  };
  if (inputs.length) fold.addEventListener("click", toggle);
  const tag = PROVENANCE[figure.provenance] ?? figure.provenance;
  add(line, [fold, el("span", { class: "mono" }, path), " ", el("span", { class: "value" }, show(figure.value, figure.unit, path)), " ",
    tag ? el("span", { class: "tag" }, tag) : null, figure.source ? [" ", el("span", { class: "small" }, place(figure.source))] : null,
    howText(figure)]);
  add(item, [line, inside]);
  if (open && inputs.length) toggle();
  return item;
}

const mostMatches = 12;
let derivation = null;

/// Makes an entry of the browser's history, so that Back returns to this place.
function leavePlace(path) {
  if (location.protocol === "about:") return; // the frame of a notebook
  history.replaceState({ ...history.state, top: window.scrollY }, "");
  history.pushState({ figure: path }, "", "#derivation");
}

window.addEventListener("popstate", event => {
  const { figure, top } = event.state || {};
  if (figure) showDerivation(figure, true);
  if (top !== undefined) window.scrollTo(0, top);
});

/// Shows a figure; `again` if the browser's history asks for it.
function showDerivation(path, again = false) {
  if (!derivation || !first().has(path)) return;
  if (!again) leavePlace(path);
  derivation.tree.replaceChildren(treeNode(path, true));
  derivation.input.value = path;
  derivation.matches.replaceChildren();
  document.getElementById("derivation").scrollIntoView();
  (derivation.tree.querySelector("button") || derivation.input).focus({ preventScroll: true });
}

/// Figures whose name or note has all words of the text; names that begin with it come first.
function matching(text) {
  const figures = first().figures, asked = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (!asked.length) return [];
  const found = Object.keys(figures).filter(p => asked.every(w => p.toLowerCase().includes(w) || words(p).toLowerCase().includes(w) || (figures[p].note || "").toLowerCase().includes(w)));
  const order = p => (p.startsWith(text) ? 0 : asked.every(w => p.includes(w)) ? 1 : 2);
  return found.sort((a, b) => order(a) - order(b) || a.length - b.length || (a < b ? -1 : 1));
}

section("derivation", "Where a figure comes from", () => hasReport() && page.data.kind !== "diff", root => {
  const layout = first(), names = Object.keys(layout.figures);
  const input = el("input", { type: "search", id: "figure", autocomplete: "off", spellcheck: "false", placeholder: "step_time, memory, exposed, …" });
  const matches = el("ul", { class: "matches", "aria-live": "polite" });
  const tree = el("ul", { class: "tree" });
  derivation = { tree, input, matches };
  input.addEventListener("input", () => {
    const found = matching(input.value.trim());
    matches.replaceChildren(...found.slice(0, mostMatches).map(path => el("li", {}, why(path, path), " ", el("span", { class: "soft" }, layout.shown(path)))));
    if (found.length > mostMatches) matches.append(el("li", { class: "soft" }, `The first ${mostMatches} of ${plain(found.length)} figures; more words find fewer.`));
    if (input.value.trim() && !found.length) matches.append(el("li", { class: "soft" }, "No figure has this name or description."));
  });
  input.addEventListener("keydown", event => {
    const button = matches.querySelector("button");
    if (event.key !== "Enter" && event.key !== "ArrowDown") return;
    event.preventDefault();
    if (event.key === "Enter" && layout.has(input.value.trim())) showDerivation(input.value.trim());
    else if (button) event.key === "Enter" ? button.click() : button.focus();
  });
  matches.addEventListener("keydown", event => {
    const all = [...matches.querySelectorAll("button")], at = all.indexOf(document.activeElement);
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    (all[at + (event.key === "ArrowDown" ? 1 : -1)] || input).focus();
  });
  add(root, [
    el("p", { class: "soft" }, `Every number above that is a link, and ${plain(names.length)} figures in all, with formula, inputs and the place that sets them.`),
    el("div", { class: "controls" }, el("label", { for: "figure" }, "Figure"), input), matches, tree,
  ]);
  const begin = ["step_time", "memory.peak", names[0]].filter(p => layout.has(p)).slice(0, 2);
  tree.append(...begin.map((path, i) => treeNode(path, i === 0)));
});
