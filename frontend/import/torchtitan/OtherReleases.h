#pragma once
//===- OtherReleases.h - Converts other releases of torchtitan to release 0.2 -----------------===//
#include "frontend/import/settings/Python.h"
#include "frontend/import/settings/SettingsReader.h"

namespace dpl::imports::torchtitan {

/// Behaviour of releases before 0.2, for files with settings of such a release.
struct EarlierBehaviour {
  /// Whether the file has `training.batch_size`. Micro-batches are then counted, and layers are
  /// divided evenly.
  bool batch = false;
};

/// Renames settings of releases before 0.2 to those of 0.2.
EarlierBehaviour readEarlierNames(settings::SettingsReader& set);

/// Layers of each stage in releases before 0.2. The first stage has fewer layers, and so has the
/// last one if there is a remainder. Empty if there are more stages than layers.
std::vector<std::uint64_t> earlierStages(std::uint64_t stages, std::uint64_t layers);

/// The settings of a file of release 0.3 as tables of 0.2. `wanted` is the name of the function
/// that returns them; it is empty if there is only one. `training.graphs` is true if CUDA graphs
/// launch the kernels. Fails after an error was reported.
FailureOr<settings::SettingValue> normalized(const SourceManager& sources, std::uint32_t file,
                                             const std::string& wanted, DiagnosticEngine& diags);

} // namespace dpl::imports::torchtitan
