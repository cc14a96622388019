//===- Optimizer.cpp - The optimizer, the learning rate and the length of a launch ------------===//
#include "frontend/import/megatron/Optimizer.h"
#include "frontend/import/PlanFile.h"
#include <cmath>
#include <fmt/format.h>
#include <optional>

using namespace dpl;
using namespace dpl::imports;
using namespace dpl::imports::megatron;

namespace {
/// Steps of the warm-up; nothing when they cannot be told from the launch.
std::optional<std::uint64_t> warmup(LaunchOptions& launch) {
  const auto steps = [&](const char* option) {
    return launch.text(option, "0") == "0" ? 0 : launch.count(option, 0);
  };
  if (launch.has("--lr-warmup-samples"))
    return std::nullopt;
  if (!launch.has("--lr-warmup-fraction"))
    return steps("--lr-warmup-iters");
  const char* length = launch.has("--lr-decay-iters") ? "--lr-decay-iters" : "--train-iters";
  if (!launch.has(length))
    return std::nullopt;
  const double part = launch.real("--lr-warmup-fraction", 0);
  const auto whole = static_cast<double>(launch.count(length, 1));
  if (part < 0 || part >= 1) // of all, nothing is left behind it
    return launch.wrong("--lr-warmup-fraction", "a part of at least 0 and below 1"), 0;
  return static_cast<std::uint64_t>(std::llround(part * whole));
}

/// Without a warm-up that is known, the rate is named among what is no part of the plan.
std::string rateOf(LaunchOptions& launch) {
  if (!launch.has("--lr"))
    return "";
  const std::optional<std::uint64_t> steps = warmup(launch);
  if (!steps)
    return "";
  const std::string style =
      launch.choice("--lr-decay-style", "linear", {"constant", "linear", "cosine"});
  const double peak = launch.real("--lr", 0, NumberRange::NotNegative),
               end = launch.real("--min-lr", 0, NumberRange::NotNegative);
  return style == "constant" ? fmt::format(", lr = constant {{ value = {}, warmup = {}step }}",
                                           number(peak), *steps)
                             : fmt::format(", lr = {} {{ peak = {}, end = {}, warmup = {}step }}",
                                           style, number(peak), number(end), *steps);
}
} // namespace

void dpl::imports::megatron::optimizerText(LaunchOptions& launch, BlockText& fields) {
  const double share = launch.real("--optimizer-offload-fraction", 1);
  if (launch.flag("--optimizer-cpu-offload")) {
    for (const char* manner :
         {"--overlap-cpu-optimizer-d2h-h2d", "--use-torch-optimizer-for-cpu-offload"})
      (void)launch.flag(manner);
    fields.line("offload.optimizer", number(share));
    if (!launch.flag("--use-precision-aware-optimizer"))
      launch.incomplete(
          "--optimizer-cpu-offload",
          "it needs --use-precision-aware-optimizer (AssertionError when it reads its "
          "arguments)");
  } else {
    launch.haveNoEffect({"--optimizer-offload-fraction"});
  }
  const std::string kind = launch.choice("--optimizer", "adam", {"adam", "sgd"});
  const std::string rate = rateOf(launch);
  if (kind == "sgd") {
    (void)launch.real("--weight-decay", 0, NumberRange::NotNegative);
    fields.line("optimizer",
                fmt::format("sgd {{ momentum = {}{} }}",
                            number(launch.real("--sgd-momentum", 0.9, NumberRange::Share)), rate));
    return;
  }
  const double decay = launch.real("--weight-decay", 0.01, NumberRange::NotNegative);
  const std::string beta = fmt::format(
      "beta1 = {}, beta2 = {}", number(launch.real("--adam-beta1", 0.9, NumberRange::Share)),
      number(launch.real("--adam-beta2", 0.999, NumberRange::Share)));
  fields.line("optimizer", decay == 0 ? fmt::format("adam {{ {}{} }}", beta, rate)
                                      : fmt::format("adamw {{ {}, weight_decay = {}{} }}", beta,
                                                    number(decay), rate));
}

std::string dpl::imports::megatron::runText(LaunchOptions& launch) {
  std::string phase;
  if (const auto steps = launch.ifKnown("--train-iters")) {
    phase = fmt::format("steps = {}step", *steps);
  } else if (const auto samples = launch.ifKnown("--train-samples")) {
    std::uint64_t tokens = 0;
    if (__builtin_mul_overflow(*samples, launch.ifKnown("--seq-length").value_or(0), &tokens) ||
        tokens == 0)
      return "";
    phase = fmt::format("tokens = {}tok", tokens);
  }
  return phase.empty() ? "" : runOf(phase);
}
