//===- VerifyStagePrograms.cpp - Stage programs fit the collectives of their chunks -----------===//
#include "ir/Arithmetic.h"
#include "ir/MergedProgram.h"
#include "ir/Names.h"
#include "ir/Verify.h"
#include "llvm/ADT/ArrayRef.h"
#include <algorithm>
#include <fmt/format.h>
#include <optional>

using namespace dpl;
using namespace dpl::ir;

namespace {
class StageProgramVerifier {
public:
  StageProgramVerifier(const Plan& plan, std::vector<std::string>& broken)
      : plan(plan), broken(broken) {}

  void run() {
    if (plan.chunkPrograms.empty() && plan.stagePrograms.empty())
      return;
    if (plan.chunkPrograms.size() != plan.chunks.size())
      return say("{} programs for {} chunks", plan.chunkPrograms.size(), plan.chunks.size());
    std::uint64_t next = 0;
    for (std::size_t i = 0; i < plan.chunkPrograms.size() && broken.empty(); ++i) {
      const ChunkPrograms& p = plan.chunkPrograms[i];
      if (p.rank != plan.chunks[i].rank || p.chunk != plan.chunks[i].chunk)
        say("program {} belongs to another chunk", i);
      else if (p.firstCollective.index() != next || p.collectives > plan.collectives.size() - next)
        say("program {} begins at collective {}, the one before ends at {} of {}", i,
            p.firstCollective.index(), next, plan.collectives.size());
      else
        program(i);
      next += p.collectives;
    }
    if (broken.empty() && next != plan.collectives.size())
      say("programs have {} of {} collectives", next, plan.collectives.size());
    for (std::size_t i = 0; i < plan.chunkPrograms.size() && broken.empty(); ++i)
      pairs(i);
  }

private:
  template <class... A> void say(fmt::format_string<A...> format, A&&... arguments) {
    broken.push_back(fmt::format(format, std::forward<A>(arguments)...));
  }

  void program(std::size_t i) {
    const ChunkPrograms& p = plan.chunkPrograms[i];
    static constexpr ActionKind whole[] = {ActionKind::Forward, ActionKind::Backward};
    static constexpr ActionKind split[] = {ActionKind::Forward, ActionKind::BackwardInput,
                                           ActionKind::BackwardWeight};
    static constexpr ActionKind both[] = {ActionKind::Forward, ActionKind::Backward,
                                          ActionKind::BackwardInput, ActionKind::BackwardWeight};
    std::vector<ActionKind> kinds;
    for (const StageProgramId body : p.stagePrograms) {
      if (!plan.stagePrograms.has(body))
        return say("program {} names body {} of {}", i, body.index(), plan.stagePrograms.size());
      kinds.push_back(plan.stagePrograms[body].kind);
    }
    const auto is = [&](const auto& wanted) {
      return std::equal(kinds.begin(), kinds.end(), std::begin(wanted), std::end(wanted));
    };
    if (!kinds.empty() && kinds.back() == ActionKind::PairedForward)
      kinds.pop_back(); // `pairs` verifies it
    if (plan.layout.recompute.inAdvance) {
      if (kinds.empty() || kinds.back() != ActionKind::Recomputation)
        return say("program {} has no body of its recomputation in advance", i);
      kinds.pop_back();
    }
    if (!is(whole) && !is(split) && !is(both))
      return say("program {} has bodies of other passes than one forward and one backward", i);
    collectiveCounts.assign(p.collectives, 0);
    double time = 0;
    for (const StageProgramId body : p.stagePrograms)
      for (const SegmentLoop& block : plan.stagePrograms[body].loops)
        for (const Segment& s : block.segments)
          time += (real(s.time()) + real(s.slowdown())) * real(block.count);
    if (time * real(plan.microBatchesOfChunk()) >= 0x1p60)
      return say("the bodies of program {} take {:.3g} ps, more than can be counted", i, time);
    if (const double alone = real(p.forward) + real(p.backward); alone > time)
      return say("the passes of program {} take {:.3g} ps, its bodies {:.3g}", i, alone, time);
    for (const StageProgramId body : p.stagePrograms)
      for (const SegmentLoop& block : plan.stagePrograms[body].loops)
        if (!isMerged(plan.stagePrograms[body]))
          verifyBlock(body, block, p,
                      !is(both) || plan.stagePrograms[body].kind != ActionKind::Backward);
    for (std::uint64_t call = 0; call < collectiveCounts.size() && broken.empty(); ++call)
      if (const Collective& c = plan.collectives[p.firstCollective + call];
          collectiveCounts[call] > 0 && c.count != collectiveCounts[call])
        say("collective {} counts {} calls, bodies have {}", p.firstCollective.index() + call,
            c.count, collectiveCounts[call]);
  }

  /// Compares the segments of one pass of a merged stage program with those of its own stage
  /// program, in order.
  class ConstituentProgram {
  public:
    explicit ConstituentProgram(const StageProgram& program) : program(program) { open(); }
    /// Matches this pass's segments in a loop that runs `times` times; false if they are not the
    /// next ones.
    bool matches(std::uint64_t times, llvm::ArrayRef<Segment> merged) {
      std::size_t next = 0;
      // A token exchange that overlaps with the other pass.
      std::optional<ChunkCollectiveId> waitsFor;
      bool takesNoTime = false;
      for (Segment s : merged) {
        s.backward = false;
        const bool awaited = waitsFor && s.asWait() && s.asWait()->collective == *waitsFor;
        if (waitsFor && !awaited && !takesNoTime)
          return false;
        waitsFor.reset();
        if (awaited)
          continue;
        if (s.computes(ComputeKind::Offload)) {
          crossed.push_back(s);
          continue;
        }
        if (next == segments.size())
          return false;
        Segment own = segments[next++];
        const CollectiveSegment* const launch = s.asCollective();
        if (CollectiveSegment* const exchange = own.asCollective();
            exchange && exchange->stream == Stream::Expert && launch && launch->holdsFor == 0) {
          takesNoTime = exchange->holdsFor == 0; // no wait is needed
          exchange->holdsFor = 0, exchange->slowdown = launch->slowdown;
          waitsFor = launch->collective;
        }
        if (s != own)
          return false;
      }
      if ((waitsFor && !takesNoTime) || (next > 0 && (next < segments.size() || times > remaining)))
        return false;
      if (next > 0 && (remaining -= times) == 0)
        ++block, open();
      return true;
    }
    bool done() const { return block == program.loops.size() && crossed == crossings; }

  private:
    /// Opens the next loop that does more than transfer over the host link.
    void open() {
      for (; block < program.loops.size(); ++block) {
        segments.clear();
        for (const Segment& s : program.loops[block].segments)
          (s.computes(ComputeKind::Offload) ? crossings : segments).push_back(s);
        remaining = program.loops[block].count;
        if (!segments.empty())
          return;
      }
    }
    const StageProgram& program;
    std::uint64_t remaining = 0;
    std::size_t block = 0;
    std::vector<Segment> segments, crossings, crossed;
  };
  /// A merged stage program runs the segments of its two passes. Either all chunks have one or none
  /// has.
  void pairs(std::size_t i) {
    const ChunkPrograms& p = plan.chunkPrograms[i];
    const auto merged = stageProgramOf(plan, p, ActionKind::PairedForward);
    if (merged.has_value() !=
        stageProgramOf(plan, plan.chunkPrograms.front(), ActionKind::PairedForward).has_value())
      return say("program {} has a merged body where others have none", i);
    if (!merged)
      return;
    const auto forward = stageProgramOf(plan, p, ActionKind::Forward);
    const Placement& at = plan.placement;
    if (at.chunks != 2 || at.stageReplicas() != plan.chunkPrograms.size() || p.chunk > 1 ||
        p.rank >= at.ranks)
      return say("program {} merges passes of chunks that its rank does not have", i);
    const auto backward = stageProgramOf(plan, pairedWith(plan, p), ActionKind::Backward);
    if (!backward)
      return say("program {} merges its forward with no backward", i);
    ConstituentProgram passes[] = {ConstituentProgram(plan.stagePrograms[*forward]),
                                   ConstituentProgram(plan.stagePrograms[*backward])};
    for (const SegmentLoop& block : plan.stagePrograms[*merged].loops) {
      for (const bool other : {false, true}) {
        std::vector<Segment> own;
        for (const Segment& s : block.segments)
          if (s.backward == other)
            own.push_back(s);
        if (!passes[other].matches(block.count, own))
          return say("body {} does not run what its {} runs, in its order", merged->index(),
                     other ? "backward" : "forward");
      }
      verifyBlock(*merged, block, p, false);
    }
    if (broken.empty() && (!passes[0].done() || !passes[1].done()))
      say("body {} does not run all that its two passes run", merged->index());
  }

  /// `counts`: whether its collectives are counted; a whole backward pass has the same ones as its
  /// halves.
  void verifyBlock(StageProgramId of, const SegmentLoop& block, const ChunkPrograms& p,
                   bool counts) {
    const std::size_t body = of.index();
    if (block.count == 0 || block.segments.empty())
      return say("body {} has a block that does nothing", body);
    const std::uint64_t runs = plan.microBatchesOfChunk();
    for (auto s = block.segments.begin(); s != block.segments.end() && broken.empty(); ++s) {
      const bool other = s->backward;
      if (other && !isMerged(plan.stagePrograms[body]))
        return say("body {} also has segments of a backward pass", body);
      if (const ComputeSegment* const compute = s->asCompute()) {
        if (compute->kind == ComputeKind::Varying &&
            (compute->layerType >= plan.model.layerTypes.size() ||
             plan.model.layerTypes[compute->layerType].stated.jitter.empty()))
          say("body {} draws the times of class {}, which do not vary", body, compute->layerType);
        continue;
      }
      const ChunkCollectiveId collective = *s->collective();
      if (const auto own = other ? pairedWith(plan, p).collectives : p.collectives;
          collective.index() >= own)
        return say("body {} calls collective {} of {}", body, collective.index(), own);
      const Collective& called = plan.collectives[collectiveOf(plan, p, *s)];
      const auto same = [&](SegmentKind kind) {
        return [&, kind](const Segment& o) {
          return o.kind() == kind && o.backward == other && o.collective() == collective;
        };
      };
      const CollectiveSegment* const launch = s->asCollective();
      if (!launch) {
        if (std::none_of(block.segments.begin(), s, same(SegmentKind::Collective)))
          say("body {} waits for collective {} before it calls it", body, collective.index());
        continue;
      }
      if (launch->time != called.time || launch->holdsFor > launch->time ||
          launch->slowdown > launch->time)
        say("a call of body {} takes {} ps and holds {}, its collective takes {}", body,
            launch->time, launch->holdsFor, called.time);
      if (launch->stream == Stream::Compute)
        say("body {} calls collective {} on the stream of computation", body, collective.index());
      if (launch->stream != Stream::Data && launch->holdsFor < launch->time &&
          std::none_of(s, block.segments.end(), same(SegmentKind::Wait)))
        say("body {} does not wait for a collective of stream {}", body, name(launch->stream));
      if (counts)
        collectiveCounts[collective.index()] +=
            block.count * (s->selection == MicroBatchSelection::Every ? runs : 1);
    }
  }

  const Plan& plan;
  std::vector<std::string>& broken;
  std::vector<std::uint64_t> collectiveCounts; ///< number of launches, by collective of the chunk
};
} // namespace

void ir::verifyStagePrograms(const Plan& plan, std::vector<std::string>& broken) {
  StageProgramVerifier(plan, broken).run();
}
