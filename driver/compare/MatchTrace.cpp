//===- MatchTrace.cpp - The parts of a plan to which the work of a trace belongs --------------===//
#include "driver/compare/MatchTrace.h"
#include "ir/Names.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
using namespace dpl;
using namespace dpl::compare;
using PartKind = ComparedPart::PartKind;

ComparedPart& PartSums::part(PartKind kind, const std::string& name) {
  const auto [at, added] =
      places.try_emplace(fmt::format("{} {}", static_cast<unsigned>(kind), name), parts.size());
  if (added) {
    parts.emplace_back();
    parts.back().kind = kind, parts.back().name = name;
  }
  return parts[at->second];
}

void PartSums::unassigned(const std::string& name, double seconds, double count) {
  UnassignedWork& work = rest[name];
  work.name = name, work.seconds += seconds, work.count += count;
}

void PartSums::finish(double traces, Comparison& out) {
  for (ComparedPart& part : parts) {
    for (double* const value : {&part.predicted, &part.measured, &part.predictedCount,
                                &part.measuredCount, &part.predictedBytes, &part.measuredBytes})
      *value /= traces;
    if (part.kind == PartKind::Step || part.predicted > 0 || part.measured > 0)
      out.parts.push_back(part);
  }
  llvm::stable_sort(out.parts, [](const ComparedPart& a, const ComparedPart& b) {
    if (a.kind != b.kind)
      return a.kind < b.kind;
    return a.kind != PartKind::Step && std::abs(a.difference()) > std::abs(b.difference());
  });
  for (auto& [name, work] : rest) {
    work.seconds /= traces, work.count /= traces;
    out.unassigned.push_back(work);
  }
  llvm::stable_sort(out.unassigned, [](const UnassignedWork& a, const UnassignedWork& b) {
    return a.seconds > b.seconds;
  });
  out.kernelTime = kernelTime / traces, out.assigned = assigned / traces;
}

std::optional<GemmShape> compare::gemmOfShapes(llvm::StringRef shapes) {
  // The last two dimensions of the first two inputs that have two or more; those before them are
  // batches, which a linear layer adds to the rows.
  llvm::SmallVector<llvm::SmallVector<std::uint64_t, 4>, 4> inputs;
  llvm::SmallVector<llvm::StringRef, 8> texts;
  shapes.split(texts, '[', -1, false);
  for (llvm::StringRef text : texts) {
    llvm::SmallVector<std::uint64_t, 4> dims;
    llvm::SmallVector<llvm::StringRef, 4> words;
    text.take_until([](char c) { return c == ']'; }).split(words, ',', -1, false);
    for (const llvm::StringRef word : words)
      if (std::uint64_t dim = 0; !word.trim().getAsInteger(10, dim) && dim > 0)
        dims.push_back(dim);
    if (dims.size() >= 2)
      inputs.push_back(std::move(dims));
  }
  if (inputs.size() < 2)
    return std::nullopt;
  const auto &a = inputs[inputs.size() - 2], &b = inputs.back();
  std::uint64_t rows = 1;
  const bool batched = b.size() > 2;
  for (std::size_t i = batched ? a.size() - 2 : 0; i + 1 < a.size(); ++i)
    if (__builtin_mul_overflow(rows, a[i], &rows))
      return std::nullopt;
  const std::uint64_t depth = a.back(), c = b[b.size() - 2], d = b.back();
  if (depth != c && depth != d)
    return std::nullopt;
  GemmShape out{rows, depth, depth == c ? d : c, depth};
  std::sort(out.begin(), std::prev(out.end()));
  return out;
}

const PredictedCollectives* compare::matchOf(const MeasuredCollective& measured,
                                             llvm::ArrayRef<PredictedCollectives> predicted) {
  const PredictedCollectives* best = nullptr;
  constexpr double farthest = 4.2; // a factor of 64
  double nearest = farthest;
  for (const PredictedCollectives& p : predicted) {
    if (measured.kind && *measured.kind != p.kind)
      continue;
    if (measured.groupSize > 0 && measured.groupSize != p.groupSize &&
        p.kind != ir::CollectiveKind::SendReceive)
      continue;
    const double bytes = p.count > 0 ? p.bytes / p.count : 0;
    const double distance = measured.bytes > 0 && bytes > 0
                                ? std::abs(std::log(static_cast<double>(measured.bytes) / bytes))
                                : 0;
    if (distance < nearest || (!best && distance <= nearest))
      best = &p, nearest = distance;
  }
  return best;
}

namespace {
/// Adds the work of one profile.
class ProfileMatch {
public:
  ProfileMatch(const Profile& profile, const Predicted& predicted, PartSums& sums)
      : profile(profile), predicted(predicted), sums(sums),
        steps(static_cast<double>(profile.steps)) {}

  void add() {
    for (const PredictedOperator& op : predicted.operators)
      knownClass[static_cast<std::size_t>(op.work)] = true;
    knownClass[static_cast<std::size_t>(WorkClass::Optimizer)] = predicted.optimizer > 0;
    for (const DeviceWork& work : profile.works)
      if (work.step)
        this->work(work);
    predictions();
    actions();
    times();
  }

private:
  double seconds(const DeviceWork& work) const {
    return static_cast<double>(work.end - work.begin) * 1e-9 / steps;
  }
  bool directed(WorkClass work) const {
    return profile.knowsDirections && work != WorkClass::Optimizer;
  }
  std::string nameOf(WorkClass work, bool backward) const {
    return directed(work)
               ? fmt::format("{}, {}", compare::nameOf(work), backward ? "backward" : "forward")
               : compare::nameOf(work);
  }
  void measure(ComparedPart& part, const DeviceWork& work) const {
    part.measured += seconds(work), part.measuredCount += 1 / steps;
  }

  void work(const DeviceWork& work) {
    sums.kernelTime += seconds(work);
    if (work.work == WorkClass::Collective || work.work == WorkClass::ExpertExchange)
      return collective(work);
    // Kernels of a class that the plan does not have are parts of its pointwise operators.
    WorkClass as = work.work;
    const bool streaming = as != WorkClass::Gemm && as != WorkClass::Attention &&
                           as != WorkClass::Other && as != WorkClass::HostCopy &&
                           as != WorkClass::Optimizer;
    if (as == WorkClass::ExpertGemm && !has(as))
      as = WorkClass::Gemm;
    else if (streaming && !has(as))
      as = WorkClass::Pointwise;
    if (!has(as))
      return addUnassigned(work);
    sums.assigned += seconds(work);
    measure(sums.part(PartKind::Operator, nameOf(as, work.backward)), work);
    if (as == WorkClass::Gemm || as == WorkClass::ExpertGemm)
      gemm(work);
  }
  bool has(WorkClass work) const { return knownClass[static_cast<std::size_t>(work)]; }
  void addUnassigned(const DeviceWork& work) {
    sums.unassigned(profile.names[work.name], seconds(work), 1 / steps);
  }

  void gemm(const DeviceWork& work) {
    auto shape = work.shapes > 0 ? gemmOfShapes(profile.names[work.shapes]) : std::nullopt;
    if (!shape)
      return;
    // The sums of gradients are over other dimensions than that of the forward GEMM.
    if (work.backward)
      shape->back() = 0;
    if (const std::string& name = gemmName(*shape); !name.empty())
      measure(sums.part(PartKind::Gemm, name), work);
  }
  /// The operators that have a GEMM of this shape: "mlp up, mlp down, backward".
  const std::string& gemmName(const GemmShape& shape) {
    const auto [known, added] = gemmNames.try_emplace(shape);
    std::string& name = known->second;
    if (added) {
      for (const PredictedOperator& op : predicted.operators)
        if (isOf(op, shape))
          name += op.name + ", ";
      if (!name.empty())
        name += shape.back() == 0 ? "backward" : "forward";
    }
    return name;
  }
  static bool isOf(const PredictedOperator& op, const GemmShape& shape) {
    for (GemmShape own : {op.gemm, op.gemmOfPart}) {
      if (shape.back() == 0)
        own.back() = 0;
      if (own == shape && own.front() > 0)
        return true;
    }
    return false;
  }

  void collective(const DeviceWork& work) {
    const MeasuredCollective* const measured =
        work.collective > 0 ? &profile.collectives[work.collective - 1] : nullptr;
    const PredictedCollectives* match = nullptr;
    if (work.work == WorkClass::ExpertExchange) {
      for (const PredictedCollectives& p : predicted.collectives)
        if (p.purpose == ir::CollectivePurpose::ExpertTokens && !match)
          match = &p;
    } else if (measured) {
      match = matchOf(*measured, predicted.collectives);
    }
    if (!match)
      return addUnassigned(work);
    sums.assigned += seconds(work);
    ComparedPart& part = sums.part(PartKind::Collective, match->name);
    measure(part, work);
    if (measured)
      part.measuredBytes += static_cast<double>(measured->bytes) / steps;
  }

  void predictions() {
    for (const PredictedOperator& op : predicted.operators) {
      for (const bool backward : {false, true}) {
        ComparedPart& part = sums.part(PartKind::Operator, nameOf(op.work, backward));
        part.predicted += backward ? op.backward : op.forward;
        part.predictedCount += backward ? op.backwardKernels : op.forwardKernels;
      }
    }
    for (const auto& [shape, name] : gemmNames)
      for (const PredictedOperator& op : predicted.operators)
        if (!name.empty() && isOf(op, shape))
          sums.part(PartKind::Gemm, name).predicted += shape.back() == 0 ? op.backward : op.forward;
    if (predicted.optimizer > 0)
      sums.part(PartKind::Operator, compare::nameOf(WorkClass::Optimizer)).predicted +=
          predicted.optimizer;
    for (const PredictedCollectives& p : predicted.collectives) {
      ComparedPart& part = sums.part(PartKind::Collective, p.name);
      part.predicted += p.seconds, part.predictedCount += p.count, part.predictedBytes += p.bytes;
    }
  }

  /// Actions that the host annotated, from the first to the last kernel that each launched.
  void actions() {
    std::vector<std::pair<std::int64_t, std::int64_t>> spans(profile.actions.size(), {-1, -1});
    for (const DeviceWork& work : profile.works)
      if (work.action > 0 && work.step) {
        auto& [begin, end] = spans[work.action - 1];
        begin = begin < 0 ? work.begin : std::min(begin, work.begin);
        end = std::max(end, work.end);
      }
    bool any = false;
    for (std::size_t i = 0; i < spans.size(); ++i)
      if (spans[i].first >= 0) {
        ComparedPart& part = sums.part(PartKind::Action, ir::name(profile.actions[i]));
        part.measured += static_cast<double>(spans[i].second - spans[i].first) * 1e-9 / steps;
        part.measuredCount += 1 / steps, any = true;
      }
    for (const PredictedAction& action : predicted.actions)
      if (any) {
        ComparedPart& part = sums.part(PartKind::Action, ir::name(action.kind));
        part.predicted += action.seconds, part.predictedCount += action.count;
      }
  }

  /// The step, communication that nothing overlaps, and the time without any kernel.
  void times() {
    using Span = std::pair<std::int64_t, std::int64_t>;
    std::vector<Span> all, compute;
    double late = 0; // time without a kernel before one that the host launched too late
    std::int64_t busyUntil = std::numeric_limits<std::int64_t>::min();
    const auto add = [](std::vector<Span>& spans, std::int64_t begin, std::int64_t end) {
      if (spans.empty() || spans.back().second < begin)
        spans.emplace_back(begin, end);
      else
        spans.back().second = std::max(spans.back().second, end);
    };
    for (const DeviceWork& work : profile.works) {
      if (!work.step)
        continue;
      if (!all.empty() && work.begin > busyUntil && work.launched >= busyUntil)
        late += static_cast<double>(work.begin - busyUntil);
      busyUntil = std::max(busyUntil, work.end);
      add(all, work.begin, work.end);
      if (work.work != WorkClass::Collective && work.work != WorkClass::ExpertExchange)
        add(compute, work.begin, work.end);
    }
    const auto length = [&](const std::vector<Span>& spans) {
      std::int64_t sum = 0;
      for (const Span& span : spans)
        sum += span.second - span.first;
      return static_cast<double>(sum) * 1e-9 / steps;
    };
    const double step = static_cast<double>(profile.stepTime) * 1e-9 / steps;
    const auto row = [&](const char* name, double predictedTime, double measuredTime) {
      ComparedPart& part = sums.part(PartKind::Step, name);
      part.predicted += predictedTime, part.measured += measuredTime;
    };
    row("step", predicted.step, step);
    if (profile.hostOnly)
      return;
    late *= 1e-9 / steps;
    row("exposed communication", predicted.exposed, length(all) - length(compute));
    row("waits for launches", predicted.launches, late);
    row("computation", computeOf(), length(compute));
    row("other time without kernels",
        std::max(0.0, predicted.step - predicted.exposed - predicted.launches - computeOf()),
        std::max(0.0, step - length(all) - late));
  }
  double computeOf() const {
    double sum = predicted.optimizer;
    for (const PredictedOperator& op : predicted.operators)
      sum += op.forward + op.backward;
    return sum;
  }

  const Profile& profile;
  const Predicted& predicted;
  PartSums& sums;
  double steps;
  std::array<bool, workClasses> knownClass{};
  std::map<GemmShape, std::string> gemmNames; ///< of the shapes in the trace
};

} // namespace

void compare::addProfile(const Profile& profile, const Predicted& predicted, PartSums& sums) {
  ProfileMatch(profile, predicted, sums).add();
}
