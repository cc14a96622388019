// Memory of the fullest device over the step, and the peak of each pipeline rank, against the limit.

const memoryTotal = (row, key) => row[key + "_bytes"] || 0;

/// Moves over the moments of the memory picture, at which the memory changes; the mouse and the keys say the same.
class MomentChooser {
  constructor(svg, status) {
    this.svg = svg;
    this.status = status;
    this.at = -1;
    svg.setAttribute("tabindex", "0");
    svg.addEventListener("pointermove", event => this.choose(this.under(event)));
    svg.addEventListener("keydown", event => this.key(event));
  }

  /// The moments of a new drawing: {times, x, text, peak, top, bottom}; `x` is the scale of the step, `text` says what a
  /// moment is, and `peak` is the index of the fullest.
  show(drawing) {
    this.drawing = drawing;
    this.line();
  }

  under(event) {
    const box = this.svg.getBoundingClientRect(), { times, x } = this.drawing;
    const time = x.invert((event.clientX - box.left) * this.svg.viewBox.baseVal.width / box.width);
    return Math.max(0, d3.bisectRight(times, time) - 1);
  }

  choose(index) {
    this.at = index;
    this.line();
    if (index >= 0) this.status.textContent = this.drawing.text(index);
  }

  line() {
    for (const old of this.svg.querySelectorAll(".ring")) old.remove();
    if (this.at < 0) return;
    const { times, x, top, bottom } = this.drawing, at = x(times[this.at]);
    this.svg.append(el("line", { class: "ring", x1: at, x2: at, y1: top, y2: bottom, stroke: INK.fg, "stroke-width": 1.5 }));
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const last = this.drawing.times.length - 1, far = Math.max(1, Math.round(last / 20));
    const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageDown: far, PageUp: -far }[event.key];
    const to = { Home: 0, End: last, p: this.drawing.peak, P: this.drawing.peak, Escape: -1 }[event.key] ?? (step && this.at + step);
    if (to === undefined) return;
    event.preventDefault();
    this.choose(event.key === "Escape" ? -1 : Math.max(0, Math.min(last, to)));
  }
}

/// Draws the area of each component over the step, with the limit and the peak.
function memoryPicture(layout, width, svg, chooser) {
  const memory = layout.data.memory, states = memory.fullest.timeline, limit = layout.fullest.usable_bytes;
  const parts = MEMORY.filter(([key]) => states.some(s => memoryTotal(s, key) > 0));
  const height = 300, left = 46, right = 10, top = 22, bottom = 26;
  const end = Math.max(memory.step_s * 1e12, states[states.length - 1].time_ps);
  const rows = states.concat([{ ...states[states.length - 1], time_ps: end }]);
  const stack = d3.stack().keys(parts.map(p => p[0])).value(memoryTotal)(rows);
  const most = d3.max(stack[stack.length - 1], s => s[1]);
  const x = d3.scaleLinear([0, end], [left, width - right]);
  const y = d3.scaleLinear([0, Math.max(limit, most) / 2 ** 30 * 1.04], [height - bottom, top]);
  const at = value => y(value / 2 ** 30);
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("height", height);
  const root = d3.select(svg);
  root.selectAll("*").remove();
  const text = i => {
    const held = parts.map(([key, name]) => [name, memoryTotal(states[i], key)]).filter(p => p[1] > 0);
    return `From ${picoseconds(states[i].time_ps)} to ${picoseconds(i + 1 < states.length ? states[i + 1].time_ps : end)}: ${gib(d3.sum(held, p => p[1]))}${SPACE}GiB; ${held.map(([name, size]) => `${name} ${gib(size)}`).join(", ")}.`;
  };
  const sums = states.map(s => d3.sum(parts, ([key]) => memoryTotal(s, key)));
  const area = d3.area().curve(d3.curveStepAfter).x(s => x(s.data.time_ps)).y0(s => at(s[0])).y1(s => at(s[1]));
  root.append("g").attr("class", "axis").attr("transform", `translate(${left},0)`).call(d3.axisLeft(y).ticks(6).tickSizeInner(-(width - left - right)).tickSizeOuter(0));
  stack.forEach((layer, i) => root.append("path").attr("fill", parts[i][2]).attr("d", area(layer)));
  root.append("g").attr("class", "axis").attr("transform", `translate(0,${height - bottom})`)
    .call(d3.axisBottom(x).ticks(Math.max(2, Math.floor(width / 120))).tickSizeOuter(0).tickFormat(t => axisSeconds(t / 1e12, end / 1e12)));
  root.append("line").attr("x1", left).attr("x2", width - right).attr("y1", at(limit)).attr("y2", at(limit)).attr("stroke", INK.bad).attr("stroke-width", 1.5);
  root.append("text").attr("class", "bad").attr("x", width - right).attr("text-anchor", "end").attr("y", at(limit) - 6).text(`limit ${gib(limit)}${SPACE}GiB`);
  root.append("text").attr("class", "soft").attr("x", 0).attr("y", 10).text("GiB");
  chooser.show({ times: states.map(s => s.time_ps), x, text, peak: sums.indexOf(d3.max(sums)), top, bottom: height - bottom });
  const peak = memory.fullest.peak;
  if (!peak) return;
  const tall = d3.max(stack[stack.length - 1], s => s[1]), px = x(peak.time_ps), py = at(tall);
  root.append("line").attr("x1", px).attr("x2", px).attr("y1", py).attr("y2", height - bottom).attr("stroke", INK.fg).attr("stroke-dasharray", "2 3");
  root.append("circle").attr("cx", px).attr("cy", py).attr("r", 3.5).attr("fill", INK.fg);
  const label = root.append("text").text(`peak ${gib(tall)}${SPACE}GiB`), room = py - at(limit);
  const above = py - 8 > top && (room < 0 || room > 26);
  label.attr("x", Math.min(px + 6, width - right - 100)).attr("y", above ? py - 8 : py + 16);
  if (Math.abs(room) <= 26 || !above) label.style("display", "none");
}

/// The components at the peak of the fullest rank: these are the labels of the picture too.
function peakTable(layout) {
  const rank = layout.fullest;
  const rows = MEMORY.map(([key, name, colour]) => ({ key, name, colour, size: memoryTotal(rank, key) })).filter(r => r.size > 0);
  const path = { parameters: "parameters", gradients: "gradients", optimizer: "optimizer", activations: "activations", temporary: "temporary", buffers: "buffers", non_tensor: "non_tensor" };
  return table([
    { name: `at the peak of rank ${rank.rank}`, left: true, cell: r => [el("span", { class: "swatch", style: { background: r.colour } }), why(`memory.rank[${rank.rank}].${path[r.key] || r.key}`, r.name)] },
    { name: "GiB", cell: r => gib(r.size) }, { name: "share", cell: r => percent(r.size / rank.peak_bytes) },
  ], rows, { total: c => ({ GiB: gib(rank.peak_bytes), share: percent(1) }[c.name] || "peak") });
}

function memoryByRank(layout) {
  const ranks = layout.ranks, most = d3.max(ranks, r => Math.max(r.peak_bytes, r.usable_bytes));
  const parts = row => {
    let at = 0;
    return MEMORY.map(([key, name, colour]) => {
      const from = at;
      at += memoryTotal(row, key);
      return { from: from / most, to: at / most, colour, title: `${name} ${gib(memoryTotal(row, key))}${SPACE}GiB` };
    });
  };
  const free = r => (r.usable_bytes - r.peak_bytes) / r.usable_bytes;
  return table([
    { name: "rank", left: true, cell: r => why(`memory.rank[${r.rank}].peak`, "rank" + SPACE + r.rank) },
    { name: "", bar: true, cell: r => bar(parts(r), { name: `rank ${r.rank}`, limit: { at: r.usable_bytes / most, title: `limit ${gib(r.usable_bytes)}${SPACE}GiB` } }) },
    { name: "peak GiB", cell: r => gib(r.peak_bytes) },
    { name: "free", cell: r => el("span", { class: free(r) < 0 ? "bad" : null }, percent(free(r))) },
  ], ranks, { classes: "full stack", limit: 16, pick: (r, line) => { if (layout.fullest && r.rank === layout.fullest.rank && ranks.length > 1) line.style.fontWeight = "600"; } });
}

function memoryChanges(layout) {
  const memory = layout.data.memory || {}, rows = memory.changes || memory.largest || [];
  if (!rows.length) return layout.fits && memory.largest ? el("p", { class: "soft" }, "No larger micro-batch is legal and fits. A longer context and more layers are tried only where the file lists no layers of stages.") : null;
  const over = r => r.usable_bytes !== undefined && r.peak_bytes > r.usable_bytes;
  const title = !memory.changes ? "The largest that still fits" : rows.some(over) ? "Changes that need less memory" : "Changes that fit";
  return [el("h3", {}, title), table([
    { name: "change", text: true, cell: r => el("code", {}, String(r.change || r.with).replace(/`/g, "")) },
    { name: "peak GiB", cell: r => gib(r.peak_bytes) },
    { name: "free GiB", cell: r => (r.usable_bytes === undefined ? "" : el("span", { class: over(r) ? "bad" : null }, gib(r.usable_bytes - r.peak_bytes))) },
    ...(rows.some(over) ? [{ name: "fits", left: true, cell: r => (over(r) ? el("span", { class: "bad" }, "does not fit yet") : "fits") }] : []),
    { name: "step", cell: r => (r.step_s ? seconds(r.step_s) : "") },
  ], rows)];
}

function hostMemory(layout) {
  const host = (layout.report.memory || {}).host;
  if (!host || !host.offloaded_bytes) return null;
  return el("p", { class: host.fits ? null : "bad" }, `Memory of a host: ${bytes(host.offloaded_bytes)} offloaded of ${bytes(host.usable_bytes)}${host.fits ? "." : ", which does not fit."}`);
}

section("memory", "Memory", () => page.data.kind !== "diff" && hasReport() && first().ranks.length > 0, root => {
  const layout = first();
  const where = peakPlace(layout);
  root.append(el("p", {}, fitText(layout), where ? ` The peak is reached ${where}.` : ""));
  const memory = layout.data.memory;
  const held = memory && memory.fullest && memory.fullest.timeline.some(s => MEMORY.some(([key]) => memoryTotal(s, key) > 0));
  if (held) {
    const svg = el("svg", { role: "img", "aria-label": `Memory of pipeline rank ${memory.fullest.rank} over the step, by component, against the limit. The arrow keys move over its moments.` });
    root.append(el("h3", {}, `Memory of a device of pipeline rank ${memory.fullest.rank} over the step`));
    const key = text => [el("kbd", {}, text), " "];
    const status = el("p", { class: "status small", "aria-live": "polite" }), chooser = new MomentChooser(svg, status);
    add(root, [el("figure", {}, svg), el("p", { class: "soft small hint" }, "Point at the picture to see its values. Keys: ", key("←"), key("→"), "moment, ", key("Page Up"), key("Page Down"), "many moments, ", key("P"), "the peak."), status]);
    picture(svg, width => memoryPicture(layout, width, svg, chooser));
  }
  add(root, el("div", { class: "two" }, layout.fullest.peak_bytes > 0 && el("div", {}, el("h3", {}, "What the peak consists of"), peakTable(layout)),
    el("div", {}, el("h3", {}, "Peak by pipeline rank; the line is the limit"), memoryByRank(layout),
      held && layout.ranks.length > 1 ? el("p", { class: "soft small" }, `The picture is of rank ${memory.fullest.rank}; the name of another rank leads to how its peak is computed.`) : null)));
  add(root, [hostMemory(layout), memoryChanges(layout)]);
});
