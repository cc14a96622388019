#pragma once
//===- FieldTexts.h - Fields as text: overrides, history and output ---------------------------===//
#include "support/SourceManager.h"
#include <string>

namespace dpl {

/// An override such as `--set layout.mesh.tensor=4`. Its value is an expression. Messages print
/// `origin`, which is "--set" or "--set-file". `range` is the place in the file of overrides, if it
/// comes from one.
struct Override {
  std::string path, value, origin;
  SourceRange range = {};
};

/// A level that sets a field, for `dplc report --why layout.mesh.tensor`. In lists the innermost
/// level is last.
struct FieldLevel {
  std::string
      level; ///< "schema default", "from models.decoder", "with site.fast_ib", "block", "--set"
  std::string value; ///< value as the level writes it
  SourceRange range;
};

/// A field of a block with its final value, as a file would set it.
struct WrittenField {
  std::string path;  ///< path of the field: "layout.shard.optimizer", "model.layer[3].ffn.hidden",
                     ///< "train.steps"
  std::string value; ///< value as text: "data", "{ data = rest, tensor = 8 }"; a choice has all its
                     ///< fields
  /// The name of a choice or block whose fields follow; empty for other values.
  std::string name;
};

} // namespace dpl
