//===- Comparison.cpp - Measured traces laid over the predicted step --------------------------===//
#include "driver/compare/Comparison.h"
#include "driver/compare/MatchTrace.h"
#include "support/Text.h"
#include "support/Utf8.h"
#include "support/diagnostics/Tools.h"
#include "llvm/ADT/StringExtras.h"
#include <filesystem>
#include <set>
using namespace dpl;
using namespace dpl::compare;
using PartKind = ComparedPart::PartKind;

const char* compare::nameOf(PartKind kind) {
  static constexpr const char* names[] = {"step",       "operator", "gemm",
                                          "collective", "action",   "segment"};
  return names[static_cast<std::size_t>(kind)];
}

namespace {
/// Adds a trace of `dplc emit trace`.
void addEmitted(const std::map<EmittedKey, EmittedTime>& measured, const Predicted& predicted,
                PartSums& sums) {
  std::set<std::string> kinds;
  const auto part = [&](const EmittedKey& key) -> ComparedPart& {
    const PartKind kind = key.first == "action"       ? PartKind::Action
                          : key.first == "collective" ? PartKind::Collective
                                                      : PartKind::Segment;
    return sums.part(kind, key.second);
  };
  for (const auto& [key, time] : measured) {
    kinds.insert(key.first);
    ComparedPart& to = part(key);
    const double seconds = static_cast<double>(time.time) * 1e-9;
    to.measured += seconds, to.measuredCount += static_cast<double>(time.count);
    if (key.first == "action" && kinds.size() > 1)
      continue;
    sums.kernelTime += seconds;
    if (predicted.emitted.count(key) > 0)
      sums.assigned += seconds;
    else
      sums.unassigned(key.second, seconds, static_cast<double>(time.count));
  }
  for (const auto& [key, time] : predicted.emitted)
    if (kinds.count(key.first) > 0) {
      ComparedPart& to = part(key);
      to.predicted += static_cast<double>(time.time) * 1e-9;
      to.predictedCount += static_cast<double>(time.count);
    }
}

/// The rank in the name of a file: "rank3.json", "trace_rank-12.pt.trace.json.gz".
std::optional<std::uint64_t> rankInName(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  const std::size_t at = llvm::StringRef(name).lower().find("rank");
  if (at == std::string::npos)
    return std::nullopt;
  const llvm::StringRef digits = llvm::StringRef(name).drop_front(at + 4).ltrim("-_").take_while(
      [](char c) { return c >= '0' && c <= '9'; });
  std::uint64_t rank = 0;
  return digits.empty() || digits.getAsInteger(10, rank) ? std::nullopt : std::optional(rank);
}

/// Refuses traces that cannot be averaged: of profilers and emitted ones, or two of one rank.
LogicalResult mayAverage(llvm::ArrayRef<Profile> profiles, DiagnosticEngine& diags) {
  std::map<std::uint64_t, const Profile*> ofRank;
  for (const Profile& profile : profiles) {
    if (profile.emitted.empty() != profiles.front().emitted.empty())
      return diags.report<diag::UsageError>(
          SourceRange{},
          fmt::format("`{}` and `{}` have no mean: one of them is of `dplc emit trace`, the other "
                      "of a profiler",
                      profiles.front().path, profile.path));
    if (!profile.emitted.empty() || !profile.head.rank)
      continue;
    if (const auto [at, first] = ofRank.try_emplace(*profile.head.rank, &profile); !first)
      return diags.report<diag::UsageError>(
          SourceRange{}, fmt::format("`{}` and `{}` are both of rank {}, one trace of a rank is "
                                     "needed",
                                     at->second->path, profile.path, at->first));
  }
  return LogicalResult::success();
}

/// The number of a model in a name: "h100" of "NVIDIA H100 80GB HBM3" and of "h100_sxm"; empty if
/// there is none.
std::string modelIn(llvm::StringRef name) {
  const std::string lower = name.lower();
  for (llvm::StringRef rest = lower; !rest.empty();) {
    rest = rest.drop_until(llvm::isAlnum);
    const llvm::StringRef word = rest.take_while(llvm::isAlnum);
    rest = rest.drop_front(word.size());
    llvm::StringRef number = word;
    for (const char* const letters : {"gb", "gh", "mi", "a", "b", "h", "l", "v", "t"})
      if (number.consume_front(letters))
        break;
    if (number.size() < word.size() && number.size() >= 2 && llvm::isDigit(number[0]) &&
        llvm::isDigit(number[1]))
      return word.str();
  }
  return "";
}

/// The end of the slices that `dplc emit trace` writes, in seconds: without what a timeline lacks,
/// such as waits for data and the jitter of ranks.
double endOfTimeline(const ir::Plan& plan) {
  std::uint64_t end = 0;
  for (const ir::RankSchedule& rank : plan.schedule)
    for (std::size_t i = 0; i < rank.actions.size(); ++i)
      end = std::max(end, rank.endOf(i));
  return static_cast<double>(end) * 1e-12;
}

/// Predictions by pipeline rank, each computed once.
class Predictions {
public:
  explicit Predictions(const ir::Plan& plan) : plan(plan) {}
  const Predicted& of(std::uint64_t pipelineRank) {
    const auto [at, added] = known.try_emplace(pipelineRank);
    if (added)
      at->second = predictedOn(plan, pipelineRank);
    return at->second;
  }

private:
  const ir::Plan& plan;
  std::map<std::uint64_t, Predicted> known;
};
} // namespace

bool compare::isOtherDevice(llvm::StringRef product, llvm::StringRef device) {
  const std::string of = modelIn(product), known = modelIn(device);
  // The devices of a GB200 are also called B200.
  const auto plain = [](llvm::StringRef model) {
    return model.startswith("gb") ? model.drop_front() : model;
  };
  return !of.empty() && !known.empty() && plain(of) != plain(known);
}

std::string compare::contradictionOf(const TraceHead& head, const ir::Plan& plan) {
  if (head.worldSize > 0 && head.worldSize != plan.mesh.devices)
    return fmt::format("it is of {}, layout `{}` has {}", plural(head.worldSize, "rank"),
                       plan.layout.name, plural(plan.mesh.devices, "device"));
  const bool other = llvm::all_of(plan.cluster.nodeTypes, [&](const ir::NodeType& type) {
    return isOtherDevice(head.device, type.device.name);
  });
  if (other)
    return fmt::format("it is of {}, layout `{}` runs on {}", oneLine(head.device),
                       plan.layout.name, plan.cluster.device().name);
  if (!head.plan.empty() && head.plan != plan.hash)
    return fmt::format("it is of plan {}, layout `{}` is plan {}", head.plan, plan.layout.name,
                       plan.hash);
  return "";
}

FailureOr<Comparison> compare::compareTraces(const ir::Plan& plan, llvm::ArrayRef<Profile> profiles,
                                             DiagnosticEngine& diags) {
  Comparison out;
  PartSums sums;
  Predictions predictions(plan);
  double traces = 0;
  if (mayAverage(profiles, diags).failed())
    return LogicalResult::failure();
  for (const Profile& profile : profiles) {
    out.steps += profile.steps;
    if (const std::string other = contradictionOf(profile.head, plan); !other.empty())
      out.notes.push_back(fmt::format("{}: {}", oneLine(profile.path), other));
    if (!profile.emitted.empty()) {
      out.emitted = true;
      ComparedPart& step = sums.part(PartKind::Step, "step");
      for (const auto& [rank, measured] : profile.emitted) {
        if (rank >= plan.schedule.size())
          return diags.report<diag::TraceBeyondPlan>(SourceRange{}, profile.path, rank,
                                                     plan.layout.name, plan.schedule.size());
        addEmitted(measured, predictions.of(rank), sums);
        const double all = predictions.of(rank).step, end = std::min(all, endOfTimeline(plan));
        step.predicted += end;
        if (constexpr double rounding = 1e-6; all - end > rounding)
          sums.part(PartKind::Step, "outside of the timeline").predicted += all - end;
        step.measured += static_cast<double>(profile.stepTime) * 1e-9;
        ++traces;
      }
      continue;
    }
    std::optional<std::uint64_t> rank = profile.head.rank;
    if (!rank)
      rank = rankInName(profile.path);
    if (!rank)
      out.withoutRank.push_back(profile.path);
    const std::optional<std::uint64_t> pipelineRank = pipelineRankOf(plan, rank.value_or(0));
    if (!pipelineRank)
      return diags.report<diag::TraceBeyondPlan>(SourceRange{}, profile.path, *rank,
                                                 plan.layout.name, plan.mesh.devices);
    addProfile(profile, predictions.of(*pipelineRank), sums);
    out.marked &= profile.marked, out.hostOnly |= profile.hostOnly;
    ++traces;
  }
  out.traces = profiles.size();
  sums.finish(std::max(traces, 1.0), out);
  return out;
}
