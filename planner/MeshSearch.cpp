//===- MeshSearch.cpp - Search for the fastest candidate and choice of a space ----------------===//
#include "planner/MeshSearch.h"
#include "ir/Arithmetic.h"
#include "ir/FoundFields.h"
#include "ir/Names.h"
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>
#include <queue>
#include <tuple>

using namespace dpl;
using namespace dpl::planner;
using cost::LayoutCandidate;
using ir::SplitKind;

namespace {
/// The search gives up after this number of candidates that fit but break an assertion.
constexpr std::size_t mostBroken = 256;
/// Share by which a quick estimate may be above the exact one; see docs/internals/auto-mesh.md.
constexpr double margin = 0.05;
/// A search for a layout that the program accepts ends after this number of refused layouts.
constexpr std::size_t mostRefused = 4096;
/// The number of layouts in a sample that shows which reasons refuse all layouts, and the distance
/// between them: a prime number, so that they differ in all degrees.
constexpr std::size_t mostSamples = 256, sampleDistance = 7919;
/// A balanced split is chosen only if it saves at least this share of the step.
constexpr double worthBalancing = 0.005;
} // namespace

class MeshSearch::Queue {
public:
  Queue(MeshSearch& search, double share) : search(search), share(share) {}

  /// Adds a candidate with its bound if its memory may fit.
  void add(BoundedCandidate candidate) {
    const Bound bound = search.boundOf(candidate);
    candidate.step = bound.step;
    if (bound.memory + search.reserved <= share * search.memory)
      all.push(candidate);
  }
  bool empty() const { return all.empty(); }
  std::size_t size() const { return all.size(); }
  double leastStep() const { return all.top().step; }
  BoundedCandidate pop() {
    const BoundedCandidate next = all.top();
    all.pop();
    return next;
  }

private:
  MeshSearch& search;
  const double share;
  std::priority_queue<BoundedCandidate> all;
};

MeshSearch::MeshSearch(const ir::Plan& from, std::vector<OpenChoice> choices,
                       std::uint64_t mostExecuted)
    : plan(from), most(mostExecuted), open(std::move(choices)),
      legality(legalityInputsOf(plan, open)), candidates(meshSpace(plan, open)), bounds(plan, open),
      estimators(open.size()), splits(open.size()), trial(plan) {
  const std::vector<ir::NodeType>& classes = plan.cluster.nodeTypes;
  memory = ir::real(classes.front().device.memory);
  reserved = ir::real(classes.front().device.reserved);
  for (const ir::NodeType& c : classes) {
    memory = std::max(memory, ir::real(c.device.memory));
    reserved = std::min(reserved, ir::real(c.device.reserved));
  }
  for (std::size_t choice = 0; choice < open.size(); ++choice)
    if (open[choice].recomputation == recomputations.size())
      recomputations.push_back(choice);
  for (const LayoutCandidate& candidate : candidates) {
    LayoutCandidate& tokens = widest.try_emplace(familyOf(candidate), candidate).first->second;
    if (candidate.microBatch * tokens.context > tokens.microBatch * candidate.context)
      tokens = candidate;
  }
}

std::size_t MeshSearch::size() const {
  std::size_t legal = 0;
  for (std::size_t choice = 0; choice < open.size(); ++choice)
    for (std::size_t point = 0; point < candidates.size(); ++point)
      legal += isLegal(choice, point) ? 1 : 0;
  return legal;
}

void MeshSearch::write(const FoundLayout& found, ir::Layout& layout) const {
  open[found.choice].write(layout);
  writeCandidate(candidates[found.candidate], layout, cost::hasExperts(plan.model));
}

std::string MeshSearch::textOf(const FoundLayout& found) const {
  ir::Layout layout = plan.layout;
  write(found, layout);
  // The text of the candidate has both fields, so foundFields must omit them.
  layout.microBatchGiven = layout.shard.sequenceGiven = true;
  std::string text = planner::textOf(candidates[found.candidate], cost::hasExperts(plan.model));
  for (const std::string& line : ir::foundFields(layout))
    text += ", " + line;
  if (plan.layout.scheduleAutomatic)
    text += fmt::format(", schedule = {}", ir::name(layout.schedule));
  return text;
}

MeshSearch::Bounded MeshSearch::firstBound() const {
  return open.size() > 1 || open.front().split == SplitKind::Balanced ? Bounded::AnyByWidest
                                                                      : Bounded::ByWidest;
}

std::optional<FoundLayout> MeshSearch::fastest(double share, std::uint64_t than) {
  best.reset(), limit = than;
  if (program.refusals)
    newlyRefused = 0;
  if (end != SearchEnd::Refused)
    end = SearchEnd::Complete, unjudged = 0;
  Queue queue(*this, share);
  for (std::size_t point = 0; point < candidates.size(); ++point)
    for (const std::size_t choice : recomputations)
      queue.add({0, point, choice, firstBound()});
  while (!queue.empty() && !slower(queue.leastStep())) {
    if (const SearchEnd why = endNow(); why != SearchEnd::Complete) {
      endEarly(why, queue.size());
      break;
    }
    const BoundedCandidate next = queue.pop();
    if (next.by == Bounded::ByItself)
      judge(next, share);
    else
      refine(next, queue);
  }
  return best;
}

/// Adds the layouts that a queue entry represents with their next better bound.
void MeshSearch::refine(const BoundedCandidate& next, Queue& queue) {
  const auto add = [&](std::size_t choice, Bounded by) {
    queue.add({0, next.candidate, choice, by});
  };
  switch (next.by) {
  case Bounded::AnyByWidest:
    return add(next.choice, Bounded::AnyByItself);
  case Bounded::AnyByItself:
    // Balancing a split executes actions, which count towards the limit.
    if (open[next.choice].split == SplitKind::Balanced && executed() > most) {
      endEarly(SearchEnd::Executed, 1);
      return;
    }
    if (refusedCandidates.count(next.candidate) != 0)
      return;
    for (std::size_t choice = 0; choice < open.size(); ++choice)
      if (open[choice].recomputation == open[next.choice].recomputation &&
          isLegal(choice, next.candidate))
        add(choice, Bounded::ByItself);
    return;
  case Bounded::ByWidest:
  case Bounded::ByItself:
    return add(next.choice, Bounded::ByItself);
  }
}

bool MeshSearch::balancedIsFaster(const FoundLayout& found, double share) {
  const LayoutCandidate& candidate = candidates[found.candidate];
  if (candidate.pipeline == 1 || executed() > most)
    return false;
  OpenChoice other = open[found.choice];
  other.split = SplitKind::Balanced;
  ir::Plan balanced = plan;
  other.write(balanced.layout);
  const Estimate estimate = Estimator(balanced).exact(candidate);
  return estimate.runs && estimate.share <= share &&
         ir::real(estimate.step) <= (1 - worthBalancing) * ir::real(found.step) &&
         with(other).isAccepted(candidate, program) && trial.errorOfFitting(candidate).empty() &&
         trial.shareOfFitting() <= share;
}

std::pair<std::string, std::string> MeshSearch::nearest() {
  if (!nearestReason.empty())
    return {textOf(nearestFound), nearestReason};
  FoundLayout nearest;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t choice = 0; choice < open.size(); ++choice)
    for (std::size_t point = 0; point < candidates.size(); ++point)
      if (isLegal(choice, point))
        if (const double bytes = boundOf({0, point, choice, Bounded::ByItself}).memory;
            bytes < least)
          least = bytes, nearest = {0, choice, point};
  return {textOf(nearest), with(open[nearest.choice]).errorOf(candidates[nearest.candidate])};
}

bool MeshSearch::slower(double step) const {
  return step * boundRounding > ir::toSeconds(stepToBeat());
}

/// The family of a candidate: candidates that differ only in pipeline and tokens.
LayoutCandidate MeshSearch::familyOf(const LayoutCandidate& candidate) {
  LayoutCandidate family = divisionKeyOf(candidate);
  family.pipeline = family.context = 1, family.microBatch = 1;
  return family;
}

MeshSearch::SearchEnd MeshSearch::endNow() const {
  if (broken.size() > mostBroken)
    return SearchEnd::Broken;
  if (newlyRefused > mostRefused && program.refusals)
    return SearchEnd::Refused;
  return executed() > (best ? most : 2 * most) ? SearchEnd::Executed : SearchEnd::Complete;
}

void MeshSearch::endEarly(SearchEnd why, std::size_t layouts) {
  unjudged = (why == SearchEnd::Executed && end == why ? unjudged : 0) + layouts;
  end = why;
}

/// Whether the program accepts a layout. One refusal does not imply others, because a rule may
/// depend on any of the degrees and choices.
bool MeshSearch::isAccepted(const ChoiceAndCandidate& layout) {
  if (!program.refusals)
    return true;
  if (refused.count(layout) != 0 || refusedCandidates.count(layout.second) != 0)
    return false;
  if (with(open[layout.first]).isAccepted(candidates[layout.second], program))
    return true;
  refused.insert(layout), ++newlyRefused;
  if (checkedCandidates.insert(layout.second).second && isRefusedThroughout(layout.second))
    refusedCandidates.insert(layout.second);
  return false;
}

/// Whether the program refuses a candidate for one reason with choices that cover every value of
/// each open field. It then refuses the candidate with every choice, because a rule depends on the
/// candidate and at most one open field.
bool MeshSearch::isRefusedThroughout(std::size_t point) {
  using Value = std::tuple<int, std::uint64_t, std::uint64_t, std::uint64_t>;
  const auto valuesOf = [](const OpenChoice& c) {
    const auto number = [](auto value) { return static_cast<std::uint64_t>(value); };
    return std::array{Value(0, number(c.split), 0, 0), Value(1, c.recomputation, 0, 0),
                      Value(2, number(c.optimizer), number(c.gradients), number(c.parameters)),
                      Value(3, number(c.schedule), c.chunks, c.inFlight)};
  };
  if (plan.layout.split == SplitKind::Balanced) // each check of a balanced split would execute
                                                // actions
    return false;
  std::vector<std::size_t> choices;
  std::set<Value> missing;
  for (std::size_t choice = 0; choice < open.size(); ++choice)
    if (isLegal(choice, point)) {
      choices.push_back(choice);
      for (const Value& value : valuesOf(open[choice]))
        missing.insert(value);
    }
  std::optional<std::set<std::string>> common;
  while (!missing.empty()) {
    const auto news = [&](std::size_t choice) {
      return llvm::count_if(valuesOf(open[choice]),
                            [&](const Value& value) { return missing.count(value) != 0; });
    };
    const std::size_t next =
        *std::max_element(choices.begin(), choices.end(),
                          [&](std::size_t a, std::size_t b) { return news(a) < news(b); });
    for (const Value& value : valuesOf(open[next]))
      missing.erase(value);
    std::set<std::string> found = with(open[next]).refusalsOf(candidates[point], program.refusals);
    std::erase_if(found, [&](const std::string& reason) {
      return program.ignored.count(reason) != 0 || (common && common->count(reason) == 0);
    });
    common = std::move(found);
    if (common->empty())
      return false;
  }
  return true;
}

std::set<std::string> MeshSearch::commonRefusals(const PlanRefusals& refusals) {
  std::optional<std::set<std::string>> common;
  const auto ask = [&](std::size_t choice, std::size_t point) {
    // Checking a balanced split executes actions, which count towards the limit.
    if (!isLegal(choice, point) || (common && common->empty()) || executed() > most / 10)
      return;
    const std::set<std::string> found = with(open[choice]).refusalsOf(candidates[point], refusals);
    if (!common)
      common = found;
    else
      std::erase_if(*common, [&](const std::string& reason) { return found.count(reason) == 0; });
  };
  for (std::size_t choice = 0; choice < open.size(); ++choice)
    ask(choice, 0);
  const std::size_t all = open.size() * candidates.size();
  for (std::size_t i = 0; i < std::min(all, mostSamples); ++i) {
    const std::size_t at = i * sampleDistance % all;
    ask(at % open.size(), at / open.size());
  }
  return common.value_or(std::set<std::string>());
}

void MeshSearch::judge(const BoundedCandidate& next, double share) {
  const ChoiceAndCandidate layout(next.choice, next.candidate);
  if (broken.count(layout) != 0 ||
      (program.refusals &&
       (refused.count(layout) != 0 || refusedCandidates.count(next.candidate) != 0)))
    return;
  const LayoutCandidate& candidate = candidates[next.candidate];
  Estimator& estimator = estimatorOf(next.choice);
  Estimate estimate = estimator.quick(candidate);
  if (ir::real(estimate.step) > (1 + margin) * ir::real(stepToBeat()))
    return;
  if (!estimate.executed)
    estimate = estimator.exact(candidate);
  const FoundLayout found{estimate.step, next.choice, next.candidate};
  const bool isBetter = best ? found < *best : found.step <= limit;
  if (!estimate.runs || estimate.share > share || !isBetter || !isAccepted(layout))
    return;
  std::string said = with(open[next.choice]).errorOfFitting(candidate);
  if (trial.shareOfFitting() > share)
    return;
  if (said.empty()) {
    best = found;
    return;
  }
  // The error names the fastest layout that fits and breaks an assertion.
  if (broken.empty() || found < nearestFound)
    nearestFound = found, nearestReason = std::move(said);
  broken.insert(layout);
}

Bound MeshSearch::boundOf(const BoundedCandidate& of) {
  const LayoutCandidate& candidate = candidates[of.candidate];
  bounds.choose(of.choice);
  switch (of.by) {
  case Bounded::AnyByWidest:
    return bounds.ofAny(candidate, widest.at(familyOf(candidate)));
  case Bounded::AnyByItself:
    return bounds.ofAny(candidate, candidate);
  case Bounded::ByWidest:
    return bounds.of(candidate, splitOf(of.choice, candidate), widest.at(familyOf(candidate)));
  case Bounded::ByItself:
    return bounds.of(candidate, splitOf(of.choice, candidate));
  }
  return {};
}

/// The layers of each chunk depend on the shape of the pipeline. With a balanced split they depend
/// on all inputs of the step time. With a split by FLOP they depend on the nodes of each stage if
/// nodes differ.
llvm::ArrayRef<ir::Chunk> MeshSearch::splitOf(std::size_t choice,
                                              const LayoutCandidate& candidate) {
  LayoutCandidate key = candidate;
  if (open[choice].split != SplitKind::Balanced) {
    if (open[choice].split == SplitKind::ByFlop && plan.cluster.nodeTypes.size() > 1)
      key.microBatch = 1;
    else
      key = {}, key.pipeline = candidate.pipeline;
    choice = open[choice].dealt;
  }
  const auto [found, isNew] = splits[choice].try_emplace(key);
  if (isNew)
    found->second = estimatorOf(choice).split(candidate).vec();
  return found->second;
}

Estimator& MeshSearch::estimatorOf(std::size_t choice) {
  std::unique_ptr<Estimator>& estimator = estimators[choice];
  if (!estimator) {
    ir::Plan chosen = plan;
    open[choice].write(chosen.layout);
    estimator = std::make_unique<Estimator>(chosen, MeshOf::Candidate, shapes);
  }
  return *estimator;
}

Trial& MeshSearch::with(const OpenChoice& choice) {
  trial.choose(choice);
  return trial;
}

std::uint64_t MeshSearch::executed() const {
  std::uint64_t passes = trial.executed();
  for (const std::unique_ptr<Estimator>& estimator : estimators)
    passes += estimator ? estimator->executed() : 0;
  return passes;
}
