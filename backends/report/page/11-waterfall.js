// Where the step goes: the parts of the step one after another, and what is lost against peak FLOP/s.

const STEP_PARTS = [
  ["time.compute", "kernels", BLUE], ["time.recompute", "recomputation", BLUE_4], ["time.launch_bound", "launch-bound", BLUE_3],
  ["time.host_link", "host link", GREY], ["time.exposed", "exposed communication", TEAL], ["time.bubble", "pipeline bubble", GREY_2],
  ["time.optimizer", "optimizer step", GREY_3],
];

function waterfallRows(layout) {
  const step = layout.value("step_time");
  const parts = STEP_PARTS.filter(([path]) => layout.value(path) > 0);
  const rows = [];
  let at = 0;
  for (const [path, name, colour] of parts) {
    const time = layout.value(path);
    rows.push({ path, name, colour, from: at, time });
    if (path === "time.exposed") rows.push(...axesOf(layout, at));
    at += time;
  }
  const rest = step - at;
  if (Math.abs(rest) > step * 5e-4) rows.push({ name: rest > 0 ? "other waits" : "overlap of these parts", colour: GREY_2, from: Math.min(at, step), time: rest });
  return rows;
}

/// What the step would save without the communication of one axis.
function axesOf(layout, at) {
  return Object.keys(layout.figures)
    .filter(p => /^time\.exposed\.[a-z_]+$/.test(p) && !/latency|interaction/.test(p) && layout.value(p) > 0)
    .map(p => ({ path: p, name: words(p.replace("time.exposed.", "")), indent: true, colour: TEAL_2, from: at, time: layout.value(p) }))
    .sort((a, b) => b.time - a.time);
}

function waterfall(layout) {
  const step = layout.value("step_time"), rows = waterfallRows(layout);
  const scale = Math.max(step, ...rows.map(r => r.from + Math.max(0, r.time)));
  return table([
    { name: "part", left: true, cell: r => el("span", { style: { paddingLeft: r.indent ? "1.1rem" : "" } }, r.path ? why(r.path, r.name) : r.name) },
    { name: "", bar: true, cell: r => bar([{ from: r.from / scale, to: (r.from + Math.max(0, r.time)) / scale, colour: r.colour, title: `${r.name}: ${seconds(r.time)}, ${percent(r.time / step)}` }]) },
    { name: "time", cell: r => seconds(r.time) },
    { name: "share", cell: r => percent(r.time / step) },
  ], rows, { classes: "full stack", total: c => ({ part: why("step_time", "step"), time: seconds(step), share: percent(1) }[c.name] || "") });
}

/// The colour of a loss is that of the part of the step that has it.
function lossColour(path = "") {
  const part = STEP_PARTS.find(([of]) => path === of || path.startsWith(of + "."));
  return part ? part[2] : /^time\.below_peak/.test(path) ? BLUE : /^time\.(jitter|data_loading)/.test(path) ? { jitter: ROSE, data_loading: LILAC }[path.slice(5)] : GREY;
}

/// From the time at peak FLOP/s to the step: each loss is added to the one before.
function losses(layout) {
  const rows = layout.report.inefficiencies || [];
  const step = layout.value("step_time");
  const ideal = layout.value("time.ideal");
  const all = ideal > 0 ? [{ reason: "model FLOP at the peak FLOP/s of all devices", time_s: ideal, share: ideal / step, figure: "time.ideal", colour: BLUE }] : [];
  all.push(...rows.map(r => ({ ...r, colour: lossColour(r.figure) })));
  let at = ideal > 0 ? 0 : Math.max(0, step - rows.reduce((sum, r) => sum + r.time_s, 0));
  for (const row of all) { row.from = at; at += row.time_s; }
  const scale = Math.max(step, at);
  return table([
    { name: "lost to", text: true, cell: r => why(r.figure, prose(r.reason)) },
    { name: "", bar: true, cell: r => bar([{ from: r.from / scale, to: (r.from + r.time_s) / scale, colour: r.colour, title: `${r.reason.replace(/`/g, "")}: ${seconds(r.time_s)}, ${percent(r.share)}` }]) },
    { name: "time", cell: r => seconds(r.time_s) },
    { name: "share", cell: r => percent(r.share) },
  ], all, { classes: "full stack" });
}

/// What the shares of unequal stages and of the bubble are of, next to other shares with similar names.
function shareNotes(layout) {
  const found = new Set((layout.report.inefficiencies || []).map(l => l.figure)), notes = [];
  if (found.has("time.below_peak.stage_imbalance")) notes.push("Uneven stages: kernel time of the rank that sets the step, without communication, minus the mean of all ranks.");
  if (found.has("time.bubble")) notes.push(`Pipeline bubble: time for which that rank waits for others${layout.has("bubble_fraction") ? `; idle time of all ranks is ${layout.shown("bubble_fraction")} of their time` : ""}.`);
  return notes.length ? el("p", { class: "soft small" }, notes.join(" ")) : null;
}

function stages(layout) {
  const rows = layout.report.stages || [], nodes = layout.data.nodes || [];
  // The derivation of a number, where the figure counts the same.
  const from = (s, name, value, text) => {
    const path = [`stage[${s.rank}.${s.chunk}].${name}`, `stage[${s.rank}].${name}`].find(p => layout.has(p));
    return path && Math.abs(layout.value(path) - value) <= 1e-6 * Math.abs(value) ? why(path, text, layout) : text;
  };
  const time = (s, name, ps) => from(s, name, ps / 1e12, picoseconds(ps));
  const what = s => [s.embedding && "embedding", s.layers && (s.layers === 1 ? `layer ${s.first_layer}` : `layers ${s.first_layer} to ${s.first_layer + s.layers - 1}`), s.mtp_layers && plural(s.mtp_layers, "MTP layer"), s.head && "head"].filter(Boolean).join(", ");
  return table([
    { name: "rank", cell: s => s.rank }, { name: "chunk", cell: s => s.chunk }, { name: "stage", text: true, cell: what },
    ...(nodes.length ? [{ name: "nodes", left: true, cell: s => nodes[s.rank], title: "the node pools that hold the rank; the slowest sets its time" }] : []),
    { name: "parameters", cell: s => from(s, "parameters", s.parameters + (s.expert_parameters || 0), si(s.parameters + (s.expert_parameters || 0), "")), title: "of one device, experts included" }, { name: "forward", cell: s => time(s, "forward", s.forward_ps) },
    { name: "backward", cell: s => time(s, "backward", s.backward_input_ps + s.backward_weight_ps) },
    { name: "recompute", cell: s => (s.recompute_ps ? time(s, "recompute", s.recompute_ps) : "–") },
    { name: "exposed", cell: s => time(s, "exposed", s.forward_communication_ps + s.backward_communication_ps), title: "communication that compute waits for" },
    { name: "saved activations", cell: s => from(s, "saved_activations", s.activation_bytes, bytes(s.activation_bytes)) },
  ], rows, { classes: "full" });
}

section("step", "Where the step goes", () => hasReport() && first().has("step_time") && page.data.kind !== "diff", root => {
  const layout = first();
  add(root, [
    el("p", { class: "soft" }, "One step on the pipeline rank that sets it. Indented: what the step would save if the axis had no communication; these times need not add up."),
    waterfall(layout), el("h3", {}, "From peak FLOP/s to this step"), losses(layout), shareNotes(layout),
  ]);
  if ((layout.report.stages || []).length)
    root.append(el("div", { class: "controls" }, unfold(`Stages: one micro-batch on one device (${layout.report.stages.length})`, () => stages(layout))));
});
