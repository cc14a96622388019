// Charts of points and lines with two axes, and bars of categories.

const UNIT_SCALES = { ns: 1e-9, us: 1e-6, "µs": 1e-6, ms: 1e-3, s: 1, min: 60, h: 3600, d: 86400, B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40, kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12, "%": 0.01 };

/// The number of a written value such as `32sample` or `16MiB`, and its unit; null if it is not a number.
function written(text) {
  const parts = /^\s*(-?[0-9][0-9_.]*(?:e[+-]?[0-9]+)?)\s*([^\d\s].*)?$/i.exec(String(text));
  if (!parts) return null;
  const unit = parts[2] || "", scale = UNIT_SCALES[unit], number = Number(parts[1].replace(/_/g, ""));
  if (!Number.isFinite(number)) return null;
  const base = { ns: "s", us: "s", "µs": "s", ms: "s", min: "s", h: "s", d: "s", KiB: "B", MiB: "B", GiB: "B", TiB: "B", kB: "B", MB: "B", GB: "B", TB: "B" }[unit];
  return { value: scale ? number * scale : number, unit: base || (scale ? unit.replace("%", "") : unit) };
}

/// Whether values spread so far that only logarithms show them.
function spread(values) {
  const low = d3.min(values), high = d3.max(values);
  return low > 0 && high / low >= 20;
}

/// A scale with ticks and their text for values of a unit.
function axisFor(values, unit, path, range, count) {
  const low = d3.min(values), high = d3.max(values);
  const log = spread(values);
  const pad = high === low ? Math.abs(high) * 0.1 || 1 : (high - low) * 0.06;
  const from = unit !== "" && low >= 0 && low < 0.45 * high ? 0 : low - pad;
  const scale = log ? d3.scaleLog([low / 1.15, high * 1.15], range) : d3.scaleLinear([low >= 0 && from < 0 ? 0 : from, high + pad], range);
  const text = value => {
    if (unit === "s") return axisSeconds(value, high);
    if (isSmallRate(high, unit)) return +(1e6 * value).toPrecision(4);
    if (unit === "B") return bytes(value, 5).replace(/(\.\d*?)0+(?=\s)/, "$1").replace(/\.(?=\s)/, "");
    return unit === "" && SHARES.test(path) ? +(100 * value).toPrecision(4) + SPACE + "%" : tick(value, Math.abs(value) < 1e3 ? "" : "");
  };
  let ticks = scale.ticks(count);
  if (unit === "B" && !log) {
    const size = 1024 ** Math.max(0, Math.floor(Math.log2(high) / 10));
    ticks = d3.ticks(scale.domain()[0] / size, scale.domain()[1] / size, count).map(t => t * size);
  }
  if (log) {
    const whole = ticks.filter(t => Number.isInteger(Math.round(Math.log10(t) * 1e9) / 1e9));
    const some = ticks.filter(t => /^[125]0*$/.test(String(Math.round(t / 10 ** (Math.floor(Math.log10(t)) - 1)))));
    ticks = whole.length >= 3 ? whole : some;
    while (ticks.length > count + 1) ticks = ticks.filter((_, i) => i % 2 === 0);
  }
  const title = words(path) + (unit && unit !== "s" && unit !== "B" ? ` (${isSmallRate(high, unit) ? millions(unit) : unit})` : "");
  return { scale, ticks, text, log, title };
}

/// Points, or lines of points, over two axes. `points` are {x, y, series, title, strong, pick}.
function chart(svg, width, spec, chooser) {
  const height = spec.height || Math.max(230, Math.min(340, width * 0.55)), left = 66, right = 16, top = spec.titled ? 10 : 24, bottom = 42;
  const points = spec.points.filter(p => Number.isFinite(p.x) && Number.isFinite(p.y));
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("height", height);
  const root = d3.select(svg);
  root.selectAll("*").remove();
  if (!points.length) return;
  const x = axisFor(points.map(p => p.x), spec.x.unit, spec.x.name, [left, width - right], Math.max(2, Math.floor((width - left) / 90)));
  const y = axisFor(points.flatMap(p => (p.low === undefined ? [p.y] : [p.low, p.high])).concat(spec.y.include || []), spec.y.unit, spec.y.name, [height - bottom, top], 5);
  root.append("g").attr("class", "axis").attr("transform", `translate(${left},0)`).call(d3.axisLeft(y.scale).tickValues(y.ticks).tickSizeInner(-(width - left - right)).tickSizeOuter(0).tickFormat(y.text)).select("path").remove();
  root.append("g").attr("class", "axis").attr("transform", `translate(0,${height - bottom})`).call(d3.axisBottom(x.scale).tickValues(x.ticks).tickSizeOuter(0).tickFormat(x.text));
  thin(root, svg);
  if (!spec.titled) root.append("text").attr("class", "soft").attr("x", 0).attr("y", 11).text(y.title);
  root.append("text").attr("class", "soft").attr("x", width - right).attr("y", height - 5).attr("text-anchor", "end").text(x.title);
  const at = { x: p => x.scale(p.x), y: p => y.scale(p.y) };
  const series = spec.series || [""];
  series.forEach((name, i) => {
    const own = points.filter(p => (p.series ?? "") === name).sort((a, b) => a.x - b.x);
    if (spec.lines && own.length > 1)
      root.append("polyline").attr("points", own.map(p => `${at.x(p)},${at.y(p)}`).join(" ")).attr("fill", "none").attr("stroke", seriesColour(i)).attr("stroke-width", 2);
    const many = points.length > MOST_MARKS && !own.some(p => p.pick);
    if (many) drawMarks(root, own.filter(p => !p.strong), at, seriesColour(i));
    for (const point of many ? own.filter(p => p.strong).slice(0, MOST_MARKS) : own) drawPoint(root, point, at, y, seriesColour(i), spec);
  });
  const marks = points.map(p => ({ x: at.x(p), y: at.y(p), r: p.strong ? 6 : spec.radius || 4, text: p.title || "", pick: p.pick && (() => p.pick(p)) }));
  chooser.show(marks.sort((a, b) => a.x - b.x || a.y - b.y));
}

/// A chart with more points has one element for the marks of a series, so that the page stays small.
const MOST_MARKS = 150;

function drawMarks(root, points, at, colour) {
  const places = new Set(points.map(p => `M${at.x(p).toFixed(1)} ${at.y(p).toFixed(1)}h0`));
  root.append("path").attr("class", "mark").attr("d", [...places].join("")).attr("fill", "none").attr("stroke", colour).attr("stroke-width", 4).attr("stroke-linecap", "round");
}

function drawPoint(root, point, at, y, colour, spec) {
  if (point.low !== undefined && point.high > point.low)
    root.append("line").attr("x1", at.x(point)).attr("x2", at.x(point)).attr("y1", y.scale(point.low)).attr("y2", y.scale(point.high)).attr("stroke", colour);
  root.append("circle").attr("class", "mark").attr("cx", at.x(point)).attr("cy", at.y(point)).attr("r", point.strong ? 6 : spec.radius || 4)
    .attr("fill", point.hollow ? INK.bg : colour).attr("stroke", colour).attr("stroke-width", 1.5);
}

/// Takes labels of the lower axis away that would touch the one before, or that the picture would cut.
function thin(root, svg) {
  const edge = svg.getBoundingClientRect().right;
  let end = -Infinity;
  root.selectAll("g.axis").filter((_, i) => i === 1).selectAll(".tick text").each(function () {
    const box = this.getBoundingClientRect();
    if (box.width && (box.left < end + 6 || box.right > edge + 0.5)) this.remove();
    else end = Math.max(end, box.right);
  });
}

/// A chart in a figure with its legend, drawn again when the width changes.
function chartView(spec, label) {
  const svg = el("svg", { role: "img", "aria-label": `${label}; the arrow keys move over the points` }), chooser = new MarkChooser(svg);
  const named = (spec.series || []).length > 1;
  const host = el("div", {}, el("figure", {}, svg), named ? legend(spec.series.map((name, i) => ({ name, colour: i % SERIES.length ? SERIES[i % SERIES.length] : "var(--accent)" }))) : null);
  requestAnimationFrame(() => picture(svg, width => chart(svg, width, spec, chooser)));
  return host;
}

/// Longer names get half of the width and several lines.
const MOST_LEFT = 18;

/// Bars of categories: one row each.
function barRows(rows, unit, path, nameOf, valueOf) {
  const most = d3.max(rows, r => Math.abs(valueOf(r))), long = rows.some(r => nameOf(r).length > MOST_LEFT);
  return table([
    { name: "", left: !long, text: long, cell: nameOf },
    { name: "", bar: true, cell: r => bar([{ from: 0, to: most ? Math.abs(valueOf(r)) / most : 0, colour: "var(--accent)", title: `${nameOf(r)}: ${show(valueOf(r), unit, path)}` }]) },
    { name: "", cell: r => show(valueOf(r), unit, path) },
  ], rows, { limit: 16, classes: "full bars" });
}
