// The first screen: does it fit, how fast is it, why is it not faster, what to change, and what was assumed.

function range(layout, path, digits) {
  const low = layout.figures[path + ".lower"], high = layout.figures[path + ".upper"];
  if (!low || !high) return null;
  return `80${SPACE}% interval ${show(low.value, low.unit, path, digits)} to ${show(high.value, high.unit, path, digits)}`;
}

function fitText(layout) {
  const free = layout.usable - layout.peak;
  const of = `${gib(layout.peak)} of ${gib(layout.usable)}${SPACE}GiB`;
  const rank = layout.fullest && layout.ranks.length > 1 ? ` on pipeline rank ${layout.fullest.rank}` : "";
  if (layout.fits) return [el("b", {}, "It fits: "), `${of} at the peak${rank}, ${gib(free)}${SPACE}GiB (${percent(free / layout.usable)}) free.`];
  return [el("b", { class: "bad" }, "It does not fit: "), `${of} at the peak${rank}, ${gib(-free)}${SPACE}GiB (${percent(-free / layout.usable)}) too much.`];
}

function subtitle(layout) {
  const report = layout.report, cluster = report.cluster || {}, mesh = report.mesh || { axes: [] };
  const axes = (mesh.axes || []).filter(a => a.size > 1).map(a => `${words(a.axis)} ${a.size}`).join(" × ");
  const parts = [];
  if (report.model && !labelledLines("model").length) parts.push(report.model);
  if (cluster.devices) parts.push(`${plural(cluster.nodes, "node")}, ${plain(cluster.devices)} × ${cluster.device}`);
  const experts = (mesh.expert_axes || []).filter(a => a.size > 1 && /^expert(_tensor)?$/.test(a.axis)).map(a => `${words(a.axis)} ${a.size}`).join(" × ");
  if (axes) parts.push(axes + (experts ? `, ${experts}` : ""));
  if (report.schedule && report.schedule.name) parts.push(report.schedule.name + (report.schedule.chunks > 1 ? `, ${report.schedule.chunks} chunks per rank` : ""));
  return parts.join(" · ");
}

/// Recomputation and what is sharded, which decide how much memory the layout saves.
function savings(layout) {
  const heading = layout.data.heading || {};
  return ["recompute", "shard"].filter(label => heading[label]).map(label => `${label} ${heading[label]}`);
}

function keyNumbers(layout) {
  const cards = [
    ["step_time", "step time", range(layout, "step_time", 3)],
    ["memory.peak", "peak memory of a device", range(layout, "memory.peak", 3)],
    ["mfu", "MFU", range(layout, "mfu", 2)],
    ["tokens_per_second", "throughput", range(layout, "tokens_per_second", 3)],
    ["samples_per_second", "throughput", null],
  ].filter(c => layout.value(c[0]) > 0).slice(0, 4);
  return el("div", { class: "numbers" }, cards.map(([path, name, interval]) =>
    el("div", { class: "number" }, el("span", { class: "name" }, name), el("span", { class: "value" }, why(path, layout.shown(path))),
      interval && el("span", { class: "range" }, interval))));
}

/// What the peak consists of, largest part first.
function peakParts(rank) {
  const parts = MEMORY.map(([key, name]) => [name, rank[key + "_bytes"] || 0]).filter(p => p[1] > 0);
  return parts.sort((a, b) => b[1] - a[1]);
}

function peakPlace(layout) {
  const peak = ((layout.data.memory || {}).fullest || {}).peak;
  if (!peak) return "";
  const during = peak.action ? `during the ${ACTION_NAMES[peak.action] || words(peak.action)}` : "";
  const micro = Number.isInteger(peak.micro_batch) ? ` of micro-batch ${peak.micro_batch}` + (peak.chunk ? `, chunk ${peak.chunk}` : "") : "";
  const module = peak.module ? `, in ${peak.module}${peak.operator ? " " + peak.operator : ""}` : "";
  return `${during}${micro}${module}, ${picoseconds(peak.time_ps)} into the step`;
}

function peakAnswer(layout) {
  const rank = layout.fullest;
  if (!rank || !rank.peak_bytes) return null;
  const parts = peakParts(rank).slice(0, 3).map(([name, size]) => `${name} ${gib(size)}${SPACE}GiB (${percent(size / rank.peak_bytes, 0)})`);
  const where = peakPlace(layout);
  const flight = rank.activations_bytes && rank.micro_batches_in_flight ? ` of ${+rank.micro_batches_in_flight.toFixed(2)}${SPACE}${rank.micro_batches_in_flight === 1 ? "micro-batch" : "micro-batches"} in flight` : "";
  return [`${sentence(parts.join(", "))}, on pipeline rank ${rank.rank}${where ? " " + where : ""}. `, flight ? `Activations are those${flight}. ` : "", to("memory", "Memory")];
}

/// Changes that gain; of a layout that does not fit, those that make it fit, and else those that need less memory.
function changes(layout) {
  const found = layout.data.advice || [], known = new Set(found.map(changeName));
  const others = layout.fits ? [] : ((layout.data.memory || {}).changes || []).filter(a => !known.has(changeName(a)));
  const advice = found.length ? found.concat(others.filter(a => a.peak_bytes <= a.usable_bytes)) : others;
  const step = layout.value("step_time"), over = a => a.peak_bytes > a.usable_bytes;
  const order = (a, b) => over(a) - over(b) || (a.step_s || Infinity) - (b.step_s || Infinity);
  return [...advice].sort(order).slice(0, 4).map(a => {
    const saves = step && a.step_s ? (step - a.step_s) / step : 0;
    const effect = !a.step_s ? "" : Math.abs(saves) > 0.0005 ? `step ${seconds(a.step_s)}, ${percent(Math.abs(saves))} ${saves > 0 ? "less" : "more"}` : `step ${seconds(a.step_s)}`;
    const fits = !a.usable_bytes ? "" : a.peak_bytes > a.usable_bytes ? ", which does not fit" : layout.fits ? "" : ", which fits";
    const memory = a.peak_bytes ? `peak ${bytes(a.peak_bytes)}${fits}` : "", host = a.offloaded_bytes ? `${bytes(a.offloaded_bytes)} of a host's memory` : "";
    return [el("code", {}, changeName(a)), ": " + [effect, a.reason, memory, host, a.condition, withoutTensor(a)].filter(Boolean).join("; ")];
  });
}

/// Why a change of the mesh sets `shard.sequence` too.
const withoutTensor = change => ((change.settings || {})["shard.sequence"] && /mesh/.test(change.change) ? "without tensor ranks no sequence is sharded" : "");

/// Its fields and values; only some commands write backquotes.
function changeName(change) {
  return change.change.replace(/`/g, "");
}

/// Between what the links of a type are, such as "between the devices of a node".
function linkPlace(layout, link) {
  const units = (layout.data.topology || {}).units || [], at = units.findIndex(u => u.links.includes(link.link));
  if (at < 0) return "";
  const inside = at + 1 < units.length ? units[at] : units[at - 1], around = units[Math.min(at + 1, units.length - 1)];
  return inside ? `, between the ${several(words(inside.unit))} of a ${words(around.unit)}` : "";
}

function busiestAnswer(layout) {
  const link = (layout.data.links || [])[0];
  if (!link) return null;
  const user = (link.users || [])[0], exposed = link.exposed_s === undefined ? [] : ["exposed ", why(`${link.path}.exposed`, seconds(link.exposed_s)), ` (${percent(link.exposed_s / layout.value("step_time"))}), `];
  const most = user ? ` Most of it is ${words(user.figures.replace(/^communication\[(.*?)\]\./, "$1 ").replace(/\./g, ", "))}.` : "";
  return [[`${sentence(linkName(link))}${linkPlace(layout, link)}: busy `, why(`${link.path}.busy`, seconds(link.busy_s)), " of the step (", why(`${link.path}.busy_share`, percent(link.share)), "), ", exposed, why(`${link.path}.sent`, bytes(link.sent_bytes)), ` over each link.${most} `], to("traffic", "Traffic")];
}

function lossesAnswer(layout) {
  const losses = layout.report.inefficiencies || [];
  if (!losses.length) return null;
  return [el("ol", {}, losses.slice(0, 3).map(l => el("li", {}, el("b", {}, percent(l.share)), ` of the step (${seconds(l.time_s)}): `, prose(l.reason)))), to("step", "Where the step goes")];
}

function assumedAnswer(layout) {
  const inputs = layout.assumed;
  const such = inputs.slice(0, 2).map(p => [el("code", {}, p), ` ${layout.shown(p)}`]).flatMap((part, i) => (i ? [" and ", ...part] : part));
  const count = inputs.length ? [`${plural(inputs.length, "input")} of the cost model ${inputs.length === 1 ? "is" : "are"} assumed`, inputs.length > 1 ? ", such as " : ": ", such, ". "] : [];
  return [assumedSentences(layout), count, to("assumed", "What was assumed")];
}

/// The lines of the text screen with a label, such as "assumed".
function labelledLines(label) {
  const lines = (page.data.screen || "").split("\n");
  const at = lines.findIndex(l => l.startsWith(`  ${label} `));
  if (at < 0) return [];
  const found = [lines[at].slice(label.length + 2).trim()];
  for (let i = at + 1; i < lines.length && /^ {8,}\S/.test(lines[i]); ++i) found.push(lines[i].trim());
  return found;
}

/// The smallest share of the step for which a field at its default is listed.
const LEAST_OF_DEFAULTS = 0.05;

/// What the report's heading says is assumed, and the defaults of which a change saves much.
function assumedSentences(layout) {
  const { assumed, experts } = layout.data.heading || {}, step = layout.value("step_time");
  const saves = a => (step - a.step_s) / step;
  const defaults = (layout.data.advice || []).filter(a => a.of_defaults && saves(a) > LEAST_OF_DEFAULTS);
  return [
    assumed ? [...prose(sentence(assumed)), ". "] : [],
    experts ? ["Kernels of experts are ", ...prose(experts), ". "] : [],
    defaults.map(a => ["Left at its default: ", el("code", {}, changeName(a)), ` makes the step ${percent(saves(a))} shorter. `]),
  ].flat(2);
}

/// The smallest share of unequal stages for which the page says that no other split was found.
const LEAST_UNEVEN = 0.05;

/// Why no change evens the stages out, if they are uneven.
function splitSentence(layout) {
  const loss = (layout.report.inefficiencies || []).find(l => l.figure === "time.below_peak.stage_imbalance");
  if (!loss || loss.share < LEAST_UNEVEN || (layout.data.advice || []).some(a => /^split\b/.test(a.change))) return null;
  const rank = Number((/rank (\d+)/.exec(loss.reason) || [])[1]), time = s => s.forward_ps + s.backward_input_ps + s.backward_weight_ps;
  const bare = (layout.report.stages || []).find(s => s.rank === rank && s.head && !s.layers), mean = layout.value("time.compute.mean") * 1e12 / layout.value("micro_batches");
  const least = bare && mean > 0 ? ` The head${bare.mtp_layers ? " and the MTP layer" : ""} of rank ${rank}, which no split divides, take ${picoseconds(time(bare))} per micro-batch; the mean of all ranks is ${picoseconds(mean)}.` : "";
  return el("p", {}, "No other ", el("code", {}, "split"), " that was tried (even, by_flop, by_parameters) makes the step shorter, although the stages are uneven.", least);
}

function changeAnswer(layout) {
  if (page.data.kind === "simulate" && simulatedChanges(page.answers)) return null; // the section of the simulation lists them
  const advice = changes(layout), split = page.data.kind === "report" && layout.data.advice ? splitSentence(layout) : null;
  if (advice.length) return [el("ol", {}, advice.map(a => el("li", {}, a))), split];
  if (page.data.kind === "search") return "No single change of the best layout was tried; the search compared the layouts of its space.";
  return page.data.kind === "report" && layout.data.advice ? [`No single change that was tried makes ${layout.fits ? "the step shorter" : "it fit"}.`, split] : null;
}

function answers(layout) {
  const rows = [
    ["Lost time", lossesAnswer(layout)],
    ["What to change", changeAnswer(layout)],
    ["Busiest link", busiestAnswer(layout)],
    ["Peak memory", peakAnswer(layout)],
    ["Assumed", assumedAnswer(layout)],
  ].filter(r => r[1]);
  return el("dl", { class: "answers" }, rows.map(([name, text]) => [el("dt", {}, name), el("dd", {}, text)]));
}

const TITLES = {
  report: "Training layout", search: "Search", study: "Study", diff: "Comparison of two layouts",
  simulate: "Simulation", score: "Predicted and measured runs",
};

function header(root) {
  const data = page.data;
  add(root, [
    el("div", { class: "soft" }, `${TITLES[data.kind] || sentence(data.kind)} · dplc ${data.version}`),
    el("h1", {}, data.title),
  ]);
  if (hasReport() && (data.kind === "report" || data.kind === "simulate"))
    root.append(el("div", { class: "soft anywhere" }, subtitle(first())));
  const facts = data.kind === "report" ? ["model", "batch", "precision"].map(label => labelledLines(label).join(" ")).filter(Boolean) : [];
  if (hasReport() && (data.kind === "report" || data.kind === "simulate")) facts.push(...savings(first()));
  if (facts.length) root.append(el("div", { class: "soft anywhere" }, facts.join(" · ")));
  const given = data.settings || [];
  if (given.length) root.append(el("p", {}, "Changed from the file: ", given.map((s, i) => [i ? ", " : "", el("code", { class: "anywhere" }, `${s.path} = ${s.value}`)]), "."));
}

function verdict(root) {
  const layout = first();
  if (page.data.kind === "search" || page.data.kind === "simulate")
    root.append(el("p", { class: "soft" }, page.data.kind === "search" ? `The best layout: ${[subtitle(layout), ...savings(layout)].join(" · ")}` : "What dplc check predicts, without a simulation:"));
  const errors = (page.data.diagnostics || []).filter(d => d.severity !== "note");
  if (layout.peak !== undefined) root.append(el("p", { class: "verdict" }, fitText(layout)));
  for (const message of errors.slice(0, 3)) root.append(el("p", {}, el("b", { class: message.severity === "error" ? "bad" : null }, sentence(message.severity)), `: ${message.message} `, to("source", message.code || "Source")));
  if (errors.length > 3) root.append(el("p", {}, to("source", plural(errors.length - 3, "more message"))));
  add(root, [keyNumbers(layout), answers(layout)]);
}

section("summary", "Summary", () => hasReport() && page.data.kind !== "diff", verdict);
