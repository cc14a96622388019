// The data of the page: inflating, and looking things up in it.

/// The text of base64 of a zlib stream.
async function inflated(base64) {
  const packed = Uint8Array.from(atob(base64), letter => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).text();
}

/// One layout: its report, its figures, and what is known besides.
class Layout {
  constructor(data, report) {
    this.data = data;
    this.report = data.report || report || {};
    this.name = data.name || (this.report.plan || {}).name || "";
    this.figures = { ...(this.report.figures || {}), ...(data.details || {}) };
  }

  has(path) { return Object.prototype.hasOwnProperty.call(this.figures, path); }
  value(path) { return this.has(path) ? this.figures[path].value : undefined; }
  shown(path) { return this.has(path) ? show(this.figures[path].value, this.figures[path].unit, path) : "none"; }

  get usable() { return this.value("memory.usable") ?? (this.report.memory || {}).usable_bytes; }
  get peak() { return this.value("memory.peak"); }
  get ranks() { return ((this.data.memory || {}).ranks || (this.report.memory || {}).ranks || []); }

  /// The assumed inputs that a figure of this layout is computed from.
  get assumed() {
    const used = new Set(Object.values(this.figures).flatMap(f => (f.inputs || []).map(i => i.path || i)));
    return Object.keys(this.figures).filter(p => this.figures[p].provenance === "assumed" && used.has(p));
  }

  /// The pipeline rank with the least headroom.
  get fullest() {
    const least = this.ranks.reduce((best, r) => (!best || r.usable_bytes - r.peak_bytes < best.usable_bytes - best.peak_bytes ? r : best), null);
    const said = (this.data.memory || {}).fullest;
    return said ? this.ranks.find(r => r.rank === said.rank) || least : least;
  }

  get fits() {
    const all = this.ranks.map(r => r.peak_bytes <= r.usable_bytes);
    return all.length ? all.every(Boolean) : this.peak === undefined || this.peak <= this.usable;
  }
}

/// `trees` are the layouts whose figures have a derivation on the page: all of `layouts`, or points of a study.
const page = { data: null, layouts: [], trees: [], answers: {} };
const first = () => page.layouts[0];
const hasReport = () => page.layouts.length > 0 && Object.keys(first().figures).length > 0;

async function readData() {
  page.data = JSON.parse(await inflated(document.getElementById("data").textContent));
  page.answers = page.data.answers || {};
  page.layouts = (page.data.layouts || []).map(l => new Layout(l, page.data.kind === "report" ? page.answers : undefined));
  if (!page.layouts.length && page.data.kind === "report") page.layouts = [new Layout({}, page.answers)];
  page.trees = page.layouts.filter(l => Object.keys(l.figures).length).concat(pointTrees());
}

/// The points of a study that have their figures. A point has all figures, or those that differ from the first one's.
function pointTrees() {
  const points = page.data.derivations || [];
  return points.map((p, i) => {
    const all = i ? { ...points[0].figures, ...p.figures } : p.figures;
    return new Layout({ name: p.name || "the layout", point: p.point }, { figures: Object.fromEntries(Object.entries(all).filter(e => e[1] !== null)) });
  });
}

/// A button that shows the derivation of a figure of a layout, by default of the first one.
function why(path, text, layout = page.trees[0]) {
  if (!layout || !layout.has(path)) return el("span", {}, text);
  return el("button", { type: "button", class: "link", title: `how ${path} is computed`, onclick: () => showDerivation(path, layout) }, text);
}

/// A button that moves to a section.
function to(id, text) {
  return el("a", { href: "#" + id }, text);
}

/// The name of the file at the end of a path.
const fileName = path => String(path).split(/[\\/]/).pop();

/// A file of the page without its folders, unless another one has the same name.
function shortFile(path) {
  const same = (page.data.source || []).filter(f => fileName(f.path) === fileName(path));
  return same.length > 1 ? path : fileName(path);
}

/// A place "file:line:column" as a button that shows the line, if the page has the file.
function place(source) {
  const parts = /^(.*?):(\d+)((?::\d+)?)$/.exec(source || "");
  const files = page.data.source || [];
  if (!parts || !files.some(f => f.path === parts[1] && f.text)) return el("span", { class: "anywhere" }, source || "");
  return el("button", { type: "button", class: "link", onclick: () => showSource(parts[1], Number(parts[2])) }, `${shortFile(parts[1])}:${parts[2]}${parts[3]}`);
}

/// The axis or group that a traffic row belongs to, in words.
function trafficName(row) {
  return `${words(row.group)}: ${words(row.collective)} of ${words(row.purpose)}s`.replace(/ss$/, "s");
}
