#pragma once
//===- OtherReleases.h - Converts other releases of torchtitan to release 0.2 -----------------===//
#include "frontend/import/settings/Python.h"
#include "frontend/import/settings/SettingsReader.h"

namespace dpl::imports::torchtitan {

/// Behaviour of releases before 0.2, if the file has their names.
struct EarlierBehaviour {
  /// The file has `training.batch_size`: micro-batches are counted, and layers divided evenly.
  bool batch = false;
};

/// Renames settings of releases before 0.2.
EarlierBehaviour readEarlierNames(settings::SettingsReader& set);

/// Layers of each stage in releases before 0.2: the first stage has fewer and, if layers are left
/// over, so has the last. Empty if there are more stages than layers.
std::vector<std::uint64_t> earlierStages(std::uint64_t stages, std::uint64_t layers);

/// The settings of a 0.3 file as tables of 0.2, from its function `wanted` ("" for the only one).
/// `training.graphs` is true if kernels are launched from CUDA graphs. Fails after a report.
FailureOr<settings::SettingValue> normalized(const SourceManager& sources, std::uint32_t file,
                                             const std::string& wanted, DiagnosticEngine& diags);

} // namespace dpl::imports::torchtitan
