//===- StageProgramsJson.cpp - What passes run, for scripts
//------------------------------------===//
#include "backends/report/StageProgramsJson.h"
#include "ir/MergedProgram.h"
#include "ir/Names.h"
#include "support/Json.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::report;

namespace {
/// In a merged program a segment names its action, and its collective is one of that action's
/// chunk.
Json segmentJson(const ir::Segment& s, bool merged) {
  Json out;
  switch (s.kind) {
  case ir::SegmentKind::Compute:
    out = {{"compute", ir::name(s.computeKind)}, {"time_ps", s.time}};
    break;
  case ir::SegmentKind::Collective:
    out = {{"collective", s.collective}, {"stream", ir::name(s.stream)},
           {"prefetch", s.prefetch},     {"time_ps", s.time},
           {"blocking_ps", s.holdsFor},  {"contention_ps", s.slowdown}};
    break;
  case ir::SegmentKind::Wait:
    out = {{"wait", s.collective}};
    break;
  }
  out["micro_batches"] = ir::name(s.selection);
  if (merged)
    out["action"] = s.backward ? "backward" : "forward";
  return out;
}

Json collectiveJson(const ir::Plan& plan, const ir::Collective& c) {
  return {{"group", c.group < plan.groups.size() ? plan.groups[c.group].name : ""},
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

Json report::chunkProgramsJson(const ir::Plan& plan, std::size_t chunk) {
  const ir::ChunkPrograms& programs = plan.chunkPrograms[chunk];
  Json calls = Json::array();
  for (std::uint64_t i = 0; i < programs.collectives; ++i)
    calls.push_back(collectiveJson(plan, plan.collectives[programs.firstCollective + i]));
  return {{"stage_programs", programs.stagePrograms}, {"collectives", std::move(calls)}};
}
