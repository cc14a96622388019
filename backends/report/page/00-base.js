"use strict";
// Elements, numbers with units, and the list of sections. All text reaches the page by textContent.

const SVG = "http://www.w3.org/2000/svg";
const SVG_NAMES = new Set(["svg", "g", "path", "rect", "line", "circle", "text", "polyline"]);

/// An element with attributes and children; strings become text.
function el(name, attributes, ...children) {
  const node = SVG_NAMES.has(name) ? document.createElementNS(SVG, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key === "style") Object.assign(node.style, value);
    else node.setAttribute(key, value === true ? "" : value);
  }
  add(node, children);
  return node;
}

function add(node, children) {
  for (const child of [children].flat(Infinity)) {
    if (child === undefined || child === null || child === false || child === "") continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}

function css(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

const SPACE = "\u00a0";

/// A number with four significant digits and no exponent where people read none.
function plain(value, digits = 4) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e7) return value.toLocaleString("en-US").replace(/,/g, "\u2009");
  if (size >= 1e15 || size < 1e-4) return value.toExponential(digits - 1).replace("e+", "e");
  if (size >= 1e6) return si(value, "", digits);
  const places = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
  return value.toFixed(Math.min(places, 6));
}

const PREFIXES = [[1e18, "E"], [1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];

function si(value, unit, digits = 4) {
  const size = Math.abs(value);
  for (const [scale, prefix] of PREFIXES)
    if (size >= scale) return trimmed(value / scale, digits) + SPACE + prefix + unit;
  return trimmed(value, digits) + (unit ? SPACE + unit : "");
}

function trimmed(value, digits) {
  if (value === 0) return "0";
  const places = Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(value))));
  return value.toFixed(Math.min(places, 8));
}

const TIMES = [[86400 * 3, 86400, "d"], [7200, 3600, "h"], [600, 60, "min"], [1, 1, "s"], [1e-3, 1e-3, "ms"], [1e-6, 1e-6, "µs"], [0, 1e-9, "ns"]];

function seconds(value, digits = 4) {
  if (value === 0) return "0" + SPACE + "s";
  for (const [from, scale, unit] of TIMES)
    if (Math.abs(value) >= from) return trimmed(value / scale, digits) + SPACE + unit;
  return "0" + SPACE + "s";
}

const picoseconds = value => seconds(value / 1e12);

function bytes(value, digits = 4) {
  for (const [scale, unit] of [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]])
    if (Math.abs(value) >= scale) return trimmed(value / scale, digits) + SPACE + unit;
  return value + SPACE + "B";
}

const gib = value => (value / 2 ** 30).toFixed(2);
const percent = (share, digits = 1) => (100 * share).toFixed(digits) + SPACE + "%";

const SHARES = /(^|[._])(mfu|hfu|share|fraction|interval|error|overhead|utilization|reached|regime)(\.|$|\[)/;

/// Whether a price or an energy of a token or sample is written for a million of them, such as 0.6 usd/Mtok.
const isSmallRate = (value, unit) => /^[a-zA-Z]+\/[a-z]+$/.test(unit) && !unit.endsWith("/s") && Math.abs(value) > 0 && Math.abs(value) < 1e-3;
const millions = unit => unit.replace("/", "/M");

/// A figure as people write it; `path` decides between a share and a count, which both have no unit.
function show(value, unit, path = "", digits = 4) {
  if (value === null || value === undefined) return "none";
  if (typeof value !== "number") return String(value);
  if (unit === "s") return seconds(value, digits);
  if (unit === "B") return bytes(value, digits);
  if (unit === "B/s" || unit === "FLOP/s" || unit === "FLOP" || unit === "bit/s") return si(value, unit, digits);
  if (unit === "J/s") return si(value, "W", digits);
  if (unit === "usd") return (Math.abs(value) >= 1e4 ? si(value, "", digits) : Math.abs(value) >= 1 ? value.toFixed(2) : plain(value)) + SPACE + "USD";
  if (isSmallRate(value, unit)) return plain(1e6 * value, digits) + SPACE + millions(unit);
  if (unit === "") return SHARES.test(path) ? percent(value, digits - 2) : plain(value, digits);
  if (Number.isInteger(value) && Math.abs(value) < 1e5) return plain(value) + SPACE + unit;
  return Math.abs(value) >= 1e4 ? si(value, unit, digits) : plain(value, digits) + SPACE + unit;
}

/// A sentence of dplc, whose names stand between backquotes.
function prose(text) {
  return String(text).replace(/(\d)%/g, `$1${SPACE}%`).split("`").map((part, i) => (i % 2 ? el("code", {}, part) : part));
}

/// A number of an axis, without zeros at its end.
const tick = (value, unit = "") => si(value, unit).replace(/(\.\d*?)0+(?=\D|$)/, "$1").replace(/\.(?=\D|$)/, "");

const words = name => String(name).replace(/_/g, " ");
const sentence = text => text.charAt(0).toUpperCase() + text.slice(1);
const several = name => (name === "leaf" ? "leaves" : name + "s");
const plural = (count, one, many = one + "s") => plain(count) + SPACE + (count === 1 ? one : many);

// ---- sections

const sections = [];

/// A part of the page. `when` says whether the data has it; `draw` fills its element.
function section(id, title, when, draw) {
  sections.push({ id, title, when, draw });
}

const pictures = [];

/// A picture is drawn again when the width or the colours change.
function picture(host, draw) {
  const again = () => {
    const width = Math.floor(host.clientWidth);
    if (width > 0) draw(width);
  };
  pictures.push(again);
  again();
}

// ---- tables

/// A table. A column is {name, cell(row, index), text, bar, title}; more than `limit` rows are added on demand.
function table(columns, rows, { limit = 40, total, classes = "", pick } = {}) {
  const kind = column => (column.bar ? "bar" : column.text ? "text" : column.left ? "left" : null);
  const head = el("tr", {}, columns.map(c => el("th", { class: kind(c), scope: "col", ...(c.title && hint(c.title)) }, c.name)));
  const body = el("tbody");
  const append = (from, to) => rows.slice(from, to).forEach((row, i) => {
    const line = el("tr", {}, columns.map(c => el("td", { class: kind(c), "data-label": c.name || null }, c.cell(row, from + i))));
    if (pick) pick(row, line);
    body.append(line);
  });
  append(0, limit);
  if (total) body.append(el("tr", { class: "total" }, columns.map(c => el("td", { class: kind(c), "data-label": c.name || null }, total(c)))));
  if (columns.some(c => c.bar) && columns.some(c => c.text)) classes += " halves";
  const made = el("div", { class: "wide" }, el("table", { class: classes || null }, el("thead", {}, head), body));
  if (rows.length <= limit) return made;
  const more = el("button", { type: "button" }, `Show all ${plain(rows.length)} rows`);
  more.addEventListener("click", () => { append(limit, rows.length); more.remove(); });
  return el("div", {}, made, el("div", { class: "controls" }, more));
}

/// What is only made when it is unfolded.
function unfold(summary, make) {
  const node = el("details", {}, el("summary", {}, summary));
  node.addEventListener("toggle", () => { if (node.open && node.children.length === 1) add(node, make()); });
  return node;
}

/// A horizontal bar; parts are {from, to, colour, title}, as shares of the width. With a `name`, whose parts no other
/// cell of the row has, the keys reach the bar too, and it says all of its parts.
function bar(parts, { limit, name } = {}) {
  const drawn = parts.filter(p => p.to > p.from);
  const marks = drawn.map(p => el("i", {
    "data-tip": name && p.title ? `${name}: ${p.title}` : p.title,
    style: { left: 100 * p.from + "%", width: `max(1px, ${100 * (p.to - p.from)}%)`, background: p.colour },
  }));
  if (limit) marks.push(el("i", { class: "limit", "data-tip": limit.title, style: { left: `calc(${100 * limit.at}% - 1px)` } }));
  const all = name && `${name}: ${drawn.map(p => p.title).concat(limit ? limit.title : []).join(", ")}`;
  return el("span", { class: "track", ...(all ? { tabindex: "0", role: "img", "aria-label": all, "data-tip": all } : { "aria-hidden": "true" }) }, marks);
}

function legend(items) {
  return el("ul", { class: "legend small" }, items.map(i => el("li", {}, el("span", { class: "swatch", style: { background: i.colour, borderColor: i.edge } }), i.name)));
}
