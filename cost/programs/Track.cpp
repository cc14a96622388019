//===- Track.cpp - Writes the segments of a stretch of computation ----------------------------===//
#include "cost/programs/Track.h"
#include "ir/Arithmetic.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
std::uint64_t share(std::uint64_t time, double of) {
  return static_cast<std::uint64_t>(real(time) * of);
}
} // namespace

void Track::compute(std::uint64_t time) {
  time = std::min(time, left);
  if (time == 0)
    return;
  left -= time;
  if (!segments.empty() && segments.back().kind == SegmentKind::Compute) {
    segments.back().time += time;
    return;
  }
  Segment s;
  s.part = part;
  s.time = time;
  segments.push_back(s);
}

Segment dpl::cost::blockingCall(Call call, Stream stream) {
  Segment s;
  s.kind = SegmentKind::Call;
  s.stream = stream;
  s.call = call.index;
  s.time = s.holds = call.time;
  return s;
}

Segment Track::segmentOf(Call call, Stream stream, std::uint64_t holds,
                         std::uint64_t beside) const {
  Segment s = blockingCall(call, stream);
  s.holds = holds;
  s.slows = lostBeside(call.time - holds, beside, contention);
  return s;
}

void Track::blocking(Call call, Stream stream, bool withIdle) {
  segments.push_back(segmentOf(call, stream, call.time, 0));
  if (withIdle && hides(call.time - std::min(call.time, launch), 0, true))
    wait(call);
}

void Track::begin(Call call, Stream stream, std::uint64_t time) {
  segments.push_back(segmentOf(call, stream, 0, time));
}

void Track::wait(Call call) { segments.push_back(waitFor(call, When::Every)); }

void Track::beside(Call call, Stream stream, std::uint64_t pieces, std::uint64_t time,
                   bool withIdle) {
  const std::uint64_t first = pieces > 0 ? call.time / pieces : 0;
  const std::size_t at = segments.size();
  segments.push_back(segmentOf(call, stream, first, std::min(left, time)));
  compute(std::min(time, left));
  // Kernels go slower beside the call; a device that waits for the host loses nothing.
  if (withIdle)
    (void)hides(call.time - first, time + segments[at].slows, false);
  wait(call);
}

/// Whether the newest call has a part of what the host leaves idle.
bool Track::hides(std::uint64_t needs, std::uint64_t kernels, bool blocks) {
  const auto whole = static_cast<std::uint64_t>(real(needs) / least);
  if (whole <= kernels || std::min(idle, left) + shared == 0)
    return false;
  if (segments.back().kind == SegmentKind::Call) {
    Segment s;
    s.part = part;
    segments.push_back(s);
  }
  hidden.push_back({segments.size() - 1, needs, kernels, blocks});
  const std::uint64_t more = std::min({idle, left, whole - kernels});
  idle -= more, left -= more, shared += more;
  return true;
}

/// Covers calls from the least covered on until the time is used up.
void Track::shareIdle() {
  llvm::sort(hidden, [](const Hidden& a, const Hidden& b) { return a.covered() < b.covered(); });
  // What the first calls need together, and have of kernels.
  double needs = 0, kernels = 0, share = 0;
  for (std::size_t i = 0; i < hidden.size(); ++i) {
    needs += real(hidden[i].needs), kernels += real(hidden[i].kernels);
    share = (kernels + real(shared)) / needs;
    if (i + 1 < hidden.size() && share <= hidden[i + 1].covered())
      break;
  }
  for (const Hidden& call : hidden) {
    const double more = std::max(0.0, share * real(call.needs) - real(call.kernels));
    // The last has what rounding has left.
    const std::uint64_t spare =
        &call == &hidden.back() ? shared : std::min(shared, static_cast<std::uint64_t>(more));
    segments[call.at].time += spare, shared -= spare;
    if (call.blocks)
      segments[call.at - 1].holds -= std::min(spare, call.needs);
  }
  hidden.clear();
}

void Track::finish() {
  if (shared > 0)
    shareIdle();
  compute(left);
}

Segment dpl::cost::dataCall(Call call, When when, bool blocks, bool prefetch, Beside& beside) {
  Segment s;
  s.kind = SegmentKind::Call;
  s.stream = Stream::Data;
  s.prefetch = prefetch;
  s.when = when;
  s.call = call.index;
  s.time = call.time;
  s.holds = blocks ? call.time : 0;
  const std::uint64_t both = std::min(call.time - s.holds, beside.left);
  s.slows = share(both, beside.contention);
  beside.left -= both;
  return s;
}

Segment dpl::cost::coding(std::uint64_t time, When when) {
  Segment s;
  s.part = ComputePart::Coding, s.when = when, s.time = time;
  return s;
}

Segment dpl::cost::waitFor(Call call, When when) {
  Segment s;
  s.kind = SegmentKind::Wait;
  s.call = call.index;
  s.when = when;
  return s;
}

std::uint64_t dpl::cost::lostBeside(std::uint64_t call, std::uint64_t beside, double contention) {
  return share(std::min(call, beside), contention);
}

std::uint64_t dpl::cost::computation(llvm::ArrayRef<Segment> segments) {
  std::uint64_t all = 0;
  for (const Segment& s : segments)
    all += s.kind == SegmentKind::Compute ? s.time : 0;
  return all;
}
