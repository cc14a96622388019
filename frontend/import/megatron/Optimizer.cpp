//===- Optimizer.cpp - Precision, optimizer and length of a run of a launch -------------------===//
#include "frontend/import/megatron/Optimizer.h"
#include "frontend/import/PlanFile.h"
#include <cmath>
#include <fmt/format.h>
#include <optional>

using namespace dpl;
using namespace dpl::imports;
using namespace dpl::imports::megatron;

namespace {
/// The steps of the warm-up; none if the launch does not determine them.
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
  if (part < 0 || part >= 1) // there must be steps after the warm-up
    return launch.wrong("--lr-warmup-fraction", "a part of at least 0 and below 1"), 0;
  return static_cast<std::uint64_t>(std::llround(part * whole));
}

/// The learning rate; empty if the warm-up is not known. `--lr` is then not in the plan.
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
  const std::string kind = launch.choice("--optimizer", "adam", {"adam", "sgd", "muon", "lion"});
  const std::string rate = rateOf(launch);
  if (kind == "sgd") {
    (void)launch.real("--weight-decay", 0, NumberRange::NotNegative);
    fields.line("optimizer",
                fmt::format("sgd {{ momentum = {}{} }}",
                            number(launch.real("--sgd-momentum", 0.9, NumberRange::Share)), rate));
    return;
  }
  const double decay = launch.real("--weight-decay", 0.01, NumberRange::NotNegative);
  const auto ratio = [&](const char* option, double otherwise) {
    return number(launch.real(option, otherwise, NumberRange::Share));
  };
  if (kind == "muon") {
    // The AdamW of embedding, head and norms has the betas; the layout does not set them.
    (void)ratio("--adam-beta1", 0.9), (void)ratio("--adam-beta2", 0.999);
    fields.line(
        "optimizer",
        fmt::format("muon {{ momentum = {}, weight_decay = {}, tensor_mode = {}{} }}",
                    ratio("--muon-momentum", 0.9), number(decay),
                    launch.choice("--muon-tp-mode", "blockwise", {"duplicated", "blockwise"}),
                    rate));
    return;
  }
  if (kind == "lion") {
    fields.line("optimizer", fmt::format("lion {{ beta1 = {}, beta2 = {}, weight_decay = {}{} }}",
                                         ratio("--lion-beta1", 0.95), ratio("--lion-beta2", 0.98),
                                         number(decay), rate));
    return;
  }
  const std::string beta = fmt::format("beta1 = {}, beta2 = {}", ratio("--adam-beta1", 0.9),
                                       ratio("--adam-beta2", 0.999));
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

void dpl::imports::megatron::precisionText(LaunchOptions& launch, BlockText& fields,
                                           bool fullySharded) {
  const bool bf16 = launch.flag("--bf16"), fp16 = launch.flag("--fp16");
  const std::string wide = bf16 ? "bf16" : fp16 ? "fp16" : "fp32";
  if (bf16 && fp16)
    launch.excluded("--fp16", "--bf16 and --fp16 exclude each other");
  std::string compute = wide;
  const std::string recipe =
      launch.choice("--fp8-recipe", "delayed", {"tensorwise", "delayed", "mxfp8", "blockwise"});
  if (!launch.choice("--fp8-format", "", {"e4m3", "hybrid"}).empty())
    compute = recipe == "mxfp8" ? "mxfp8" : "fp8";
  if (!launch.choice("--fp4-format", "", {"e2m1"}).empty())
    compute = "nvfp4";
  const bool narrow8 = launch.flag("--fp8-param-gather"),
             narrow4 = launch.flag("--fp4-param-gather");
  (void)launch.flag("--reuse-grad-buf-for-mxfp8-param-ag");
  const bool accumulates = launch.flag("--accumulate-allreduce-grads-in-fp32");
  const bool narrowMain = launch.choice("--main-grads-dtype", "fp32", {"fp32", "bf16"}) == "bf16";
  const bool aware = launch.flag("--use-precision-aware-optimizer");
  if (narrowMain && accumulates)
    launch.excluded("--main-grads-dtype", "it takes fp32 with --accumulate-allreduce-grads-in-fp32 "
                                          "(AssertionError when it reads its arguments)");
  else if (narrowMain && !aware)
    launch.incomplete("--main-grads-dtype", "it takes fp32 without --use-precision-aware-optimizer "
                                            "(AssertionError when it makes its configuration)");
  const bool narrowGradients =
      launch.flag("--grad-reduce-in-bf16") || (narrowMain && bf16 && !fullySharded);
  // bf16 accumulates gradients in fp32 by default; fp16 accumulates them in the type of the
  // parameters.
  std::string gradients = narrowGradients ? "bf16" : accumulates || bf16 ? "fp32" : wide;
  std::string reduce = gradients;
  std::string master = launch.choice("--main-params-dtype", "fp32", {"fp32", "fp16"});
  const std::string moments =
      launch.choice("--exp-avg-dtype", "fp32", {"fp32", "fp16", "bf16", "fp8"});
  if (launch.text("--exp-avg-sq-dtype", moments) != moments)
    launch.wrong("--exp-avg-sq-dtype", moments + ", the type of --exp-avg-dtype");
  if (fullySharded) {
    const auto own = [&](const char* option, const std::string& otherwise) {
      const std::string given = launch.choice(option, "auto", {"fp32", "bf16", "fp16", "auto"});
      return given == "auto" ? otherwise : given;
    };
    gradients = own("--megatron-fsdp-main-grads-dtype", gradients);
    reduce = own("--megatron-fsdp-grad-comm-dtype", gradients);
    master = own("--megatron-fsdp-main-params-dtype", master);
  }
  fields.block("precision",
               fmt::format("compute = {}, parameters = {}, gradients = {}, reduce = {}, "
                           "master_weights = {}, moments = {}",
                           compute, narrow8 || narrow4 ? compute : wide, gradients, reduce,
                           wide == "fp32" ? "none" : master, moments) +
                   (compute == "fp8" ? ", recipe = " + recipe : ""));
}
