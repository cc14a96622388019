//===- Rows.cpp - The rows of Results.def with their functions --------------------------------===//
#include "figures/Rows.h"
#include "cost/collectives/CollectiveCost.h"
#include "cost/memory/RankMemory.h"

using namespace dpl;
using namespace dpl::figures;
using ir::real;

namespace {
Dimension named(const char* type) { return *type ? *dimensionNamed(type) : Dimension{}; }
double bytesOf(ir::DataType t) { return real(ir::bitsOf(t)) / 8; }
const ir::RankMemory& rankOf(const FigureContext& f) { return f.plan.memory[f.instance->index]; }
const ir::ChunkCost& costOf(const FigureContext& f) { return f.plan.costs[f.instance->index]; }
const ir::Device& deviceOf(const FigureContext& f) {
  return f.cluster.nodeTypes[f.instance->index].device;
}
std::optional<double> perSecond(std::optional<double> anHour) {
  return anHour ? std::optional(*anHour / 3600) : anHour;
}
const cost::Traffic& trafficRow(const FigureContext& f) { return f.traffic()[f.instance->index]; }
} // namespace

llvm::ArrayRef<FigureDefinition> figures::rows() {
  static const std::vector<FigureDefinition> all = {
#define FIGURE(PATH, DIMENSION, NOTE, ...)                                                         \
  {PATH, named(DIMENSION), NOTE, [](const FigureContext& f) -> Traced { return __VA_ARGS__; },     \
   false},
#define DETAIL(PATH, DIMENSION, NOTE, ...)                                                         \
  {PATH, named(DIMENSION), NOTE, [](const FigureContext& f) -> Traced { return __VA_ARGS__; },     \
   true},
#include "ir/Results.def"
  };
  return all;
}
