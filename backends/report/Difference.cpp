//===- Difference.cpp - Two plans side by side ------------------------------------------------===//
#include "backends/report/Difference.h"
#include "backends/report/Format.h"
#include "backends/report/Table.h"
#include "ir/FieldTexts.h"
#include "ir/FigureNames.h"
#include "support/Json.h"
#include "support/Text.h"
#include "llvm/ADT/StringMap.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::report;

namespace {

constexpr const char* absent = "-";
/// Below it figures of both sides are what rounding leaves of a difference of zero.
constexpr double leastShown = 1e-10;

/// What both sides have under one path; null where one has nothing.
template <class T> struct Pair {
  std::string path;
  const T* first = nullptr;
  const T* second = nullptr;
};

/// In the order of the first side, then what only the second has.
template <class T, class Path>
std::vector<Pair<T>> paired(const std::vector<T>& first, const std::vector<T>& second, Path path) {
  std::vector<Pair<T>> out;
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
  Compared(const Side& a, const Side& b)
      : first(a.plan), second(b.plan), firstTexts(ir::fieldTexts(a.plan)),
        secondTexts(ir::fieldTexts(b.plan)) {
    for (auto& pair :
         paired(firstTexts, secondTexts, [](const ir::FieldText& field) { return field.path; }))
      // The names of the two stand above.
      if (pair.path != "layout.name" &&
          !(pair.first && pair.second && pair.first->value == pair.second->value))
        fields.push_back(std::move(pair));
    for (auto& pair : paired(first.all(), second.all(), [](const figures::Figure* figure) {
           return ir::writtenPath(figure->path);
         }))
      if (!(pair.first && pair.second && (*pair.first)->value == (*pair.second)->value))
        figures.push_back(std::move(pair));
  }

  std::vector<Pair<ir::FieldText>> fields;
  std::vector<Pair<const figures::Figure*>> figures;

private:
  figures::Figures first, second;
  std::vector<ir::FieldText> firstTexts, secondTexts;
};

std::string shortened(const std::string& text, std::size_t most) {
  return text.size() <= most ? text : fmt::format("{:.{}}...", text, most - 3);
}

/// Characters of a value, so that both stand beside the longest path.
std::size_t mostOfAValue(const std::vector<Pair<ir::FieldText>>& fields, std::size_t width) {
  constexpr std::size_t least = 10, most = 28, gaps = 2 + 2 + 2;
  std::size_t path = gaps;
  for (const auto& field : fields)
    path = std::max(path, field.path.size() + gaps);
  return width > path ? std::clamp((width - path) / 2, least, most) : least;
}

/// "+12.3 %" of the first; nothing where only one of the two is below zero.
std::string change(const figures::Figure* first, const figures::Figure* second) {
  if (!first || !second || first->value == 0 || first->value * second->value < 0)
    return absent;
  const double share = second->value / first->value - 1;
  if (!std::isfinite(share))
    return absent;
  return std::abs(share) < 10 ? fmt::format("{:+.1f}%", 100 * share)
                              : fmt::format("x{:.3g}", second->value / first->value);
}

Json described(const Side& side) {
  return {{"file", side.plan.file}, {"layout", side.plan.layout.name}, {"hash", side.plan.hash}};
}

} // namespace

std::string report::renderDifference(const Side& first, const Side& second, unsigned width) {
  const Compared compared(first, second);
  std::string out = wrapped(first.name + " and " + second.name, width, 2) + "\n";
  const std::size_t most = mostOfAValue(compared.fields, width);
  Table fields({"field", "first", "second"});
  for (const auto& [path, a, b] : compared.fields)
    fields.row(
        {path, a ? shortened(a->value, most) : absent, b ? shortened(b->value, most) : absent});
  out += fields.empty() ? "\nno field differs\n" : "\nfields\n" + fields.render(width);
  Table figures({"figure", "first", "second", "change"});
  for (const auto& [path, a, b] : compared.figures) {
    const figures::Figure *one = a ? *a : nullptr, *other = b ? *b : nullptr;
    const bool declared = (one ? one : other)->provenance == figures::Provenance::Declared;
    const bool nothing = (!one || std::abs(one->value) < leastShown) &&
                         (!other || std::abs(other->value) < leastShown);
    // Those of ranks and stages are in the JSON.
    const bool ofAPart =
        path.find('[') != std::string::npos && !llvm::StringRef(path).startswith("run[");
    if (!declared && !nothing && !ofAPart)
      figures.row(
          {path, one ? show(*one) : absent, other ? show(*other) : absent, change(one, other)});
  }
  out += figures.empty() ? "\nno figure differs\n" : "\nfigures\n" + figures.render(width);
  return out;
}

Json report::differenceJson(const Side& first, const Side& second) {
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
