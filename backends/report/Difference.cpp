//===- Difference.cpp - Comparison of two plans -----------------------------------------------===//
#include "backends/report/Difference.h"
#include "backends/report/Format.h"
#include "backends/report/TextTable.h"
#include "ir/FigureNames.h"
#include "support/Json.h"
#include "support/Text.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::report;

namespace {

constexpr const char* absent = "-";
/// Values smaller than this in both plans are rounding errors of zero.
constexpr double leastShown = 1e-10;

/// The values of two plans for one path; null if a plan does not have the path.
template <class T> struct PathPair {
  std::string path;
  const T* first = nullptr;
  const T* second = nullptr;
};

/// Pairs the values of two plans by path: in the order of the first plan, then those that only the
/// second one has.
template <class T, class Path>
std::vector<PathPair<T>> paired(const std::vector<T>& first, const std::vector<T>& second,
                                Path path) {
  std::vector<PathPair<T>> out;
  llvm::StringMap<std::size_t> index;
  for (const T& one : first) {
    index[path(one)] = out.size();
    out.push_back({path(one), &one, nullptr});
  }
  for (const T& one : second) {
    const auto [place, added] = index.try_emplace(path(one), out.size());
    if (added)
      out.push_back({path(one), nullptr, &one});
    else
      out[place->second].second = &one;
  }
  return out;
}

class Compared {
public:
  Compared(const ComparedPlan& a, const ComparedPlan& b) : first(a.plan), second(b.plan) {
    std::vector<std::string> told; // paths of choices and blocks that are printed as a whole
    for (auto& pair :
         paired(a.fields, b.fields, [](const SideField& field) { return field.path; })) {
      const llvm::StringRef path = pair.path;
      if (ofAllElements(pair, a, b))
        continue;
      if (llvm::any_of(told, [&](const std::string& outer) { return path.startswith(outer); }) ||
          alike(pair.first, pair.second) || amended(pair, a, b))
        continue;
      if (named(pair.first) || named(pair.second))
        told.push_back(pair.path + ".");
      fields.push_back(std::move(pair));
    }
    for (auto& pair : paired(first.all(), second.all(), [](const figures::Figure* figure) {
           return ir::writtenPath(figure->path);
         }))
      if (!(pair.first && pair.second && (*pair.first)->value == (*pair.second)->value))
        figures.push_back(std::move(pair));
  }

  std::vector<PathPair<SideField>> fields;
  std::vector<PathPair<const figures::Figure*>> figures;

private:
  static bool named(const SideField* field) { return field && !field->name.empty(); }
  /// Whether both plans have the same choice or block, so that each differing field in it has a
  /// row.
  static bool alike(const SideField* a, const SideField* b) {
    return a && b && (sameValue(a->value, b->value) || (named(a) && a->name == b->name));
  }
  /// Compares two values. A default may lack the unit that a file writes: "1" equals "1seq".
  static bool sameValue(llvm::StringRef a, llvm::StringRef b) {
    const auto isCount = [](llvm::StringRef text) {
      return !text.empty() && llvm::all_of(text, llvm::isDigit);
    };
    const auto without = [](llvm::StringRef text) {
      return text.endswith("seq") || text.endswith("sample") ? text.take_while(llvm::isDigit)
                                                             : text;
    };
    return a == b || (isCount(a) && a == without(b)) || (isCount(b) && b == without(a));
  }
  /// The path without indices: "train.phase.steps" for "train.phase[1].steps".
  static std::string ofAll(llvm::StringRef path) {
    std::string out;
    for (llvm::StringRef rest = path; !rest.empty();) {
      const auto [before, after] = rest.split('[');
      out += before;
      if (after.empty())
        break;
      const bool number = llvm::isDigit(after.front());
      out += number ? "" : ("[" + after.split(']').first + "]").str();
      rest = after.split(']').second;
    }
    return out;
  }
  /// If one plan sets a field for all elements and the other one by index, each index gets the
  /// shared value. Returns true if the pair is the field without an index, which then has no row.
  static bool ofAllElements(PathPair<SideField>& pair, const ComparedPlan& a,
                            const ComparedPlan& b) {
    if (pair.first && pair.second)
      return false;
    const std::string shared = ofAll(pair.path);
    for (const SideField& field : pair.first ? b.fields : a.fields)
      if (shared == pair.path ? field.path != shared && ofAll(field.path) == shared
                              : field.path == shared) {
        if (shared == pair.path)
          return true;
        (pair.first ? pair.second : pair.first) = &field;
      }
    return false;
  }
  /// Whether only one plan names a block, while the other sets fields in it. These fields follow.
  static bool amended(const PathPair<SideField>& pair, const ComparedPlan& a,
                      const ComparedPlan& b) {
    const std::vector<SideField>& other = pair.first ? b.fields : a.fields;
    return (!pair.first || !pair.second) && named(pair.first ? pair.first : pair.second) &&
           llvm::any_of(other, [&](const SideField& field) {
             return llvm::StringRef(field.path).startswith(pair.path + ".");
           });
  }
  figures::Figures first, second;
};

/// A table of fields. Values wider than its columns are printed below it, so that they can be
/// pasted.
std::string fieldsText(const std::vector<PathPair<SideField>>& fields, unsigned width) {
  const std::size_t most = width < 100 ? 20 : 28;
  TextTable table({"field", "first", "second"});
  std::string wide;
  for (const auto& [path, a, b] : fields) {
    const std::string first = a ? a->value : absent, second = b ? b->value : absent;
    if (std::max(first.size(), second.size()) <= most)
      table.row({path, first, second});
    else
      wide +=
          fmt::format("  {}\n    {}\n    {}\n", path, wrapped("first   " + first, width - 4, 12, 8),
                      wrapped("second  " + second, width - 4, 12, 8));
  }
  return (table.empty() ? "" : table.render(width)) + wide;
}

/// The change relative to the first value, "+12.3%" or "x12.3"; a dash if the first value is 0 or
/// the signs differ.
std::string change(const figures::Figure* first, const figures::Figure* second) {
  if (!first || !second || first->value == 0 || first->value * second->value < 0)
    return absent;
  const double share = second->value / first->value - 1;
  if (!std::isfinite(share))
    return absent;
  return std::abs(share) < 10 ? fmt::format("{:+.1f}%", 100 * share)
                              : fmt::format("x{:.3g}", second->value / first->value);
}

Json described(const ComparedPlan& side) {
  return {{"file", side.plan.file}, {"layout", side.plan.layout.name}, {"hash", side.plan.hash}};
}

std::string fieldsOf(const Compared& compared, const ComparedPlan& first,
                     const ComparedPlan& second, unsigned width) {
  return wrapped(first.name + " and " + second.name, width, 2) + "\n" +
         (compared.fields.empty() ? "\nno field differs\n"
                                  : "\nfields\n" + fieldsText(compared.fields, width));
}
} // namespace

std::string report::renderFieldDifference(const ComparedPlan& first, const ComparedPlan& second,
                                          unsigned width) {
  return fieldsOf(Compared(first, second), first, second, width);
}

std::string report::renderDifference(const ComparedPlan& first, const ComparedPlan& second,
                                     unsigned width) {
  const Compared compared(first, second);
  std::string out = fieldsOf(compared, first, second, width);
  TextTable figures({"figure", "first", "second", "change"});
  for (const auto& [path, a, b] : compared.figures) {
    const figures::Figure *one = a ? *a : nullptr, *other = b ? *b : nullptr;
    const bool declared = (one ? one : other)->provenance == figures::Provenance::Declared;
    const bool nothing = (!one || std::abs(one->value) < leastShown) &&
                         (!other || std::abs(other->value) < leastShown);
    // The figures of ranks and stages are only in the JSON.
    const bool ofAPart =
        path.find('[') != std::string::npos && !llvm::StringRef(path).startswith("run[");
    if (!declared && !nothing && !ofAPart)
      figures.row(
          {path, one ? show(*one) : absent, other ? show(*other) : absent, change(one, other)});
  }
  out += figures.empty() ? "\nno figure differs\n" : "\nfigures\n" + figures.render(width);
  return out;
}

Json report::differenceJson(const ComparedPlan& first, const ComparedPlan& second) {
  const Compared compared(first, second);
  Json out = {{"first", described(first)},
              {"second", described(second)},
              {"fields", Json::array()},
              {"figures", Json::array()}};
  for (const auto& [path, a, b] : compared.fields)
    out["fields"].push_back({{"path", path},
                             {"first", a ? Json(a->value) : Json()},
                             {"second", b ? Json(b->value) : Json()}});
  for (const auto& [path, a, b] : compared.figures)
    out["figures"].push_back({{"path", path},
                              {"first", a ? quantity((*a)->value, (*a)->dimension) : Json()},
                              {"second", b ? quantity((*b)->value, (*b)->dimension) : Json()}});
  return out;
}
