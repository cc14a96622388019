//===- Study.cpp - Runs a `study` block -------------------------------------------------------===//
#include "driver/study/Study.h"
#include "driver/study/Journal.h"
#include "driver/study/RowValues.h"
#include "ir/DimensionText.h"
#include "ir/DrawnFigures.h"
#include "ir/FigureNames.h"
#include "support/Near.h"
#include "support/Threads.h"
#include "support/diagnostics/Assertions.h"
#include "support/diagnostics/Cost.h"
#include "support/diagnostics/Study.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/xxhash.h"
#include <atomic>
#include <memory>
#include <mutex>
#include <set>
using namespace dpl;
using namespace dpl::study;

Dimension study::dimensionOfOutput(const ir::Space& space, const std::string& output) {
  if (const ir::DerivedOutput* derived = space.derivedNamed(output))
    return ir::readDimension(derived->dimension).value_or(Dimension{});
  const ir::FigureRow* row = ir::figureNamed(output);
  return row ? ir::dimensionOf(*row) : ir::dimensionOfDrawn(output);
}

namespace {
bool isVaried(const ir::Space& space, const std::string& path) {
  return llvm::any_of(space.open, [&](const ir::OpenField& field) { return field.path == path; });
}

/// The space of the study. Its outputs are those of the block and of the axes of its plot, or
/// instead the figures that the command line names. A plot of other figures is dropped.
ir::Space spaceOf(const ir::Plan& plan, const RunOptions& options) {
  ir::Space space = *llvm::find_if(plan.spaces, [&](const ir::Space& one) {
    return one.kind == ir::SpaceKind::Study && one.name == options.request.study;
  });
  if (!options.figures.empty()) {
    space.outputs.clear();
    for (const std::string& figure : options.figures)
      space.outputs.push_back(ir::pathWritten(figure));
    if (!llvm::is_contained(space.outputs, space.plot.y))
      space.plot = {};
  }
  for (const std::string& axis : {space.plot.x, space.plot.y})
    if (!axis.empty() && !isVaried(space, axis) && !llvm::is_contained(space.outputs, axis))
      space.outputs.push_back(axis);
  return space;
}

/// A hash of everything on which the points depend: the texts of all files and settings, the
/// outputs that the command line names, and the version of the compiler.
std::string keyOf(const RunOptions& options, const SourceManager& sources) {
  std::string all = DPL_VERSION;
  for (std::uint32_t file = 1; file <= sources.files(); ++file)
    all += fmt::format("\n{}", sources.text(file));
  for (const std::string& figure : options.figures)
    all += "\n" + figure;
  return fmt::format("{:016x}", llvm::xxHash64(all + options.request.study));
}

/// Runs points on several threads. Each finished point is written to the journal.
class StudyRunner {
public:
  StudyRunner(const RunOptions& options, const ir::Space& space, BatchScaling held,
              Journal* journal, DiagnosticEngine& diags)
      : options(options), space(space), batchScaling(held), journal(journal), diags(diags) {}

  /// Runs the points `numbers` and adds them to `done`. False after an error was reported.
  bool run(const std::vector<std::uint64_t>& numbers, std::vector<StudyPoint>& done) {
    const std::uint64_t all = numbers.size() + done.size();
    // If there are fewer points than threads, each point simulates its steps on several threads.
    const auto workers = static_cast<unsigned>(
        std::clamp<std::uint64_t>(numbers.size(), 1, std::max(1U, options.threads)));
    const unsigned each = std::max(1U, options.threads / workers);
    std::vector<std::unique_ptr<PointRunner>> runners(workers);
    onThreads(numbers.size(), workers, [&](unsigned worker, std::uint64_t i) {
      if (failed)
        return;
      if (!runners[worker])
        runners[worker] = std::make_unique<PointRunner>(options.request, space, batchScaling);
      StudyPoint point = runners[worker]->run(numbers[i], each);
      const std::lock_guard<std::mutex> alone(several);
      if (journal && !failed && journal->append(point, diags).failed())
        failed = true;
      done.push_back(std::move(point));
      if (options.progress)
        options.progress(done.size(), all);
    });
    return !failed;
  }

private:
  const RunOptions& options;
  const ir::Space& space;
  BatchScaling batchScaling;
  Journal* journal;
  DiagnosticEngine& diags;
  std::mutex several;
  std::atomic<bool> failed{false};
};

void inOrder(std::vector<StudyPoint>& points) {
  llvm::stable_sort(points,
                    [](const StudyPoint& a, const StudyPoint& b) { return a.number < b.number; });
  const auto same = [](const StudyPoint& a, const StudyPoint& b) { return a.number == b.number; };
  points.erase(std::unique(points.begin(), points.end(), same), points.end());
}

/// The points of this shard that are not in `done`. `done` is sorted.
std::vector<std::uint64_t> missing(const RunOptions& options, std::uint64_t points,
                                   const std::vector<StudyPoint>& done) {
  std::vector<std::uint64_t> out;
  auto known = done.begin();
  for (std::uint64_t number = 0; number < points; ++number) {
    while (known != done.end() && known->number < number)
      ++known;
    const bool has = known != done.end() && known->number == number;
    if (!has && number % options.shards == options.shard - 1)
      out.push_back(number);
  }
  return out;
}

/// Reads the points of other folders. Fails, after a report, if a folder cannot be merged or a
/// point of the study is missing.
LogicalResult mergePoints(const RunOptions& options, const JournalHeader& header, SourceRange at,
                          std::vector<StudyPoint>& points, DiagnosticEngine& diags) {
  for (const std::string& folder : options.merge) {
    FailureOr<std::vector<StudyPoint>> of = Journal::read(folder, header, diags);
    if (of.failed())
      return LogicalResult::failure();
    points.insert(points.end(), of->begin(), of->end());
  }
  inOrder(points);
  const std::vector<std::uint64_t> left = missing(options, header.points, points);
  if (left.empty())
    return LogicalResult::success();
  return diags.report<diag::PointsMissing>(at, left.size(), header.points)
      .help(fmt::format("the first is point {}", left.front()));
}

template <class Is> std::vector<const StudyPoint*> pointsThat(const Results& results, Is is) {
  std::vector<const StudyPoint*> out;
  for (const StudyPoint& point : results.points)
    if (is(point))
      out.push_back(&point);
  return out;
}
std::vector<const StudyPoint*> without(const Results& results, const std::string& value) {
  return pointsThat(results,
                    [&](const StudyPoint& point) { return point.unknown.count(value) > 0; });
}

void reportBroken(const Results& results, SourceRange at, DiagnosticEngine& diags) {
  for (const ir::Assertion& constraint : results.space.constraints) {
    const auto broken = pointsThat(results, [&](const StudyPoint& point) {
      return llvm::is_contained(point.broken, constraint.source);
    });
    if (broken.empty())
      continue;
    std::string help = constraint.reason;
    if (const auto unknown = without(results, constraint.source); !unknown.empty())
      help = fmt::format("at {} of them its value is not known: {}", unknown.size(),
                         unknown.front()->unknown.at(constraint.source));
    auto d =
        diags.report<diag::StudyBreaks>(constraint.range.valid() ? constraint.range : at,
                                        constraint.source, broken.size(), results.points.size());
    if (const auto& diagrams = broken.front()->diagrams; diagrams.count(constraint.source) > 0)
      std::move(d).note<diag::StudyValues>({}, placeOf(results, *broken.front()),
                                           diagrams.at(constraint.source));
    if (!help.empty())
      std::move(d).help(help);
  }
}

/// Reports each output that has no value at some points, with the reason at the first of them.
void reportUnknown(const Results& results, SourceRange at, DiagnosticEngine& diags) {
  for (const std::string& output : results.space.outputs) {
    const ir::DerivedOutput* derived = results.space.derivedNamed(output);
    if (const auto points = without(results, output); !points.empty())
      diags
          .report<diag::NoValueAtPoints>(derived ? derived->value.range : at, output, points.size(),
                                         results.points.size(), points.front()->unknown.at(output))
          .help("the first is " + placeOf(results, *points.front()));
  }
}

void reportFarOff(const Results& results, SourceRange at, DiagnosticEngine& diags) {
  const auto far = pointsThat(results, [](const StudyPoint& point) { return point.farOff; });
  if (far.empty())
    return;
  const StudyPoint& first = *far.front();
  std::vector<std::optional<double>> all;
  if (first.steps > 0)
    all.push_back(first.halfWidth);
  for (const RunsOfPoint& run : first.runs)
    all.push_back(run.halfWidth);
  const bool known = llvm::all_of(all, [](const auto& one) { return one.has_value(); });
  diags.report<diag::FarOff>(at, results.space.name, far.size(), results.points.size())
      .help(fmt::format(
          "the first is {}, {}; more `seeds` bring it nearer", placeOf(results, first),
          known ? fmt::format("within ±{:.2g} %", 100 * **std::max_element(all.begin(), all.end()))
                : "where too few steps or runs vary"));
}

/// Checks that the layout has every run whose figures are read by an output or an expression.
LogicalResult checkRuns(const ir::Plan& plan, const ir::Space& space, SourceRange at,
                        DiagnosticEngine& diags) {
  std::set<std::string> seen;
  const auto check = [&](llvm::StringRef path, SourceRange range) {
    if (!path.consume_front("run["))
      return;
    const std::string name = path.take_until([](char c) { return c == ']'; }).str();
    if (llvm::any_of(plan.runs, [&](const ir::Run& run) { return run.name == name; }) ||
        !seen.insert(name).second)
      return;
    std::vector<std::string> names;
    for (const ir::Run& run : plan.runs)
      names.push_back(run.name);
    diags.report<diag::UnknownResult>(range, fmt::format("run[{}", path.str()))
        .help(didYouMean(nearNames(name, names),
                         names.empty() ? fmt::format("layout `{}` has no run", plan.layout.name)
                                       : fmt::format("runs of layout `{}` are {}", plan.layout.name,
                                                     alternatives(names))));
  };
  const auto checkAll = [&](const ir::Assertion& read) {
    for (const ir::AssertionNode& node : read.nodes)
      check(node.path, read.range);
  };
  for (const ir::DerivedOutput& derived : space.derived)
    checkAll(derived.value);
  for (const ir::Assertion& constraint : space.constraints)
    checkAll(constraint);
  for (const std::string& output : space.outputs)
    check(output, at);
  return seen.empty() ? LogicalResult::success() : LogicalResult::failure();
}

bool variesBatch(const ir::Space& space) {
  return llvm::any_of(space.open, [](const ir::OpenField& field) {
    return llvm::StringRef(field.path).endswith(".batch");
  });
}

/// Whether the batch already depends on the varied fields, so that `scaling =
/// fixed_per_worker_batch` would scale it a second time. The layout is compiled with each value of
/// each field, or with 64 of them. A point whose batch depends on several fields together is
/// refused when it runs.
bool scaledTwice(const StudyRequest& request, std::uint64_t written, const ir::Space& space) {
  constexpr std::uint64_t most = 64;
  PointRunner runner(request, space, {});
  const bool together = space.sampling.kind == ir::SamplingKind::Zip;
  for (std::size_t i = 0; i < (together ? 1 : space.open.size()); ++i) {
    std::vector<std::uint64_t> chosen(space.open.size());
    const std::uint64_t size = space.open[i].size(), tried = std::min(size, most);
    for (std::uint64_t n = 0; n < tried; ++n) {
      chosen[i] = n * (size - 1) / std::max<std::uint64_t>(1, tried - 1);
      if (together)
        std::fill(chosen.begin(), chosen.end(), chosen.front());
      if (const auto batch = runner.statedBatch(chosen); batch && *batch != written)
        return true;
    }
  }
  return false;
}

SourceRange rangeOf(const CompiledFile& file, const std::string& study) {
  for (const NamedBlock& block : file.studies)
    if (block.name == study)
      return block.range;
  return {};
}
} // namespace

FailureOr<Results> study::run(CompiledFile& file, const RunOptions& options,
                              const SourceManager& sources, DiagnosticEngine& diags) {
  const SourceRange at = rangeOf(file, options.request.study);
  const ir::Plan& plan = *planOfLayout(file, options.request.layout);
  Results out{plan.layout.name, spaceOf(plan, options), {}, {}, {}};
  if (checkRuns(plan, out.space, at, diags).failed())
    return LogicalResult::failure();
  for (const std::string& output : out.space.outputs)
    out.dimensions.push_back(dimensionOfOutput(out.space, output));
  const auto ofUplinks = [](const ir::OpenField& field) {
    return llvm::StringRef(field.path).endswith(".uplinks");
  };
  if (out.space.level != ir::SimulationLevel::Message && llvm::any_of(out.space.open, ofUplinks))
    (void)diags
        .report<diag::PredictedWithBarrier>(at, out.layout, "flows spread evenly over uplinks")
        .help("with `level = message` they are hashed");
  BatchScaling held;
  if (out.space.hold == ir::Scaling::FixedPerWorkerBatch) {
    held.ranks = plan.layout.mesh.automatic ? 0 : dataRanksOf(plan);
    held.batch = variesBatch(out.space) ? 0 : plan.layout.batch;
    if (held.ranks == 0)
      return diags.report<diag::MeshNotHeld>(at, out.space.name)
          .help("write the degrees of the mesh instead of `auto`");
  }
  out.scaling = held;
  if (held.batch > 0 && scaledTwice(options.request, held.batch, out.space))
    return diags
        .report<diag::BatchScaledTwice>(plan.layout.rangeOf("batch"), out.layout, out.space.name)
        .help("write the batch of the layout as a number, or leave `scaling` out");
  const JournalHeader header{out.space.name,           out.layout,
                             keyOf(options, sources),  out.space.points(),
                             out.space.outputs.size(), figuresOverRows(out.space).size()};
  if (!options.merge.empty() && mergePoints(options, header, at, out.points, diags).failed())
    return LogicalResult::failure();
  std::optional<Journal> journal;
  if (!options.folder.empty()) {
    FailureOr<Journal> opened = Journal::open(options.folder, header, diags);
    if (opened.failed())
      return LogicalResult::failure();
    journal = std::move(*opened);
    const std::vector<StudyPoint> known = journal->releaseKnown();
    out.points.insert(out.points.end(), known.begin(), known.end());
  }
  inOrder(out.points);
  const std::vector<std::uint64_t> left = missing(options, header.points, out.points);
  if (!StudyRunner(options, out.space, held, journal ? &*journal : nullptr, diags)
           .run(left, out.points))
    return LogicalResult::failure();
  inOrder(out.points);
  if (journal && journal->finish(out.points, diags).failed())
    return LogicalResult::failure();
  if (out.whole())
    evaluateRows(out);
  reportBroken(out, at, diags);
  reportUnknown(out, at, diags);
  reportFarOff(out, at, diags);
  if (out.points.size() == header.points && !out.ran())
    diags.report<diag::NoPointRuns>(at, out.space.name, header.points)
        .help(out.points.front().refused);
  return out;
}
