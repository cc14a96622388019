#pragma once
//===- FieldTexts.h - Fields as they are set and shown outside of files -----------------------===//
#include "support/SourceManager.h"
#include <string>

namespace dpl {

/// `--set layout.mesh.tensor=4`: the value is an expression of the language. `origin` is what a
/// message prints: "--set" or "--set-file"; `range` is the setting's place where it has one in a
/// file.
struct Override {
  std::string path, value, origin;
  SourceRange range = {};
};

/// One level of a field's history, innermost last: `dplc report --why layout.mesh.tensor`.
struct FieldLevel {
  std::string
      level; ///< "schema default", "from models.decoder", "with site.fast_ib", "block", "--set"
  std::string value; ///< as written
  SourceRange range;
};

/// A field of a block with the value that a file would set. All levels and defaults are applied.
struct WrittenField {
  std::string path;  ///< "layout.shard.optimizer", "model.layer[3].ffn.hidden", "train.steps"
  std::string value; ///< "data", "{ data = rest, tensor = 8 }"; a choice has all its fields
  /// The name alone of a choice or block whose fields follow; empty for other values.
  std::string name;
};

} // namespace dpl
