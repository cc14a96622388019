#pragma once
//===- WrittenSettings.h - Where an imported file sets an option or a setting
//------------------===//
#include "support/Diagnostics.h"
#include <string>
#include <vector>

namespace dpl::imports {

/// An option or a setting at the place of the file, or of the command line, that sets it.
struct WrittenSetting {
  std::string path; ///< as the import reads it: "training.local_batch_size"
  std::string name; ///< as the file has it: "training.batch_size" of an earlier release
  SourceRange at;
};
using WrittenSettings = std::vector<WrittenSetting>;

} // namespace dpl::imports
