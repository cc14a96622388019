#pragma once
//===- OtherReleases.h - Settings of other releases of torchtitan in the words of 0.2 ---------===//
#include "frontend/import/settings/Python.h"
#include "frontend/import/settings/SettingsReader.h"

namespace dpl::imports::torchtitan {

/// Behaviour of releases before 0.2 that applies to a file with their names.
struct EarlierBehaviour {
  /// The file has `training.batch_size`: it counts micro-batches, and layers are divided evenly.
  bool batch = false;
};

/// Reads settings of releases before 0.2 as the settings that have their meaning now.
EarlierBehaviour readEarlierNames(settings::SettingsReader& set);

/// Layers of each stage as releases before 0.2 divided them: the first stage has fewer and, if
/// layers are left over, so has the last. Empty if there are more stages than layers.
std::vector<std::uint64_t> earlierStages(std::uint64_t stages, std::uint64_t layers);

/// The settings of a file of 0.3: of its function `wanted`, "" for the only one, as the tables of a
/// TOML file; `training.graphs` says whether kernels are launched from graphs. Fails after a
/// report.
FailureOr<settings::SettingValue> normalized(const SourceManager& sources, std::uint32_t file,
                                             const std::string& wanted, DiagnosticEngine& diags);

} // namespace dpl::imports::torchtitan
