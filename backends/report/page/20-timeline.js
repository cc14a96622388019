// The bars of a timeline, as the pictures and the trace use them: rows of bars in picoseconds.

class Bar {
  constructor(row, action) {
    this.row = row;
    this.action = action.action || action.activity || "other";
    this.kind = kindOf(this.action);
    this.begin = action.begin_ps ?? action.from_ps;
    this.end = action.end_ps ?? action.to_ps;
    this.micro = action.micro_batch;
    this.chunk = action.chunk;
    this.next = action.of_this_step === false;
    this.waits = action.waits_for;
    this.segments = action.segments;
  }

  get name() {
    const name = ACTION_NAMES[this.action] || words(this.action);
    const micro = Number.isInteger(this.micro) ? ` of micro-batch ${this.micro}` : "";
    return name + micro + (Number.isInteger(this.chunk) && this.row.chunks > 1 ? `, chunk ${this.chunk}` : "");
  }
}

class Timeline {
  /// `rows` are {name, actions, left_out}; `segments` are the segments of actions by index.
  constructor(rows, segments = [], folded = false) {
    this.segments = segments;
    this.folded = folded;
    this.rows = rows.map((row, index) => {
      const made = { index, name: row.name, rank: row.rank, leftOut: row.left_out, bars: [], chunks: 1 };
      for (const action of row.actions) {
        if ((action.end_ps ?? action.to_ps) > (action.begin_ps ?? action.from_ps)) made.bars.push(new Bar(made, action));
        if (action.chunk >= made.chunks) made.chunks = action.chunk + 1;
      }
      made.bars.sort((a, b) => a.begin - b.begin);
      made.bars.forEach((bar, i) => { bar.index = i; bar.tone = made.chunks > 1 ? bar.chunk || 0 : bar.micro || 0; });
      return made;
    });
    this.names = rows.map(row => row.name);
    this.end = Math.max(1, ...this.rows.map(r => (r.bars.length ? r.bars.reduce((m, b) => Math.max(m, b.end), 0) : 0)));
    this.begin = Math.min(0, ...this.rows.map(r => (r.bars.length ? r.bars[0].begin : 0)));
    this.kinds = [...new Set(this.rows.flatMap(r => r.bars.map(b => b.kind)))].sort((a, b) => Object.keys(ACTION_NAMES).indexOf(a) - Object.keys(ACTION_NAMES).indexOf(b));
    this.count = this.rows.reduce((sum, r) => sum + r.bars.length, 0);
    this.leftOut = this.rows.reduce((sum, r) => sum + (r.leftOut ? r.leftOut.actions : 0), 0);
  }

  static ofSchedule(data) {
    return new Timeline(data.ranks.map(r => ({ name: `rank ${r.rank}`, rank: r.rank, actions: r.actions, left_out: r.left_out })), data.segments);
  }

  static ofSimulation(data) {
    // Only the slowest and the median device of a pipeline rank have parts.
    return new Timeline(data.ranks.filter(r => r.parts).map(r => ({ name: `device ${r.device}`, rank: r.pipeline_rank, actions: r.parts })));
  }

  /// The index of the first bar of a row that ends after a time.
  firstAfter(row, time) {
    let low = 0, high = row.bars.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (row.bars[middle].end > time) high = middle; else low = middle + 1;
    }
    return low;
  }

  /// The bar of a row that holds a time, or the nearest one within `slack`.
  at(row, time, slack) {
    const bars = row.bars;
    for (let i = this.firstAfter(row, time - slack); i < bars.length && bars[i].begin <= time + slack; ++i)
      if (bars[i].end >= time - slack) return bars[i];
    return null;
  }

  /// The bar whose message begins this one.
  cause(bar) {
    if (!bar.waits) return null;
    const row = this.rows.find(r => r.rank === bar.waits.rank);
    if (!row) return null;
    const same = b => b.micro === bar.micro && b.action === bar.waits.action && (bar.waits.chunk === undefined || b.chunk === bar.waits.chunk) && b.end <= bar.begin + 1;
    for (let i = this.firstAfter(row, bar.begin) + 1; i >= 0; --i)
      if (row.bars[i] && same(row.bars[i])) return row.bars[i];
    return null;
  }

  idleBefore(bar) {
    const before = bar.index > 0 ? bar.row.bars[bar.index - 1].end : this.begin;
    return Math.max(0, bar.begin - before);
  }

  /// What a bar is, and what it waits for, in sentences.
  describe(bar) {
    const idle = this.idleBefore(bar);
    const parts = [`${sentence(bar.row.name)}: ${bar.name}, ${picoseconds(bar.end - bar.begin)}, from ${picoseconds(bar.begin)} to ${picoseconds(bar.end)}.`];
    if (bar.next) parts.push("It belongs to another step.");
    const waited = bar.waits && `${ACTION_NAMES[bar.waits.action] || words(bar.waits.action)} on rank ${bar.waits.rank}`;
    const cause = this.cause(bar);
    const when = cause ? `, which ended at ${picoseconds(cause.end)}` : "";
    if (idle > 1000 && waited) parts.push(`The rank was idle for ${picoseconds(idle)}: it waited for the ${waited}${when}.`);
    else if (idle > 1000) parts.push(`The rank was idle for ${picoseconds(idle)} before it.`);
    else if (waited) parts.push(`It needs the ${waited}${when}; the rank was busy until it began.`);
    return parts.join(" ");
  }
}

/// The timeline as a Chrome trace, which Perfetto opens: a process per rank, a thread per stream.
function chromeTrace(timeline, title) {
  const events = [];
  const micro = ps => ps / 1e6;
  for (const row of timeline.rows) {
    const pid = row.index + 1;
    const streams = new Map([["actions", 1]]);
    events.push({ ph: "M", name: "process_name", pid, args: { name: row.name } });
    events.push({ ph: "M", name: "process_sort_index", pid, args: { sort_index: row.index } });
    for (const bar of row.bars) {
      const args = { micro_batch: bar.micro, chunk: bar.chunk, waits_for: bar.waits && `${bar.waits.action} on rank ${bar.waits.rank}` };
      events.push({ ph: "X", cat: bar.action, name: Number.isInteger(bar.micro) ? `${words(bar.action)} ${bar.micro}` : words(bar.action), pid, tid: 1, ts: micro(bar.begin), dur: micro(bar.end - bar.begin), args });
      for (const part of timeline.segments[bar.segments] || []) {
        if (!streams.has(part.stream)) streams.set(part.stream, streams.size + 1);
        events.push({ ph: "X", cat: part.stream, name: part.name, pid, tid: streams.get(part.stream), ts: micro(bar.begin + part.begin_ps), dur: micro(part.end_ps - part.begin_ps) });
      }
    }
    if (row.leftOut) events.push({ ph: "X", cat: "left_out", name: `${row.leftOut.actions} actions left out`, pid, tid: 1, ts: micro(row.leftOut.begin_ps), dur: micro(row.leftOut.end_ps - row.leftOut.begin_ps) });
    for (const [stream, tid] of streams) events.push({ ph: "M", name: "thread_name", pid, tid, args: { name: stream } });
  }
  return JSON.stringify({ displayTimeUnit: "ms", otherData: { title }, traceEvents: events });
}

function save(name, text, type) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = el("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}
