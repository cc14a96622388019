// What was assumed: inputs that neither the file nor a measurement sets, and how much they widen the interval.

function assumedTable(layout) {
  const rows = layout.assumed.map(path => ({ path, figure: layout.figures[path] }));
  return table([
    { name: "input", left: true, cell: r => el("span", { class: "mono" }, why(r.path, r.path)) },
    { name: "value", cell: r => show(r.figure.value, r.figure.unit, r.path) },
    { name: "meaning", text: true, cell: r => prose(r.figure.note || "") },
    { name: "set in", left: true, cell: r => place(r.figure.source) },
  ], rows, { limit: 24, classes: "full" });
}

function errorTable(layout) {
  const rows = Object.entries(layout.figures).filter(e => /^step_time\.error\../.test(e[0]) && e[1].value > 0).map(([path, figure]) => ({ path, figure }));
  if (!rows.length) return null;
  const all = layout.value("step_time.error");
  return [el("h3", {}, "Expected error of the step time, by its source"), table([
    { name: "source", text: true, cell: r => [...prose((r.figure.note || r.path).replace(/^expected error of the step time, as a share of it, /, "")), " ", why(r.path, r.path)] },
    { name: "", bar: true, cell: r => bar([{ from: 0, to: r.figure.value / all, colour: GREY_3, title: `${r.path}: ${percent(r.figure.value)} of the step` }]) },
    { name: "share of the step", cell: r => percent(r.figure.value) },
  ], rows, { classes: "full stack", total: c => ({ source: "expected error", "share of the step": percent(all) }[c.name] || "") })];
}

/// How the interval of the step follows from the expected error, and how many measurements stand for it.
function intervalNote(layout) {
  const step = layout.value("step_time"), error = layout.value("step_time.error"), low = layout.value("step_time.lower"), high = layout.value("step_time.upper");
  if (!(error > 0 && low > 0 && high > 0)) return "";
  const below = ((step / low - 1) / error).toFixed(2), above = ((high / step - 1) / error).toFixed(2), runs = layout.value("measured_runs") || 0;
  const few = runs < 5 ? ", too few to confirm it" : "";
  return el("p", { class: "soft" }, `The 80${SPACE}% interval of the step time goes from step / (1 + ${below} E) to step × (1 + ${above} E), where E is the expected error below. Measured steps of all kinds of layouts gave these factors; ${runs ? plural(runs, "measured step") : "none"} of them ${runs === 1 ? "is" : "are"} of this kind of layout${few}.`);
}

/// Settings that an import or a framework filled in.
function filledTable(layout) {
  const framework = layout.report.framework;
  if (!framework) return null;
  const rows = framework.filled || [];
  return [el("h3", {}, `Framework: ${framework.name}${framework.version ? " " + framework.version : ""}`), rows.length ? table([
    { name: "filled in by its defaults", left: true, cell: r => el("code", {}, r.path) }, { name: "value", text: true, cell: r => el("code", {}, r.value) },
  ], rows, { limit: 20 }) : el("p", { class: "soft" }, "It fills in no field.")];
}

section("assumed", "What was assumed", () => hasReport() && page.data.kind !== "diff", root => {
  const layout = first(), said = assumedSentences(layout), notes = (layout.report.plan || {}).notes;
  if (said.length) root.append(el("p", {}, said));
  if (notes) root.append(el("p", {}, notes));
  const inputs = layout.assumed.length;
  root.append(intervalNote(layout));
  add(root, [errorTable(layout), inputs ? [el("h3", {}, "Inputs of the cost model that were assumed"), assumedTable(layout)] : el("p", {}, "No input of the cost model is assumed."), filledTable(layout)]);
});
