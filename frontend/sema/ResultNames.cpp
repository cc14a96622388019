//===- ResultNames.cpp ------------------------------------------------------------------------===//
#include "frontend/sema/ResultNames.h"
using namespace dpl;

namespace {
struct Row {
  const char* path;
  const char* dimension; ///< a type name; "" is a plain number
};
constexpr Row table[] = {
    {"step_time", "Duration"},
    {"mfu", ""},
    {"hfu", ""},
    {"goodput", ""},
    {"tokens_per_second", "TokenRate"},
    {"samples_per_second", "SampleRate"},
    {"tokens_per_step", "Tokens"},
    {"samples_per_step", "Samples"},
    {"cost_per_token", "CostPerToken"},
    {"bubble_fraction", ""},
    {"communication_share", ""},
    {"model.parameters", ""},
    {"model.active_parameters", ""},
    {"model.flop_per_token", "Flop"},
    {"flop_rate.model", "FlopRate"},
    {"flop_rate.hardware", "FlopRate"},
    {"memory.peak", "Bytes"},
    {"memory.usable", "Bytes"},
    {"memory.headroom", "Bytes"},
    {"time.ideal", "Duration"},
    {"time.compute", "Duration"},
    {"time.recompute", "Duration"},
    {"time.exposed", "Duration"},
    {"time.exposed.tensor", "Duration"},
    {"time.exposed.context", "Duration"},
    {"time.exposed.expert", "Duration"},
    {"time.exposed.pipeline", "Duration"},
    {"time.exposed.data", "Duration"},
    {"time.bubble", "Duration"},
    {"time.optimizer", "Duration"},
    {"cost.per_step", "Money"},
    {"cost.per_token", "CostPerToken"},
    {"energy.per_step", "Energy"},
};
constexpr const char* rankParts[] = {"peak",        "parameters", "gradients", "optimizer",
                                     "activations", "transient",  "reserved"};

Dimension dimensionOf(llvm::StringRef typeName) {
  if (typeName == "TokenRate")
    return Dimension{.second = -1, .token = 1};
  if (typeName == "SampleRate")
    return Dimension{.second = -1, .sample = 1};
  if (typeName == "CostPerToken")
    return Dimension{.token = -1, .money = 1};
  return typeName.empty() ? Dimension{} : *dimensionNamed(typeName);
}
} // namespace

std::optional<Dimension> sema::resultNamed(llvm::StringRef path) {
  for (const Row& row : table)
    if (path == row.path)
      return dimensionOf(row.dimension);
  if (llvm::StringRef rest = path; rest.consume_front("memory.rank[")) {
    const auto [number, part] = rest.split("].");
    if (!number.empty() && number.find_first_not_of("0123456789") == llvm::StringRef::npos)
      for (const char* name : rankParts)
        if (part == name)
          return dimensionOf("Bytes");
  }
  // The spread of a figure over a study's seeds.
  const auto [base, statistic] = path.rsplit('.');
  if (statistic == "p50" || statistic == "p95" || statistic == "p99" || statistic == "mean")
    return resultNamed(base);
  return std::nullopt;
}

bool sema::isResultRoot(llvm::StringRef name) {
  for (const Row& row : table)
    if (llvm::StringRef(row.path).split('.').first == name)
      return true;
  return false;
}

llvm::SmallVector<llvm::StringRef, 0> sema::resultNames() {
  llvm::SmallVector<llvm::StringRef, 0> names;
  for (const Row& row : table)
    names.push_back(row.path);
  return names;
}
