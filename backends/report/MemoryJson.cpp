//===- MemoryJson.cpp - Memory of a plan's devices, as JSON -----------------------------------===//
#include "backends/report/Memory.h"
#include "backends/report/MemoryComponents.h"
#include "cost/step/HostMemory.h"
#include "ir/Arithmetic.h"
#include "ir/Names.h"
#include "llvm/ADT/StringSwitch.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::report;

namespace {
/// The JSON field of a component: "free_blocks_bytes" for "free blocks". Some fields have a longer
/// name than the component.
std::string fieldOf(llvm::StringRef part) {
  std::string out = llvm::StringSwitch<std::string>(part)
                        .Case("runtime", "non_tensor")
                        .Case("weights", "parameters")
                        .Case("summed gradients", "unsharded_gradients")
                        .Case("update", "optimizer_step")
                        .Default(part.str());
  std::replace(out.begin(), out.end(), ' ', '_');
  return out + "_bytes";
}

Json partsJson(const std::vector<MemoryComponent>& parts) {
  Json out = Json::object();
  for (const MemoryComponent& part : parts)
    out[fieldOf(part.name)] = part.bytes;
  return out;
}

Json rankJson(const ir::Plan& plan, const ir::RankMemory& m) {
  return {{"rank", m.rank},
          {"parameters_bytes", m.parameters},
          {"gradients_bytes", m.gradients},
          {"optimizer_bytes", m.optimizer},
          {"buffers_bytes", m.buffers},
          {"activations_bytes", m.activations},
          {"temporary_bytes", m.temporary},
          {"optimizer_step_bytes", m.update},
          {"non_tensor_bytes", m.reserved},
          {"free_blocks_bytes", MemoryBreakdown::freeBlocksOf(plan, m.rank)},
          {"peak_bytes", m.peak()},
          {"usable_bytes", m.usable},
          {"micro_batches_in_flight", m.inFlight}};
}

Json momentJson(const cost::PeakMoment& moment) {
  if (moment.update)
    return {{"pass", "update"}, {"time_ps", moment.time}};
  return {{"action", ir::name(moment.running.kind)},
          {"micro_batch", moment.running.microBatch},
          {"chunk", moment.running.chunk},
          {"time_ps", moment.time},
          {"module", moment.module},
          {"operator", moment.op.empty() ? Json() : Json(moment.op)}};
}
} // namespace

Json report::hostJson(const ir::Plan& plan) {
  const std::vector<cost::OffloadedBytes> offloaded = cost::offloadedOf(plan);
  const std::optional<cost::FullestNode> node = cost::fullestNode(plan, offloaded);
  if (!node)
    return nullptr;
  Json ranks = Json::array();
  for (std::size_t rank = 0; rank < offloaded.size(); ++rank)
    ranks.push_back({{"rank", rank},
                     {"optimizer_bytes", offloaded[rank].optimizer},
                     {"gradients_bytes", offloaded[rank].gradients},
                     {"parameters_bytes", offloaded[rank].parameters},
                     {"activations_bytes", offloaded[rank].activations}});
  return {{"node", node->node},
          {"offloaded_bytes", node->needed},
          {"usable_bytes", node->memory > 0 ? Json(node->memory) : Json()},
          {"fits", node->fits()},
          {"ranks", std::move(ranks)}};
}

Json report::memoryJson(const ir::Plan& plan, const TriedChanges& all, double step) {
  const ir::RankMemory* fullest = ir::tightest(plan.memory);
  const MemoryBreakdown breakdown(plan, fullest->rank);
  Json ranks = Json::array(), timeline = Json::array(), changes = Json::array();
  for (const ir::RankMemory& m : plan.memory)
    ranks.push_back(rankJson(plan, m));
  for (std::size_t i = 0; i < breakdown.curve.size(); ++i) {
    timeline.push_back(
        {{"time_ps", breakdown.curve[i].time}, {"all_bytes", breakdown.curve[i].bytes}});
    timeline.back().update(partsJson(breakdown.at(i)));
  }
  for (const TriedChange& change : all.tried) {
    changes.push_back({{"change", change.text},
                       {"peak_bytes", change.peak},
                       {"usable_bytes", change.usable},
                       {"step_s", change.step}});
    if (change.host > 0)
      changes.back()["offloaded_bytes"] = change.host;
  }
  Json host = hostJson(plan);
  const bool fits = fullest->headroom() >= 0 && (host.is_null() || host["fits"].get<bool>());
  Json out{{"schema", "dplc.memory.1"},
           {"layout", plan.layout.name},
           {"cluster", plan.cluster.name},
           {"fits", fits},
           {"step_s", step},
           {"ranks", std::move(ranks)},
           {"fullest",
            {{"rank", fullest->rank},
             {"peak", momentJson(breakdown.moment)},
             {"timeline", std::move(timeline)}}},
           {"all_tried", all.all},
           {fits ? "largest" : "changes", std::move(changes)}};
  if (!host.is_null())
    out["host"] = std::move(host);
  return out;
}
