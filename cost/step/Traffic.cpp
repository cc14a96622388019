//===- Traffic.cpp - What one device sends in a step ------------------------------------------===//
#include "cost/step/Traffic.h"
#include "ir/Arithmetic.h"
#include "ir/Names.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::cost;
using ir::CollectivePurpose;
using ir::real;

namespace {
void addCollective(Traffic& row, const ir::Collective& c) {
  if (c.count == 0)
    return;
  if (!row.first)
    row.first = &c;
  row.alike = row.alike && c.time == row.first->time;
  row.count += real(c.count);
  row.time += real(c.count) * ir::toSeconds(c.time);
  for (std::size_t l = 0; l < c.bytesPerLevel.size() && l < row.perLevel.size(); ++l) {
    row.perLevel[l] += real(c.count) * real(c.bytesPerLevel[l]);
    row.sent += real(c.count) * real(c.bytesPerLevel[l]);
  }
}

/// The contents of a collective as a word of a path, and its axis of exposed communication.
struct TrafficWords {
  const char* contents;
  const char* axis;
};
TrafficWords wordsOf(CollectivePurpose p) {
  switch (p) {
  case CollectivePurpose::TensorActivation:
    return {"activations", "tensor"};
  case CollectivePurpose::ContextKeys:
    return {"kv", "context"};
  case CollectivePurpose::ExpertTokens:
    return {"tokens", "expert"};
  case CollectivePurpose::PipelineActivation:
    return {"activations", "pipeline"};
  case CollectivePurpose::GradientReduce:
    return {"gradients", "data"};
  case CollectivePurpose::ParameterGather:
    return {"parameters", "data"};
  case CollectivePurpose::EmbeddingGradient:
    return {"embedding", "data"};
  case CollectivePurpose::MomentumGather:
    return {"momentum", "data"};
  }
  return {"", "data"};
}
} // namespace

bool cost::isSameRow(const Traffic& a, const Traffic& b) {
  return a.purpose == b.purpose && a.kind == b.kind && a.group == b.group;
}

std::vector<Traffic> cost::trafficOfRanks(const ir::Plan& plan) {
  std::vector<Traffic> rows;
  llvm::DenseMap<std::uint64_t, std::vector<std::size_t>> ofRank; // a plan may have many ranks
  for (const ir::Collective& c : plan.collectives) {
    Traffic wanted;
    wanted.purpose = c.purpose, wanted.kind = c.kind, wanted.group = c.group, wanted.rank = c.rank;
    std::vector<std::size_t>& own = ofRank[c.rank];
    auto at = llvm::find_if(own, [&](std::size_t i) { return isSameRow(rows[i], wanted); });
    if (at == own.end()) {
      wanted.perLevel.resize(plan.cluster.levels.size());
      at = own.insert(at, rows.size());
      rows.push_back(std::move(wanted));
    }
    addCollective(rows[*at], c);
  }
  llvm::erase_if(rows, [](const Traffic& row) { return row.count == 0; });
  return rows;
}

std::vector<Traffic> cost::trafficOf(const ir::Plan& plan, std::uint64_t rank) {
  std::vector<Traffic> out;
  for (Traffic& row : trafficOfRanks(plan)) {
    const auto other = llvm::find_if(out, [&](const Traffic& t) { return isSameRow(t, row); });
    if (other == out.end())
      out.push_back(std::move(row));
    else if (row.rank == rank || (other->rank != rank && row.sent > other->sent))
      *other = std::move(row);
  }
  return out;
}

const char* cost::axisOf(CollectivePurpose purpose) { return wordsOf(purpose).axis; }

std::string cost::pathOf(const ir::Plan& plan, const Traffic& row) {
  return fmt::format("communication[{}].{}.{}",
                     plan.groups.has(row.group) ? plan.groups[row.group].name : "",
                     wordsOf(row.purpose).contents, ir::name(row.kind));
}
