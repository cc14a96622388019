//===- main.cpp - Connects the ranks, runs the steps, and reports -----------------------------===//
#include "Runner.h"
#include "plan.h"
#include <cstdio>

using namespace twin;

namespace {
/// Writes the times of all pipeline ranks, each measured on one of its ranks, the first.
bool writeTimes(const Options& options, const std::vector<std::string>& texts) {
  std::FILE* file = std::fopen(options.json.c_str(), "w");
  if (file == nullptr)
    return false;
  std::fprintf(
      file,
      "{\"plan\": %s, \"hash\": \"%s\", \"ranks\": %llu, \"scale\": %.9g, \"unit\": \"s\", "
      "\"predicted_step\": %.9f, \"pipeline\": [",
      plan.subject, plan.hash, static_cast<unsigned long long>(plan.world), options.scale,
      static_cast<double>(plan.stepTime) * 1e-9 * options.scale);
  for (std::size_t i = 0; i < texts.size(); ++i)
    std::fprintf(file, "%s\n%s", i == 0 ? "" : ",", texts[i].c_str());
  std::fprintf(file, "\n]}\n");
  return std::fclose(file) == 0;
}
} // namespace

int main(int argc, char** argv) {
  if (Options::parse(argc, argv).help) {
    std::fputs(Options::usage(), stdout);
    return 0;
  }
  const std::unique_ptr<Transport> transport = connect(argc, argv);
  const Options options = Options::parse(argc, argv);
  const bool first = transport->rank() == 0;
  if (!options.error.empty() || transport->size() != plan.world) {
    if (first && !options.error.empty())
      std::fprintf(stderr, "%s\n", options.error.c_str());
    else if (first)
      std::fprintf(stderr, "found %llu ranks, the plan needs %llu\n",
                   static_cast<unsigned long long>(transport->size()),
                   static_cast<unsigned long long>(plan.world));
    return 2;
  }
  Runner runner(plan, *transport, options);
  for (unsigned i = 0; i < options.checked; ++i)
    runner.step(Runner::Mode::Check);
  for (unsigned i = 0; i < options.warmUp; ++i)
    runner.step(Runner::Mode::WarmUp);
  for (unsigned i = 0; i < options.timed; ++i)
    runner.step(Runner::Mode::Time);
  runner.meet("the end");
  if (!options.json.empty()) {
    const std::uint64_t stage = pipelineRankOf(plan, transport->rank());
    const std::vector<std::string> texts = runner.gather(
        runner.times().json(plan, stage, transport->rank(), operationsOf(plan, stage)));
    if (first && !writeTimes(options, texts)) {
      std::fprintf(stderr, "'%s' cannot be written\n", options.json.c_str());
      return 2;
    }
  }
  if (first)
    std::printf("ok: %llu ranks, %u checked steps; rank 0 checked %llu results of collectives and "
                "%llu messages\n",
                static_cast<unsigned long long>(plan.world), options.checked,
                static_cast<unsigned long long>(runner.results()),
                static_cast<unsigned long long>(runner.messages()));
  return 0;
}
