#pragma once
//===- WrittenSettings.h - The place at which an imported file sets an option or setting ------===//
#include "support/Diagnostics.h"
#include <string>
#include <vector>

namespace dpl::imports {

/// An option or setting, and the place in the file or command line that sets it.
struct WrittenSetting {
  std::string path; ///< path by which the import reads it: "training.local_batch_size"
  std::string name; ///< path in the file, which may be that of an earlier release:
                    ///< "training.batch_size"
  SourceRange at;
};
using WrittenSettings = std::vector<WrittenSetting>;

} // namespace dpl::imports
