//===- AdviseOnMethod.cpp - Advice about choices that change what a model learns --------------===//
//
// A plan predicts the time of a step. These choices also change how many steps are needed, and
// their effects add up.
#include "ir/Arithmetic.h"
#include "ir/Names.h"
#include "passes/CheckLayout.h"
#include "support/Text.h"
#include "support/diagnostics/Cost.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <fmt/format.h>
#include <vector>

using namespace dpl;
using ir::real;
using ir::SynchronizationKind;

namespace {
/// A choice of a layout that changes what a model learns.
struct FoundRisk {
  std::string words; ///< "" if the plan does not make the choice
  /// The field of `lint` that the choice is beyond; "" if the choice is mild whatever its size.
  const char* threshold = "";
  double limit = 0;
  bool below = false; ///< whether smaller values are worse
};
struct Risk {
  const char* field;
  FoundRisk (*found)(const ir::Plan& plan, const ir::DataRanks& ranks);
};

FoundRisk staleGradients(const ir::Plan& plan, const ir::DataRanks& ranks) {
  const bool stale = ranks.synchronization == SynchronizationKind::Asynchronous ||
                     ranks.synchronization == SynchronizationKind::Detached ||
                     (ranks.synchronization == SynchronizationKind::Bounded && ranks.bound > 0);
  return {stale ? fmt::format("stale gradients of {}", plural(plan.mesh.dataRanks(), "data rank"))
                : ""};
}

/// Only SGD counts, because AdamW divides momentum by an average of its own.
FoundRisk momentumOfStale(const ir::Plan& plan, const ir::DataRanks& ranks) {
  const double momentum = plan.layout.optimizerSettings.momentum;
  if (plan.layout.optimizer != ir::OptimizerKind::Sgd || momentum <= plan.lint.staleMomentum ||
      staleGradients(plan, ranks).words.empty())
    return {};
  return {fmt::format("momentum of {:g} with stale gradients", momentum), "stale_momentum",
          plan.lint.staleMomentum};
}

FoundRisk localSteps(const ir::Plan& plan, const ir::DataRanks& ranks) {
  const bool local = ranks.synchronization == SynchronizationKind::Local ||
                     ranks.synchronization == SynchronizationKind::Hierarchical;
  if (!local || real(ranks.bound) <= plan.lint.localSteps)
    return {};
  return {fmt::format("{} local steps", ranks.bound), "local_steps", plan.lint.localSteps};
}

FoundRisk droppedSamples(const ir::Plan& plan, const ir::DataRanks& ranks) {
  const double dropped = real(ranks.bound) / real(plan.mesh.dataRanks());
  if (ranks.synchronization != SynchronizationKind::Backup || dropped <= plan.lint.droppedSamples)
    return {};
  return {fmt::format("{:.1f} % of the samples dropped", 100 * dropped), "dropped_samples",
          plan.lint.droppedSamples};
}

FoundRisk lossyGradients(const ir::Plan& plan, const ir::DataRanks&) {
  if (plan.layout.compression.empty())
    return {};
  const ir::Compression& c = plan.layout.compression.front();
  const double samples = real(plan.layout.batch) / real(plan.mesh.dataRanks());
  if (c.kind != ir::CompressionKind::Quantised)
    return {fmt::format("gradients compressed by `{}`", ir::name(c.kind))};
  if (samples >= plan.lint.quantizedSamples)
    return {};
  return {fmt::format("gradients of {} from {:g} samples per rank", plural(c.bits, "bit"), samples),
          "quantized_samples", plan.lint.quantizedSamples, true};
}

constexpr Risk risks[] = {{"synchronization", staleGradients},
                          {"synchronization", momentumOfStale},
                          {"synchronization", localSteps},
                          {"synchronization", droppedSamples},
                          {"compression", lossyGradients}};

const ir::DataRanks& ranksOf(const ir::Plan& plan) {
  static const ir::DataRanks barrier;
  return plan.layout.dataRanks.empty() ? barrier : plan.layout.dataRanks.front();
}

std::string limitText(const FoundRisk& risk) {
  return risk.threshold == llvm::StringRef("dropped_samples")
             ? fmt::format("{:g} %", 100 * risk.limit)
             : fmt::format("{:g}", risk.limit);
}

/// Reports several risks together, because their effects add up. Fewer are reported one by one,
/// where they are beyond their thresholds.
void adviseOnRisks(const ir::Plan& plan, DiagnosticEngine& diags) {
  constexpr const char* help = "a study of a run with a `problem` counts the steps that this costs";
  std::vector<std::pair<const char*, FoundRisk>> found;
  for (const Risk& risk : risks)
    if (FoundRisk one = risk.found(plan, ranksOf(plan)); !one.words.empty())
      found.emplace_back(risk.field, std::move(one));
  if (found.empty())
    return;
  if (real(found.size()) >= plan.lint.risks && found.size() > 1) {
    std::vector<std::string> words;
    for (const auto& [field, risk] : found)
      words.push_back(risk.threshold[0] == '\0' ? risk.words
                                                : fmt::format("{} (`lint.{}` {})", risk.words,
                                                              risk.threshold, limitText(risk)));
    (void)diags
        .report<diag::MethodRisks>(plan.layout.rangeOf(found.front().first), plan.layout.name,
                                   found.size(), plan.lint.risks, plan.lint.originOf("risks"))
        .label(llvm::join(words, ", "))
        .help(help);
    return;
  }
  for (const auto& [field, risk] : found)
    if (risk.threshold[0] != '\0')
      (void)diags
          .report<diag::MethodRisk>(plan.layout.rangeOf(field), plan.layout.name, risk.words,
                                    risk.below ? "below" : "above", limitText(risk),
                                    plan.lint.originOf(risk.threshold))
          .help(help);
}

/// With n equal ranks, n − 1 gradients of others have updated the parameters when a gradient
/// arrives.
void adviseOnRejection(const ir::Plan& plan, DiagnosticEngine& diags) {
  const ir::DataRanks& ranks = ranksOf(plan);
  const std::uint64_t n = plan.mesh.dataRanks();
  if (ranks.synchronization != SynchronizationKind::Bounded ||
      ranks.late != ir::LateGradients::Reject)
    return;
  const double least = plan.lint.rejection * real(n - 1);
  if (real(ranks.bound) >= least)
    return;
  (void)diags
      .report<diag::RejectedGradients>(plan.layout.rangeOf("synchronization"), n, n - 1,
                                       ranks.bound, least, plan.lint.originOf("rejection"))
      .help(fmt::format("`staleness = {}` keeps the gradients of equal ranks", n - 1));
}

/// Warns if the port of a server is busy for longer than a ring needs. A server receives the
/// gradients of all ranks and returns parameters; if it does both at the same time, slices overlap.
/// A ring sends 2(n − 1)/n times the gradients.
void adviseOnServers(const ir::Plan& plan, DiagnosticEngine& diags) {
  const ir::DataRanks& ranks = ranksOf(plan);
  if (ranks.servers.empty() || plan.mesh.dataRanks() < 2)
    return;
  constexpr double indexBytes = 4;
  const ir::ParameterServers& servers = ranks.servers.front();
  const double n = real(plan.mesh.dataRanks());
  const double share = servers.hottestShare > 0 ? servers.hottestShare : 1 / real(servers.count);
  const double element = real(ir::bitsOf(plan.layout.precision.gradients)) / 8;
  const double sent =
      servers.density < 1 ? servers.density * (1 + indexBytes / element) : servers.density;
  const double directions = servers.duplex ? 1 + 1 / real(servers.pieces) : 2;
  const double ratio = directions * n * share * sent / (2 * (n - 1) / n);
  // A ring never sends a rank its own part, so that n servers take n / (n − 1) times as long.
  if (ratio <= plan.lint.servers * n / (n - 1))
    return;
  (void)diags
      .report<diag::ServersSlower>(plan.layout.rangeOf("parameter_servers"),
                                   plural(servers.count, "parameter server"),
                                   fmt::format("{:.3g}", ratio), plan.mesh.dataRanks(),
                                   plan.lint.servers, plan.lint.originOf("servers"))
      .help(fmt::format("with equal shares, `count = {}` takes about as long as the ring",
                        plan.mesh.dataRanks()));
}
} // namespace

void dpl::adviseOnMethod(const ir::Plan& plan, DiagnosticEngine& diags) {
  // A study of a run with a problem counts what the method costs.
  if (llvm::any_of(plan.runs, [](const ir::Run& run) { return run.problem(); }))
    return;
  adviseOnRejection(plan, diags);
  adviseOnServers(plan, diags);
  adviseOnRisks(plan, diags);
}
