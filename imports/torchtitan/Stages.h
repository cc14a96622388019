#pragma once
//===- Stages.h - Schedule, micro-batches and stages of a configuration of torchtitan ---------===//
#include "imports/Configuration.h"
#include "imports/torchtitan/EarlierNames.h"

namespace dpl::imports::torchtitan {

constexpr const char* program = "torchtitan"; ///< that refuses what it refuses
constexpr std::uint64_t most = 1'000'000;     ///< of nodes, devices and slots

/// What the language calls a schedule of torch.distributed.pipelining.
llvm::StringRef scheduleOfLanguage(llvm::StringRef schedule);

class Stages {
public:
  /// `layers` is 0 where they are not known.
  Stages(settings::Settings& set, const TorchtitanFacts& facts, const Earlier& earlier,
         std::uint64_t pipeline, std::uint64_t layers)
      : set(set), facts(facts), earlier(earlier), pipeline(pipeline), layers(layers) {}

  /// By the name that torch gives it; reported once where it is none.
  const std::string& schedule();
  /// Sequences of a micro-batch, of a pass with `local`.
  std::uint64_t microBatchOf(std::uint64_t local);
  /// In the order of the model; empty where they are not known.
  std::vector<std::uint64_t> layersOfEach();

private:
  bool severalOfARank();
  std::vector<std::uint64_t> dealtEarlier(std::uint64_t count);
  std::vector<std::uint64_t> between(const settings::Value& points);
  std::vector<std::uint64_t> counted(const settings::Value& listed);

  settings::Settings& set;
  const TorchtitanFacts& facts;
  const Earlier& earlier;
  std::uint64_t pipeline, layers;
  std::string scheduleName;
};

} // namespace dpl::imports::torchtitan
