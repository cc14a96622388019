//===- Precision.cpp - The types that a launch of Megatron-LM computes and keeps in -----------===//
#include "frontend/import/megatron/Precision.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::imports;
using namespace dpl::imports::megatron;

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
    launch.excluded("--main-grads-dtype",
                    "it takes fp32 beside --accumulate-allreduce-grads-in-fp32 "
                    "(AssertionError when it reads its arguments)");
  else if (narrowMain && !aware)
    launch.incomplete("--main-grads-dtype", "it takes fp32 without --use-precision-aware-optimizer "
                                            "(AssertionError when it makes its configuration)");
  const bool narrowGradients =
      launch.flag("--grad-reduce-in-bf16") || (narrowMain && bf16 && !fullySharded);
  // bf16 accumulates in fp32 unless told otherwise; fp16 keeps the parameters' type.
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
