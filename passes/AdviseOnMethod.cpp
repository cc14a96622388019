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
constexpr std::uint64_t manyLocalSteps = 8; ///< local SGD drifts beyond them
constexpr double manyDropped = 0.01;        ///< share of the samples that backup workers lose
constexpr double fewSamples = 32;           ///< of a rank: noise of quantized gradients shows
constexpr double muchMomentum = 0.5;        ///< with stale gradients
constexpr double nearlyEqual = 1.1;         ///< servers count as slower above it
constexpr std::size_t fewestRisks = 2;      ///< a single one has its own message, or none

/// A choice of a layout that changes what a model learns: "" if the plan does not make it.
struct Risk {
  const char* field;
  std::string (*found)(const ir::Plan& plan, const ir::DataRanks& ranks);
};

std::string staleGradients(const ir::Plan& plan, const ir::DataRanks& ranks) {
  const bool stale = ranks.synchronization == SynchronizationKind::Asynchronous ||
                     ranks.synchronization == SynchronizationKind::Detached ||
                     (ranks.synchronization == SynchronizationKind::Bounded && ranks.bound > 0);
  return stale ? fmt::format("stale gradients of {}", plural(plan.mesh.dataRanks(), "data rank"))
               : "";
}

std::string momentumOfStale(const ir::Plan& plan, const ir::DataRanks& ranks) {
  const double momentum =
      plan.layout.optimizerSettings.momentum; // AdamW divides by its own average
  return plan.layout.optimizer == ir::OptimizerKind::Sgd && momentum > muchMomentum &&
                 !staleGradients(plan, ranks).empty()
             ? fmt::format("momentum of {:g} with them", momentum)
             : "";
}

std::string localSteps(const ir::Plan&, const ir::DataRanks& ranks) {
  const bool local = ranks.synchronization == SynchronizationKind::Local ||
                     ranks.synchronization == SynchronizationKind::Hierarchical;
  return local && ranks.bound > manyLocalSteps ? fmt::format("{} local steps", ranks.bound) : "";
}

std::string droppedSamples(const ir::Plan& plan, const ir::DataRanks& ranks) {
  const double dropped = real(ranks.bound) / real(plan.mesh.dataRanks());
  return ranks.synchronization == SynchronizationKind::Backup && dropped > manyDropped
             ? fmt::format("{:.1f} % of the samples dropped", 100 * dropped)
             : "";
}

std::string lossyGradients(const ir::Plan& plan, const ir::DataRanks&) {
  if (plan.layout.compression.empty())
    return "";
  const ir::Compression& c = plan.layout.compression.front();
  const double samples = real(plan.layout.batch) / real(plan.mesh.dataRanks());
  if (c.kind != ir::CompressionKind::Quantised)
    return fmt::format("gradients compressed by `{}`", ir::name(c.kind));
  return samples < fewSamples
             ? fmt::format("gradients of {} bits from {:g} samples per rank", c.bits, samples)
             : "";
}

llvm::ArrayRef<Risk> risks() {
  static constexpr Risk all[] = {{"synchronization", staleGradients},
                                 {"synchronization", momentumOfStale},
                                 {"synchronization", localSteps},
                                 {"synchronization", droppedSamples},
                                 {"compression", lossyGradients}};
  return all;
}

const ir::DataRanks& ranksOf(const ir::Plan& plan) {
  static const ir::DataRanks barrier;
  return plan.layout.dataRanks.empty() ? barrier : plan.layout.dataRanks.front();
}

void adviseOnRisks(const ir::Plan& plan, DiagnosticEngine& diags) {
  std::vector<std::string> found;
  const char* field = "";
  for (const Risk& risk : risks())
    if (std::string text = risk.found(plan, ranksOf(plan)); !text.empty()) {
      if (found.empty())
        field = risk.field;
      found.push_back(std::move(text));
    }
  if (found.size() < fewestRisks)
    return;
  (void)diags.report<diag::MethodRisks>(plan.layout.rangeOf(field), plan.layout.name, found.size())
      .label(llvm::join(found, ", "))
      .help("a study of a run with a `problem` counts the steps that they cost together");
}

/// With n equal ranks a gradient has seen n − 1 updates of others when it arrives.
void adviseOnRejection(const ir::Plan& plan, DiagnosticEngine& diags) {
  const ir::DataRanks& ranks = ranksOf(plan);
  const std::uint64_t n = plan.mesh.dataRanks();
  if (ranks.synchronization != SynchronizationKind::Bounded ||
      ranks.late != ir::LateGradients::Reject || ranks.bound + 1 >= n)
    return;
  (void)diags
      .report<diag::RejectedGradients>(plan.layout.rangeOf("synchronization"), n, n - 1,
                                       ranks.bound)
      .help(fmt::format("`staleness = {}` keeps the gradients of equal ranks", n - 1));
}

/// Time of a port relative to that of the gradients, one way. A server receives the gradients of
/// all ranks and returns parameters; in both directions at once, slices overlap. A ring sends
/// 2(n − 1)/n.
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
  if (ratio <= nearlyEqual * n / (n - 1))
    return;
  (void)diags
      .report<diag::ServersSlower>(plan.layout.rangeOf("parameter_servers"),
                                   plural(servers.count, "parameter server"),
                                   fmt::format("{:.3g}", ratio), plan.mesh.dataRanks())
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
