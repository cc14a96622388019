#pragma once
//===- TorchtitanLayout.h - A plan in torchtitan's terms --------------------------------------===//
#include "backends/Target.h"
#include "backends/TorchPipelining.h"
#include "backends/torchtitan/Flavors.h"
#include <llvm/ADT/StringRef.h>

namespace dpl::torchtitan {

/// A plan in torchtitan's terms: degrees and choices that rules and configuration need. It refers
/// to the request.
struct TorchtitanLayout {
  explicit TorchtitanLayout(const TargetRequest& request);

  const TargetRequest& request;
  const ir::Plan& plan;
  bool old;                       ///< whether the release is 0.2: TOML, expert tensor parallelism,
                                  ///< one seq_len divisor
  const Flavor* flavor = nullptr; ///< flavor with the dimensions of the model; null if the release
                                  ///< has none
  std::uint64_t tensor = 1, context = 1, pipeline = 1, data = 1, replica = 1;
  std::uint64_t expert = 1, expertTensor = 1, expertData = 1;
  bool experts = false;     ///< whether a layer has routed experts
  std::uint64_t chunks = 1; ///< model chunks per pipeline rank
  unsigned zero = 0;        ///< ZeRO stage of the plan's `shard`; 0 with one data rank
  std::optional<TorchSchedule> schedule;

  /// torchtitan's data_parallel_shard_degree and data_parallel_replicate_degree. Without sharding
  /// the data axis replicates.
  std::uint64_t shardDegree() const { return zero > 0 ? data : 1; }
  std::uint64_t replicateDegree() const { return zero > 0 ? replica : replica * data; }
  std::uint64_t dataRanks() const { return replica * data; }
  /// Whether the model is wrapped by fully_shard, whose mesh is dp_shard × cp.
  bool sharded() const { return shardDegree() * context > 1; }
  bool sequenceParallel() const;
  /// The sequences that a data rank passes to one forward and backward pass: all micro-batches of a
  /// step if there is a pipeline, otherwise one micro-batch.
  std::uint64_t localBatch() const;
  bool fromTable() const { return pipeline > 1 && schedule && schedule->table; }
  /// Whether sends overlap with computation. 1F1B of torch.distributed.pipelining waits for each
  /// message; other schedules do not.
  bool overlapsSends() const;
  /// Whether parameters, gradients and moments are all bf16, without master weights.
  bool fullBf16() const;
  /// Whether parameters are fp32 and compute is narrower.
  bool mixed() const;
  bool float8() const;
  /// Whether `compile` is on, because the plan requests it or asynchronous tensor parallelism needs
  /// it.
  bool compiled() const;
  /// Whether the loss is compiled. If the layers are compiled, it is unless the plan has an eager
  /// loss. If they are not, it is only if the plan has a compiled loss.
  bool compiledLoss() const;
  /// Whether the plan's recomputation equals torchtitan's policy by operator.
  bool byOperator() const;
};

/// The differences between the plan and what torchtitan does with the written configuration, one
/// sentence each.
std::vector<std::string> differencesOf(const TorchtitanLayout& layout);

} // namespace dpl::torchtitan
