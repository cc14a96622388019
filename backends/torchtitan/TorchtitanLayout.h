#pragma once
//===- TorchtitanLayout.h - A plan in torchtitan's terms
//---------------------------------------===//
#include "backends/Target.h"
#include "backends/TorchPipelining.h"
#include "backends/torchtitan/Flavors.h"
#include <llvm/ADT/StringRef.h>

namespace dpl::torchtitan {

/// The degrees and choices that the rules and the configuration read. Refers to the request.
struct TorchtitanLayout {
  explicit TorchtitanLayout(const TargetRequest& request);

  const TargetRequest& request;
  const ir::Plan& plan;
  bool old;                       ///< 0.2: TOML, expert tensor parallelism, one seq_len divisor
  const Flavor* flavor = nullptr; ///< null where the release has none of these dimensions
  std::uint64_t tensor = 1, context = 1, pipeline = 1, data = 1, replica = 1;
  std::uint64_t expert = 1, expertTensor = 1, expertData = 1;
  bool experts = false;     ///< the model has layers with routed experts
  std::uint64_t chunks = 1; ///< model chunks a pipeline rank
  unsigned zero = 0;        ///< ZeRO stage of the plan's `shard`; 0 where there is one data rank
  std::optional<TorchSchedule> schedule;

  /// torchtitan's data_parallel_shard_degree and data_parallel_replicate_degree. Without sharding
  /// the data axis replicates.
  std::uint64_t shardDegree() const { return zero > 0 ? data : 1; }
  std::uint64_t replicateDegree() const { return zero > 0 ? replica : replica * data; }
  std::uint64_t dataRanks() const { return replica * data; }
  /// fully_shard wraps the model: FSDP's mesh is dp_shard × cp.
  bool sharded() const { return shardDegree() * context > 1; }
  bool sequenceParallel() const;
  /// Sequences that one call of a data rank's forward and backward takes: all micro-batches of the
  /// pipeline, or one micro-batch.
  std::uint64_t localBatch() const;
  bool fromTable() const { return pipeline > 1 && schedule && schedule->table; }
  /// 1F1B of torch.distributed.pipelining waits for each message, the others send beside
  /// computation.
  bool overlapsSends() const;
  /// No master copy: parameters, gradients and moments are all bf16.
  bool fullBf16() const;
  /// Compute narrower than fp32 on parameters kept in fp32.
  bool mixed() const;
  bool float8() const;
  /// Its `compile` is on: asked for, or by asynchronous tensor parallelism.
  bool compiled() const;
  /// The loss is compiled: with the layers unless the plan has an eager one, without them if it has
  /// a compiled one.
  bool compiledLoss() const;
  /// Recomputes what torchtitan's own policy by operator does.
  bool byOperator() const;
};

/// Where torchtitan, run with the written configuration, does something else than the plan says,
/// one sentence each.
std::vector<std::string> differencesOf(const TorchtitanLayout& layout);

} // namespace dpl::torchtitan
