// A study: a plot of each figure over the varied fields, and the table of points.

/// The varied fields and outputs of a study, and which of them are numbers.
function studyParts(answers) {
  const rows = answers.rows, fields = Object.keys((rows[0] || { values: {} }).values);
  const numeric = new Map();
  for (const field of fields) {
    const parsed = rows.map(r => written(r.values[field]));
    if (parsed.every(p => p && p.unit === parsed[0].unit) && new Set(parsed.map(p => p.value)).size > 2) numeric.set(field, parsed[0].unit);
  }
  const isNumber = name => rows.some(r => r.outputs[name] && typeof r.outputs[name].value === "number");
  return { rows, fields, numeric, outputs: answers.outputs.filter(isNumber) };
}

/// The plot that the study asks for, if both axes are outputs: a point for each row.
function askedPlot(parts, plot) {
  if (!plot || !parts.outputs.includes(plot.x) || !parts.outputs.includes(plot.y)) return null;
  const rows = parts.rows.filter(r => [plot.x, plot.y].every(f => r.outputs[f] && typeof r.outputs[f].value === "number"));
  const seriesOf = r => (plot.series ? r.values[plot.series] || "" : ""), series = [...new Set(rows.map(seriesOf))], unit = f => rows[0].outputs[f].unit;
  const points = rows.map(r => ({ x: r.outputs[plot.x].value, y: r.outputs[plot.y].value, series: seriesOf(r), strong: Object.values(r.outputs).includes(true), title: `${Object.values(r.values).join(", ")}: ${show(r.outputs[plot.x].value, unit(plot.x), plot.x)}, ${show(r.outputs[plot.y].value, unit(plot.y), plot.y)}` }));
  return el("div", {}, el("h3", {}, `${words(plot.y)} against ${words(plot.x)}`), chartView({ points, series, lines: false, x: { name: plot.x, unit: unit(plot.x) }, y: { name: plot.y, unit: unit(plot.y) }, titled: true }, `${words(plot.y)} against ${words(plot.x)}`));
}

/// The field of the horizontal axis, and the names of the lines.
function studyAxes(parts, plot) {
  const asked = plot && plot.x && parts.numeric.has(plot.x) ? plot.x : null;
  const x = asked || [...parts.numeric.keys()].sort((a, b) => distinct(parts, b) - distinct(parts, a))[0] || null;
  const others = parts.fields.filter(f => f !== x && distinct(parts, f) > 1);
  return { x, others };
}

const distinct = (parts, field) => new Set(parts.rows.map(r => r.values[field])).size;
const shortField = field => words(field.split(".").slice(-2).join("."));

function studyPlot(parts, axes, output) {
  const rows = parts.rows.filter(r => r.outputs[output] && r.outputs[output].value !== null), unit = rows[0].outputs[output].unit;
  const seriesOf = r => axes.others.map(f => `${shortField(f)} ${r.values[f]}`).join(", ");
  const series = [...new Set(rows.map(seriesOf))];
  if (!axes.x || series.length > 12) return barRows(rows, unit, output, r => Object.values(r.values).join(", "), r => r.outputs[output].value);
  const points = rows.map(r => {
    const value = r.outputs[output].value, half = output.startsWith("step_time") && r.half_width ? r.half_width : null;
    return { x: written(r.values[axes.x]).value, y: value, series: seriesOf(r), low: half ? value - half : undefined, high: half ? value + half : undefined,
      title: `${Object.entries(r.values).map(([f, v]) => `${f} = ${v}`).join(", ")}: ${words(output)} ${show(value, unit, output)}` };
  });
  return chartView({ points, series, titled: true, lines: true, x: { name: shortField(axes.x), unit: parts.numeric.get(axes.x) }, y: { name: output, unit } }, `${words(output)} against ${shortField(axes.x)}`);
}

/// The outputs in the order of the page: the one of the asked plot is first.
function plotted(parts, plot) {
  const asked = plot && parts.outputs.includes(plot.y) && parts.fields.includes(plot.x) ? plot.y : null;
  return asked ? [asked, ...parts.outputs.filter(o => o !== asked)] : parts.outputs;
}

function outputCell(row, name) {
  const value = row.outputs[name], tree = page.trees.find(t => t.data.point === row.point) || null;
  if (typeof value === "boolean") return why(name, value ? "yes" : "no", tree);
  if (value && typeof value === "object") return why(name, show(value.value, value.unit, name), tree);
  return (row.missing || {})[name] ? el("span", { class: "soft", ...hint(row.missing[name]) }, "none") : "";
}

function studyTable(answers, parts) {
  const steps = answers.rows.some(r => r.steps > 0), refused = answers.rows.some(r => r.refused || (r.failed_assertions || []).length);
  return table([
    ...parts.fields.map(f => ({ name: f, left: true, cell: r => r.values[f] })),
    ...answers.outputs.map(o => ({ name: words(o), cell: r => outputCell(r, o) })),
    ...(steps ? [{ name: "steps", cell: r => plain(r.steps) }] : []),
    ...(refused ? [{ name: "refused", text: true, cell: r => prose([r.refused, ...(r.failed_assertions || []).map(a => (typeof a === "string" ? a : a.message || JSON.stringify(a)))].filter(Boolean).join("; ")) }] : []),
  ], answers.rows, { limit: 30, classes: "full labelled" });
}

/// Which field changes the first output most, whose path begins the sentence.
function sensitivityNote(answers) {
  const [, output, rest] = /^(\S+)(.*)$/s.exec(answers.sensitivity_text);
  return el("p", {}, el("code", {}, output), rest.replace(/ %/g, SPACE + "%"), ".");
}

section("study", "Study", () => page.data.kind === "study" && Array.isArray(page.answers.rows), root => {
  const answers = page.answers, parts = studyParts(answers), axes = studyAxes(parts, page.data.plot);
  const refused = answers.rows.filter(r => r.refused).length;
  root.append(el("p", { class: "verdict" }, `${plural(answers.points, "point")} of layout ${answers.layout}`, parts.fields.length ? ` over ${parts.fields.join(", ")}` : "", refused ? `; ${plural(refused, "point")} refused` : "", ".", answers.rows_left_out ? ` The page leaves out ${plural(answers.rows_left_out, "point")}.` : ""));
  if (answers.sensitivity_text) root.append(sensitivityNote(answers));
  if (answers.rows.length > 1 && parts.outputs.length)
    root.append(el("div", { class: "plots" }, askedPlot(parts, page.data.plot), plotted(parts, page.data.plot).slice(0, 8).map(o => el("div", {}, el("h3", {}, words(o)), studyPlot(parts, axes, o)))));
  add(root, [el("h3", {}, "Points"), studyTable(answers, parts)]);
});
