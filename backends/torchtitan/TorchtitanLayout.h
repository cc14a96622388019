#pragma once
//===- TorchtitanLayout.h - A plan in torchtitan's terms --------------------------------------===//
#include "backends/Target.h"
#include "backends/TorchPipelining.h"
#include "backends/torchtitan/Flavors.h"
#include <llvm/ADT/StringRef.h>

namespace dpl::torchtitan {

/// The degrees and choices that the rules and the configuration need. It refers to the request.
struct TorchtitanLayout {
  explicit TorchtitanLayout(const TargetRequest& request);

  const TargetRequest& request;
  const ir::Plan& plan;
  bool old;                       ///< 0.2: TOML, expert tensor parallelism, one seq_len divisor
  const Flavor* flavor = nullptr; ///< null if the release has no flavor of these dimensions
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
  /// Whether fully_shard wraps the model; FSDP's mesh is dp_shard × cp.
  bool sharded() const { return shardDegree() * context > 1; }
  bool sequenceParallel() const;
  /// Sequences per forward and backward pass of a data rank: all micro-batches of the pipeline, or
  /// one micro-batch.
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
  /// Whether `compile` is on: as requested, or because of asynchronous tensor parallelism.
  bool compiled() const;
  /// Whether the loss is compiled: with the layers unless the plan has an eager loss, without them
  /// if it has a compiled one.
  bool compiledLoss() const;
  /// Whether the plan's recomputation equals torchtitan's policy by operator.
  bool byOperator() const;
};

/// The differences between the plan and torchtitan with the written configuration, one sentence
/// each.
std::vector<std::string> differencesOf(const TorchtitanLayout& layout);

} // namespace dpl::torchtitan
