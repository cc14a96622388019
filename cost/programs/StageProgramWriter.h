#pragma once
//===- StageProgramWriter.h - Writes the segments of the actions of a chunk -------------------===//
//
// The order of segments in an action is written once. It goes either into a stage program of the
// plan or directly into a time (ProgramClock). The receiver has `open`, `segment` and `close`, as
// ProgramClock has.
#include "cost/programs/LayerSegments.h"
#include "cost/programs/StateCollectives.h"
#include "llvm/ADT/STLExtras.h"

namespace dpl::cost {

/// The segments of one module, and the number of equal modules in a row.
struct ModuleSegments {
  ActionSegments segments;
  std::uint64_t count = 1;
};
/// The modules of a chunk in the order of the network.
struct ChunkSegments {
  std::vector<ModuleSegments> before, layers,
      after; ///< embedding; layers; then MTP layers and head
  /// ps in which the offloaded tensors of a micro-batch cross the host link, overlapped with the
  /// forward pass and again with the backward pass.
  std::uint64_t crossing = 0;
};

template <class Taker> class StageProgramWriter {
public:
  /// `contention`: share of overlapped time that computation loses.
  StageProgramWriter(Taker& to, const ChunkSegments& segments,
                     llvm::ArrayRef<StateCollectives> state, double contention)
      : to(to), chunkSegments(segments), state(state), contention(contention) {}

  void forward() {
    firstGathers(&StateCollectives::gather, false);
    for (const ModuleSegments& module : chunkSegments.before)
      plain(module.count, module.segments.forward);
    onwards(&ActionSegments::forward, &StateCollectives::gather,
            [](const ModuleSegments&) { return true; });
    for (const ModuleSegments& module : chunkSegments.after)
      plain(module.count, module.segments.forward);
    crosses(std::max(chunkSegments.crossing, crossing(&StateCollectives::fetched)));
    finish();
  }

  /// Writes the layers and MTP layers that are recomputed in advance of the backward pass.
  void recomputed() {
    const auto runsAgain = [](const ModuleSegments& module) {
      return !module.segments.recompute.empty();
    };
    if (llvm::any_of(chunkSegments.layers, runsAgain))
      firstGathers(&StateCollectives::gatherBackward, true);
    onwards(&ActionSegments::recompute, &StateCollectives::gatherBackward, runsAgain);
    for (const ModuleSegments& module : chunkSegments.after)
      if (runsAgain(module))
        plain(module.count, module.segments.recompute);
    finish();
  }

  /// Writes a backward pass: layers in reverse order, with parameter gathers, gradient reductions,
  /// or both.
  void reversed(std::vector<ir::Segment> ActionSegments::*pass, bool gathers, bool reduces) {
    const llvm::ArrayRef<StateCollectives> all = state;
    const auto gathered = gathers ? all : llvm::ArrayRef<StateCollectives>();
    const auto reduced = reduces ? all : llvm::ArrayRef<StateCollectives>();
    state = gathered;
    // The parameters of the first unit may have been gathered while other actions ran.
    firstGathers(&StateCollectives::gatherBackward, true);
    for (const ModuleSegments& module : llvm::reverse(chunkSegments.after))
      plain(module.count, module.segments.*pass);
    joined = 0;
    for (std::size_t i = chunkSegments.layers.size(); i-- > 0;)
      layersOf(chunkSegments.layers[i], chunkSegments.layers[i].count - (i == 0 ? 1 : 0), pass,
               reduced);
    // The gradients of the first layer are reduced with those of the embedding.
    (void)begin(1);
    OverlapBudget overlap{
        contention, 0,
        chunkSegments.layers.empty() ? 0 : chunkSegments.layers.front().segments.ahead};
    const auto last = [&](const std::vector<ir::Segment>& segments) {
      overlap.remaining += computation(segments);
      segmentsOf(segments);
    };
    if (!chunkSegments.layers.empty())
      last(chunkSegments.layers.front().segments.*pass);
    for (const ModuleSegments& module : chunkSegments.before)
      last(module.segments.*pass);
    coded(reduced);
    reductions(reduced, &StateCollectives::last, overlap);
    // Tensors are fetched from the host and offloaded to it. Weight gradients alone fetch nothing.
    state = all;
    crosses(std::max(gathers ? chunkSegments.crossing + crossing(&StateCollectives::fetched) : 0,
                     reduces ? crossing(&StateCollectives::offloaded) : 0));
    finish();
  }

private:
  using Gather = std::optional<StateCollectives::StateCollective> StateCollectives::*;

  /// Each layer gathers the parameters of the next one. Those of the first layer are gathered
  /// before.
  template <class Runs>
  void onwards(std::vector<ir::Segment> ActionSegments::*pass, Gather gather, const Runs& runs) {
    std::size_t end = chunkSegments.layers.size();
    while (end > 0 && !runs(chunkSegments.layers[end - 1]))
      --end;
    for (std::size_t i = 0; i < end; ++i) {
      const ModuleSegments& module = chunkSegments.layers[i];
      if (!runs(module))
        continue;
      const bool last = i + 1 == end;
      if (begin(module.count - (last ? 1 : 0))) {
        OverlapBudget overlap{contention, computation(module.segments.*pass)};
        withNext(module.segments.*pass, gather, overlap);
      }
      if (last)
        plain(1, module.segments.*pass);
    }
  }

  /// Begins a loop. Loops without iterations are dropped, and two consecutive loops of one
  /// iteration are joined.
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
  std::uint64_t crossing(std::uint64_t StateCollectives::*way) const {
    std::uint64_t sum = 0;
    for (const StateCollectives& s : state)
      sum += s.*way;
    return sum;
  }
  void crosses(std::uint64_t time) {
    if (time == 0)
      return;
    (void)begin(1);
    segment({ir::ComputeSegment{ir::ComputeKind::Offload, time}});
  }
  void segmentsOf(const std::vector<ir::Segment>& segments) {
    for (const ir::Segment& s : segments)
      segment(s);
  }
  void plain(std::uint64_t count, const std::vector<ir::Segment>& segments) {
    if (begin(count))
      segmentsOf(segments);
  }

  /// Gathers the parameters of the first unit. Nothing of this stage program overlaps with it.
  void firstGathers(Gather gather, bool prefetch) {
    (void)begin(1);
    OverlapBudget nothing;
    for (const StateCollectives& s : state)
      if (const auto& at = s.*gather)
        gathers(*at, true, prefetch || at->prefetch, nothing);
  }
  /// Runs a unit and gathers the parameters of the next one: overlapped, or after it if gathers
  /// block.
  void withNext(const std::vector<ir::Segment>& unit, Gather gather, OverlapBudget& overlap) {
    for (const StateCollectives& s : state)
      if (const auto& at = s.*gather; at && !at->blocks)
        gathers(*at, false, at->prefetch, overlap);
    segmentsOf(unit);
    for (const StateCollectives& s : state)
      if (const auto& at = s.*gather)
        at->blocks ? gathers(*at, true, at->prefetch, overlap)
                   : segment(waitFor(at->collective, at->selection));
  }
  void gathers(const StateCollectives::StateCollective& at, bool blocks, bool prefetch,
               OverlapBudget& overlap) {
    segment(dataCollective(at.collective, at.selection, blocks, prefetch, overlap));
    checked(at, 1, overlap.ahead);
  }
  /// Computation continues while the host is ahead, and then waits until the host has checked the
  /// collectives.
  void checked(const StateCollectives::StateCollective& at, std::uint64_t calls,
               std::uint64_t& ahead) {
    const std::uint64_t host = calls * at.host, spare = std::min(host, ahead);
    ahead -= spare;
    if (host == spare)
      return;
    segment({ir::ComputeSegment{ir::ComputeKind::None, host - spare}, at.selection});
  }
  /// Writes `count` equal layers. If the gradients of several layers share a bucket, each iteration
  /// of the loop has that many layers.
  void layersOf(const ModuleSegments& module, std::uint64_t count,
                std::vector<ir::Segment> ActionSegments::*pass,
                llvm::ArrayRef<StateCollectives> reduced) {
    const std::uint64_t together = reduced.empty() ? 1 : reduced.front().layers;
    while (count > 0) {
      const std::uint64_t each = std::min(count, together - joined),
                          times = joined == 0 ? std::max<std::uint64_t>(1, count / together) : 1;
      (void)begin(times);
      OverlapBudget overlap{contention, each * computation(module.segments.*pass),
                            each * module.segments.ahead};
      for (std::uint64_t layer = 0; layer < each; ++layer) {
        withNext(module.segments.*pass, &StateCollectives::gatherBackward, overlap);
        coded(reduced);
      }
      joined = (joined + each) % together;
      if (joined == 0)
        reductions(reduced, &StateCollectives::reduce, overlap);
      count -= each * times;
    }
  }
  void coded(llvm::ArrayRef<StateCollectives> reduced) {
    for (const StateCollectives& s : reduced)
      if (s.coding > 0)
        segment(coding(s.coding, s.coded));
  }
  /// Launches the reductions of a bucket.
  void reductions(llvm::ArrayRef<StateCollectives> reduced,
                  StateCollectives::StateReductions StateCollectives::*which,
                  OverlapBudget& overlap) {
    for (const StateCollectives& s : reduced)
      for (const auto& at : {(s.*which).shares, (s.*which).replicas}) {
        for (std::uint64_t piece = 0; at && piece < at->buckets; ++piece) {
          segment(dataCollective(at->collective, at->selection, at->blocks, false, overlap));
          if (at->follower)
            segment(dataCollective(*at->follower, at->selection, at->blocks, false, overlap));
        }
        if (at)
          checked(*at, at->buckets * (at->follower ? 2 : 1), overlap.ahead);
      }
  }

  Taker& to;
  const ChunkSegments& chunkSegments;
  llvm::ArrayRef<StateCollectives> state;
  double contention;
  std::uint64_t joined = 0;         ///< layers whose gradients wait for their bucket to fill
  std::uint64_t next = 0, open = 0; ///< iterations of the requested loop, and of the open one
};

} // namespace dpl::cost
