//===- ComputeSegmentWriter.cpp - Writes the segments of one stretch of computation -----------===//
#include "cost/programs/ComputeSegmentWriter.h"
#include "ir/Arithmetic.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

void ComputeSegmentWriter::compute(std::uint64_t time) {
  time = std::min(time, remaining);
  if (time == 0)
    return;
  remaining -= time;
  if (ComputeSegment* const last = segments.empty() ? nullptr : segments.back().asCompute())
    last->time += time;
  else
    segments.push_back({ComputeSegment{computeKind, time}});
}

Segment dpl::cost::blockingCollective(TimedCollective collective, Stream stream) {
  return {CollectiveSegment{collective.id, stream, false, collective.time, collective.time}};
}

Segment ComputeSegmentWriter::segmentOf(TimedCollective collective, Stream stream,
                                        std::uint64_t holds, std::uint64_t beside) const {
  return {CollectiveSegment{collective.id, stream, false, collective.time, holds,
                            lostToOverlap(collective.time - holds, beside, contention)}};
}

void ComputeSegmentWriter::blocking(TimedCollective collective, Stream stream, bool withIdle) {
  segments.push_back(segmentOf(collective, stream, collective.time, 0));
  if (withIdle && hides(collective.time - std::min(collective.time, launch), 0, true))
    wait(collective);
}

void ComputeSegmentWriter::begin(TimedCollective collective, Stream stream, std::uint64_t time) {
  segments.push_back(segmentOf(collective, stream, 0, time));
}

void ComputeSegmentWriter::wait(TimedCollective collective) {
  segments.push_back(waitFor(collective, MicroBatchSelection::Every));
}

void ComputeSegmentWriter::overlapping(TimedCollective collective, Stream stream,
                                       std::uint64_t pieces, std::uint64_t time, bool withIdle) {
  const std::uint64_t first = pieces > 0 ? collective.time / pieces : 0;
  const std::size_t at = segments.size();
  segments.push_back(segmentOf(collective, stream, first, std::min(remaining, time)));
  compute(std::min(time, remaining));
  // Overlapped kernels run slower; a device that waits for the host loses nothing.
  if (withIdle)
    (void)hides(collective.time - first, time + segments[at].slowdown(), false);
  wait(collective);
}

/// Whether the last collective overlaps with a part of the idle time.
bool ComputeSegmentWriter::hides(std::uint64_t needs, std::uint64_t kernels, bool blocks) {
  const auto whole = static_cast<std::uint64_t>(real(needs) / least);
  if (whole <= kernels || std::min(idle, remaining) + shared == 0)
    return false;
  if (segments.back().asCollective())
    segments.push_back({ComputeSegment{computeKind}});
  hidden.push_back({segments.size() - 1, needs, kernels, blocks});
  const std::uint64_t more = std::min({idle, remaining, whole - kernels});
  idle -= more, remaining -= more, shared += more;
  return true;
}

/// Divides the idle time, starting with the collective of which kernels hide the smallest share.
void ComputeSegmentWriter::shareIdle() {
  llvm::sort(hidden, [](const Hidden& a, const Hidden& b) { return a.covered() < b.covered(); });
  // Sums over the first collectives: ps to hide, and ps that kernels hide.
  double needs = 0, kernels = 0, share = 0;
  for (std::size_t i = 0; i < hidden.size(); ++i) {
    needs += real(hidden[i].needs), kernels += real(hidden[i].kernels);
    share = (kernels + real(shared)) / needs;
    if (i + 1 < hidden.size() && share <= hidden[i + 1].covered())
      break;
  }
  for (const Hidden& call : hidden) {
    const double more = std::max(0.0, share * real(call.needs) - real(call.kernels));
    // The last one gets the rounding remainder.
    const std::uint64_t spare =
        &call == &hidden.back() ? shared : std::min(shared, static_cast<std::uint64_t>(more));
    segments[call.at].asCompute()->time += spare, shared -= spare;
    if (call.blocks)
      segments[call.at - 1].asCollective()->holdsFor -= std::min(spare, call.needs);
  }
  hidden.clear();
}

void ComputeSegmentWriter::finish() {
  if (shared > 0)
    shareIdle();
  compute(remaining);
}

Segment dpl::cost::dataCollective(TimedCollective collective, MicroBatchSelection when, bool blocks,
                                  bool prefetch, OverlapBudget& overlap) {
  const std::uint64_t holds = blocks ? collective.time : 0;
  const std::uint64_t runs = collective.time - holds,
                      lost = lostToOverlap(runs, overlap.remaining, overlap.contention);
  overlap.remaining -= std::min(runs - lost, overlap.remaining);
  return {CollectiveSegment{collective.id, Stream::Data, prefetch, collective.time, holds, lost},
          when};
}

Segment dpl::cost::coding(std::uint64_t time, MicroBatchSelection when) {
  return {ComputeSegment{ComputeKind::Coding, time}, when};
}

Segment dpl::cost::waitFor(TimedCollective collective, MicroBatchSelection when) {
  return {WaitSegment{collective.id}, when};
}

std::uint64_t dpl::cost::lostToOverlap(std::uint64_t call, std::uint64_t beside,
                                       double contention) {
  return static_cast<std::uint64_t>(contention *
                                    std::min(real(call), real(beside) / (1 - contention)));
}

std::uint64_t dpl::cost::computation(llvm::ArrayRef<Segment> segments) {
  std::uint64_t all = 0;
  for (const Segment& s : segments)
    all += s.asCompute() ? s.time() : 0;
  return all;
}
