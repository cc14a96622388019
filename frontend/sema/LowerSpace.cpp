//===- LowerSpace.cpp - Lowers what a search or study varies ----------------------------------===//
#include "frontend/sema/CandidateNames.h"
#include "frontend/sema/Checker.h"
#include "frontend/sema/Lower.h"
#include "frontend/sema/Lowering.h"
#include "frontend/sema/ResultNames.h"
#include "frontend/sema/Written.h"
#include "ir/DrawnFigures.h"
#include "support/diagnostics/Schema.h"
using namespace dpl;
using namespace dpl::sema;

namespace {

/// Lowers the candidates of a field: a range of whole numbers as a range, other values as a list.
ir::OpenField openField(Evaluator& evaluator, std::string path, const Value& written,
                        llvm::ArrayRef<Value> all) {
  ir::OpenField out;
  out.path = std::move(path);
  const auto whole = [](const Value& end) { return end.number.value.asInteger().value_or(-1); };
  if (written.is(Value::ValueKind::Range) && whole(all.front()) >= 0) {
    out.range = true;
    out.first = static_cast<std::uint64_t>(whole(all.front()));
    out.last = static_cast<std::uint64_t>(whole(all.back()));
    out.unit = baseUnit(all.front().number.dimension);
    return out;
  }
  for (const Value& value : all)
    for (std::string& text : candidateTexts(evaluator, value))
      out.values.push_back(std::move(text));
  return out;
}

/// The open fields of a search in the order of the file, those of its base first.
class OpenFieldList {
public:
  OpenFieldList(Evaluator& evaluator, Object& search) : evaluator(evaluator), search(search) {
    walk(search, "");
  }
  std::vector<ir::OpenField> inOrder() {
    const auto before = [](const SearchedField& a, const SearchedField& b) {
      return std::pair(a.level, a.begin) < std::pair(b.level, b.begin);
    };
    llvm::stable_sort(found, before);
    std::vector<ir::OpenField> out;
    for (SearchedField& one : found)
      out.push_back(std::move(one.field));
    return out;
  }

private:
  struct SearchedField {
    std::size_t level;
    std::uint32_t begin;
    ir::OpenField field;
  };

  void walk(Object& object, const std::string& path) {
    object.eachField([&](const FieldDecl& f) { field(object, f, path); });
  }

  std::size_t levelOf(const Winner& setting) const {
    const auto same = [&](const Setting& s) { return s.level == setting.level; };
    return static_cast<std::size_t>(llvm::find_if(search.levels, same) - search.levels.begin());
  }

  void field(Object& object, const FieldDecl& f, const std::string& above) {
    const std::string path = above.empty() ? f.name().str() : above + "." + f.name().str();
    const Value value = evaluator.field(object, f, {});
    const Winner* winner = evaluator.winner(object, f);
    if (const auto* open = winner ? evaluator.candidatesOf(object, *winner) : nullptr) {
      found.push_back({levelOf(*winner), winner->range().begin,
                       openField(evaluator, path, open->written, open->all)});
      return;
    }
    if (value.object && !value.object->decl)
      walk(*value.object, path);
    if (value.is(Value::ValueKind::Family) && !value.family->counted())
      for (const Evaluator::EvaluatedEntry& entry : evaluator.entries(*value.family))
        if (entry.value.object)
          walk(*entry.value.object, fmt::format("{}[\"{}\"]", path, entry.key));
  }

  Evaluator& evaluator;
  Object& search;
  std::vector<SearchedField> found;
};

/// Adds the `let`s that are outputs, or that a plot shows.
void deriveOutputs(const Checker::SpaceRequests& wanted, const ObjectFields& study,
                   DiagnosticEngine& diags, ir::Space& space) {
  std::vector<std::string> outputs = space.outputs;
  for (const std::string& axis : {space.plot.x, space.plot.y})
    if (!axis.empty() && llvm::none_of(space.open, [&](const auto& f) { return f.path == axis; }))
      outputs.push_back(axis);
  for (const std::string& output : outputs) {
    if (resultNamed(output) || space.derivedNamed(output))
      continue;
    const auto let = llvm::find_if(
        wanted.lets, [&](const ir::DerivedOutput& derived) { return derived.name == output; });
    if (let != wanted.lets.end() && !let->value.nodes.empty())
      space.derived.push_back(*let);
    else
      diags.report<diag::OutputIsNoNumber>(study.range("outputs"), output, space.name);
  }
}

/// The kinds of random draws that outputs, plot and assertions of a study need.
struct DrawnOutputs {
  bool steps = false, runs = false, intervals = false;
};
DrawnOutputs drawnBy(const ir::Space& space) {
  DrawnOutputs out;
  const auto read = [&](llvm::StringRef path) {
    if (const std::optional<ir::DrawnFigure> drawn = ir::drawnFigureNamed(path))
      (drawn->kind == ir::DrawnFigure::DrawnFigureKind::Interval ? out.intervals
       : drawn->run.empty()                                      ? out.steps
                                                                 : out.runs) = true;
  };
  const auto readAll = [&](const ir::Assertion& expression) {
    for (const ir::AssertionNode& node : expression.nodes)
      read(node.path);
    if (expression.nodes.empty()) // expressions that are not known have no nodes
      out = {true, true, true};
  };
  for (const std::string& output : space.outputs)
    read(output);
  read(space.plot.x);
  read(space.plot.y);
  for (const ir::DerivedOutput& derived : space.derived)
    readAll(derived.value);
  for (const ir::Assertion& constraint : space.constraints)
    readAll(constraint);
  for (const ir::Objective& objective : space.objectives)
    for (const ir::AssertionNode& node : objective.nodes)
      read(node.path);
  return out;
}

/// Reports a field of a search that has an effect only if steps or runs are drawn.
void reportUndrawn(const ObjectFields& search, const ir::Space& space, DiagnosticEngine& diags) {
  const DrawnOutputs drawn = drawnBy(space);
  const bool any = drawn.steps || drawn.runs || drawn.intervals;
  for (const auto& [field, isUsed] : {std::pair("seeds", any),
                                      {"steps", drawn.steps},
                                      {"level", drawn.steps},
                                      {"draws", drawn.runs || drawn.intervals}})
    if (!isUsed && search.isSet(field))
      diags.report<diag::NothingDrawn>(search.range(field), space.name, field)
          .help("`minimize step_time.p95` is about simulated steps, `run[NAME].time.mean` about "
                "drawn runs");
}

/// Finds a field of the study that has no effect at any point.
class UnusedFields {
public:
  UnusedFields(const ir::Plan& plan, const ir::Space& space, const ObjectFields& study,
               llvm::ArrayRef<Checker::Varied> varied)
      : plan(plan), space(space), study(study), varied(varied) {}

  void report(DiagnosticEngine& diags) const {
    const DrawnOutputs drawn = drawnBy(space);
    const auto [field, why] = found(drawn);
    if (field)
      diags.report<diag::StudyField>(placeOf(field), field, space.name, why);
  }

private:
  std::pair<const char*, std::string> found(const DrawnOutputs& drawn) const {
    const auto said = [&](const char* field) { return placeOf(field).valid(); };
    for (const char* field : {"level", "steps"})
      if (!drawn.steps && said(field))
        return {field, "has no effect: no output is computed from simulated steps"};
    if (!drawn.runs && !drawn.intervals && said("draws"))
      return {"draws", "has no effect: no output is computed from drawn runs"};
    for (const char* field : {"seeds", "target_half_width"})
      if (!drawn.steps && !drawn.runs && !(field == llvm::StringRef("seeds") && drawn.intervals) &&
          said(field))
        return {field, "has no effect: no output is computed from simulated steps or drawn runs"};
    const bool toGoal = llvm::any_of(
        plan.runs, [&](const ir::Run& run) { return run.name == space.run && run.problem(); });
    for (const char* field : {"draws", "target_half_width"})
      if (toGoal && said(field))
        return {field, fmt::format("has no effect: run `{}` ends at its goal and is not drawn",
                                   space.run)};
    if (space.until > 0 && space.seeds.size() == 1 && !varies({"seeds", "target_half_width"}))
      return {"target_half_width", "is compared after each of its `seeds`, found only one"};
    const bool byThemselves = !plan.layout.dataRanks.empty() || !plan.cluster.coupling.empty();
    if (space.level != ir::SimulationLevel::Operation && byThemselves &&
        !varies({"level", "synchronization", "batch_balancing", "throttling", "parameter_servers",
                 "interference"}))
      return {"level",
              fmt::format("needs steps that all data ranks begin together, but those of `{}` "
                          "step independently",
                          plan.layout.name)};
    return {nullptr, ""};
  }
  /// The place at which the study sets or varies a field; invalid if it does neither.
  SourceRange placeOf(const char* field) const {
    if (study.isSet(field))
      return study.range(field);
    for (const Checker::Varied& one : varied)
      if (one.path == fmt::format("{}.{}", space.name, field))
        return one.all.empty() ? one.at : one.all.front().range;
    return {};
  }
  bool varies(llvm::ArrayRef<const char*> ends) const {
    return llvm::any_of(space.open, [&](const ir::OpenField& field) {
      return llvm::any_of(ends, [&](const char* end) {
        return llvm::StringRef(field.path).contains(std::string(".") + end);
      });
    });
  }
  const ir::Plan& plan;
  const ir::Space& space;
  const ObjectFields& study;
  llvm::ArrayRef<Checker::Varied> varied;
};

} // namespace

void sema::lowerSearch(Checker& checker, Evaluator& evaluator, Object& search, ir::Plan& plan) {
  ir::Space space;
  space.name = search.name().str();
  if (!checker.ofPoint()) {
    for (const Checker::Varied& varied : checker.varied(search)) {
      std::vector<ir::OpenField>& to = varied.worst ? space.worstOf : space.open;
      to.push_back(openField(evaluator, varied.path, varied.written, varied.all));
      to.back().otherBlock = true;
    }
    for (ir::OpenField& field : OpenFieldList(evaluator, search).inOrder())
      space.open.push_back(std::move(field));
  }
  bool failed = false;
  const ObjectFields fields(evaluator, search, failed, "");
  space.keep = fields.count("keep");
  space.seeds = fields.counts("seeds"), space.steps = fields.count("steps");
  space.draws = fields.count("draws");
  space.level = choice(fields, "level", ir::SimulationLevel::Operation);
  space.constraints = checker.wanted(search).constraints;
  space.objectives = checker.wanted(search).objectives;
  space.pareto = checker.wanted(search).pareto;
  if (!checker.ofPoint())
    reportUndrawn(fields, space, evaluator.shared.diags);
  plan.spaces.push_back(std::move(space));
}

LogicalResult sema::lowerStudy(Checker& checker, Evaluator& evaluator, const ObjectFields& study,
                               const std::string& run, ir::Plan& plan) {
  ir::Space space;
  space.kind = ir::SpaceKind::Study;
  space.name = study.name().str();
  space.run = run;
  for (const Checker::Varied& varied : checker.varied(*study.raw()))
    space.open.push_back(openField(evaluator, varied.path, varied.written, varied.all));
  space.constraints = checker.wanted(*study.raw()).constraints;
  space.sampling.kind = choice(study, "sampling", ir::SamplingKind::Grid);
  if (space.sampling.kind == ir::SamplingKind::Random) {
    const ObjectFields drawn = study.object("sampling");
    space.sampling.points = drawn.count("points"), space.sampling.seed = drawn.count("seed");
  }
  space.hold = choice(study, "scaling", ir::Scaling::FixedGlobalBatch);
  space.seeds = study.counts("seeds");
  std::vector<std::uint64_t> seeds = space.seeds;
  llvm::sort(seeds);
  if (const auto twice = std::adjacent_find(seeds.begin(), seeds.end()); twice != seeds.end())
    evaluator.shared.diags
        .report<diag::ListedTwice>(study.range("seeds"), "seeds", std::to_string(*twice))
        .help("the same seed gives the same steps again");
  space.steps = study.count("steps"), space.draws = study.count("draws");
  space.until = study.has("target_half_width") ? study.real("target_half_width") : 0;
  space.level = choice(study, "level", ir::SimulationLevel::Operation);
  space.outputs = study.names("outputs");
  if (study.has("plot")) {
    const ObjectFields plot = study.object("plot");
    space.plot.x = plot.symbol("x");
    space.plot.y = plot.symbol("y");
    if (plot.has("series"))
      space.plot.series = plot.symbol("series");
  }
  if (!checker.ofPoint())
    deriveOutputs(checker.wanted(*study.raw()), study, evaluator.shared.diags, space);
  if (study.failed())
    return LogicalResult::failure();
  if (checker.ofPoint()) // a point has no open fields, and its outputs are known already
    space.open.clear(), space.sampling = {};
  else
    UnusedFields(plan, space, study, checker.varied(*study.raw())).report(evaluator.shared.diags);
  plan.spaces.push_back(std::move(space));
  return LogicalResult::success();
}
