#pragma once
//===- FieldTexts.h - Fields as text: overrides, history and output ---------------------------===//
#include "support/SourceManager.h"
#include <string>

namespace dpl {

/// A setting such as `--set layout.mesh.tensor=4`, whose value is an expression. Messages print
/// `origin`: "--set" or "--set-file". `range` is the place in the settings file, if any.
struct Override {
  std::string path, value, origin;
  SourceRange range = {};
};

/// A level that sets a field, for `dplc report --why layout.mesh.tensor`; innermost last.
struct FieldLevel {
  std::string
      level; ///< "schema default", "from models.decoder", "with site.fast_ib", "block", "--set"
  std::string value; ///< as written
  SourceRange range;
};

/// A field of a block with its final value, as a file would set it.
struct WrittenField {
  std::string path;  ///< "layout.shard.optimizer", "model.layer[3].ffn.hidden", "train.steps"
  std::string value; ///< "data", "{ data = rest, tensor = 8 }"; a choice has all its fields
  /// The name of a choice or block whose fields follow; empty for other values.
  std::string name;
};

} // namespace dpl
