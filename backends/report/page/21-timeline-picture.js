// Draws a timeline on a canvas, with as much detail as the width of a bar allows: shares of kinds per pixel, bars,
// bars with their micro-batch, and the segments of an action on its streams.

const RIGHT = 8, AXIS = 24;

class TimelinePicture {
  constructor(timeline, canvas) {
    this.timeline = timeline;
    this.canvas = canvas;
    this.view = [timeline.begin, timeline.end];
    this.selected = null;
    this.rowHeight = 20;
    this.left = 62; // the width of the names of rows, measured when it is drawn
  }

  get width() { return this.canvas.clientWidth; }
  x(time) { return this.left + (time - this.view[0]) / (this.view[1] - this.view[0]) * (this.width - this.left - RIGHT); }
  time(x) { return this.view[0] + (x - this.left) / (this.width - this.left - RIGHT) * (this.view[1] - this.view[0]); }
  rowAt(y) { return this.timeline.rows[Math.floor((y - 4) / this.rowHeight)]; }

  resize() {
    const rows = this.timeline.rows.length, scale = window.devicePixelRatio || 1;
    this.rowHeight = rows <= 8 ? 30 : rows <= 16 ? 24 : rows <= 32 ? 16 : Math.max(5, Math.floor(560 / rows));
    const height = rows * this.rowHeight + 8 + AXIS;
    this.canvas.style.height = height + "px";
    this.canvas.width = Math.round(this.width * scale);
    this.canvas.height = Math.round(height * scale);
    this.context = this.canvas.getContext("2d");
    this.context.setTransform(scale, 0, 0, scale, 0, 0);
    this.height = height;
  }

  draw() {
    if (this.width < 100) return;
    this.resize();
    const c = this.context;
    c.fillStyle = INK.bg;
    c.fillRect(0, 0, this.width, this.height);
    c.font = '12px system-ui, "Segoe UI", "DejaVu Sans", sans-serif';
    this.left = 14 + Math.ceil(d3.max(this.timeline.names, name => c.measureText(name).width) || 0);
    c.textBaseline = "middle";
    this.drawAxis(c);
    c.save();
    c.beginPath();
    c.rect(this.left, 0, this.width - this.left - RIGHT, this.height);
    c.clip();
    for (const row of this.timeline.rows) this.drawRow(c, row);
    if (this.selected) this.drawSelection(c);
    c.restore();
    this.drawNames(c);
  }

  drawAxis(c) {
    const bottom = this.height - AXIS;
    const ticks = d3.ticks(this.view[0], this.view[1], Math.max(2, Math.floor((this.width - this.left) / 110)));
    c.strokeStyle = INK.rule;
    c.beginPath();
    for (const tick of ticks) { const x = Math.round(this.x(tick)) + 0.5; c.moveTo(x, 0); c.lineTo(x, bottom + 4); }
    c.stroke();
    c.fillStyle = INK.soft;
    c.textAlign = "center";
    const digits = Math.min(9, Math.max(3, Math.ceil(Math.log10(Math.max(Math.abs(this.view[1]), 1) / (this.view[1] - this.view[0]))) + 3));
    for (const tick of ticks) {
      const x = this.x(tick);
      if (x > this.left + 18 && x < this.width - RIGHT - 24) c.fillText(axisSeconds(tick / 1e12, this.view[1] / 1e12, digits), x, bottom + 13);
    }
    c.textAlign = "left";
  }

  drawNames(c) {
    const every = Math.ceil(15 / this.rowHeight);
    c.fillStyle = INK.soft;
    for (const row of this.timeline.rows)
      if (row.index % every === 0) c.fillText(row.name, 6, 4 + (row.index + 0.5) * this.rowHeight);
  }

  drawRow(c, row) {
    const top = 4 + row.index * this.rowHeight, height = this.rowHeight - (this.rowHeight > 8 ? 4 : 1);
    if (row.leftOut) {
      const x = this.x(row.leftOut.begin_ps), width = this.x(row.leftOut.end_ps) - x;
      c.fillStyle = css("--track");
      c.fillRect(x, top, width, height);
      c.fillStyle = INK.soft;
      if (width > 150 && this.rowHeight > 12) c.fillText(`${row.leftOut.actions} more of the same`, Math.max(x, this.left) + 6, top + height / 2 + 1);
    }
    let i = this.timeline.firstAfter(row, this.view[0]);
    while (i < row.bars.length && row.bars[i].begin < this.view[1]) {
      const bar = row.bars[i], from = this.x(bar.begin), to = this.x(bar.end);
      if (to - from < 1.5) { i = this.drawDensity(c, row, i, top, height); continue; }
      this.drawBar(c, bar, from, to, top, height);
      ++i;
    }
  }

  /// Narrow bars share a pixel: it has the colour of the kind with the most time, and is as strong as the pixel is busy.
  drawDensity(c, row, i, top, height) {
    const x = Math.floor(this.x(row.bars[i].begin)), edge = this.time(x + 1), begin = this.time(x), time = {};
    let busy = 0, best = row.bars[i];
    for (; i < row.bars.length && row.bars[i].begin < edge && this.x(row.bars[i].end) - this.x(row.bars[i].begin) < 1.5; ++i) {
      const bar = row.bars[i], part = Math.min(bar.end, edge) - Math.max(bar.begin, begin);
      busy += part;
      time[bar.kind] = (time[bar.kind] || 0) + part;
      if (time[bar.kind] > (time[best.kind] || 0)) best = bar;
    }
    c.globalAlpha = Math.min(1, 0.3 + 0.7 * busy / (edge - begin));
    c.fillStyle = ACTION_COLOURS[best.kind][0];
    c.fillRect(x, top, 1, height);
    c.globalAlpha = 1;
    return i;
  }

  drawBar(c, bar, from, to, top, height) {
    const left = Math.max(from, this.left - 1), width = Math.min(to, this.width) - left - (to - from > 4 ? 1 : 0);
    const parts = this.timeline.segments[bar.segments];
    if (bar.next) c.globalAlpha = 0.45;
    c.fillStyle = colourOf(bar.kind, bar.tone);
    c.fillRect(left, top, width, height);
    c.globalAlpha = 1;
    if (parts && to - from > 260 && height > 14) { this.drawSegments(c, bar, parts, top, height); return; }
    if (height < 11) return;
    const text = Number.isInteger(bar.micro) ? String(bar.micro) : words(bar.action);
    if (width < 9 + 7 * Math.min(text.length, 30)) return;
    c.fillStyle = ON_BAR;
    c.fillText(text, left + 4, top + height / 2 + 1);
  }

  /// The upper half has the compute stream, the lower half the streams of communication.
  drawSegments(c, bar, parts, top, height) {
    const half = Math.floor(height / 2);
    for (const part of parts) {
      const compute = part.stream === "compute";
      const from = Math.max(this.x(bar.begin + part.begin_ps), this.left), to = Math.min(this.x(bar.begin + part.end_ps), this.width);
      if (to <= from) continue;
      c.fillStyle = compute ? colourOf(bar.kind, 1) : TEAL;
      const y = compute ? top : top + half;
      c.fillRect(from, y, Math.max(0.5, to - from - (to - from > 3 ? 0.7 : 0)), half - 0.5);
      c.fillStyle = ON_BAR;
      if (half >= 12 && to - from > 10 + 6.6 * part.name.length) c.fillText(part.name, from + 3, y + half / 2);
    }
  }

  drawSelection(c) {
    const box = bar => {
      const height = this.rowHeight - (this.rowHeight > 8 ? 4 : 1);
      return [this.x(bar.begin), 4 + bar.row.index * this.rowHeight, Math.max(2, this.x(bar.end) - this.x(bar.begin)), height];
    };
    const cause = this.timeline.cause(this.selected);
    const [x, y, width, height] = box(this.selected);
    c.lineWidth = 2;
    c.strokeStyle = INK.fg;
    c.strokeRect(x, y, width, height);
    if (!cause) return;
    const [a, b, w, h] = box(cause);
    c.strokeStyle = INK.accent;
    c.strokeRect(a, b, w, h);
    c.beginPath();
    c.moveTo(a + w, b + h / 2);
    c.lineTo(x, y + height / 2);
    c.stroke();
    c.lineWidth = 1;
  }
}

/// Ticks of an axis share one unit.
function axisSeconds(value, largest, digits = 4) {
  const size = Math.abs(largest);
  const [scale, unit] = size >= 259200 ? [86400, "d"] : size >= 7200 ? [3600, "h"] : size >= 1 ? [1, "s"] : size >= 1e-3 ? [1e-3, "ms"] : [1e-6, "µs"];
  return +(value / scale).toPrecision(digits) + SPACE + unit;
}
