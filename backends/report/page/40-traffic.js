// Collectives and messages of a step, and the links they use, the busiest first.

function linkName(link) {
  const kind = link.kind && link.kind !== link.link ? ` (${words(link.kind)})` : "";
  return words(link.link) + kind;
}

function bandwidth(link) {
  const one = si(link.bandwidth_bps / 8, "B/s", 3);
  if (link.devices === 1 && link.count === 1) return one + " per device";
  return link.count === 1 ? `${one} shared by ${plural(link.devices, "device")}` : `${link.count} × ${one} for ${plural(link.devices, "device")}`;
}

function linkTable(links) {
  return table([
    { name: "link", left: true, cell: l => linkName(l) },
    { name: "", bar: true, cell: l => bar([{ from: 0, to: Math.min(1, l.share), colour: l === links[0] ? "var(--accent)" : GREY_3, title: `${linkName(l)}: busy ${percent(l.share)} of the step` }]) },
    { name: "busy share", cell: l => why(`${l.path}.busy_share`, percent(l.share)), title: "share of the step in which a link sends" },
    { name: "busy time", cell: l => why(`${l.path}.busy`, seconds(l.busy_s)), title: "bytes over a link divided by its bandwidth, without latency and waiting" },
    { name: "exposed", cell: l => (l.exposed_s === undefined ? "–" : why(`${l.path}.exposed`, seconds(l.exposed_s))), title: "what the step would save without the collectives that keep the link busy for at least half of their time" },
    { name: "rank", cell: l => l.pipeline_rank, title: "pipeline rank whose links carry most" },
    { name: "sent over each", cell: l => why(`${l.path}.sent`, bytes(l.sent_bytes)) },
    { name: "bandwidth, one direction", left: true, cell: l => why(`${l.path}.bandwidth`, bandwidth(l)) },
  ], links, { classes: "full" });
}

function linkUsers(links) {
  const rows = links.flatMap(l => (l.users || []).map(u => ({ ...u, link: l })));
  return table([
    { name: "link", left: true, cell: r => linkName(r.link) },
    { name: "used by", text: true, cell: r => why(r.figures + ".time", words(r.figures.replace(/^communication\[(.*?)\]\./, "$1: ").replace(/\./g, ", "))) },
    { name: "busy time", cell: r => seconds(r.busy_s) }, { name: "share of the step", cell: r => percent(r.busy_s * r.link.share / (r.link.busy_s || 1)) },
    { name: "sent over each link", cell: r => why(r.path, bytes(r.sent_bytes)) },
  ], rows, { classes: "full" });
}

function trafficTable(layout) {
  const rows = [...(layout.report.traffic || [])].sort((a, b) => b.exposed_s - a.exposed_s);
  return table([
    { name: "group", left: true, cell: r => words(r.group) },
    { name: "contents", left: true, cell: r => words(r.purpose) },
    { name: "collective", left: true, cell: r => words(r.collective) },
    { name: "count", cell: r => why(r.figures + ".count", plain(r.count)) }, { name: "time of all", cell: r => why(r.figures + ".time", seconds(r.time_s)), title: "duration of all of them, one after the other" },
    { name: "exposed", cell: r => why(r.figures + ".exposed", seconds(r.exposed_s)) },
    { name: "sent", cell: r => why(r.figures + ".sent", bytes(r.sent_bytes)) },
    { name: "over links of", left: true, cell: r => Object.entries(r.sent_bytes_by_level || {}).filter(e => e[1] > 0).map(([level, size]) => `${words(level)} ${bytes(size)}`).join(", ") },
  ], rows, { classes: "full" });
}

/// Why the two tables of the section have different numbers.
function linkNote(links, ranks) {
  const text = ["Busy: bytes over a link divided by its bandwidth, at the rank whose links carry most. Collectives take longer than their links are busy: they also have latencies and wait for the slowest link."];
  if (links.some(l => !ranks.includes(l.pipeline_rank))) text.push(`The collectives below are those of rank ${ranks.join(", ")}, which sets the step.`);
  if (links.some(l => l.exposed_s === undefined)) text.push("–: not simulated apart from the other links.");
  return el("p", { class: "soft small" }, text.join(" "));
}

function exposedNote(what) {
  return el("p", { class: "soft small" }, `Exposed: what the step would save without ${what}. It includes the waiting that they cause, so that it may exceed their own time.`);
}

section("traffic", "Traffic", () => page.data.kind !== "diff" && hasReport() && ((first().report.traffic || []).length > 0 || (first().data.links || []).length > 0), root => {
  const layout = first(), links = layout.data.links || [], ranks = [...new Set((layout.report.traffic || []).map(r => r.pipeline_rank))];
  if (links.length) {
    add(root, [el("p", {}, el("b", {}, "Busiest link: "), busiestAnswer(layout)[0]), linkTable(links), linkNote(links, ranks), links.some(l => l.exposed_s > 0) ? exposedNote("the collectives that use the link") : null]);
    topology(root, layout, links);
    root.append(el("div", { class: "controls" }, unfold("Which collectives use which link", () => linkUsers(links))));
  }
  if (ranks.length) add(root, [el("h3", {}, `Collectives and messages of a device of pipeline rank ${ranks.join(", ")} in a step`), trafficTable(layout),
    exposedNote("them")]);
});
