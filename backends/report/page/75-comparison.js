// Two layouts next to each other: the fields that differ, the figures that differ, and where their steps go.

const MAIN_FIGURES = ["step_time", "tokens_per_second", "mfu", "memory.peak", "memory.headroom", "time.compute", "time.recompute", "time.exposed", "time.bubble", "time.optimizer", "bubble_fraction", "communication_share", "energy.per_step"];

function change(first, second) {
  if (!first || !second || typeof first.value !== "number" || typeof second.value !== "number" || first.value === 0) return null;
  return second.value / first.value - 1;
}

const signedFactor = share => (share > 9 ? `× ${plain(share + 1, 3)}` : signed(share));
const signed = share => (share > 0 ? "+" : share < 0 ? "−" : "") + percent(Math.abs(share), 1);

function changeBar(path, share, most) {
  const to = Math.min(1, Math.abs(share) / most) / 2;
  return bar([{ from: share < 0 ? 0.5 - to : 0.5, to: share < 0 ? 0.5 : 0.5 + to, colour: "var(--accent)", title: `${path}: ${signedFactor(share)}` }]);
}

/// What a side of a comparison is called: its layout, with the file if both have one name, and the path if the files
/// have one too.
function sideName(index) {
  const { first: one, second: other } = page.answers, side = index ? other : one;
  if (one.layout !== other.layout) return side.layout;
  return `${side.layout} of ${fileName(one.file) === fileName(other.file) ? side.file : fileName(side.file)}`;
}

function figureTable(rows, names, limit) {
  const shown = (side, path, index) => (side ? why(path, show(side.value, side.unit, path), page.layouts[index] || null) : "none");
  const shares = rows.map(r => change(r.first, r.second)).filter(s => s !== null).map(Math.abs);
  const most = Math.min(1, d3.max(shares) || 1) || 1;
  return table([
    { name: "figure", left: true, cell: r => el("span", { class: "mono" }, r.path) },
    { name: names[0], cell: r => shown(r.first, r.path, 0) }, { name: names[1], cell: r => shown(r.second, r.path, 1) },
    { name: "change", cell: r => { const s = change(r.first, r.second); return s === null ? "" : signedFactor(s); } },
    { name: "", bar: true, cell: r => { const s = change(r.first, r.second); return s === null ? "" : changeBar(r.path, s, most); } },
  ], rows, { limit, classes: "full" });
}

/// The step of both layouts in one scale.
function bothSteps(layouts, names) {
  const longest = d3.max(layouts, l => l.value("step_time"));
  const rows = layouts.map((layout, i) => {
    let at = 0;
    const parts = STEP_PARTS.map(([path, name, colour]) => {
      const time = Math.max(0, layout.value(path) || 0), from = at;
      at += time;
      return { from: from / longest, to: at / longest, colour, title: `${name} ${seconds(time)}` };
    });
    return { name: names[i], parts, layout };
  });
  const used = STEP_PARTS.filter(([path]) => layouts.some(l => l.value(path) > 0));
  return [legend(used.map(([, name, colour]) => ({ name, colour }))), table([
    { name: "layout", left: true, cell: r => r.name }, { name: "", bar: true, cell: r => bar(r.parts, { name: r.name }) },
    { name: "step", cell: r => why("step_time", r.layout.shown("step_time"), r.layout) }, { name: "peak memory", cell: r => why("memory.peak", r.layout.shown("memory.peak"), r.layout) },
    { name: "free", cell: r => { const free = r.layout.usable - r.layout.peak; return el("span", { class: free < 0 ? "bad" : null }, percent(free / r.layout.usable)); } },
  ], rows, { classes: "full" })];
}

function comparisonVerdict(answers, names) {
  const row = path => answers.figures.find(f => f.path === path);
  const step = row("step_time"), memory = row("memory.peak"), said = [];
  const share = step && change(step.first, step.second);
  if (step && share !== null) said.push(`A step of ${names[1]} takes ${show(step.second.value, "s")}, ${percent(Math.abs(share))} ${share < 0 ? "less" : "more"} than the ${show(step.first.value, "s")} of ${names[0]}.`);
  if (memory && memory.first && memory.second) said.push(`Its peak memory is ${bytes(memory.second.value)} instead of ${bytes(memory.first.value)}.`);
  return said.length ? said.join(" ") : "Step time and peak memory are the same.";
}

/// What the two figures of the bubble are of, which have similar names.
function bubbleNote(rows) {
  const has = path => rows.some(r => r.path === path);
  if (!has("time.bubble") && !has("bubble_fraction")) return null;
  return el("p", { class: "soft small" }, el("code", {}, "time.bubble"), ", the pipeline bubble of the bars above, is the time for which the one pipeline rank that sets the step waits for others. ", el("code", {}, "bubble_fraction"), " is the idle time of all ranks, divided by their time.");
}

/// Both timelines on one time axis, which move together.
function bothTimelines(root, names) {
  const shown = page.layouts.map((layout, i) => ({ layout, name: names[i] })).filter(s => s.layout.data.timeline && s.layout.data.timeline.ranks.length);
  if (!shown.length) return;
  root.append(el("div", { class: "controls" }, unfold(shown.length > 1 ? "Pipelines of both on one time axis" : `Pipeline of ${shown[0].name}`, () => {
    const host = el("div");
    requestAnimationFrame(() => {
      const timelines = shown.map(s => Timeline.ofSchedule(s.layout.data.timeline)), begin = d3.min(timelines, t => t.begin), end = d3.max(timelines, t => t.end);
      const names = timelines.flatMap(t => t.names);
      for (const timeline of timelines) Object.assign(timeline, { begin, end, names });
      const controls = timelines.map((timeline, i) => {
        host.append(el("h3", {}, shown[i].name));
        return timelineView(host, timeline, shown[i].name, `The schedule of ${shown[i].name}`);
      });
      for (const control of controls) control.follow(controls.filter(c => c !== control));
    });
    return host;
  })));
}

section("comparison", "Comparison", () => page.data.kind === "diff" && Array.isArray(page.answers.figures), root => {
  const answers = page.answers, names = [sideName(0), sideName(1)];
  root.append(el("p", { class: "verdict" }, comparisonVerdict(answers, names)));
  if (page.layouts.length === 2 && page.layouts.every(l => l.has("step_time"))) add(root, bothSteps(page.layouts, names));
  add(root, [el("h3", {}, `Fields that differ (${answers.fields.length})`), answers.fields.length ? table([
    { name: "field", left: true, cell: r => el("code", {}, r.path) },
    { name: names[0], text: true, cell: r => (r.first === null ? el("span", { class: "soft" }, "not set") : el("code", {}, r.first)) },
    { name: names[1], text: true, cell: r => (r.second === null ? el("span", { class: "soft" }, "not set") : el("code", {}, r.second)) },
  ], answers.fields, { limit: 30, classes: "full" }) : el("p", { class: "soft" }, "No field differs.")]);
  const main = MAIN_FIGURES.map(p => answers.figures.find(f => f.path === p)).filter(Boolean);
  if (main.length) add(root, [el("h3", {}, "Main figures that differ"), figureTable(main, names, 20), bubbleNote(main)]);
  bothTimelines(root, names);
  root.append(el("div", { class: "controls" }, unfold(`All figures that differ (${answers.figures.length})`, () => figureTable(answers.figures, names, 100))));
});
