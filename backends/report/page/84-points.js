// Many points on a canvas: a page with a circle element for each of a thousand rows would be slow.

class PointPicture {
  /// `spec` has points {x, y, colour, title, row}, axes {name, unit}, and lines of equal ratio for `same` axes.
  constructor(canvas, pick) {
    this.canvas = canvas;
    this.pick = pick;
    this.at = -1;
    canvas.addEventListener("click", event => this.choose(this.nearest(event.offsetX, event.offsetY)));
    canvas.addEventListener("pointermove", event => { const i = this.nearest(event.offsetX, event.offsetY); showTip(i < 0 ? "" : this.places[i].point.title, event.clientX, event.clientY); canvas.style.cursor = i < 0 ? "default" : "pointer"; });
    canvas.addEventListener("pointerleave", hideTip);
    canvas.addEventListener("blur", hideTip);
    canvas.addEventListener("keydown", event => {
      const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!step || !this.places.length) return;
      event.preventDefault();
      this.choose((this.at + step + this.places.length) % this.places.length);
    });
  }

  show(spec) { this.spec = spec; this.at = -1; this.draw(); }
  select(row) { this.at = this.places.findIndex(p => p.point.row === row); this.draw(); }

  choose(index) {
    this.at = index;
    this.draw();
    if (index < 0) return hideTip();
    const place = this.places[index];
    this.pick(place.point.row);
    showTipAt(this.canvas, place.point.title, place.x, place.y);
    announce(place.point.title);
  }

  nearest(x, y) {
    let best = -1, least = 100;
    (this.places || []).forEach((p, i) => { const d = (p.x - x) ** 2 + (p.y - y) ** 2; if (d < least) { least = d; best = i; } });
    return best;
  }

  draw() {
    const width = this.canvas.clientWidth, spec = this.spec;
    if (!spec || width < 50) return;
    const height = Math.round(Math.min(420, Math.max(240, width * 0.62))), scale = window.devicePixelRatio || 1;
    const left = 72, right = 14, top = 26, bottom = 42, c = this.canvas.getContext("2d");
    this.canvas.style.height = height + "px";
    this.canvas.width = Math.round(width * scale);
    this.canvas.height = Math.round(height * scale);
    c.setTransform(scale, 0, 0, scale, 0, 0);
    c.fillStyle = INK.bg;
    c.fillRect(0, 0, width, height);
    c.font = '12px system-ui, "Segoe UI", "DejaVu Sans", sans-serif';
    this.places = [];
    if (!spec.points.length) return;
    const values = { x: spec.points.map(p => p.x), y: spec.points.map(p => p.y) };
    if (spec.same) values.x = values.y = values.x.concat(values.y);
    const x = axisFor(values.x, spec.x.unit, spec.x.name, [left, width - right], Math.max(2, Math.floor((width - left) / 100)));
    const y = axisFor(values.y.concat(spec.y.include || []), spec.y.unit, spec.y.name, [height - bottom, top], 5);
    this.axes(c, spec, x, y, { width, height, left, right, top, bottom });
    if (spec.same) for (const ratio of [1, 1.1, 1 / 1.1]) this.line(c, ratio, x, y, ratio === 1 ? INK.soft : INK.rule);
    this.places = spec.points.map(point => ({ point, x: x.scale(point.x), y: y.scale(point.y) })).sort((a, b) => a.x - b.x);
    c.globalAlpha = 0.8;
    for (const p of this.places) { c.fillStyle = p.point.colour; c.beginPath(); c.arc(p.x, p.y, 3.5, 0, 7); c.fill(); }
    c.globalAlpha = 1;
    if (this.at >= 0) { const p = this.places[this.at]; c.strokeStyle = INK.fg; c.lineWidth = 2; c.beginPath(); c.arc(p.x, p.y, 6, 0, 7); c.stroke(); c.lineWidth = 1; }
  }

  axes(c, spec, x, y, box) {
    c.strokeStyle = INK.rule;
    c.beginPath();
    for (const t of y.ticks) { c.moveTo(box.left, Math.round(y.scale(t)) + 0.5); c.lineTo(box.width - box.right, Math.round(y.scale(t)) + 0.5); }
    c.stroke();
    c.fillStyle = INK.soft;
    c.textBaseline = "middle";
    c.textAlign = "right";
    for (const t of y.ticks) c.fillText(y.text(t), box.left - 6, y.scale(t));
    c.textAlign = "center";
    for (const t of x.ticks) if (x.scale(t) > box.left + 10 && x.scale(t) < box.width - box.right - 16) c.fillText(x.text(t), x.scale(t), box.height - box.bottom + 13);
    c.textAlign = "left";
    c.fillText(spec.y.name, 4, 10);
    c.textAlign = "right";
    c.fillText(spec.x.name, box.width - box.right, box.height - 8);
    c.textAlign = "left";
  }

  line(c, ratio, x, y, colour) {
    const [low, high] = x.scale.domain(), clamp = v => Math.min(y.scale.domain()[1], Math.max(y.scale.domain()[0], v));
    c.strokeStyle = colour;
    c.beginPath();
    for (let i = 0; i <= 60; ++i) { const v = low * (high / Math.max(low, 1e-300)) ** (i / 60) || low + (high - low) * i / 60; const px = x.scale(v), py = y.scale(clamp(v * ratio)); i ? c.lineTo(px, py) : c.moveTo(px, py); }
    c.stroke();
  }
}
