#pragma once
//===- FigureFormula.h - A formula in the making ----------------------------------------------===//
#include "ir/Derivation.h"
#include <algorithm>
#include <fmt/format.h>

namespace dpl {

/// Text of a formula and the figures that it names, which are named by their whole paths.
struct FigureFormula {
  std::string text;
  std::vector<std::string> inputs;

  /// Names a figure: returns what stands in the text.
  const std::string& use(const std::string& path) {
    if (std::find(inputs.begin(), inputs.end(), path) == inputs.end())
      inputs.push_back(path);
    return path;
  }
  /// Adds `count` times a figure to a sum.
  void plus(const std::string& path, double count = 1) {
    text += text.empty() ? "" : " + ";
    if (count != 1)
      text += fmt::format("{:.17g} * ", count);
    text += use(path);
  }
  /// Divides by a figure that counts something; by one of it the figure is left out.
  void over(const std::string& path, double value) {
    if (value != 1)
      text += " / " + use(path);
  }
  void times(const std::string& path) { text += " * " + use(path); }
  void parentheses() {
    if (text.find(" + ") != std::string::npos)
      text = "(" + text + ")";
  }
};

inline void addFigure(ir::Results& results, std::string path, double value, const char* dimension,
                      FigureFormula formula, std::string note,
                      ir::Provenance provenance = ir::Provenance::Derived) {
  results.add({std::move(path), value, dimension, std::move(formula.text),
               std::move(formula.inputs), provenance, "", std::move(note)});
}

/// "stage[0]", with several chunks a rank "stage[0.1]": as the report's table calls it.
inline std::string stagePath(std::uint64_t chunksOfARank, std::uint64_t rank, std::uint64_t chunk) {
  return chunksOfARank > 1 ? fmt::format("stage[{}.{}]", rank, chunk)
                           : fmt::format("stage[{}]", rank);
}

} // namespace dpl
