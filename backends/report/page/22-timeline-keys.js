// Moves over a timeline by mouse, keyboard and buttons, and says what each bar is.

const describeGap = row => `${sentence(row.name)}: ${plain(row.leftOut.actions)} actions from ${picoseconds(row.leftOut.begin_ps)} to ${picoseconds(row.leftOut.end_ps)} repeat those before them and are left out. dplc report --timeline --json has all.`;

class TimelineControls {
  constructor(picture, status) {
    this.picture = picture;
    this.status = status;
    this.row = 0;
    this.followers = [];
    const canvas = picture.canvas;
    canvas.addEventListener("wheel", event => this.wheel(event), { passive: false });
    canvas.addEventListener("pointerdown", event => this.down(event));
    canvas.addEventListener("pointermove", event => this.move(event));
    canvas.addEventListener("pointerup", event => this.up(event));
    canvas.addEventListener("pointercancel", () => { this.drag = null; });
    canvas.addEventListener("pointerleave", hideTip);
    canvas.addEventListener("dblclick", event => this.zoom(0.4, picture.time(event.offsetX)));
    canvas.addEventListener("keydown", event => this.key(event));
    canvas.addEventListener("blur", hideTip);
  }

  zoom(factor, centre) {
    const { begin, end } = this.picture.timeline, [a, b] = this.picture.view;
    const bar = this.picture.selected;
    const middle = centre ?? (bar && bar.begin >= a && bar.end <= b ? (bar.begin + bar.end) / 2 : (a + b) / 2);
    const view = [Math.max(begin, middle - (middle - a) * factor), Math.min(end, middle + (b - middle) * factor)];
    if (view[1] - view[0] > Math.max(1000, (end - begin) / 1e6)) this.show(view);
  }

  pan(share) {
    const [a, b] = this.picture.view;
    this.shift(a + share * (b - a));
  }

  shift(from) {
    const { begin, end } = this.picture.timeline, width = this.picture.view[1] - this.picture.view[0];
    const a = Math.max(begin, Math.min(end - width, from));
    this.show([a, a + width]);
  }

  all() { this.show([this.picture.timeline.begin, this.picture.timeline.end]); }
  show(view) {
    this.picture.view = view;
    for (const picture of [this.picture, ...this.followers]) { picture.view = this.picture.view; picture.draw(); }
  }

  /// Other timelines of the same times show the same part of them.
  follow(controls) { this.followers = controls.map(c => c.picture); }

  wheel(event) {
    if (document.activeElement !== this.picture.canvas && !event.ctrlKey) return;
    event.preventDefault();
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.pan((event.deltaX || event.deltaY) / 800);
    else this.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.picture.time(event.offsetX));
  }

  down(event) {
    this.drag = { x: event.offsetX, from: this.picture.view[0], moved: false };
    this.picture.canvas.setPointerCapture(event.pointerId);
  }

  move(event) {
    const picture = this.picture;
    if (this.drag) {
      if (Math.abs(event.offsetX - this.drag.x) > 3) this.drag.moved = true;
      if (!this.drag.moved) return;
      const width = picture.view[1] - picture.view[0];
      this.shift(this.drag.from - (event.offsetX - this.drag.x) / (picture.width - picture.left - RIGHT) * width);
      return;
    }
    const bar = this.under(event);
    picture.canvas.style.cursor = bar ? "pointer" : "grab";
    showTip(bar ? picture.timeline.describe(bar) : this.gapText(event), event.clientX, event.clientY);
  }

  up(event) {
    const clicked = this.drag && !this.drag.moved, bar = this.under(event);
    this.drag = null;
    if (!clicked) return;
    this.select(bar);
    if (!bar) this.status.textContent = this.gapText(event);
  }

  /// What is left out where the mouse is; empty if nothing is.
  gapText(event) {
    const row = this.picture.rowAt(event.offsetY), gap = row && row.leftOut, time = this.picture.time(event.offsetX);
    return gap && event.offsetX > this.picture.left && time >= gap.begin_ps && time <= gap.end_ps ? describeGap(row) : "";
  }

  under(event) {
    const row = this.picture.rowAt(event.offsetY);
    const pixel = (this.picture.view[1] - this.picture.view[0]) / Math.max(1, this.picture.width - this.picture.left - RIGHT);
    return row && event.offsetX > this.picture.left ? this.picture.timeline.at(row, this.picture.time(event.offsetX), 2 * pixel) : null;
  }

  /// Selects a bar, brings it into view and describes it.
  select(bar) {
    const picture = this.picture;
    picture.selected = bar;
    if (bar) {
      this.row = bar.row.index;
      const [a, b] = picture.view;
      if (bar.end < a || bar.begin > b) this.shift((bar.begin + bar.end) / 2 - (b - a) / 2);
    }
    picture.draw();
    this.status.textContent = bar ? picture.timeline.describe(bar) : "";
    const cause = bar && picture.timeline.cause(bar);
    if (cause) add(this.status, [" ", el("button", { type: "button", class: "link", onclick: () => this.select(cause) }, "Show what it waits for")]);
  }

  step(direction) {
    const { timeline, selected, view } = this.picture;
    const bars = timeline.rows[this.row].bars;
    const at = selected ? selected.index + direction : timeline.firstAfter(timeline.rows[this.row], view[0]);
    if (bars[at]) this.select(bars[at]);
    const gap = timeline.rows[this.row].leftOut, around = gap && bars[at] && bars[at - direction];
    if (around && Math.min(around.begin, bars[at].begin) < gap.begin_ps && Math.max(around.begin, bars[at].begin) >= gap.end_ps) this.status.prepend(describeGap(timeline.rows[this.row]) + " ");
  }

  rank(direction) {
    const { timeline, selected, view } = this.picture;
    const next = Math.max(0, Math.min(timeline.rows.length - 1, this.row + (selected ? direction : 0)));
    const middle = selected ? (selected.begin + selected.end) / 2 : view[0];
    const row = timeline.rows[next];
    this.row = next;
    const bar = row.bars[Math.min(row.bars.length - 1, timeline.firstAfter(row, middle))];
    if (bar) this.select(bar);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const actions = {
      "+": () => this.zoom(0.6), "=": () => this.zoom(0.6), "-": () => this.zoom(1 / 0.6), "0": () => this.all(),
      ArrowLeft: () => this.pan(-0.2), ArrowRight: () => this.pan(0.2), Home: () => this.shift(this.picture.timeline.begin), End: () => this.shift(this.picture.timeline.end),
      ArrowUp: () => this.rank(-1), ArrowDown: () => this.rank(1), ".": () => this.step(1), ",": () => this.step(-1),
      w: () => { const cause = this.picture.selected && this.picture.timeline.cause(this.picture.selected); if (cause) this.select(cause); },
      Escape: () => this.select(null),
    };
    const act = actions[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }
}

/// A timeline with its legend, buttons and the sentence about the chosen bar.
function timelineView(root, timeline, name, title) {
  const canvas = el("canvas", { tabindex: "0", role: "img", "aria-label": `${title}: ${plural(timeline.rows.length, "pipeline rank")}, ${picoseconds(timeline.end - timeline.begin)}. Arrow keys, plus, minus, comma and full stop move over it.` });
  const status = el("p", { class: "status small", "aria-live": "polite" });
  const view = new TimelinePicture(timeline, canvas);
  const control = new TimelineControls(view, status);
  const button = (text, label, act) => el("button", { type: "button", "aria-label": label, title: label, onclick: act }, text);
  const mixed = timeline.rows.some(r => r.chunks > 1);
  // A backward pass and its first half have one colour.
  const kinds = timeline.kinds.filter(k => k !== "backward_input" || !timeline.kinds.includes("backward"));
  const names = kinds.map(k => ({ name: ACTION_NAMES[k] + (k === "backward" && kinds.length < timeline.kinds.length ? " or its input gradient" : "") + (mixed && ACTION_COLOURS[k][0] !== ACTION_COLOURS[k][1] ? " (lighter: odd chunks)" : ""), colour: ACTION_COLOURS[k][0] }));
  add(root, [
    legend([...names, { name: "idle", colour: "var(--bg)", edge: "var(--soft)" }]),
    el("figure", {}, canvas),
    el("div", { class: "controls" },
      button("+", "zoom in", () => control.zoom(0.6)), button("−", "zoom out", () => control.zoom(1 / 0.6)),
      button("◀", "earlier", () => control.pan(-0.3)), button("▶", "later", () => control.pan(0.3)), button("All", "the whole step", () => control.all()),
      button("Save trace for Perfetto", "saves a Chrome trace, which ui.perfetto.dev opens", () => {
        status.textContent = "Writing the trace …";
        setTimeout(() => {
          const text = chromeTrace(timeline, name);
          save(name + ".trace.json", text, "application/json");
          status.textContent = `Wrote ${name}.trace.json, ${bytes(text.length, 3)}.`;
        }, 30);
      })),
    el("p", { class: "soft small hint" }, "Drag to move; click a bar to select it; after a click the wheel zooms. Keys: ", el("kbd", {}, "+"), " ", el("kbd", {}, "−"), " zoom, ", el("kbd", {}, "←"), " ", el("kbd", {}, "→"), " move, ",
      el("kbd", {}, ","), " ", el("kbd", {}, "."), " previous and next bar, ", el("kbd", {}, "↑"), " ", el("kbd", {}, "↓"), " rank, ", el("kbd", {}, "w"), " what the bar waits for, ", el("kbd", {}, "0"), " all."),
    status,
  ]);
  picture(canvas, () => view.draw());
  return control;
}

section("pipeline", "Pipeline", () => page.data.kind !== "diff" && hasReport() && first().data.timeline && first().data.timeline.ranks.length > 0, root => {
  const layout = first(), data = layout.data.timeline;
  const timeline = Timeline.ofSchedule(data);
  const bubble = layout.has("bubble_fraction") ? ` Idle time of all ranks: ${layout.shown("bubble_fraction")} of their time.` : "";
  const left = data.ranks.some(r => r.left_out) ? " A grey stretch repeats the actions before it and is left out." : "";
  root.append(el("p", { class: "soft" }, `${plural(timeline.count + timeline.leftOut, "action")}${timeline.leftOut ? `, of which ${plain(timeline.count)} are drawn,` : ""} on ${plural(timeline.rows.length, "pipeline rank")} in ${seconds(data.step_s)}; numbers are micro-batches.${bubble}${left}`));
  timelineView(root, timeline, layout.name, "The schedule");
});
