//===- CheckLaunch.cpp - Launches that Megatron-LM refuses at the start -----------------------===//
#include "backends/megatron/Rules.h"
#include "llvm/ADT/STLExtras.h"

using namespace dpl;
using namespace dpl::megatron;

void dpl::megatron::checkLaunch(const MegatronLayout& s, Findings& findings) {
  const ir::Launch* launch = s.plan.launch();
  // Without data and arguments, launch.sh runs a test on mock data. A program of the user needs no
  // data.
  if (!launch || !launch->program.empty() || (launch->data.empty() && launch->arguments.empty()))
    return;
  const ir::Run& run = s.plan.runOf(*launch);
  const auto gives = [&](llvm::StringRef option) {
    return llvm::any_of(launch->arguments,
                        [&](llvm::StringRef word) { return word.split('=').first == option; });
  };
  if (!launch->checkpoints.empty() && run.checkpoint.every == 0 && !gives("--save-interval"))
    findings.report<rule::CheckpointInterval>("launch.checkpoint_dir");
  if (!gives("--tokenizer-type"))
    findings.report<rule::LaunchTokenizer>("launch.arguments");
  if (run.lastStep(s.plan.layout.batch) == 0 && !gives("--train-iters") &&
      !gives("--train-samples"))
    findings.report<rule::LaunchLength>("launch.run");
  if (!s.plan.optimizerSettings().learningRate.given && !gives("--lr"))
    findings.report<rule::LaunchRate>("launch.arguments");
}
