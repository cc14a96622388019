// The operators of a layer under the roofline of their device: FLOP per byte against FLOP per second.

/// The operators that have a place under a roof, one list for each bandwidth of device memory.
function rooflines(layout) {
  const rows = (layout.data.operators || []).filter(o => o.flop > 0 && o.bytes > 0 && o.time_s > 0 && o.peak_flops && o.memory_bandwidth);
  return [...d3.group(rows, r => r.memory_bandwidth).values()];
}

function rooflinePicture(groups, width, svg, chooser) {
  const rows = groups.flat();
  const stream = rows[0].memory_bandwidth, peaks = [...new Set(rows.map(r => r.peak_flops))].sort((a, b) => b - a), peak = peaks[0];
  const height = Math.max(300, Math.min(420, width * 0.5)), left = 64, right = 14, top = 20, bottom = 40;
  const intensity = r => r.flop / r.bytes, rate = r => r.flop / r.time_s;
  const xs = rows.map(intensity), ys = rows.map(rate);
  const x = d3.scaleLog([Math.min(d3.min(xs), peak / stream / 4) / 1.6, Math.max(d3.max(xs), peak / stream * 4) * 1.6], [left, width - right]);
  const y = d3.scaleLog([d3.min(ys) / 1.5, Math.max(peak, d3.max(ys)) * 1.4], [height - bottom, top]);
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("height", height);
  const root = d3.select(svg);
  root.selectAll("*").remove();
  const few = scale => {
    const decades = scale.domain()[1] / scale.domain()[0] > 300 ? /^10*$/ : /^[125]0*$/;
    return scale.ticks(8).filter(t => decades.test(String(Math.round(t / 10 ** (Math.floor(Math.log10(t)) - 1)))));
  };
  root.append("g").attr("class", "axis").attr("transform", `translate(0,${height - bottom})`).call(d3.axisBottom(x).tickValues(few(x)).tickSizeOuter(0).tickFormat(v => tick(v)));
  root.append("g").attr("class", "axis").attr("transform", `translate(${left},0)`).call(d3.axisLeft(y).tickValues(few(y)).tickSizeOuter(0).tickFormat(v => tick(v)));
  root.append("text").attr("class", "soft").attr("x", width - right).attr("y", height - 4).attr("text-anchor", "end").text("FLOP per byte of device memory");
  root.append("text").attr("class", "soft").attr("x", 0).attr("y", 10).text("FLOP/s");
  const used = [], low = Math.max(x.domain()[0], y.domain()[0] / stream);
  peaks.forEach((height, i) => {
    const roof = (i ? [] : [[low, low * stream]]).concat([[height / stream, height], [x.domain()[1], height]]);
    root.append("polyline").attr("points", roof.map(p => `${x(p[0])},${y(p[1])}`).join(" ")).attr("fill", "none").attr("stroke", INK.soft).attr("stroke-width", 1.5);
    placeLabel(root, used, width - right, y(height) - 7, `peak ${tick(height, "FLOP/s")}`, "end", "soft halo");
  });
  chooser.show(drawPoints(root, groups, used, { x: r => x(intensity(r)), y: r => y(rate(r)) }, width));
}

/// A label, unless it would cover another one.
function placeLabel(root, used, x, y, text, anchor, classes) {
  const label = root.append("text").attr("x", x).attr("y", y).attr("text-anchor", anchor).attr("class", classes).text(text);
  const box = label.node().getBBox(), pad = 2;
  const view = root.node().viewBox.baseVal;
  const out = box.x < 0 || box.y < 0 || box.x + box.width > view.width || box.y + box.height > view.height;
  if (out || used.some(u => box.x < u.x + u.width + pad && u.x < box.x + box.width + pad && box.y < u.y + u.height + pad && u.y < box.y + box.height + pad)) {
    label.remove();
    return false;
  }
  used.push({ x: box.x, y: box.y, width: box.width, height: box.height });
  return true;
}

/// The time that an operator takes in a step on the rank that sets it; 0 if another rank runs it.
const stepTime = row => row.time_s * row.runs;

/// Operators with nearly the same place share a number; the list with the longest time is first.
function samePlace(rows) {
  const groups = [], near = (a, b) => Math.abs(Math.log(a / b)) < 0.08;
  for (const row of [...rows].sort((a, b) => stepTime(b) - stepTime(a))) {
    const group = groups.find(([r]) => near(r.flop / r.bytes, row.flop / row.bytes) && near(r.flop / r.time_s, row.flop / row.time_s));
    if (group) group.push(row); else groups.push([row]);
  }
  return groups.sort((a, b) => d3.sum(b, stepTime) - d3.sum(a, stepTime));
}

/// Draws the operators, and returns their marks with the longest first.
function drawPoints(root, groups, used, at, width) {
  root.selectAll("g.axis text").each(function () {
    const box = this.getBoundingClientRect(), origin = root.node().getBoundingClientRect(), scale = width / (origin.width || width);
    used.push({ x: (box.x - origin.x) * scale, y: (box.y - origin.y) * scale, width: box.width * scale, height: box.height * scale });
  });
  const sorted = groups.flat().sort((a, b) => stepTime(b) - stepTime(a)), size = d3.scaleSqrt([0, stepTime(sorted[0]) || 1], [2.5, 11]), marks = [];
  for (const row of sorted) {
    const x = at.x(row), y = at.y(row), r = size(stepTime(row)), forward = row.action === "forward";
    root.append("circle").attr("cx", x).attr("cy", y).attr("r", r).attr("stroke-width", 1.5).attr("stroke", forward ? INK.bg : OCHRE)
      .attr("fill", forward ? BLUE : OCHRE).attr("fill-opacity", forward ? 0.7 : 0.25);
    marks.push({ x, y, r, text: operatorText(row) });
    used.push({ x: x - r, y: y - r, width: 2 * r, height: 2 * r });
  }
  root.selectAll("text.halo").raise();
  groups.slice(0, NUMBERED).forEach((group, i) => {
    const x = at.x(group[0]), y = at.y(group[0]), r = size(stepTime(group[0])), text = String(i + 1);
    for (const out of [4, 12, 20])
      for (const [dx, dy, anchor] of [[r + out, 4, "start"], [-r - out, 4, "end"], [0, -r - out, "middle"], [0, r + out + 8, "middle"], [r + out - 3, -r - out + 6, "start"], [-r - out + 3, r + out + 3, "end"]])
        if (placeLabel(root, used, x + dx, y + dy, text, anchor, "")) return;
  });
  return marks;
}

const NUMBERED = 9;

/// The data type whose peak an operator is compared with.
const ofPeak = row => (row.peak_type ? `${SPACE}of${SPACE}${row.peak_type}` : "");

/// The operators with a number in the picture; `all` is the time of all operators in a step.
function numberedTable(groups, all) {
  const time = g => d3.sum(g, stepTime), reached = r => r.flop / r.time_s / r.peak_flops;
  const names = group => d3.groups(group, r => r.operator).map(([name, list]) => `${name} (${[...new Set(list.map(r => ACTION_SHORT[r.action] || words(r.action)))].join(", ")})`);
  return table([
    { name: "", cell: (g, i) => i + 1 },
    { name: "longest operators", text: true, cell: g => { const list = [...new Set(names(g))]; return list.slice(0, 3).join("; ") + (list.length > 3 ? `; ${list.length - 3} more` : ""); } },
    { name: "time in a step", cell: g => seconds(time(g)) }, { name: "of all operators", cell: g => percent(time(g) / all) }, { name: "of peak FLOP/s", cell: g => percent(reached(g[0])) + ofPeak(g[0]) },
  ], groups.slice(0, NUMBERED).filter(g => time(g) > 0), { classes: "full" });
}

const ACTION_SHORT = { forward: "forward", backward: "backward", backward_input: "input gradient", backward_weight: "weight gradient", recompute: "recomputed" };

function operatorText(row) {
  return `${row.module} ${row.operator}, ${ACTION_SHORT[row.action] || words(row.action)}: ${seconds(row.time_s)}${row.runs ? `, ${plain(row.runs)} times in a step` : ""}, ${si(row.flop, "FLOP")}, ${bytes(row.bytes)}, ${si(row.flop / row.time_s, "FLOP/s")}`;
}

function operatorTable(rows) {
  const all = d3.sum(rows, stepTime);
  return table([
    { name: "module", left: true, cell: r => r.module }, { name: "operator", text: true, cell: r => why(r.figure, r.operator) },
    { name: "pass", left: true, cell: r => ACTION_SHORT[r.action] || words(r.action) },
    { name: "time", cell: r => seconds(r.time_s), title: "of one layer, head or embedding on one micro-batch" },
    { name: "runs", cell: r => (r.runs ? plain(r.runs) : "–"), title: "in a step, on the rank that sets it" },
    { name: "of all operators", cell: r => (r.runs ? percent(stepTime(r) / all) : "–"), title: "share of the time of all operators in a step" },
    { name: "FLOP", cell: r => si(r.flop, "", 3) }, { name: "bytes", cell: r => bytes(r.bytes, 3) },
    { name: "FLOP/byte", cell: r => (r.bytes ? plain(r.flop / r.bytes, 3) : "–") },
    { name: "of peak", cell: r => (r.peak_flops ? percent(r.flop / r.time_s / r.peak_flops) + ofPeak(r) : "–") },
  ], [...rows].sort((a, b) => stepTime(b) - stepTime(a) || b.time_s - a.time_s), { classes: "full" });
}

section("operators", "Operators", () => page.data.kind !== "diff" && hasReport() && (first().data.operators || []).some(o => o.time_s > 0), root => {
  const layout = first(), lists = rooflines(layout), all = d3.sum(layout.data.operators, stepTime);
  if (lists.length) root.append(el("p", { class: "soft" }, "Each operator of one layer, head and embedding on one micro-batch. Left of the bend of the roof device memory limits it, right of it arithmetic does. Larger circles take more time in a step on the rank that sets it, over all layers, micro-batches and passes; those with a number are listed below. Point at a circle, or move over them with the arrow keys, to see which operator it is."));
  for (const rows of lists) {
    const svg = el("svg", { role: "img", "aria-label": "Roofline of the operators; the arrow keys move over them, the longest first" }), chooser = new MarkChooser(svg);
    if (lists.length > 1) root.append(el("h3", {}, `Devices with ${si(rows[0].memory_bandwidth, "B/s")} of memory bandwidth`));
    const groups = samePlace(rows);
    add(root, [legend([{ name: "forward", colour: BLUE }, { name: "backward and recomputed", colour: OCHRE }]), el("figure", {}, svg), numberedTable(groups, all)]);
    picture(svg, width => rooflinePicture(groups, width, svg, chooser));
  }
  root.append(el("div", { class: "controls" }, unfold(`Table of the operators (${layout.data.operators.length})`, () => operatorTable(layout.data.operators.filter(o => o.time_s > 0)))));
});
