#pragma once
//===- WrittenSettings.h - The place at which an imported file sets an option or setting ------===//
#include "support/Diagnostics.h"
#include <string>
#include <vector>

namespace dpl::imports {

/// An option or setting with the place in the file or command line that sets it.
struct WrittenSetting {
  std::string path; ///< path that the import reads: "training.local_batch_size"
  std::string name; ///< path in the file: "training.batch_size" of an earlier release
  SourceRange at;
};
using WrittenSettings = std::vector<WrittenSetting>;

} // namespace dpl::imports
