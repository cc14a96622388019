#pragma once
//===- Framework.h - The framework of a layout and its defaults -------------------------------===//
#include "ir/Basics.h"

namespace dpl::ir {

/// A field that the layout leaves open and that has a framework default.
struct FilledField {
  std::string path;  ///< path in the layout: "overlap.gradients"
  std::string value; ///< value as the language writes it
  template <class V> void fields(V& v) { v("path", path), v("value", value); }
};

/// `framework = megatron { version = "0.19" }`. The values that it filled in are in the layout. Its
/// name and version also decide further memory of a device.
struct Framework {
  std::string name;      ///< name of its target; empty if the layout sets none
  std::string version;   ///< empty if not set: any version
  bool compiled = false; ///< layers and loss use torch.compile, in PyTorch and torchtitan
  std::vector<FilledField> filled;
  SourceRange range; ///< location in the file; not printed
  /// "torchtitan 0.3 compiled"
  std::string text() const {
    return name + (version.empty() ? "" : " " + version) + (compiled ? " compiled" : "");
  }
  template <class V> void fields(V& v) {
    v("name", name), v("version", version), v("compiled", compiled), v("filled", filled);
  }
};

} // namespace dpl::ir
