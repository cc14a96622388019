#pragma once
//===- PassWriter.h - The passes of a chunk, segment by segment -------------------------------===//
//
// The order of a pass is written once and taken in two ways: into a body, which the plan holds, or
// straight into its time (BodyClock). Who takes it has open, segment and close, as BodyClock has.
#include "cost/programs/LayerSegments.h"
#include "cost/programs/StateCalls.h"
#include "llvm/ADT/STLExtras.h"

namespace dpl::cost {

/// One of a part of a chunk, and how many follow one another.
struct Unit {
  PassSegments segments;
  std::uint64_t count = 1;
};
/// A chunk in the order of the network.
struct Units {
  std::vector<Unit> before, layers, after; ///< embedding; layers; prediction layers and head
  /// ps that what a micro-batch offloads takes over the host's link, in either pass and beside it.
  std::uint64_t crossing = 0;
};

template <class Taker> class PassWriter {
public:
  /// `contention`: what computation loses to a call beside it.
  PassWriter(Taker& to, const Units& units, llvm::ArrayRef<StateCalls> state, double contention)
      : to(to), units(units), state(state), contention(contention) {}

  void forward() {
    firstGathers(&StateCalls::gather, false);
    for (const Unit& unit : units.before)
      plain(unit.count, unit.segments.forward);
    onwards(&PassSegments::forward, &StateCalls::gather, [](const Unit&) { return true; });
    for (const Unit& unit : units.after)
      plain(unit.count, unit.segments.forward);
    crosses(std::max(units.crossing, crossing(&StateCalls::brought)));
    finish();
  }

  /// What of the layers runs again in advance of a backward pass, and of prediction layers.
  void recomputed() {
    const auto runsAgain = [](const Unit& unit) { return !unit.segments.recompute.empty(); };
    if (llvm::any_of(units.layers, runsAgain))
      firstGathers(&StateCalls::gatherAgain, true);
    onwards(&PassSegments::recompute, &StateCalls::gatherAgain, runsAgain);
    for (const Unit& unit : units.after)
      if (runsAgain(unit))
        plain(unit.count, unit.segments.recompute);
    finish();
  }

  /// A backward pass: units in reverse, with the gathers or the reductions of the state, or both.
  void reversed(std::vector<ir::Segment> PassSegments::*pass, bool gathers, bool reduces) {
    const llvm::ArrayRef<StateCalls> all = state;
    const auto gathered = gathers ? all : llvm::ArrayRef<StateCalls>();
    const auto reduced = reduces ? all : llvm::ArrayRef<StateCalls>();
    state = gathered;
    // What the first unit needs may have come while others ran before.
    firstGathers(&StateCalls::gatherAgain, true);
    for (const Unit& unit : llvm::reverse(units.after))
      plain(unit.count, unit.segments.*pass);
    joined = 0;
    for (std::size_t i = units.layers.size(); i-- > 0;)
      layersOf(units.layers[i], units.layers[i].count - (i == 0 ? 1 : 0), pass, reduced);
    // The gradients of the first layer leave with those of the embedding.
    (void)begin(1);
    Beside beside{contention, 0, units.layers.empty() ? 0 : units.layers.front().segments.ahead};
    const auto last = [&](const std::vector<ir::Segment>& segments) {
      beside.left += computation(segments);
      segmentsOf(segments);
    };
    if (!units.layers.empty())
      last(units.layers.front().segments.*pass);
    for (const Unit& unit : units.before)
      last(unit.segments.*pass);
    coded(reduced);
    reductions(reduced, &StateCalls::last, beside);
    // What comes from the host, and goes to it; the weights' gradients alone need nothing more.
    state = all;
    crosses(std::max(gathers ? units.crossing + crossing(&StateCalls::brought) : 0,
                     reduces ? crossing(&StateCalls::sent) : 0));
    finish();
  }

private:
  using Gather = std::optional<StateCalls::At> StateCalls::*;

  /// Each layer gathers for the one after it that runs; the first of the body is gathered before.
  template <class Runs>
  void onwards(std::vector<ir::Segment> PassSegments::*pass, Gather gather, const Runs& runs) {
    std::size_t end = units.layers.size();
    while (end > 0 && !runs(units.layers[end - 1]))
      --end;
    for (std::size_t i = 0; i < end; ++i) {
      const Unit& unit = units.layers[i];
      if (!runs(unit))
        continue;
      const bool last = i + 1 == end;
      if (begin(unit.count - (last ? 1 : 0))) {
        Beside beside{contention, computation(unit.segments.*pass)};
        withNext(unit.segments.*pass, gather, beside);
      }
      if (last)
        plain(1, unit.segments.*pass);
    }
  }

  /// A block that would be empty is none; two that run once are one.
  bool begin(std::uint64_t count) {
    next = count;
    return count > 0;
  }
  void segment(const ir::Segment& s) {
    if (next > 0 && !(next == 1 && open == 1)) {
      finish();
      to.open(open = next);
    }
    next = 0;
    to.segment(s);
  }
  void finish() {
    if (open > 0)
      to.close();
    open = 0;
  }
  std::uint64_t crossing(std::uint64_t StateCalls::*way) const {
    std::uint64_t sum = 0;
    for (const StateCalls& s : state)
      sum += s.*way;
    return sum;
  }
  void crosses(std::uint64_t time) {
    if (time == 0)
      return;
    ir::Segment s;
    s.part = ir::ComputePart::Offload, s.time = time;
    (void)begin(1);
    segment(s);
  }
  void segmentsOf(const std::vector<ir::Segment>& segments) {
    for (const ir::Segment& s : segments)
      segment(s);
  }
  void plain(std::uint64_t count, const std::vector<ir::Segment>& segments) {
    if (begin(count))
      segmentsOf(segments);
  }

  /// What the first unit of a body needs: nothing of the body is beside it.
  void firstGathers(Gather gather, bool prefetch) {
    (void)begin(1);
    Beside nothing;
    for (const StateCalls& s : state)
      if (const auto& at = s.*gather)
        gathers(*at, true, prefetch || at->prefetch, nothing);
  }
  /// A unit with what the next one needs: beside it, or behind it where gathers block.
  void withNext(const std::vector<ir::Segment>& unit, Gather gather, Beside& beside) {
    for (const StateCalls& s : state)
      if (const auto& at = s.*gather; at && !at->blocks)
        gathers(*at, false, at->prefetch, beside);
    segmentsOf(unit);
    for (const StateCalls& s : state)
      if (const auto& at = s.*gather)
        at->blocks ? gathers(*at, true, at->prefetch, beside)
                   : segment(waitFor(at->call, at->when));
  }
  void gathers(const StateCalls::At& at, bool blocks, bool prefetch, Beside& beside) {
    segment(dataCall(at.call, at.when, blocks, prefetch, beside));
    checked(at, 1, beside.ahead);
  }
  /// Computation goes on as long as the host is ahead, and then waits until it has checked a call.
  void checked(const StateCalls::At& at, std::uint64_t calls, std::uint64_t& ahead) {
    const std::uint64_t host = calls * at.host, spare = std::min(host, ahead);
    ahead -= spare;
    if (host == spare)
      return;
    ir::Segment waits;
    waits.when = at.when;
    waits.time = host - spare;
    segment(waits);
  }
  /// So many layers alike, of which the gradients of several may leave together, blocks of as many
  /// as do where there are enough.
  void layersOf(const Unit& unit, std::uint64_t count, std::vector<ir::Segment> PassSegments::*pass,
                llvm::ArrayRef<StateCalls> reduced) {
    const std::uint64_t together = reduced.empty() ? 1 : reduced.front().layers;
    while (count > 0) {
      const std::uint64_t each = std::min(count, together - joined),
                          times = joined == 0 ? std::max<std::uint64_t>(1, count / together) : 1;
      (void)begin(times);
      Beside beside{contention, each * computation(unit.segments.*pass),
                    each * unit.segments.ahead};
      for (std::uint64_t layer = 0; layer < each; ++layer) {
        withNext(unit.segments.*pass, &StateCalls::gatherAgain, beside);
        coded(reduced);
      }
      joined = (joined + each) % together;
      if (joined == 0)
        reductions(reduced, &StateCalls::reduce, beside);
      count -= each * times;
    }
  }
  void coded(llvm::ArrayRef<StateCalls> reduced) {
    for (const StateCalls& s : reduced)
      if (s.coding > 0)
        segment(coding(s.coding, s.coded));
  }
  /// The gradients of a bucket leave.
  void reductions(llvm::ArrayRef<StateCalls> reduced, StateCalls::Reductions StateCalls::*which,
                  Beside& beside) {
    for (const StateCalls& s : reduced)
      for (const auto& at : {(s.*which).shares, (s.*which).replicas}) {
        for (std::uint64_t piece = 0; at && piece < at->pieces; ++piece) {
          segment(dataCall(at->call, at->when, at->blocks, false, beside));
          if (at->second)
            segment(dataCall(*at->second, at->when, at->blocks, false, beside));
        }
        if (at)
          checked(*at, at->pieces * (at->second ? 2 : 1), beside.ahead);
      }
  }

  Taker& to;
  const Units& units;
  llvm::ArrayRef<StateCalls> state;
  double contention;
  std::uint64_t joined = 0;         ///< layers whose gradients have not left yet
  std::uint64_t next = 0, open = 0; ///< how often the block runs that is asked for, that is open
};

} // namespace dpl::cost
