#pragma once
//===- EarlierNames.h - Settings of torchtitan before 0.2 by the names of 0.2 -----------------===//
#include "imports/settings/Settings.h"

namespace dpl::imports::torchtitan {

/// What releases before 0.2 did otherwise, of a file that has their names.
struct Earlier {
  bool batch =
      false; ///< `training.batch_size`: micro-batches were counted, and layers dealt evenly
};

/// Reads settings of before 0.2 as those that have their meaning now.
Earlier readEarlierNames(settings::Settings& set);

/// Layers of each stage as releases before 0.2 dealt them: the first stage and, where layers are
/// left over, the last have fewer. Nothing where there are more stages than layers.
std::vector<std::uint64_t> earlierStages(std::uint64_t stages, std::uint64_t layers);

} // namespace dpl::imports::torchtitan
