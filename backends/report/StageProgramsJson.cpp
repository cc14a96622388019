//===- StageProgramsJson.cpp - Stage programs as JSON -----------------------------------------===//
#include "backends/report/StageProgramsJson.h"
#include "ir/MergedProgram.h"
#include "ir/Names.h"
#include "support/Json.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::report;

namespace {
/// A segment as JSON. In a merged program each segment names its action, because its collective is
/// one of that action's chunk.
Json segmentJson(const ir::Segment& s, bool merged) {
  Json out;
  if (const ir::ComputeSegment* const compute = s.asCompute())
    out = {{"compute", ir::name(compute->kind)}, {"time_ps", compute->time}};
  else if (const ir::CollectiveSegment* const launch = s.asCollective())
    out = {{"collective", launch->collective.index()},
           {"stream", ir::name(launch->stream)},
           {"prefetch", launch->prefetch},
           {"time_ps", launch->time},
           {"blocking_ps", launch->holdsFor},
           {"contention_ps", launch->slowdown}};
  else
    out = {{"wait", s.asWait()->collective.index()}};
  out["micro_batches"] = ir::name(s.selection);
  if (merged)
    out["action"] = s.backward ? "backward" : "forward";
  return out;
}

Json collectiveJson(const ir::Plan& plan, const ir::Collective& c) {
  return {{"group", plan.groups.has(c.group) ? plan.groups[c.group].name : ""},
          {"purpose", ir::name(c.purpose)},
          {"collective", ir::name(c.kind)},
          {"algorithm", ir::name(c.algorithm)},
          {"bytes", c.bytes},
          {"count", c.count},
          {"time_ps", c.time}};
}
} // namespace

Json report::stageProgramsJson(const ir::Plan& plan) {
  Json out = Json::array();
  for (const ir::StageProgram& program : plan.stagePrograms) {
    Json blocks = Json::array();
    for (const ir::SegmentLoop& block : program.loops) {
      Json segments = Json::array();
      for (const ir::Segment& s : block.segments)
        segments.push_back(segmentJson(s, isMerged(program)));
      blocks.push_back({{"count", block.count}, {"segments", std::move(segments)}});
    }
    out.push_back({{"action", ir::name(program.kind)}, {"blocks", std::move(blocks)}});
  }
  return out;
}

Json report::chunkProgramsJson(const ir::Plan& plan, ir::ChunkId chunk) {
  const ir::ChunkPrograms& programs = plan.chunkPrograms[chunk];
  Json calls = Json::array();
  for (std::uint64_t i = 0; i < programs.collectives; ++i)
    calls.push_back(collectiveJson(plan, plan.collectives[programs.firstCollective + i]));
  Json indices = Json::array();
  for (const ir::StageProgramId id : programs.stagePrograms)
    indices.push_back(id.index());
  return {{"stage_programs", std::move(indices)}, {"collectives", std::move(calls)}};
}
