//===- Why.cpp - The derivation of a figure ---------------------------------------------------===//
#include "backends/report/Format.h"
#include "backends/report/Report.h"
#include "backends/report/TextTable.h"
#include "figures/Variation.h"
#include "ir/FigureNames.h"
#include "support/Text.h"
#include "support/Utf8.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>

using namespace dpl;
using namespace dpl::report;
using figures::Figure;
using figures::Figures;
using figures::Provenance;
using figures::Variation;

namespace {

class Tree {
public:
  Tree(const Figures& figures, unsigned width)
      : figures(figures), variation(figures), width(width) {}

  std::string draw(const Figure& root) {
    node(root, "", "");
    sensitivity(root);
    return std::move(out);
  }

private:
  /// Adds a text to the right of the tree's branches. In the deepest branches it may exceed the
  /// width.
  void say(const std::string& bar, const std::string& text) {
    constexpr std::size_t least = 40, hang = 2;
    const std::size_t used = codePoints(bar);
    const auto room = static_cast<unsigned>(width > used + least ? width - used : least);
    std::string body = wrapped(text, room, 0, hang);
    for (std::size_t at = body.find('\n'); at != std::string::npos; at = body.find('\n', at + 1))
      body.insert(at + 1, bar + std::string(hang, ' '));
    out += bar + body + "\n";
  }
  /// Adds a figure: its line, its note, its formula, and then its inputs.
  void node(const Figure& figure, const std::string& first, const std::string& rest) {
    const bool again = !shown.insert(&figure).second;
    const std::vector<const Figure*>& inputs = figure.inputs;
    out += fmt::format("{}{} = {}", first, ir::writtenPath(figure.path), show(figure));
    if (figure.provenance != Provenance::Derived)
      out += fmt::format("  {}{}", name(figure.provenance),
                         figure.source.empty() ? "" : ", " + figure.source);
    if (again) {
      out += inputs.empty() ? "\n" : "  as above\n";
      return;
    }
    out += "\n";
    const std::string bar = rest + (inputs.empty() ? "   " : "│  ");
    if (!figure.note.empty() && !(figure.value == 0 && inputs.empty())) // zeros without inputs need
                                                                        // no explanation
      say(bar, figure.note);
    if (figure.formula != 0) {
      say(bar, "= " + figures.formula(figure));
      say(bar, "= " + figures.expressions().text(figure.formula,
                                                 [](const Figure& input) { return show(input); }));
    }
    const Figure* decisive = figures.expressions().deciding(figure.formula);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const bool last = i + 1 == inputs.size();
      const std::string branch = rest + (last ? "└─ " : "├─ ");
      if (decisive && inputs[i] != decisive)
        out += fmt::format("{}{} = {}  does not decide\n", branch, ir::writtenPath(inputs[i]->path),
                           show(*inputs[i]));
      else
        node(*inputs[i], branch, rest + (last ? "   " : "│  "));
    }
  }

  void leaves(const Figure& figure, std::vector<const Figure*>& found,
              std::set<const Figure*>& seen, unsigned& opaque) {
    if (!seen.insert(&figure).second)
      return;
    if (figure.inputs.empty() || !Variation::closed(figure)) {
      opaque += figure.inputs.empty() ? 0 : 1; // counts the figures whose formula is not known
      found.push_back(&figure);
      return;
    }
    for (const Figure* input : figure.inputs)
      leaves(*input, found, seen, opaque);
  }

  /// Finds the inputs with the largest effect. Each input is changed by ±1 %, and the formulas are
  /// evaluated.
  void sensitivity(const Figure& root) {
    std::vector<const Figure*> found;
    std::set<const Figure*> seen;
    unsigned opaque = 0;
    leaves(root, found, seen, opaque);
    const Figure* most = nullptr;
    double strongest = 0;
    for (const Figure* leaf : found) {
      if (leaf == &root)
        return;
      const double e = variation.elasticity(root, *leaf);
      if (std::abs(e) > std::abs(strongest) + 1e-3) {
        strongest = e;
        most = leaf;
      }
    }
    if (!most)
      return;
    out += fmt::format("most sensitive to {}: +1% changes it by {:+.2f}%\n",
                       ir::writtenPath(most->path), strongest);
    if (opaque > 0)
      out += fmt::format(
          "  {} figure{} come{} from a simulated or searched part and {} varied as a whole\n",
          opaque, opaque == 1 ? "" : "s", opaque == 1 ? "s" : "", opaque == 1 ? "is" : "are");
  }

  const Figures& figures;
  Variation variation;
  const unsigned width;
  std::set<const Figure*> shown;
  std::string out;
};

} // namespace

std::string report::why(const Figures& figures, const std::string& path, unsigned width) {
  if (const Figure* figure = figures.find(path))
    return Tree(figures, width).draw(*figure);
  std::string out;
  for (const Figure* figure : figures.all())
    if (llvm::StringRef(figure->path).startswith(path + ".") ||
        llvm::StringRef(figure->path).startswith(path + "["))
      out += fmt::format("{} = {}\n", ir::writtenPath(figure->path), show(*figure));
  return out;
}
