//===- ErrorModel.cpp - The error that measured runs let a prediction expect ------------------===//
#include "figures/ErrorModel.h"
#include "figures/Figures.h"
#include "ir/SetInFile.h"
#include <map>

using namespace dpl;
using namespace dpl::figures;

namespace {
struct ErrorTable {
  std::array<ErrorModel, 2> models;
  double barely = 0;
  std::map<LayoutKind, std::uint64_t> runs;
  const char* month = "";
};

const ErrorTable& table() {
  static const ErrorTable all = [] {
    ErrorTable t;
    const auto of = [&](ErrorQuantity quantity) -> ErrorModel& {
      return t.models[static_cast<std::size_t>(quantity)];
    };
#define ERRORS(QUANTITY, BELOW, ABOVE, ROWS, FAMILIES)                                             \
  of(ErrorQuantity::QUANTITY).below = BELOW, of(ErrorQuantity::QUANTITY).above = ABOVE;            \
  of(ErrorQuantity::QUANTITY).rows = ROWS, of(ErrorQuantity::QUANTITY).families = FAMILIES;
#define WEIGHT(QUANTITY, SOURCE, VALUE)                                                            \
  of(ErrorQuantity::QUANTITY).weights[indexOf(ErrorSource::SOURCE)] = VALUE;
#define BARELY(SHARE) t.barely = SHARE;
#define RUNS(EXPERTS, TENSOR, PIPELINE, ZERO, COUNT)                                               \
  t.runs[{EXPERTS, TENSOR, PIPELINE, ZERO}] = COUNT;
#define MONTH(TEXT) t.month = TEXT;
#include "figures/ErrorTable.def"
    return t;
  }();
  return all;
}
} // namespace

const char* figures::name(ErrorSource source) {
  static constexpr const char* names[] = {
#define ERROR_SOURCE(ENUMERATOR, NAME, ...) NAME,
#include "figures/ErrorSources.def"
  };
  return names[indexOf(source)];
}

double ErrorModel::error(const ErrorShares& shares) const {
  double sum = 0;
  for (std::size_t i = 0; i < errorSources; ++i)
    sum += weights[i] * shares[i];
  return sum;
}

const ErrorModel& figures::errorModel(ErrorQuantity of) {
  return table().models[static_cast<std::size_t>(of)];
}

const char* figures::monthOfErrors() { return table().month; }

LayoutKind figures::kindOf(const ir::Plan& plan) {
  return {hasExperts(plan.model), plan.mesh.size(ir::Axis::Tensor) > 1,
          plan.mesh.size(ir::Axis::Pipeline) > 1, plan.layout.shard.stage()};
}

std::uint64_t figures::measuredRuns(const LayoutKind& kind) {
  const auto found = table().runs.find(kind);
  return found == table().runs.end() ? 0 : found->second;
}

double figures::barelyShare() { return table().barely; }

bool figures::fitsBarely(const ir::RankMemory& rank) {
  return rank.headroom() >= 0 &&
         static_cast<double>(rank.headroom()) < barelyShare() * static_cast<double>(rank.usable);
}

bool figures::hasExperts(const ir::Model& model) {
  return llvm::any_of(model.layerTypes, [](const ir::LayerType& type) {
    return type.feedForward.kind == ir::FeedForwardKind::Experts;
  });
}

const char* figures::shareOf(ErrorSource source) {
  return source == ErrorSource::Waits      ? "step_time.waits_share"
         : source == ErrorSource::Launches ? "step_time.launches_share"
                                           : nullptr;
}

bool figures::holds(const ir::Plan& plan, ErrorSource source) {
  if (source == ErrorSource::Dense || source == ErrorSource::Experts)
    return hasExperts(plan.model) == (source == ErrorSource::Experts);
  return assumes(plan, source);
}

ErrorShares figures::errorShares(const ir::Plan& plan, const Figures& figures) {
  ErrorShares shares{};
  for (std::size_t i = 0; i < errorSources; ++i) {
    const auto source = static_cast<ErrorSource>(i);
    const char* const path = shareOf(source);
    shares[i] = path ? figures.value(path).value_or(0) : holds(plan, source) ? 1 : 0;
  }
  return shares;
}

bool figures::assumes(const ir::Plan& plan, ErrorSource source) {
  switch (source) {
  case ErrorSource::Dense:
  case ErrorSource::Experts:
  case ErrorSource::Waits:
  case ErrorSource::Launches:
    return false;
  case ErrorSource::Framework:
    return plan.framework.name.empty();
  case ErrorSource::Kernels:
    return hasExperts(plan.model) && !ir::isSetInFile(plan, "kernels.token_dispatcher");
  case ErrorSource::Network:
    return plan.cluster.nodes > 1 && plan.layout.ranges.count("cluster.nic") == 0;
  case ErrorSource::Device:
    return llvm::any_of(plan.cluster.nodeTypes, [&](const ir::NodeType& type) {
      const std::string device = type.name.empty()
                                     ? std::string("cluster.node.gpu")
                                     : "cluster.node_pool[\"" + type.name + "\"].node.gpu";
      return plan.layout.ranges.count(device + ".sustained") == 0;
    });
  case ErrorSource::MicroBatch:
    return !plan.layout.microBatchGiven && !plan.mesh.found;
  }
  return false;
}
