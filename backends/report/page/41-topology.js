// A drawing of the topology: one row per unit, from the top of the network down to the devices, with the links out of
// each unit as thick as they are busy.

const UNITS_DRAWN = 4;

/// The units, outermost first; each has its links with a load, and how many of it the unit around it has.
function topologyRows(topology, links) {
  const byName = new Map(links.map(l => [l.link, l]));
  const rows = topology.units.map((unit, i) => {
    const around = topology.units[i + 1];
    return { unit: unit.unit, devices: unit.devices, links: unit.links.map(n => byName.get(n)).filter(Boolean), around, count: around ? Math.max(1, Math.ceil(around.devices / unit.devices)) : 1 };
  });
  return rows.reverse();
}

function unitText(row) {
  const name = words(row.unit);
  if (!row.around) return `${sentence(name)} of ${plain(row.devices)} devices`;
  return `${plural(row.count, name, several(name))} in each ${words(row.around.unit)}`;
}

/// Boxes of one unit, and above them the links out of it to the unit around it.
function unitPicture(row, width, busiest) {
  const boxes = Math.min(row.count, row.devices === 1 ? 2 * UNITS_DRAWN : UNITS_DRAWN), gap = 8, top = row.around ? 34 : 2, height = top + 26;
  const more = row.count > boxes ? 18 : 0, each = (width - more - gap * (boxes - 1)) / boxes;
  const load = row.links.reduce((most, l) => Math.max(most, l.share), 0), hot = row.links.includes(busiest);
  const colour = hot ? INK.accent : INK.soft;
  const svg = el("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": row.links.map(l => `${linkName(l)} busy ${percent(l.share)}`).join(", ") || words(row.unit) });
  for (let i = 0; i < boxes; ++i) {
    const x = i * (each + gap), middle = x + each / 2;
    if (row.around) svg.append(el("line", { x1: middle, x2: middle, y1: 2, y2: top, stroke: colour, "stroke-width": Math.max(1, Math.min(12, 12 * load)).toFixed(2), "stroke-dasharray": row.links.length ? null : "2 3" }));
    svg.append(el("rect", { x: x + 0.75, y: top, width: each - 1.5, height: 24, rx: 3, fill: css("--track"), stroke: row.around ? INK.soft : colour }));
  }
  for (let i = 0; more && i < 3; ++i) svg.append(el("circle", { cx: width - more + 5 + 5 * i, cy: top + 12, r: 1.5, fill: INK.soft }));
  return svg;
}

function topology(root, layout, links) {
  const data = layout.data.topology;
  if (!data || !data.units) return;
  const rows = topologyRows(data, links), host = el("div", { class: "topology" });
  const text = l => `${linkName(l)}: ${percent(l.share)} busy, ${bandwidth(l)}` + (l.oversubscription > 1 ? `, oversubscribed ${plain(l.oversubscription)} : 1` : "");
  const describe = l => el("div", { class: l === links[0] ? null : "soft" }, text(l));
  const draw = () => host.replaceChildren(...rows.flatMap(row => [el("div", {}, unitPicture(row, 240, links[0])),
    el("div", { class: "small" }, el("div", {}, el("b", {}, unitText(row))), row.links.map(describe))]));
  const torus = data.torus ? ` The scale-up links form a torus of ${data.torus.join(" × ")}.` : "";
  add(root, [el("h3", {}, "Topology"), el("p", { class: "soft small" }, `${plural(data.nodes, "node")} with ${plural(data.devices_per_node, "device")} each. A line above a unit is the links out of it, as thick as they are busy; dotted lines carry nothing of their own; the busiest is coloured.${torus}`), host]);
  pictures.push(draw);
  draw();
}
