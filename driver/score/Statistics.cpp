//===- Statistics.cpp - Statistics of prediction errors ---------------------------------------===//
#include "driver/score/Statistics.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
using namespace dpl;
using namespace dpl::score;

Errors score::errorsOf(std::vector<double> errors) {
  Errors out;
  out.count = errors.size();
  if (errors.empty())
    return out;
  // The errors are sorted first, so that the order of rows does not affect the last digit of a sum.
  std::sort(errors.begin(), errors.end());
  const auto n = static_cast<double>(errors.size());
  out.bias = std::accumulate(errors.begin(), errors.end(), 0.0) / n;
  for (double& e : errors)
    e = std::abs(e);
  std::sort(errors.begin(), errors.end());
  out.mean = std::accumulate(errors.begin(), errors.end(), 0.0) / n;
  const std::size_t middle = errors.size() / 2;
  out.median = errors.size() % 2 == 1 ? errors[middle] : (errors[middle - 1] + errors[middle]) / 2;
  out.p90 = errors[(errors.size() * 9 + 9) / 10 - 1]; // smallest error that 90 % of the rows do not
                                                      // exceed
  out.within10 = static_cast<double>(llvm::count_if(errors, [](double e) { return e <= 0.1; })) / n;
  return out;
}

namespace {
/// Whether a row counts for a quantity. Step times count only if the plan is predicted to fit.
bool counts(const ScoredRow& row, std::size_t quantity) {
  return row.pairs[quantity].both() &&
         (row.state == ScoredRow::ScoreState::Fits || (quantity != StepTime && row.predicted()));
}

constexpr float mebibyte = 1 << 20;
} // namespace

QuantityErrors score::errorsOf(const Scores& scores, std::size_t quantity) {
  QuantityErrors out;
  std::vector<double> all;
  for (const ScoredRow& row : scores.rows)
    if (counts(row, quantity))
      all.push_back(row.pairs[quantity].error());
  if (all.empty())
    return out;
  out.all = errorsOf(std::move(all));
  // The labels are processed one after another, so that the errors of a million rows are stored
  // only once.
  for (std::size_t l = 0; l < scores.labelNames.size(); ++l) {
    std::map<std::uint16_t, std::vector<double>> values;
    for (const ScoredRow& row : scores.rows)
      if (row.labels[l] != 0 && counts(row, quantity))
        values[row.labels[l]].push_back(row.pairs[quantity].error());
    for (auto& [value, errors] : values)
      out.byLabel[scores.labelNames[l]][scores.texts[value].str()] = errorsOf(std::move(errors));
  }
  return out;
}

CollectiveErrors score::collectiveErrors(const Scores& scores) {
  std::vector<double> all[2];
  std::map<std::string, std::vector<double>> by[2];
  for (const ScoredRow& row : scores.rows) {
    if (!counts(row, BusBandwidth))
      continue;
    const std::size_t large = row.collectiveBytes >= mebibyte ? 1 : 0;
    const double error = row.pairs[BusBandwidth].error();
    all[large].push_back(error);
    const std::string name =
        (scores.label(row, "family") + " " + scores.label(row, "operation")).str();
    by[large][name].push_back(error);
  }
  CollectiveErrors out;
  out.small = errorsOf(std::move(all[0]));
  out.large = errorsOf(std::move(all[1]));
  for (auto& [name, errors] : by[0])
    out.smallBy[name] = errorsOf(std::move(errors));
  for (auto& [name, errors] : by[1])
    out.largeBy[name] = errorsOf(std::move(errors));
  return out;
}

double Verdicts::right() const {
  return all() == 0
             ? 0
             : static_cast<double>(rightFits + rightOutOfMemory) / static_cast<double>(all());
}

void score::addVerdict(Verdicts& verdicts, RunOutcome ran, bool saidToFit) {
  if (ran == RunOutcome::Yes)
    ++(saidToFit ? verdicts.rightFits : verdicts.falseOutOfMemory);
  else
    ++(saidToFit ? verdicts.falseFits : verdicts.rightOutOfMemory);
}

namespace {
void addRow(Verdicts& verdicts, const ScoredRow& row, bool bothMarks) {
  if (!row.predicted() || row.ran == RunOutcome::Unknown ||
      (row.ran == RunOutcome::Both && !bothMarks))
    return;
  addVerdict(verdicts, row.ran, row.state == ScoredRow::ScoreState::Fits);
}
} // namespace

Verdicts score::verdicts(const Scores& scores, bool bothMarks) {
  Verdicts out;
  for (const ScoredRow& row : scores.rows)
    addRow(out, row, bothMarks);
  return out;
}

std::map<std::string, Verdicts> score::verdictsBy(const Scores& scores, llvm::StringRef label) {
  std::map<std::string, Verdicts> out;
  for (const ScoredRow& row : scores.rows)
    addRow(out[scores.label(row, label).str()], row, false);
  std::erase_if(out, [](const auto& entry) { return entry.second.all() == 0; });
  return out;
}

namespace {
using RowGroup = std::vector<const ScoredRow*>;

/// Groups of runs between which a user could have chosen. At least two runs of a group have a time
/// or are out of memory, and at least one has a time.
std::vector<RowGroup> groupsOf(const Scores& scores) {
  std::map<std::uint64_t, RowGroup> found;
  for (const ScoredRow& row : scores.rows)
    if (row.predicted() && row.pairs[StepTime].predicted > 0 && row.ran != RunOutcome::Both &&
        (row.pairs[StepTime].measured > 0 || row.ran == RunOutcome::OutOfMemory))
      found[row.choice].push_back(&row);
  std::vector<RowGroup> groups;
  for (auto& [choice, group] : found)
    if (llvm::count_if(group, [](const ScoredRow* r) { return r->pairs[StepTime].measured > 0; }) >=
        2)
      groups.push_back(std::move(group));
  llvm::sort(groups, [](const RowGroup& a, const RowGroup& b) {
    return std::tie(a.front()->table, a.front()->line) <
           std::tie(b.front()->table, b.front()->line);
  });
  return groups;
}

/// Limit on the runs of a group that are paired. In larger groups only every second, third, … run
/// is, because the number of pairs grows quadratically.
constexpr std::size_t mostPaired = 2000;

/// The quality of the choice by `better`, where `better(a, b)` says that a is chosen before b.
template <class Better> ChoiceQuality choiceBy(const std::vector<RowGroup>& groups, Better better) {
  ChoiceQuality out;
  std::vector<double> regrets;
  for (const RowGroup& group : groups) {
    const ScoredRow* chosen = nullptr;
    float best = 0;
    for (const ScoredRow* row : group) {
      // A run that is predicted not to fit is not chosen.
      if (row->state == ScoredRow::ScoreState::Fits && (!chosen || better(*row, *chosen)))
        chosen = row;
      const float measured = row->pairs[StepTime].measured;
      if (measured > 0 && (best == 0 || measured < best))
        best = measured;
    }
    ++out.groups;
    out.runs += group.size();
    if (chosen && chosen->pairs[StepTime].measured == 0)
      ++out.outOfMemory;
    else if (chosen)
      regrets.push_back(
          static_cast<double>(chosen->pairs[StepTime].measured) / static_cast<double>(best) - 1);
    const std::size_t step = group.size() / mostPaired + 1;
    for (std::size_t i = 0; i < group.size(); i += step)
      for (std::size_t j = i + step; j < group.size(); j += step) {
        const float a = group[i]->pairs[StepTime].measured, b = group[j]->pairs[StepTime].measured;
        if (a <= 0 || b <= 0 || a == b)
          continue;
        ++out.pairs;
        const bool first = better(*group[i], *group[j]), second = better(*group[j], *group[i]);
        if (first == second)
          out.ordered += 0.5;
        else if (first == (a < b))
          out.ordered += 1;
      }
  }
  out.regret = errorsOf(std::move(regrets));
  return out;
}
} // namespace

ChoiceQualities score::choices(const Scores& scores) {
  const std::vector<RowGroup> groups = groupsOf(scores);
  return {choiceBy(groups,
                   [](const ScoredRow& a, const ScoredRow& b) {
                     return a.pairs[StepTime].predicted < b.pairs[StepTime].predicted;
                   }),
          choiceBy(groups, [](const ScoredRow& a, const ScoredRow& b) {
            const auto key = [](const ScoredRow& r) {
              return std::tuple(r.tensor, std::uint64_t{r.tensor} * r.pipeline,
                                -static_cast<std::int64_t>(r.microBatch));
            };
            return key(a) < key(b);
          })};
}

namespace {
/// The shortlist of a group: the fastest predicted layout of each kind, then the fastest others.
/// Layouts of one kind have equal tensor and pipeline ranks and ZeRO stage.
RowGroup shortlistOf(RowGroup group, std::size_t length) {
  llvm::stable_sort(group, [](const ScoredRow* a, const ScoredRow* b) {
    return a->pairs[StepTime].predicted < b->pairs[StepTime].predicted;
  });
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> kinds;
  RowGroup out, others;
  for (const ScoredRow* row : group)
    (kinds.insert({row->tensor, row->pipeline, row->zeroStage}).second ? out : others)
        .push_back(row);
  out.insert(out.end(), others.begin(), others.end());
  out.resize(std::min(out.size(), length));
  return out;
}
} // namespace

std::vector<ShortlistQuality> score::shortlists(const Scores& scores) {
  constexpr double closely = 1.05;
  std::vector<RowGroup> groups;
  for (const RowGroup& all : groupsOf(scores)) {
    RowGroup& measured = groups.emplace_back();
    for (const ScoredRow* row : all)
      if (row->state == ScoredRow::ScoreState::Fits && row->pairs[StepTime].both())
        measured.push_back(row);
  }
  const auto fastest = [](const RowGroup& rows) {
    float time = rows.front()->pairs[StepTime].measured;
    for (const ScoredRow* row : rows)
      time = std::min(time, row->pairs[StepTime].measured);
    return static_cast<double>(time);
  };
  std::vector<ShortlistQuality> out;
  for (const std::size_t length : {std::size_t{3}, std::size_t{5}}) {
    ShortlistQuality& quality = out.emplace_back();
    quality.length = length;
    for (const RowGroup& group : groups) {
      if (group.size() <= length)
        continue;
      const double best = fastest(group), listed = fastest(shortlistOf(group, length));
      ++quality.groups;
      quality.held += listed <= best ? 1 : 0;
      quality.heldClosely += listed <= closely * best ? 1 : 0;
      quality.drawn += static_cast<double>(length) / static_cast<double>(group.size());
    }
    if (quality.groups > 0)
      quality.drawn /= static_cast<double>(quality.groups);
  }
  std::erase_if(out, [](const ShortlistQuality& q) { return q.groups == 0; });
  return out;
}

std::vector<const ScoredRow*> score::worst(const Scores& scores, std::size_t quantity,
                                           std::size_t most) {
  std::vector<const ScoredRow*> rows;
  for (const ScoredRow& row : scores.rows)
    if (counts(row, quantity))
      rows.push_back(&row);
  llvm::stable_sort(rows, [&](const ScoredRow* a, const ScoredRow* b) {
    return std::abs(a->pairs[quantity].error()) > std::abs(b->pairs[quantity].error());
  });
  rows.resize(std::min(rows.size(), most));
  return rows;
}

namespace {
std::vector<std::pair<std::string, std::vector<const ScoredRow*>>>
mostFrequentFirst(const std::map<std::string, std::vector<const ScoredRow*>>& found) {
  std::vector<std::pair<std::string, std::vector<const ScoredRow*>>> out(found.begin(),
                                                                         found.end());
  llvm::stable_sort(out,
                    [](const auto& a, const auto& b) { return a.second.size() > b.second.size(); });
  return out;
}
} // namespace

std::vector<std::pair<std::string, std::vector<const ScoredRow*>>>
score::unknownOf(const Scores& scores) {
  std::map<std::string, std::vector<const ScoredRow*>> found;
  for (const ScoredRow& row : scores.rows)
    if (row.unknown != 0)
      found[scores.texts[row.unknown].str()].push_back(&row);
  return mostFrequentFirst(found);
}

std::vector<std::pair<std::string, std::vector<const ScoredRow*>>>
score::byReason(const Scores& scores, ScoredRow::ScoreState state, std::optional<bool> ran) {
  std::map<std::string, std::vector<const ScoredRow*>> found;
  for (const ScoredRow& row : scores.rows)
    if (row.state == state && (!ran || *ran == (row.ran == RunOutcome::Yes)))
      found[scores.texts[row.reason].str()].push_back(&row);
  return mostFrequentFirst(found);
}
