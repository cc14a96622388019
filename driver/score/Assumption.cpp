//===- Assumption.cpp - Rows without one of the inputs that they state ------------------------===//
#include "driver/score/Assumption.h"
#include "llvm/ADT/STLExtras.h"
using namespace dpl;
using namespace dpl::score;
using figures::ErrorSource;

llvm::ArrayRef<Assumption> score::assumptions() {
  static const std::vector<Assumption> rows = [] {
    std::vector<Assumption> all = {
        // The layout alone: degrees, batch, schedule, recomputation, sharding and compute format.
        {ErrorSource::Framework,
         {"layout", "label.framework"},
         {"layout.mesh", "layout.batch", "layout.micro_batch", "layout.schedule", "layout.split",
          "layout.embedding_slots", "layout.head_slots", "layout.recompute",
          "layout.shard.optimizer", "layout.shard.gradients", "layout.shard.parameters",
          "layout.shard.sequence", "layout.precision.compute", "layout.precision.parameters",
          "layout.kernels.token_dispatcher"}},
        {ErrorSource::Kernels, {"layout.kernels", "layout.cuda_graphs", "layout.overlap.experts"}},
        {ErrorSource::Network,
         {"cluster.nic", "cluster.network", "cluster.domain.bandwidth", "cluster.domain.efficiency",
          "cluster.domain.latency", "cluster.collectives"}},
        {ErrorSource::MicroBatch, {"layout.micro_batch"}}};
    for (const char* device :
         {"devices.a100_40.sustained", "devices.h100_sxm.sustained", "devices.b200.sustained"})
      all.push_back({ErrorSource::Device,
                     {"cluster.node.gpu.sustained"},
                     {},
                     "cluster.node.gpu.sustained",
                     device});
    return all;
  }();
  return rows;
}

const Assumption& score::assumedMemory() {
  static const Assumption row = {ErrorSource::Device, {"cluster.node.gpu.non_tensor_memory"}};
  return row;
}

void score::assume(const Assumption& assumption, RowSettings& settings) {
  const auto isBelow = [](llvm::StringRef path, const char* field) {
    return path.consume_front(field) && (path.empty() || path.front() == '.');
  };
  std::vector<std::string> dropped;
  for (const auto& [path, value] : settings.all()) {
    const auto holds = [&, &of = path](const char* field) { return isBelow(of, field); };
    if (llvm::any_of(assumption.dropped, holds) && llvm::none_of(assumption.kept, holds))
      dropped.push_back(path);
  }
  for (const std::string& path : dropped)
    settings.set(path, "");
  if (assumption.field)
    settings.set(assumption.field, assumption.value);
}
