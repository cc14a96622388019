//===- Sensitivity.cpp - How much the varied fields of a study change its first output --------===//
#include "driver/study/Sensitivity.h"
#include "driver/study/Candidate.h"
#include "driver/study/RowLines.h"
#include "support/Text.h"
#include <cmath>
#include <fmt/format.h>
#include <numeric>
using namespace dpl;
using namespace dpl::study;

namespace {
/// The first output that is a number and has different values at two points.
std::optional<std::size_t> changedOutput(const Results& results) {
  for (std::size_t i = 0; i < results.space.outputs.size(); ++i) {
    std::optional<double> known;
    for (const StudyPoint& point : results.points) {
      if (results.isTruth(i) || std::isnan(point.values[i]))
        continue;
      if (known && *known != point.values[i])
        return i;
      known = point.values[i];
    }
  }
  return std::nullopt;
}

/// The sets of fields that a line varies: each field, or with `zip` all of them.
std::vector<std::vector<std::size_t>> variedTogether(const ir::Space& space) {
  std::vector<std::vector<std::size_t>> out;
  for (std::size_t i = 0; i < space.open.size(); ++i)
    if (space.open[i].size() > 1)
      out.push_back({i});
  if (space.sampling.kind != ir::SamplingKind::Zip || out.empty())
    return out;
  std::vector<std::size_t> all(space.open.size());
  std::iota(all.begin(), all.end(), 0);
  return {all};
}

FieldEffect largestEffect(std::vector<std::size_t> fields, const Sensitivity& of,
                          const Results& results) {
  FieldEffect out;
  out.fields = std::move(fields);
  const auto value = [&](std::size_t row) { return results.points[row].values[of.output]; };
  eachLine(results.space, results.points.size(), results.space.open[out.fields.front()].path,
           [&](llvm::ArrayRef<std::size_t> line) {
             std::optional<std::size_t> low, high;
             for (const std::size_t row : line) {
               if (std::isnan(value(row)))
                 continue;
               if (!low || value(row) < value(*low))
                 low = row;
               if (!high || value(row) > value(*high))
                 high = row;
             }
             if (!low)
               return;
             const double ratio = of.ratios ? value(*high) / value(*low) : 1,
                          difference = value(*high) - value(*low);
             if (of.ratios ? ratio > out.ratio : difference > out.difference)
               out.lowest = *low, out.highest = *high, out.ratio = ratio,
               out.difference = difference;
           });
  return out;
}

std::string sizeOf(const FieldEffect& effect, const Sensitivity& of, const Results& results) {
  const Dimension& dimension = results.dimensions[of.output];
  if (!of.ratios)
    return "by " + human(effect.difference, dimension, dimension == *dimensionNamed("Bytes"));
  return effect.ratio >= 2 ? fmt::format("{:.3g} times", effect.ratio)
                           : fmt::format("{:+.2g} %", 100 * (effect.ratio - 1));
}

/// Names and values of fields, at most two of them.
class FieldsText {
public:
  explicit FieldsText(const Results& results)
      : results(results), names(shortNames(results.space.open)) {}

  std::string namesOf(llvm::ArrayRef<std::size_t> fields) const {
    return listed(fields, [&](std::size_t field) { return names[field]; });
  }
  /// "nodes = 8, cv = 0.1", or "8" for a single field that the sentence has named.
  std::string valuesAt(std::size_t row, llvm::ArrayRef<std::size_t> fields, bool named) const {
    const std::vector<std::uint64_t> chosen = chosenAt(row);
    return listed(fields, [&](std::size_t field) {
      return (named ? names[field] + " = " : "") +
             shortCandidate(results.space.open[field], chosen[field]);
    });
  }
  /// The fields among `fields` whose values differ between two rows.
  std::vector<std::size_t> changed(llvm::ArrayRef<std::size_t> fields, std::size_t a,
                                   std::size_t b) const {
    const std::vector<std::uint64_t> first = chosenAt(a), second = chosenAt(b);
    std::vector<std::size_t> out;
    for (const std::size_t field : fields)
      if (results.space.open[field].at(first[field]) != results.space.open[field].at(second[field]))
        out.push_back(field);
    return out;
  }

private:
  template <class TextOf> static std::string listed(llvm::ArrayRef<std::size_t> fields, TextOf of) {
    constexpr std::size_t most = 2;
    std::vector<std::string> all;
    for (const std::size_t field : fields.take_front(most))
      all.push_back(of(field));
    return fmt::format("{}{}", fmt::join(all, ", "), fields.size() > most ? ", …" : "");
  }
  std::vector<std::uint64_t> chosenAt(std::size_t row) const {
    return StudyPoints(results.space).at(results.points[row].number);
  }

  const Results& results;
  const std::vector<std::string> names;
};
} // namespace

std::optional<Sensitivity> study::sensitivityOf(const Results& results) {
  if (!results.whole() || results.space.sampling.kind == ir::SamplingKind::Random)
    return std::nullopt;
  const std::optional<std::size_t> output = changedOutput(results);
  if (!output)
    return std::nullopt;
  Sensitivity out;
  out.output = *output;
  out.ratios = llvm::none_of(results.points,
                             [&](const StudyPoint& point) { return point.values[*output] <= 0; });
  for (std::vector<std::size_t>& fields : variedTogether(results.space))
    out.effects.push_back(largestEffect(std::move(fields), out, results));
  llvm::stable_sort(out.effects, [&](const FieldEffect& a, const FieldEffect& b) {
    return out.ratios ? a.ratio > b.ratio : a.difference > b.difference;
  });
  return out.effects.empty() ? std::nullopt : std::optional(out);
}

std::string study::textOf(const Sensitivity& sensitivity, const Results& results) {
  const FieldsText texts(results);
  const FieldEffect& most = sensitivity.effects.front();
  const bool together = most.fields.size() > 1;
  const std::vector<std::size_t> changed = texts.changed(most.fields, most.lowest, most.highest);
  std::string text = fmt::format("{} changes most with {}: {} from {} to {}",
                                 results.space.outputs[sensitivity.output], texts.namesOf(changed),
                                 sizeOf(most, sensitivity, results),
                                 texts.valuesAt(most.lowest, changed, together),
                                 texts.valuesAt(most.highest, changed, together));
  std::vector<std::size_t> fixed;
  for (std::size_t i = 0; i < results.space.open.size(); ++i)
    if (!llvm::is_contained(most.fields, i) && results.space.open[i].size() > 1)
      fixed.push_back(i);
  if (!fixed.empty())
    text += " at " + texts.valuesAt(most.lowest, fixed, true);
  for (const FieldEffect& effect : llvm::makeArrayRef(sensitivity.effects).drop_front())
    text += fmt::format("; with {} {}", texts.namesOf(effect.fields),
                        sizeOf(effect, sensitivity, results));
  return text;
}

Json study::json(const std::optional<Sensitivity>& sensitivity, const Results& results) {
  if (!sensitivity)
    return nullptr;
  Json effects = Json::array();
  for (const FieldEffect& effect : sensitivity->effects) {
    Json fields = Json::array();
    for (const std::size_t field : effect.fields)
      fields.push_back(results.space.open[field].path);
    effects.push_back(
        {{"fields", std::move(fields)},
         {"ratio", sensitivity->ratios ? Json(effect.ratio) : Json()},
         {"difference", quantity(effect.difference, results.dimensions[sensitivity->output])},
         {"lowest_point", results.points[effect.lowest].number},
         {"highest_point", results.points[effect.highest].number}});
  }
  return {{"output", results.space.outputs[sensitivity->output]}, {"effects", std::move(effects)}};
}
