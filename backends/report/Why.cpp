//===- Why.cpp - The derivation of a figure, down to its leaves -------------------------------===//
#include "backends/report/Format.h"
#include "backends/report/Formula.h"
#include "backends/report/Report.h"
#include "backends/report/Table.h"
#include "ir/Names.h"
#include "support/Text.h"
#include "support/Utf8.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>

using namespace dpl;
using namespace dpl::report;

namespace {

/// Evaluates the stored formulas again with one leaf changed. A figure whose formula is a sentence,
/// does not give its value, or is what is left of a simulated whole, keeps its value: what lies
/// below it cannot be varied, or the whole would move with it.
class Variation {
public:
  explicit Variation(const ir::Results& results) : results(results) {}

  /// Change of `of` in percent of itself when `leaf` grows by one percent; nothing when no formula
  /// leads from one to the other.
  double elasticity(const ir::Quantity& of, const ir::Quantity& leaf) {
    constexpr double step = 0.01;
    const double up = evaluate(of, leaf, 1 + step), down = evaluate(of, leaf, 1 - step);
    return of.value == 0 ? 0 : (up - down) / (2 * step * of.value);
  }
  /// Whether the formula of a figure gives its value, to a millionth.
  bool closed(const ir::Quantity& q) {
    const auto known = isClosed.find(q.path);
    if (known != isClosed.end())
      return known->second;
    const auto v = evaluateFormula(q.formula, [&](const std::string& s) -> std::optional<double> {
      const ir::Quantity* input = symbolInput(results, q, s);
      return input ? std::optional(input->value) : std::nullopt;
    });
    const bool yes = v && std::abs(*v - q.value) <= 1e-6 * std::abs(q.value) && !isRemainder(q);
    isClosed[q.path] = yes;
    return yes;
  }

private:
  bool isRemainder(const ir::Quantity& q) const {
    return std::any_of(q.inputs.begin(), q.inputs.end(), [&](const std::string& path) {
      const ir::Quantity* input = results.find(path);
      return input && input->provenance == ir::Provenance::Simulated &&
             input->dimension == q.dimension && !q.dimension.empty() && q.inputs.size() > 1;
    });
  }
  double evaluate(const ir::Quantity& of, const ir::Quantity& leaf, double factor) {
    std::map<std::string, double> values;
    return evaluate(of, leaf, factor, values);
  }
  double evaluate(const ir::Quantity& of, const ir::Quantity& leaf, double factor,
                  std::map<std::string, double>& values) {
    if (&of == &leaf)
      return of.value * factor;
    const auto known = values.find(of.path);
    if (known != values.end())
      return known->second;
    values[of.path] = of.value; // also what ends a cycle, should a back end have made one
    if (!of.inputs.empty() && closed(of)) {
      const auto v =
          evaluateFormula(of.formula, [&](const std::string& s) -> std::optional<double> {
            const ir::Quantity* input = symbolInput(results, of, s);
            return input ? std::optional(evaluate(*input, leaf, factor, values)) : std::nullopt;
          });
      values[of.path] = v.value_or(of.value);
    }
    return values[of.path];
  }

  const ir::Results& results;
  std::map<std::string, bool> isClosed;
};

class Tree {
public:
  Tree(const ir::Plan& plan, unsigned width)
      : results(plan.results), variation(plan.results), width(width) {}

  std::string draw(const ir::Quantity& root) {
    node(root, "", "");
    sensitivity(root);
    return std::move(out);
  }

private:
  /// A text beside the branches of the tree. In the deepest of them it may be wider.
  void say(const std::string& bar, const std::string& text) {
    constexpr std::size_t least = 40, hang = 2;
    const std::size_t used = codePoints(bar);
    const auto room = static_cast<unsigned>(width > used + least ? width - used : least);
    std::string body = wrapped(text, room, 0, hang);
    for (std::size_t at = body.find('\n'); at != std::string::npos; at = body.find('\n', at + 1))
      body.insert(at + 1, bar + std::string(hang, ' '));
    out += bar + body + "\n";
  }
  /// One figure: its line, then what it is and its formula, then its inputs.
  void node(const ir::Quantity& q, const std::string& first, const std::string& rest) {
    const bool again = !shown.insert(q.path).second;
    out += fmt::format("{}{} = {}", first, q.path, show(q));
    if (q.provenance != ir::Provenance::Derived)
      out += fmt::format("  {}{}", ir::name(q.provenance), q.source.empty() ? "" : ", " + q.source);
    if (again) {
      out += q.inputs.empty() ? "\n" : "  as above\n";
      return;
    }
    out += "\n";
    std::vector<const ir::Quantity*> inputs;
    for (const std::string& path : q.inputs)
      if (const ir::Quantity* input = results.find(path))
        inputs.push_back(input);
    const std::string bar = rest + (inputs.empty() ? "   " : "│  ");
    if (!q.note.empty() &&
        !(q.value == 0 && inputs.empty())) // of nothing there is nothing to explain
      say(bar, q.note);
    const SymbolValue value = [&](const std::string& s) -> std::optional<double> {
      const ir::Quantity* input = symbolInput(results, q, s);
      return input ? std::optional(input->value) : std::nullopt;
    };
    if (evaluateFormula(q.formula, value)) {
      say(bar, "= " + q.formula);
      say(bar, "= " + plugIn(q.formula, [&](const std::string& s) {
                 const ir::Quantity* input = symbolInput(results, q, s);
                 return input ? std::optional(show(*input)) : std::nullopt;
               }));
    } else if (!q.formula.empty()) {
      say(bar, q.formula); // a sentence: there is nothing to plug in
    }
    const std::string decides = decidingSymbol(q.formula, value);
    const ir::Quantity* decisive = decides.empty() ? nullptr : symbolInput(results, q, decides);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const bool last = i + 1 == inputs.size();
      const std::string branch = rest + (last ? "└─ " : "├─ ");
      if (decisive && inputs[i] != decisive)
        out +=
            fmt::format("{}{} = {}  does not decide\n", branch, inputs[i]->path, show(*inputs[i]));
      else
        node(*inputs[i], branch, rest + (last ? "   " : "│  "));
    }
  }

  void leaves(const ir::Quantity& q, std::vector<const ir::Quantity*>& found,
              std::set<std::string>& seen, unsigned& opaque) {
    if (!seen.insert(q.path).second)
      return;
    bool has = false;
    for (const std::string& path : q.inputs)
      has = has || results.find(path) != nullptr;
    if (!has) {
      found.push_back(&q);
      return;
    }
    if (!variation.closed(q)) {
      ++opaque; // its value stands for all below it
      found.push_back(&q);
      return;
    }
    for (const std::string& path : q.inputs)
      if (const ir::Quantity* input = results.find(path))
        leaves(*input, found, seen, opaque);
  }

  /// Which input moves the figure most, by evaluating its formulas with each changed by ±1 %.
  void sensitivity(const ir::Quantity& root) {
    std::vector<const ir::Quantity*> found;
    std::set<std::string> seen;
    unsigned opaque = 0;
    leaves(root, found, seen, opaque);
    const ir::Quantity* most = nullptr;
    double strongest = 0;
    for (const ir::Quantity* leaf : found) {
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
    out += fmt::format("moved most by {}: +1% there is {:+.2f}% here\n", most->path, strongest);
    if (opaque > 0)
      out += fmt::format(
          "  {} figure{} come{} from a simulated or searched part and {} varied whole\n", opaque,
          opaque == 1 ? "" : "s", opaque == 1 ? "s" : "", opaque == 1 ? "is" : "are");
  }

  const ir::Results& results;
  Variation variation;
  const unsigned width;
  std::set<std::string> shown;
  std::string out;
};

} // namespace

std::string report::why(const ir::Plan& plan, const std::string& path, unsigned width) {
  if (const ir::Quantity* q = plan.results.find(path))
    return Tree(plan, width).draw(*q);
  std::string out;
  for (const ir::Quantity& q : plan.results.quantities)
    if (llvm::StringRef(q.path).startswith(path + ".") ||
        llvm::StringRef(q.path).startswith(path + "["))
      out += fmt::format("{} = {}\n", q.path, show(q));
  return out;
}
