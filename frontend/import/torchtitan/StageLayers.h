#pragma once
//===- StageLayers.h - Schedule, micro-batch and stages in torchtitan -------------------------===//
#include "frontend/import/Configuration.h"
#include "frontend/import/torchtitan/OtherReleases.h"

namespace dpl::imports::torchtitan {

constexpr const char* program = "torchtitan"; ///< program that messages name
constexpr std::uint64_t most = 1'000'000;     ///< limit on nodes, devices and slots

/// The name that a schedule of torch.distributed.pipelining has in DPL.
llvm::StringRef scheduleOfLanguage(llvm::StringRef schedule);

class StageLayers {
public:
  /// `layers` is the number of layers; 0 if it is not known.
  StageLayers(settings::SettingsReader& set, const TorchtitanTables& facts,
              const EarlierBehaviour& earlier, std::uint64_t pipeline, std::uint64_t layers)
      : set(set), facts(facts), earlier(earlier), pipeline(pipeline), layers(layers) {}

  /// The name of the schedule in PyTorch. A name that is not known is reported once.
  const std::string& schedule();
  /// Sequences per micro-batch. `local` is the local batch size.
  std::uint64_t microBatchOf(std::uint64_t local);
  /// Layers of each stage, in model order; empty if they are not known.
  std::vector<std::uint64_t> layersOfEach();

private:
  bool severalOfARank();
  std::vector<std::uint64_t> dealtEarlier(std::uint64_t count);
  std::vector<std::uint64_t> between(const settings::SettingValue& points);
  std::vector<std::uint64_t> counted(const settings::SettingValue& listed);

  settings::SettingsReader& set;
  const TorchtitanTables& facts;
  const EarlierBehaviour& earlier;
  std::uint64_t pipeline, layers;
  std::string scheduleName;
};

} // namespace dpl::imports::torchtitan
