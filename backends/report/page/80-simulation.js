// A simulation: the steps, what the ranks wait for, the causes of lost time, and the critical path.

/// Of what the ranks report, the launch-bound time is part of the computation, and waits for stragglers are part of
/// the waits for collectives. The parts here add up to the step.
function partOf(rank, key) {
  const all = rank[key + "_ps"] || 0, inside = { compute: "launch_bound", collective_wait: "straggler_wait" }[key];
  return Math.max(0, all - (inside ? rank[inside + "_ps"] || 0 : 0));
}

const WAITS = [
  ["compute", "computes", BLUE], ["launch_bound", "launch-bound", BLUE_3], ["collective_wait", "waits for collectives", TEAL],
  ["straggler_wait", "waits for stragglers", ROSE], ["receive_wait", "waits for input", GREY_2], ["send_wait", "waits to send", GREY],
  ["barrier_wait", "at the barrier", SAND], ["data_wait", "waits for samples", LILAC],
];

/// The causes as the text screen names them; other keys are their own words.
const CAUSES = {
  action_jitter: "jitter of layers", slow_nodes: "slower nodes", micro_batch_imbalance: "unequal micro-batches", stage_imbalance: "unequal stages", expert_imbalance: "unequal experts",
  bubble: "waits in the pipeline", message_delay: "message delays", ecmp_hashing: "flows hashed onto uplinks", contention: "sharing of links", locality: "placement of layer groups",
  bandwidth: "bytes on links", memory_bandwidth: "device memory", data_loading: "loading of samples",
};
/// The causes that are a part of communication, and those that make others larger, for which the diagnosis looks first.
const PARTS_OF_COMMUNICATION = new Set(["interference", "message_delay", "link_jitter", "ecmp_hashing", "contention", "locality", "latency", "bandwidth"]);
const MAGNIFYING = new Set(["slow_nodes", "micro_batch_imbalance", "interference"]);
const causeName = cause => CAUSES[cause] || words(cause);

/// The numbers of data ranks whose exchanges a simulation of workers has, each as {name, value, note}.
function workerNumbers(answers) {
  const half = answers.half_width_ps ? `± ${picoseconds(answers.half_width_ps)}` : null, slowest = answers.slowest || {};
  return [
    ["mean step", picoseconds(answers.step_ps), half], ["computes", picoseconds(answers.compute_ps)], ["exchanges", picoseconds(answers.exchange_ps)],
    ["waits for others", percent(answers.waiting)],
    ...(slowest.share > 0 ? [["last", `worker ${slowest.worker}`, `in ${percent(slowest.share)} of the steps`]] : []),
  ];
}

function simulatedNumbers(answers) {
  if (answers.step_ps !== undefined) return workerNumbers(answers);
  const step = answers.step || {}, half = step.half_width_ps ? `± ${picoseconds(step.half_width_ps)}` : null;
  const rows = [["mean step", picoseconds(step.mean_ps), half], ["median", picoseconds(step.p50_ps)], ["99th percentile", picoseconds(step.p99_ps)], ["without noise", picoseconds(answers.noise_free_ps), answers.amplification > 1.0005 ? `noise makes it ${plain(answers.amplification, 3)} times as long` : null]];
  return rows;
}

function stepNumbers(answers) {
  const rows = simulatedNumbers(answers);
  return el("div", { class: "numbers" }, rows.map(([name, value, note]) => el("div", { class: "number" }, el("span", { class: "name" }, name), el("span", { class: "value" }, value), note && el("span", { class: "range" }, note))));
}

function stepHistogram(root, steps) {
  if (new Set(steps).size < 5) return;
  const values = steps.map(s => s / 1e12), bins = d3.histogram().thresholds(d3.thresholdSturges(values) * 2)(values), most = d3.max(bins, b => b.length);
  const svg = el("svg", { role: "img", "aria-label": "Distribution of the step time; the arrow keys move over its bars" }), chooser = new MarkChooser(svg);
  add(root, [el("h3", {}, `Distribution of ${plural(steps.length, "step")}`), el("figure", {}, svg)]);
  picture(svg, width => {
    const height = 186, left = 40, right = 24, top = 24, bottom = 26, view = d3.select(svg);
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("height", height);
    view.selectAll("*").remove();
    const x = d3.scaleLinear([bins[0].x0, bins[bins.length - 1].x1], [left, width - right]), y = d3.scaleLinear([0, most], [height - bottom, top]);
    view.append("g").attr("class", "axis").attr("transform", `translate(${left},0)`).call(d3.axisLeft(y).ticks(4).tickSizeInner(-(width - left - right)).tickSizeOuter(0).tickFormat(t => (Number.isInteger(t) ? t : "")));
    for (const b of bins) view.append("rect").attr("x", x(b.x0) + 0.5).attr("width", Math.max(1, x(b.x1) - x(b.x0) - 1)).attr("y", y(b.length)).attr("height", y(0) - y(b.length)).attr("fill", INK.accent);
    view.append("g").attr("class", "axis").attr("transform", `translate(0,${height - bottom})`).call(d3.axisBottom(x).ticks(Math.max(2, Math.floor(width / 110))).tickSizeOuter(0).tickFormat(t => axisSeconds(t, x.domain()[1])));
    thin(view, svg);
    view.append("text").attr("class", "soft").attr("x", 0).attr("y", 10).text("steps");
    chooser.show(bins.filter(b => b.length).map(b => ({ x: (x(b.x0) + x(b.x1)) / 2, y: y(b.length), r: 3, text: `${plural(b.length, "step")} from ${seconds(b.x0)} to ${seconds(b.x1)}` })));
  });
}

function ranksTable(answers) {
  const ranks = answers.pipeline_ranks.map((r, rank) => ({ ...r, rank }));
  const total = r => d3.sum(WAITS, w => partOf(r, w[0])), longest = d3.max(ranks, total);
  const used = WAITS.filter(w => ranks.some(r => partOf(r, w[0]) > 0)), last = ranks.some(r => r.straggler_fraction > 0);
  const parts = r => { let at = 0; return used.map(([key, name, colour]) => { const from = at; at += partOf(r, key); return { from: from / longest, to: at / longest, colour, title: `${name} ${picoseconds(partOf(r, key))}` }; }); };
  return [legend(used.map(([, name, colour]) => ({ name, colour }))), table([
    { name: "rank", left: true, cell: r => "rank" + SPACE + r.rank }, { name: "", bar: true, cell: r => bar(parts(r), { name: `rank ${r.rank}` }) },
    { name: "computes", cell: r => picoseconds(r.compute_ps) }, { name: "waits", cell: r => picoseconds(total(r) - r.compute_ps) },
    ...(last ? [{ name: "last", cell: r => (r.straggler_fraction ? percent(r.straggler_fraction) : "–"), title: "share of the steps in which a device of this rank reached the end of the step last" }] : []),
  ], ranks, { limit: 16, classes: "full" })];
}

/// The causes, largest first; parts of communication follow it.
function causeRows(diagnosis) {
  const all = Object.entries(diagnosis.without || {}).map(([cause, v]) => ({ cause, part: PARTS_OF_COMMUNICATION.has(cause), ...v })).sort((a, b) => b.saved - a.saved);
  const parts = all.filter(r => r.part), whole = all.filter(r => !r.part);
  return whole.some(r => r.cause === "communication") ? whole.flatMap(r => (r.cause === "communication" ? [r, ...parts] : r)) : all.map(r => ({ ...r, part: false }));
}

function changesTable(changes) {
  return table([
    { name: "with", text: true, cell: r => el("code", {}, r.with) }, { name: "step", cell: r => picoseconds(r.step_ps) }, { name: "saves", cell: r => percent(r.saved) },
    ...(changes.some(r => Array.isArray(r.accepted_by)) ? [{ name: "accepted by", left: true, cell: r => (Array.isArray(r.accepted_by) ? r.accepted_by.join(", ") || "no framework" : "") }] : []),
  ], changes, { classes: "full" });
}

/// Whether the simulation itself found changes, so that the page needs no other list of them.
const simulatedChanges = answers => [...((answers.diagnosis || {}).changes || []), ...((answers.diagnosis || {}).convergence_changes || [])].length > 0;

function diagnosisParts(diagnosis) {
  const rows = causeRows(diagnosis);
  if (diagnosis.without_all) rows.push({ cause: "all of these", ...diagnosis.without_all });
  const most = d3.max(rows, r => r.saved) || 1;
  const out = [el("h3", {}, "A step without one cause of lost time"), table([
    { name: "without", left: true, cell: r => el("span", { style: { paddingLeft: r.part ? "1.1rem" : "" } }, causeName(r.cause)) }, { name: "", bar: true, cell: r => bar([{ from: 0, to: Math.max(0, r.saved) / most, colour: r.cause === "all of these" ? GREY_3 : "var(--accent)", title: `without ${causeName(r.cause)}: ${picoseconds(r.step_ps)}, saves ${percent(r.saved)}` }]) },
    { name: "step", cell: r => picoseconds(r.step_ps) }, { name: "saves", cell: r => percent(r.saved) + (r.half_width ? ` ± ${percent(r.half_width)}` : "") },
  ], rows, { classes: "full stack" })];
  const pairs = (diagnosis.interactions || []).filter(i => i.causes);
  if (pairs.length) out.push(el("div", { class: "controls" }, unfold("Pairs of causes", () => table([
    { name: "without both", text: true, cell: r => r.causes.map(causeName).join(", ") }, { name: "saves", cell: r => percent(r.saved) }, { name: "beyond the sum", cell: r => percent(r.interaction, 2) },
  ], pairs, { limit: 30 }))));
  const changes = diagnosis.changes || [], learning = diagnosis.convergence_changes || [], tried = plural(diagnosis.changes_tried, "legal change");
  if (changes.length || learning.length) out.push(el("h3", {}, "What to change"), el("p", { class: "soft" }, `${tried} of the layout ${diagnosis.changes_tried === 1 ? "was" : "were"} simulated${changes.length ? "" : ", and none of them alone makes the step shorter"}.`));
  else if (diagnosis.changes_tried) out.push(el("p", { class: "soft" }, `${tried} of the layout ${diagnosis.changes_tried === 1 ? "was" : "were"} simulated, and none makes the step shorter.`));
  if (changes.length) out.push(changesTable(changes));
  if (learning.length) out.push(el("p", { class: "soft" }, "These changes also change convergence, which is not simulated:"), changesTable(learning));
  return out;
}

function diagnosisSentence(answers) {
  const verdict = (answers.diagnosis || {}).verdict;
  if (!verdict && answers.workers) return `${plural(answers.steps, "step")} of ${plural(answers.workers, "worker")} simulated.`;
  if (!verdict) return `${plural((answers.steps_ps || []).length, "step")} simulated, level ${words(answers.level || "")}.`;
  if (verdict.kind === "failure") return `The run loses most time to failures and checkpoints${verdict.cause ? `, above all to ${causeName(verdict.cause)}` : ""}: it would take ${percent(verdict.saved)} less without them. No cause takes as large a share of the steps.`;
  if (!verdict.cause) return "The step takes most of its time for computation: no other single cause takes 10" + SPACE + "% of it.";
  return mainCause(answers.diagnosis, verdict);
}

/// The cause that the diagnosis names, and why it is not the largest row of the table, if it is not.
function mainCause(diagnosis, verdict) {
  const name = causeName(verdict.cause), saves = `it would take ${percent(verdict.saved)} less without ${/s$/.test(name) ? "them" : "it"}.`;
  const largest = causeRows(diagnosis).find(r => !r.part) || verdict, slow = verdict.slowest;
  const pool = slow ? ` The slowest nodes are those of pool ${slow.node_pool}: ${slow.field} is ${slow.value}${slow.best ? `, the best other value is ${slow.best}` : ""}.` : "";
  if (MAGNIFYING.has(verdict.cause) && largest.cause !== verdict.cause)
    return `The step loses most time to ${name}: ${saves} Without ${causeName(largest.cause)} it would take ${percent(largest.saved)} less, but that includes time that ${name} ${/s$/.test(name) ? "add" : "adds"}.${pool}`;
  if (PARTS_OF_COMMUNICATION.has(verdict.cause) && largest.cause !== verdict.cause)
    return `The step loses most time to ${causeName(largest.cause)}: it would take ${percent(largest.saved)} less without it. The most specific part of it that explains at least half of this is ${name}: ${saves.replace("it would", "the step would")}`;
  return `The step loses most time to ${name}: ${saves}${pool}`;
}

/// Why the rank that is last, the means of the table and the critical path may differ.
function ranksNote(answers) {
  const last = answers.pipeline_ranks.some(r => r.straggler_fraction > 0), path = answers.critical_path;
  return el("p", { class: "soft small" }, `Times are means over the steps and the devices of a rank.${last ? " Last: the share of the steps in which a device of the rank was the last one at the end of the step, which in a pipeline is often the rank of the last backward pass, not the one that computes longest." : ""}${path ? ` The critical path below is that of step ${path.step} alone; the rank on which it stays longest sets the time of the step.` : ""}`);
}

/// The critical path as a table of its longest stays, and as one row of a timeline.
function criticalPath(root, path) {
  const parts = path.parts.map(p => ({ ...p, time: p.to_ps - p.from_ps }));
  const groups = d3.rollups(parts, list => ({ time: d3.sum(list, p => p.time), count: list.length }), p => `${p.pipeline_rank}\n${p.activity}`).map(([key, v]) => ({ rank: key.split("\n")[0], activity: key.split("\n")[1], ...v })).sort((a, b) => b.time - a.time);
  const ranks = [...new Set(parts.map(p => p.pipeline_rank))].sort((a, b) => a - b);
  add(root, [el("h3", {}, "Critical path"), el("p", { class: "soft" }, `Of step ${path.step}, ${picoseconds(path.time_ps)}: ${plural(parts.length, "part")}, each begins when the one before it ends.`)]);
  timelineView(root, new Timeline(ranks.map(rank => ({ name: `rank ${rank}`, rank, actions: parts.filter(p => p.pipeline_rank === rank) }))), "critical-path", "Critical path");
  root.append(table([
    { name: "rank", left: true, cell: r => "rank" + SPACE + r.rank }, { name: "activity", text: true, cell: r => words(r.activity) },
    { name: "parts", cell: r => plain(r.count) }, { name: "time", cell: r => picoseconds(r.time) }, { name: "share", cell: r => percent(r.time / path.time_ps) },
  ], groups, { limit: 12, classes: "full" }));
}

function messagesTable(messages) {
  if (!messages || !(messages.links || []).length) return null;
  return [el("h3", {}, "Links"), el("p", { class: "soft" }, `${plain(messages.contended)} of ${plain(messages.messages)} messages shared a link that was full.`), table([
    { name: "link", left: true, cell: r => words(r.link_type) }, { name: "links", cell: r => plain(r.count) }, { name: "busiest", cell: r => percent(r.max_utilization) }, { name: "mean", cell: r => percent(r.mean_utilization) }, { name: "contention", cell: r => picoseconds(r.contention_ps) },
  ], messages.links)];
}

section("simulation", "Simulated steps", () => page.data.kind === "simulate" && (page.answers.step !== undefined || page.answers.step_ps !== undefined), root => {
  const answers = page.answers;
  add(root, [el("p", { class: "verdict" }, diagnosisSentence(answers)), stepNumbers(answers)]);
  stepHistogram(root, answers.steps_ps || []);
  if (answers.diagnosis) add(root, diagnosisParts(answers.diagnosis));
  if ((answers.pipeline_ranks || []).length) add(root, [el("h3", {}, "Pipeline ranks: time of a step, and stragglers"), ranksTable(answers), ranksNote(answers)]);
  add(root, messagesTable(answers.messages));
  if (answers.critical_path) criticalPath(root, answers.critical_path);
  if (answers.timeline) { root.append(el("h3", {}, `Timeline of step ${answers.timeline.step}`)); timelineView(root, Timeline.ofSimulation(answers.timeline), "simulated-step", "Simulated step"); }
});
