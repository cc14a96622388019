// Measured and predicted runs: a plot to click on, errors by group, errors against each variable, and the worst rows.

const QUANTITIES = { step_time: "s", module_time: "s", "memory.allocated": "B", "memory.reserved": "B", bus_bandwidth: "B/s" };
const VARIABLES = ["devices", "tensor", "pipeline", "micro_batch", "context", "hidden", "bytes"];

const labelOf = (row, name) => (row.labels || {})[name] || "not stated";
const labelNames = rows => [...new Set(rows.flatMap(r => Object.keys(r.labels || {})))];

/// The rows that have both values of a quantity, with their error.
function scoredPoints(rows, quantity, only) {
  const [name, value] = only ? only.split(/=(.*)/s) : [];
  return rows.filter(r => r.measured && r.measured[quantity] && r.predicted && r.predicted[quantity] && (quantity !== "step_time" || r.verdict === "fits") && (!name || labelOf(r, name) === value))
    .map(row => ({ row, measured: row.measured[quantity], predicted: row.predicted[quantity], error: row.predicted[quantity] / row.measured[quantity] - 1 }));
}

function errorStatistics(points) {
  const sizes = points.map(p => Math.abs(p.error)).sort(d3.ascending);
  return { rows: points.length, mean: d3.mean(sizes), median: d3.median(sizes), p90: sizes[Math.ceil(0.9 * sizes.length) - 1], bias: d3.mean(points, p => p.error), within: sizes.filter(s => s <= 0.1).length / sizes.length };
}

function errorsTable(points, by) {
  const groups = d3.groups(points, p => labelOf(p.row, by)).sort((a, b) => d3.ascending(a[0], b[0]));
  const rows = [["all", points], ...(groups.length > 1 ? groups : [])].map(([name, list]) => ({ name, ...errorStatistics(list) }));
  return table([
    { name: words(by || "rows"), text: true, cell: r => r.name }, { name: "rows", cell: r => plain(r.rows) }, { name: "mean error", cell: r => percent(r.mean) },
    { name: "median", cell: r => percent(r.median) }, { name: "90 % below", cell: r => percent(r.p90) }, { name: "bias", cell: r => signed(r.bias) }, { name: "within 10 %", cell: r => percent(r.within) },
  ], rows, { limit: 30, classes: "full" });
}

function rowDetails(row) {
  if (!row) return el("p", { class: "soft small" }, "Click a point, move over points with the arrow keys, or choose a row of the table of largest errors.");
  const items = [["table", `${row.table}, line ${row.line}`], ...Object.entries(row.labels || {})];
  for (const [q, value] of Object.entries(row.measured || {})) {
    const predicted = (row.predicted || {})[q], unit = QUANTITIES[q] || "";
    items.push([words(q), `${show(value, unit)} measured` + (predicted ? `, ${show(predicted, unit)} predicted (${signed(predicted / value - 1)})` : "")]);
  }
  for (const name of [...VARIABLES, "verdict", "ran", "reason"]) if (row[name] !== undefined) items.push([words(name), typeof row[name] === "number" ? plain(row[name]) : row[name]]);
  for (const [q, command] of Object.entries(row.explain || {})) items.push([`why ${words(q)}`, el("code", {}, command)]);
  return el("div", {}, el("h3", {}, row.id), el("dl", { class: "answers small" }, items.map(([name, value]) => [el("dt", {}, words(name)), el("dd", {}, value)])));
}

function verdictTable(verdicts) {
  const rows = [["all", verdicts.all], ...Object.entries((verdicts.by || {}).family || {})].filter(r => r[1] && r[1].runs).map(([name, v]) => ({ name, ...v }));
  if (!rows.length) return null;
  return [el("h3", {}, "Does it fit"), table([
    { name: "family", text: true, cell: r => r.name }, { name: "runs", cell: r => plain(r.runs) }, { name: "right", cell: r => percent(r.right) }, { name: "fits", cell: r => plain(r.fits) },
    { name: "out of memory", cell: r => plain(r.out_of_memory) }, { name: "false fits", cell: r => plain(r.false_fits) }, { name: "false out of memory", cell: r => plain(r.false_out_of_memory) },
  ], rows, { limit: 12, classes: "full" })];
}

function notScored(answers) {
  const lists = [["refused", answers.refused], ["not expressible", answers.inexpressible], ["not understood", answers.not_understood], ["not scored", answers.not_scored]];
  const rows = lists.flatMap(([kind, list]) => (list || []).map(r => ({ kind, ...r })));
  if (!rows.length) return null;
  return [el("h3", {}, "Not scored"), table([
    { name: "why", left: true, cell: r => r.kind }, { name: "reason", text: true, cell: r => prose(r.reason || "") }, { name: "rows", cell: r => plain(r.rows) }, { name: "such as", text: true, cell: r => (r.ids || []).slice(0, 6).join(", ") },
  ], rows, { limit: 20, classes: "full" })];
}

const counted = (points, by, name) => points.filter(p => labelOf(p.row, by) === name).length;

function option(value, text) {
  return el("option", { value }, text);
}

function control(label, id, options) {
  const select = el("select", { id });
  add(select, options.map(o => option(o[0], o[1])));
  return { select, node: el("label", {}, label + " ", select) };
}

/// Canvas of the errors against one variable or label.
function residualSpec(points, variable, quantity, colourOf) {
  const value = p => (variable === "measured" ? p.measured : VARIABLES.includes(variable) ? p.row[variable] : null);
  const names = [...new Set(points.map(p => labelOf(p.row, variable)))].sort();
  const numeric = value(points[0] || { row: {} }) !== null && value(points[0] || { row: {} }) !== undefined;
  const at = (p, i) => (numeric ? value(p) : names.indexOf(labelOf(p.row, variable)) + ((i * 7919) % 97 / 97 - 0.5) * 0.6);
  return { points: points.map((p, i) => ({ x: at(p, i), y: p.error, colour: colourOf(p.row), row: p.row, title: `${p.row.id}: ${signed(p.error)}` })).filter(p => Number.isFinite(p.x)),
    x: { name: numeric ? words(variable) : `${words(variable)}: ${names.map((n, i) => `${i} ${n}`).join(", ").slice(0, 110)}`, unit: variable === "measured" ? QUANTITIES[quantity] : "" }, y: { name: "error", unit: "", include: [0] } };
}

function scorePage(root, answers) {
  const rows = answers.rows || [], labels = labelNames(rows);
  const known = Object.keys(QUANTITIES).filter(q => scoredPoints(rows, q).length);
  if (!known.length) return;
  const values = n => [...new Set(rows.map(r => labelOf(r, n)))].sort();
  const quantity = control("figure", "quantity", known.map(q => [q, words(q)])), colour = control("colour by", "colour", labels.map(n => [n, words(n)]));
  const only = control("only", "only", [["", "all rows"]]), against = control("errors against", "against", [["measured", "measured"], ...VARIABLES.filter(v => rows.some(r => r[v] > 0)).map(v => [v, words(v)]), ...labels.map(n => [n, words(n)])]);
  only.select.addEventListener("focus", () => { if (only.select.length === 1) add(only.select, labels.flatMap(n => values(n).map(v => option(`${n}=${v}`, `${words(n)}: ${v}`)))); });
  const plot = el("canvas", { tabindex: "0", role: "img", "aria-label": "Predicted against measured values, a point per row; the arrow keys move over the points" });
  const residual = el("canvas", { tabindex: "0", role: "img", "aria-label": "Error of each row against the chosen variable" });
  const key = el("div"), details = el("div", { "aria-live": "polite" }, rowDetails(null)), errors = el("div"), worst = el("div");
  const pick = row => { details.replaceChildren(rowDetails(row)); scatter.select(row); };
  const scatter = new PointPicture(plot, row => details.replaceChildren(rowDetails(row))), errorPicture = new PointPicture(residual, pick);
  const draw = () => {
    const q = quantity.select.value, by = colour.select.value, points = scoredPoints(rows, q, only.select.value), groups = [...new Set(points.map(p => labelOf(p.row, by)))].sort();
    const largest = [...groups].sort((a, b) => counted(points, by, b) - counted(points, by, a)).slice(0, SERIES.length), others = groups.length > largest.length;
    const colourOf = row => (largest.includes(labelOf(row, by)) ? seriesColour(largest.indexOf(labelOf(row, by))) : INK.rule);
    key.replaceChildren(legend([...largest.map((name, i) => ({ name, colour: seriesColour(i) })), ...(others ? [{ name: `${groups.length - largest.length} others`, colour: "var(--rule)" }] : [])]));
    scatter.show({ same: true, points: points.map(p => ({ x: p.measured, y: p.predicted, colour: colourOf(p.row), row: p.row, title: `${p.row.id}: ${show(p.measured, QUANTITIES[q])} measured, ${show(p.predicted, QUANTITIES[q])} predicted` })), x: { name: "measured", unit: QUANTITIES[q] }, y: { name: "predicted", unit: QUANTITIES[q] } });
    errorPicture.show(residualSpec(points, against.select.value, q, colourOf));
    errors.replaceChildren(points.length ? errorsTable(points, by) : "");
    worst.replaceChildren(table([
      { name: "row", left: true, cell: p => el("button", { type: "button", class: "link", onclick: () => pick(p.row) }, p.row.id) }, { name: "family", text: true, cell: p => labelOf(p.row, "family") },
      { name: "measured", cell: p => show(p.measured, QUANTITIES[q]) }, { name: "predicted", cell: p => show(p.predicted, QUANTITIES[q]) }, { name: "error", cell: p => signed(p.error) },
    ], [...points].sort((a, b) => Math.abs(b.error) - Math.abs(a.error)).slice(0, 15), { classes: "full" }));
  };
  for (const c of [quantity, colour, only, against]) c.select.addEventListener("change", draw);
  add(root, [el("div", { class: "controls" }, quantity.node, colour.node, only.node, against.node),
    el("div", { class: "two" }, el("div", {}, plot, key, el("p", { class: "soft small" }, "Lines: equal, a tenth more and a tenth less.")), el("div", {}, residual, details)),
    el("h3", {}, "Errors"), errors, el("h3", {}, "Largest errors"), worst]);
  pictures.push(() => { scatter.draw(); errorPicture.draw(); });
  draw();
}

section("score", "Measured and predicted", () => page.data.kind === "score", root => {
  const answers = page.answers, tables = answers.tables || [];
  const wrong = answers.rows_wrong ? `, ${plain(answers.rows_wrong)} more cannot be read` : "";
  root.append(el("p", { class: "verdict anywhere" }, `${plain(answers.rows_scored)} rows of ${tables.join(", ")}${wrong}.`));
  if (!answers.rows) root.append(el("p", { class: "soft" }, "They are too many for this page to show each."));
  scorePage(root, answers);
  add(root, [verdictTable(answers.verdicts || {}), notScored(answers)]);
});
