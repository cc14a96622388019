//===- BodiesJson.cpp - What passes run, for scripts ------------------------------------------===//
#include "backends/report/BodiesJson.h"
#include "ir/MergedBody.h"
#include "ir/Names.h"
#include "support/Json.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::report;

namespace {
/// Of a merged body a segment says whose it is, and calls are those of that pass's chunk.
Json segmentJson(const ir::Segment& s, bool merged) {
  Json out;
  switch (s.kind) {
  case ir::SegmentKind::Compute:
    out = {{"compute", ir::name(s.part)}, {"time_ps", s.time}};
    break;
  case ir::SegmentKind::Call:
    out = {{"collective", s.call}, {"stream", ir::name(s.stream)}, {"prefetch", s.prefetch},
           {"time_ps", s.time},    {"blocking_ps", s.holds},       {"contention_ps", s.slows}};
    break;
  case ir::SegmentKind::Wait:
    out = {{"wait", s.call}};
    break;
  }
  out["micro_batches"] = ir::name(s.when);
  if (merged)
    out["action"] = s.backward ? "backward" : "forward";
  return out;
}

Json callJson(const ir::Plan& plan, const ir::Collective& c) {
  return {{"group", c.group < plan.groups.size() ? plan.groups[c.group].name : ""},
          {"purpose", ir::name(c.purpose)},
          {"collective", ir::name(c.kind)},
          {"algorithm", ir::name(c.algorithm)},
          {"bytes", c.bytes},
          {"count", c.count},
          {"time_ps", c.time}};
}
} // namespace

Json report::bodiesJson(const ir::Plan& plan) {
  Json out = Json::array();
  for (const ir::Body& body : plan.bodies) {
    Json blocks = Json::array();
    for (const ir::Block& block : body.blocks) {
      Json segments = Json::array();
      for (const ir::Segment& s : block.segments)
        segments.push_back(segmentJson(s, isMerged(body)));
      blocks.push_back({{"count", block.count}, {"segments", std::move(segments)}});
    }
    out.push_back({{"action", ir::name(body.kind)}, {"blocks", std::move(blocks)}});
  }
  return out;
}

Json report::programJson(const ir::Plan& plan, std::size_t chunk) {
  const ir::ChunkProgram& program = plan.programs[chunk];
  Json calls = Json::array();
  for (std::uint64_t i = 0; i < program.collectives; ++i)
    calls.push_back(callJson(plan, plan.collectives[program.firstCollective + i]));
  return {{"stage_programs", program.bodies}, {"collectives", std::move(calls)}};
}
