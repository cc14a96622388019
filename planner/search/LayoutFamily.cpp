//===- LayoutFamily.cpp - Candidates that differ in degrees and in an OpenChoice --------------===//
#include "planner/search/LayoutFamily.h"
#include "ir/Arithmetic.h"
#include "passes/Pass.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::planner;
using cost::LayoutCandidate;
using cost::LegalityRule;

namespace {
bool isSame(const ir::Recompute& a, const ir::Recompute& b) {
  const auto all = [](const ir::Recompute& r) {
    return std::tie(r.kind, r.modules, r.method, r.layers, r.inAdvance, r.saved, r.offloaded);
  };
  return all(a) == all(b);
}

bool hasSameShape(const OpenChoice& a, const OpenChoice& b) {
  const auto all = [](const OpenChoice& c) {
    return std::tie(c.schedule, c.chunks, c.inFlight, c.split);
  };
  return all(a) == all(b);
}

bool placesAxis(const std::vector<ir::AxisRequest>& axes) {
  return llvm::any_of(axes,
                      [](const ir::AxisRequest& axis) { return axis.hasWithin || axis.hasAcross; });
}

/// The code and name of the first error: "DPL0304 batch-not-divisible".
std::string firstRule(const DiagnosticEngine& diags) {
  for (const Diagnostic& d : diags.diagnostics())
    if (d.info.severity == Severity::Error)
      return fmt::format("{} {}", d.info.code, d.info.name);
  return "";
}
} // namespace

bool LayoutFamily::supports(const ir::Plan& plan) {
  const ir::Layout& layout = plan.layout;
  return !layout.mesh.automatic && !layout.scheduleAutomatic && layout.batch > 0 &&
         layout.chunks > 0 && layout.split != ir::SplitKind::Balanced && layout.dataRanks.empty() &&
         plan.cluster.coupling.empty() && !layout.bucketAutomatic && hasStandardOrder(layout) &&
         (!layout.mesh.hasExperts || cost::hasExperts(plan.model));
}

LayoutFamily::LayoutFamily(ir::Plan from, llvm::ArrayRef<DegreeField> fields, std::uint64_t count)
    : plan(std::move(from)), written(plan.layout), degrees(fields), points(count),
      experts(cost::hasExperts(plan.model)) {
  placesAxes = placesAxis(plan.layout.mesh.axes) || placesAxis(plan.layout.mesh.experts);
  for (const DegreeField& field : degrees)
    if (llvm::is_contained(field.degrees, Degree::Sequence))
      plan.layout.shard.sequenceGiven = false; // estimates write it as `mesh = auto` does
}

std::size_t LayoutFamily::add(const ir::Layout& layout) {
  const std::size_t number = open.size();
  OpenChoice& choice = open.emplace_back(layout);
  const auto same = llvm::find_if(
      recomputations, [&](const ir::Recompute& r) { return isSame(r, choice.recompute); });
  choice.recomputation = static_cast<std::size_t>(same - recomputations.begin());
  if (same == recomputations.end())
    recomputations.push_back(choice.recompute);
  const auto shape = llvm::find_if(
      shapes, [&](const Shape& one) { return hasSameShape(open[one.first], choice); });
  shapeOf.push_back(static_cast<std::size_t>(shape - shapes.begin()));
  ir::Layout with = plan.layout;
  choice.write(with);
  cost::LegalityInputs facts(plan.model, plan.cluster, with);
  facts.splitLayers = plan.layout.splitLayers; // the lists of the plan, which outlive the copy
  facts.schedule.customSchedule = plan.layout.customScheduleOrNull();
  fixedRule.push_back(facts.fixed);
  if (shape == shapes.end())
    shapes.push_back({number, std::move(facts), {}});
  choice.dealt = shapes[shapeOf.back()].first;
  bundles.push_back(
      firstOf.try_emplace({shapeOf.back(), choice.recomputation}, number).first->second);
  return number;
}

LayoutCandidate LayoutFamily::candidateOf(Point point) {
  const auto found =
      llvm::partition_point(candidates, [&](const auto& entry) { return entry.first < point; });
  return found != candidates.end() && found->first == point ? found->second
                                                            : resolved(point).candidate;
}

ResolvedCandidate LayoutFamily::resolved(Point point) {
  for (std::size_t i = degrees.size(); i-- > 0;) {
    const DegreeField& field = degrees[i];
    const auto size = static_cast<Point>(field.values.size());
    field.write(point % size, written);
    point /= size;
  }
  return resolve(written, plan.cluster.devices(), experts);
}

std::size_t LayoutFamily::ruleOfPasses(std::size_t choice, Point point, const char* last) {
  (void)resolved(point); // writes the numbers of the point into the layout
  if (!trial)
    trial = std::make_unique<ir::Plan>(plan);
  open[choice].write(trial->layout);
  for (const DegreeField& field : degrees)
    for (const Degree degree : field.degrees)
      writeNumber(trial->layout, degree, numberOf(written, degree).value_or(1));
  DiagnosticEngine diags;
  if (runThrough(*trial, diags, last).succeeded())
    return 0;
  const std::string rule = firstRule(diags);
  const auto same = llvm::find(names, rule);
  const auto index = static_cast<std::size_t>(same - names.begin());
  if (same == names.end())
    names.push_back(rule);
  return index;
}

/// The first choice of a shape that breaks no rule by itself.
std::optional<std::size_t> LayoutFamily::choiceWithoutRule(std::size_t shape) const {
  for (std::size_t choice = shapes[shape].first; choice < open.size(); ++choice)
    if (shapeOf[choice] == shape && fixedRule[choice] == LegalityRule::None)
      return choice;
  return std::nullopt;
}

/// `within` and `across` depend on the mesh alone. Passes need a choice that breaks no rule.
std::size_t LayoutFamily::placementRule(Point point, const LayoutCandidate& of) {
  LayoutCandidate mesh = of;
  mesh.microBatch = 1, mesh.sequenceParallel = false;
  const auto earlier = placed.find(mesh);
  if (earlier != placed.end())
    return earlier->second;
  const std::uint64_t microBatches = plan.layout.batch / (of.microBatch * of.dataRanks());
  for (std::size_t shape = 0; shape < shapes.size(); ++shape)
    if (const auto choice = choiceWithoutRule(shape);
        choice && cost::brokenByStages(shapes[shape].facts, of.pipeline, microBatches) == 0)
      return placed[mesh] = ruleOfPasses(*choice, point, "place-ranks");
  return 0; // illegal with each choice
}

void LayoutFamily::findKinds(KeyOfPoint keyOf) {
  constexpr std::size_t mostCandidates = 1 << 18;
  constexpr unsigned afterRules = 56;
  std::map<std::array<std::uint64_t, 6>, std::uint32_t> numbers;
  kindOfPoint.reserve(points);
  for (Point point = 0; point < points; ++point) {
    const ResolvedCandidate of = resolved(point);
    PointKind kind{point, 0, keyOf(point), {}, of.candidate.pipeline, 0};
    if (of.unresolved)
      kind.broken.alone = true;
    else
      kind.broken = cost::brokenByDegrees(shapes.front().facts, of.candidate);
    kind.broken.rules |= std::uint64_t{of.broken} << afterRules;
    if (kind.broken.rules == 0) {
      if (placesAxes)
        kind.placement = placementRule(point, of.candidate);
      if (candidates.size() < mostCandidates)
        candidates.emplace_back(point, of.candidate);
    }
    if (kind.broken.alone)
      kind.stages = 0, kind.broken.microBatches = 0; // they do not matter
    const auto [found, isNew] =
        numbers.try_emplace({kind.broken.rules, kind.broken.microBatches, kind.stages, kind.key,
                             kind.placement, kind.broken.alone ? std::uint64_t{1} : 0},
                            static_cast<std::uint32_t>(pointKinds.size()));
    if (isNew)
      pointKinds.push_back(kind);
    ++pointKinds[found->second].count;
    kindOfPoint.push_back(found->second);
  }
}

void LayoutFamily::findRules(KeyOfPoint keyOf) {
  slow.assign(open.size(), 0);
  findKinds(keyOf);
  // Other rules of the passes do not depend on the degrees, or the passes decide for each point.
  std::vector<std::optional<Point>> legal(shapes.size()); // first point that breaks no rule
  for (std::size_t choice = 0; choice < open.size(); ++choice) {
    if (fixedRule[choice] != LegalityRule::None)
      continue;
    std::optional<Point>& first = legal[shapeOf[choice]];
    if (!first)
      for (std::uint32_t kind = 0; kind < pointKinds.size() && !first; ++kind)
        if (ruleOfKind(choice, kind) == 0)
          first = pointKinds[kind].first;
    slow[choice] = first && ruleOfPasses(choice, *first, "partition-layers") != 0 ? 1 : 0;
  }
  trial.reset(); // a large plan, which is rarely needed again
}

std::size_t LayoutFamily::ruleOfKind(std::size_t choice, std::uint32_t number) {
  const PointKind& kind = pointKinds[number];
  const std::size_t shape = shapeOf[choice];
  std::uint64_t broken = kind.broken.rules;
  if (!kind.broken.alone)
    broken |= cost::brokenByStages(shapes[shape].facts, kind.stages, kind.broken.microBatches);
  const LegalityRule fixed = fixedRule[choice];
  if (broken == 0 && fixed == LegalityRule::None)
    return kind.placement;
  const auto [found, isNew] = known.try_emplace({shape, static_cast<std::uint64_t>(fixed), broken});
  if (isNew)
    found->second = ruleOfPasses(choice, kind.first, "check-layout");
  return found->second;
}

Bounds& LayoutFamily::boundsOf() {
  if (!bounds)
    bounds = std::make_unique<Bounds>(plan, open);
  return *bounds;
}

double LayoutFamily::groupBound(std::size_t choice, Point point) {
  const LayoutCandidate candidate = candidateOf(point);
  boundsOf().choose(choice);
  return bounds->ofAny(candidate, candidate).step;
}

PlanBound LayoutFamily::bound(std::size_t choice, Point point) {
  const LayoutCandidate candidate = candidateOf(point);
  boundsOf().choose(choice);
  const Bound found = bounds->of(candidate, splitOf(choice, candidate));
  return planBoundOf(found, plan.cluster);
}

/// The layers of each chunk depend on the pipeline. With a split by FLOP they also depend on the
/// degrees that change the FLOP of layers and head in different ratios (`vocab_multiple` pads by
/// tensor ranks), and on the nodes of each stage if nodes differ.
llvm::ArrayRef<ir::Chunk> LayoutFamily::splitOf(std::size_t choice,
                                                const LayoutCandidate& candidate) {
  Shape& shape = shapes[shapeOf[choice]];
  LayoutCandidate key;
  key.pipeline = candidate.pipeline;
  if (open[choice].split == ir::SplitKind::ByFlop) {
    if (plan.cluster.nodeTypes.size() > 1)
      key = candidate;
    key.tensor = candidate.tensor, key.expert = candidate.expert;
    key.expertTensor = candidate.expertTensor;
  }
  std::vector<ir::Chunk>& split = shape.splits[key];
  if (split.empty())
    split = estimatorOf(choice).split(candidate).vec();
  return split;
}

Estimator& LayoutFamily::estimatorOf(std::size_t choice) {
  estimators.resize(open.size());
  std::unique_ptr<Estimator>& estimator = estimators[choice];
  if (!estimator) {
    ir::Plan chosen = plan;
    open[choice].write(chosen.layout);
    estimator = std::make_unique<Estimator>(chosen, MeshOf::Candidate, pipelines);
  }
  return *estimator;
}

Estimate LayoutFamily::exact(std::size_t choice, Point point) {
  constexpr std::uint64_t mostActions = 400'000; // limit of stored actions, each of 50 B
  if (pipelines->actions() > mostActions)
    pipelines->forget();
  const LayoutCandidate candidate = candidateOf(point);
  return estimatorOf(choice).exactIfFits(candidate, splitOf(choice, candidate));
}

void LayoutFamily::forget() {
  for (const std::unique_ptr<Estimator>& estimator : estimators)
    if (estimator)
      estimator->forget();
}

LayoutFamily::TableSizes LayoutFamily::tables() const {
  TableSizes out{shapes.size(), 0, bounds ? bounds->divisions() : 0};
  for (const Shape& shape : shapes)
    out.splits += shape.splits.size();
  return out;
}
