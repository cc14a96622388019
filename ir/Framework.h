#pragma once
//===- Framework.h - What trains a layout, and what it filled in ------------------------------===//
#include "ir/Basics.h"

namespace dpl::ir {

/// A field that the layout leaves open and its framework has in its own way.
struct FilledField {
  std::string path;  ///< of the layout: "overlap.gradients"
  std::string value; ///< as the language writes it
  template <class V> void fields(V& v) { v("path", path), v("value", value); }
};

/// `framework = megatron { version = "0.19" }`. What it filled in is in the layout; its name and
/// version say what else it holds of a device.
struct Framework {
  std::string name;      ///< of its target; empty when the layout names none
  std::string version;   ///< empty when it names none: any
  bool compiled = false; ///< of PyTorch and torchtitan: layers and loss, by torch.compile
  std::vector<FilledField> filled;
  SourceRange range; ///< where it was named; not printed
  /// "torchtitan 0.3 compiled"
  std::string text() const {
    return name + (version.empty() ? "" : " " + version) + (compiled ? " compiled" : "");
  }
  template <class V> void fields(V& v) {
    v("name", name), v("version", version), v("compiled", compiled), v("filled", filled);
  }
};

} // namespace dpl::ir
