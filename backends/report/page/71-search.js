// A search: the ranked layouts, their plot, and the certificate that no better one was left out.

function varying(layouts) {
  const names = [...new Set(layouts.flatMap(l => Object.keys(l.values)))];
  return names.filter(n => new Set(layouts.map(l => l.values[n])).size > 1);
}

const settings = (values, names) => names.map(n => `${n} = ${values[n]}`).join(", ");

function rankedTable(answers, lines) {
  const layouts = answers.layouts, names = varying(layouts), figures = Object.keys(layouts[0].figures);
  const column = f => ({ name: words(f), cell: l => (l.figures[f] ? why(f, show(l.figures[f].value, l.figures[f].unit, f), l.rank === 1 ? page.trees[0] : null) : "") });
  return table([
    { name: "rank", cell: l => l.rank },
    ...figures.slice(0, 1).map(column),
    ...(names.length ? [{ name: "settings", text: true, cell: l => el("code", {}, settings(l.values, names)) }] : []),
    ...figures.slice(1).map(column),
    { name: "largest loss", text: true, cell: l => (l.limit ? [percent(l.limit.share) + " ", prose(l.limit.reason)] : "") },
  ], layouts, { limit: 25, classes: "full", pick: (layout, line) => lines.set(layout.rank, line) });
}

/// Whether the ranked layouts differ by more than their steps are expected to err.
function distinction(layouts) {
  const error = hasReport() ? first().value("step_time.error") : 0, steps = layouts.map(l => (l.figures.step_time || {}).value).filter(s => s > 0);
  const spread = d3.max(steps) / d3.min(steps) - 1;
  if (steps.length < 2 || !(spread < error)) return null;
  return el("p", {}, `These steps differ by ${percent(spread)}, less than the expected error of the best one, ${percent(error)}: the order holds only as far as all of them err alike. Measure the first ones.`);
}

/// The axes of the plot: the two objectives, or the step time against memory.
function plotAxes(answers) {
  const has = f => answers.layouts.every(l => l.figures[f] && l.figures[f].value !== null);
  const asked = answers.objectives.map(o => o.expression).filter(has);
  const all = [...new Set([...asked, "step_time", "memory.peak", ...Object.keys(answers.layouts[0].figures)])].filter(has);
  const x = all[0], y = all.includes("memory.peak") && x !== "memory.peak" && asked.length < 2 ? "memory.peak" : all[1];
  return x && y ? [x, y] : null;
}

function front(answers, axes) {
  const better = f => (answers.objectives.find(o => o.expression === f) || {}).direction !== "maximize" && f !== "mfu" && f !== "tokens_per_second";
  const sign = axes.map(f => (better(f) ? 1 : -1));
  const value = (l, i) => sign[i] * l.figures[axes[i]].value;
  return answers.layouts.filter(l => !answers.layouts.some(o => o !== l && [0, 1].every(i => value(o, i) <= value(l, i)) && [0, 1].some(i => value(o, i) < value(l, i))));
}

function paretoPlot(root, answers, lines) {
  const axes = plotAxes(answers);
  if (!axes) return;
  if (answers.layouts.length === 1) {
    if (answers.pareto || answers.objectives.length > 1) root.append(el("p", {}, `The front has one layout: it is best in ${axes.map(words).join(" and in ")}, so that there is nothing to trade and no plot.`));
    return;
  }
  const best = new Set(front(answers, axes)), names = varying(answers.layouts);
  const unit = f => answers.layouts[0].figures[f].unit;
  const points = answers.layouts.map(l => ({
    x: l.figures[axes[0]].value, y: l.figures[axes[1]].value, hollow: !best.has(l), strong: l.rank === 1, series: "",
    title: `rank ${l.rank}: ${axes.map(f => `${words(f)} ${show(l.figures[f].value, unit(f), f)}`).join(", ")}; ${settings(l.values, names)}`,
    pick: () => { for (const [rank, line] of lines) line.classList.toggle("picked", rank === l.rank); },
  }));
  const spec = { points, x: { name: axes[0], unit: unit(axes[0]) }, y: { name: axes[1], unit: unit(axes[1]) } };
  add(root, [el("h3", {}, "Pareto plot"), el("p", { class: "soft small" }, "Filled circles: no other ranked layout is better in one of the two figures and as good in the other. The large one is rank 1. Click a circle, or move over them with the arrow keys, to see the settings of its layout and to mark its row above."), chartView(spec, `${words(axes[1])} against ${words(axes[0])} of the ranked layouts`)]);
}

const FATES = {
  excluded_by_fields: "excluded by a `require` on fields", illegal: "illegal", excluded_by_memory_bound: "do not fit, by lower bounds of their memory",
  excluded_by_require_bound: "violate a `require`, by lower bounds of the figure", excluded_by_step_bound: "slower than the last ranked layout, by lower bounds of their step time",
  too_large: "executed: do not fit", refused: "refused by a target", excluded_by_figures: "executed: excluded by a `require` on figures",
  without_objective: "executed: without an objective", executed_and_slower: "executed: slower than the last ranked layout", ranked: "executed and ranked",
};

function certificate(root, proof, shown) {
  const rows = Object.entries(proof.fates).filter(e => e[1].count > 0).map(([name, fate]) => ({ name, ...fate }));
  const gap = proof.gap === 0 ? `Every candidate has an outcome, so that no layout of the space that the table above leaves out is better than its last one${shown > 1 ? `, rank ${shown}` : ""}.` :
    proof.gap === null ? "Some candidates have no outcome." : `Candidates without an outcome may be up to ${percent(proof.gap)} better than the best layout.`;
  const bound = proof.least_excluded_step_s ? ` The layouts that a bound of the step time excludes take at least ${seconds(proof.least_excluded_step_s)}.` : "";
  add(root, [el("h3", {}, "Certificate"), el("p", {}, `${plural(proof.candidates, "candidate")}, of which ${plain(proof.executed)} ${proof.executed === 1 ? "was" : "were"} executed. ${gap}${bound}`), table([
    { name: "outcome", text: true, cell: r => sentenceOf(prose((FATES[r.name] || words(r.name)) + (r.name === "ranked" && shown < r.count ? `; the table above has the best ${shown}` : ""))) },
    { name: "candidates", cell: r => r.count.toLocaleString("en-US").replace(/,/g, "\u2009") }, { name: "share", cell: r => (r.count / proof.candidates < 1e-4 ? "< 0.01" + SPACE + "%" : percent(r.count / proof.candidates, 2)) },
    { name: "by rule", text: true, cell: r => Object.entries(r.rules || {}).map(([rule, count]) => el("div", {}, `${plain(count)} `, el("code", {}, rule))) },
  ], rows, { classes: "full" })]);
}

function sentenceOf(parts) {
  return parts.map((p, i) => (i === 0 && typeof p === "string" ? sentence(p) : p));
}

section("candidates", "Ranked layouts", () => page.data.kind === "search" && (page.answers.layouts !== undefined), root => {
  const answers = page.answers, layouts = answers.layouts;
  const by = answers.objectives.map(o => `${o.direction === "maximize" ? "most" : "least"} ${o.expression}`).join(" and ");
  root.append(el("p", { class: "verdict" }, layouts.length ? [el("b", {}, `${answers.pareto && layouts.length > 1 ? "Pareto front: " : "Best: "}`), `${plural(layouts.length, "layout")} of ${plural(answers.certificate ? answers.certificate.candidates : layouts.length, "candidate")}, by ${by}.`] : el("b", { class: "bad" }, "No layout of the space is legal, fits and meets the constraints.")));
  if (layouts.length) {
    const same = Object.keys(layouts[0].values).filter(n => !varying(layouts).includes(n));
    if (same.length) root.append(el("p", { class: "soft" }, "All have ", el("code", {}, settings(layouts[0].values, same)), "."));
    const lines = new Map();
    add(root, [distinction(layouts), rankedTable(answers, lines)]);
    paretoPlot(root, answers, lines);
  }
  if (answers.certificate) certificate(root, answers.certificate, layouts.length);
});
