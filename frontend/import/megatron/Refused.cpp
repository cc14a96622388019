//===- Refused.cpp - Launches that Megatron-LM does not start ---------------------------------===//
//
// The rules are those of validate_args of megatron/training/arguments.py.
#include "frontend/import/megatron/LaunchOptions.h"
#include "support/diagnostics/Imports.h"
#include "llvm/ADT/STLExtras.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::imports::megatron;

namespace {
constexpr const char* when = "(AssertionError when it reads its arguments)";

/// A set of options that Megatron-LM refuses `together`, unless one of `without` is also set.
struct ExclusionRule {
  const char* together[3];
  const char* without[2];
  const char* why;
};
constexpr ExclusionRule rules[] = {
    {{"--tp-comm-overlap"}, {"--sequence-parallel"}, "--tp-comm-overlap needs --sequence-parallel"},
    {{"--overlap-param-gather"},
     {"--overlap-grad-reduce"},
     "--overlap-param-gather needs --overlap-grad-reduce"},
    {{"--overlap-param-gather"},
     {"--use-distributed-optimizer", "--use-megatron-fsdp"},
     "--overlap-param-gather needs --use-distributed-optimizer or --use-megatron-fsdp"},
    {{"--num-layers-per-virtual-pipeline-stage", "--num-virtual-stages-per-pipeline-rank"},
     {},
     "it takes either --num-layers-per-virtual-pipeline-stage or "
     "--num-virtual-stages-per-pipeline-rank"},
    {{"--num-layers-per-virtual-pipeline-stage", "--pipeline-model-parallel-layout"},
     {},
     "--pipeline-model-parallel-layout says the chunks itself"},
    {{"--num-virtual-stages-per-pipeline-rank", "--pipeline-model-parallel-layout"},
     {},
     "--pipeline-model-parallel-layout says the chunks itself"},
    {{"--train-samples", "--train-iters"},
     {"--skip-train"},
     "it takes either --train-iters or --train-samples"},
    {{"--lr-decay-samples", "--train-iters"},
     {"--skip-train"},
     "a run of --train-iters takes --lr-decay-iters"},
    {{"--lr-warmup-samples", "--train-iters"},
     {"--skip-train"},
     "a run of --train-iters takes --lr-warmup-iters"},
    {{"--lr-decay-iters", "--train-samples"},
     {"--skip-train"},
     "a run of --train-samples takes --lr-decay-samples"},
    {{"--lr-warmup-iters", "--train-samples"},
     {"--skip-train"},
     "a run of --train-samples takes --lr-warmup-samples"},
    {{"--lr-warmup-fraction", "--lr-warmup-iters", "--train-iters"},
     {"--skip-train"},
     "it takes either --lr-warmup-fraction or --lr-warmup-iters"},
    {{"--lr-warmup-fraction", "--lr-warmup-samples", "--train-samples"},
     {"--skip-train"},
     "it takes either --lr-warmup-fraction or --lr-warmup-samples"},
};

struct OrderingRule {
  const char *most, *least, *at;
};
constexpr OrderingRule orders[] = {
    {"--max-position-embeddings", "--seq-length", "--max-position-embeddings"},
    {"--lr", "--min-lr", "--min-lr"},
};
} // namespace

void LaunchOptions::refused(const std::string& option, const std::string& why,
                            std::initializer_list<const char*> of) {
  for (const char* one : of) {
    const auto found = options.find(one);
    if (placeholders.count(one) != 0 ||
        (found != options.end() && llvm::any_of(found->second.values, [](const ShellWord& word) {
           return word.doubt != nullptr;
         })))
      return;
  }
  // The report is placed at an option that the file sets, because an absent option has no place.
  const auto written = llvm::find_if(of, [&](const char* one) { return options.count(one) != 0; });
  incomplete(options.count(option) != 0 || written == of.end() ? option : *written, why);
}

void LaunchOptions::excluded(const std::string& option, const std::string& why) {
  const auto found = options.find(option);
  (void)diags.report<diag::ImportRefused>(found == options.end() ? where : found->second.at,
                                          "Megatron-LM", inTheirWords(why));
}

void LaunchOptions::incomplete(const std::string& option, const std::string& why) {
  lacking.emplace_back(option, why);
}

void LaunchOptions::reportIncomplete() {
  if (!moreOptions)
    for (const auto& [option, why] : lacking)
      excluded(option, why);
}

/// Whether an option is set, and its value is known and is not 0.
bool LaunchOptions::given(const std::string& option) const {
  const auto found = options.find(option);
  return found != options.end() && llvm::none_of(found->second.values, [](const ShellWord& word) {
           return word.doubt || word.text == "0";
         });
}

void LaunchOptions::checkArguments() {
  for (const ExclusionRule& rule : rules) {
    const auto has = [&](const char* option) { return option && options.count(option) != 0; };
    if (!llvm::all_of(rule.together, [&](const char* o) { return !o || given(o); }) ||
        llvm::any_of(rule.without, has))
      continue;
    const std::string why = fmt::format("{} {}", rule.why, when);
    for (const char* option : rule.together)
      if (option)
        consumed.insert(option); // the options need no further report
    if (rule.without[0])
      incomplete(rule.together[0], why);
    else
      excluded(rule.together[0], why);
  }
  const char* tensor = "--tensor-model-parallel-size";
  const bool oneRank = options.count(tensor) == 0 || known(tensor) == "1";
  if (oneRank && given("--tp-comm-overlap") && given("--sequence-parallel"))
    incomplete("--tp-comm-overlap",
               fmt::format("with one tensor rank it takes --sequence-parallel away, which "
                           "--tp-comm-overlap needs {}",
                           when));
  for (const OrderingRule& order : orders) {
    double most = 0, least = 0;
    const std::string above = known(order.most), below = known(order.least);
    if (!llvm::StringRef(above).getAsDouble(most) && !llvm::StringRef(below).getAsDouble(least) &&
        most < least)
      excluded(order.at,
               fmt::format("{} {} is below {} {} {}", order.most, above, order.least, below, when));
  }
  checkWarmup();
}

/// Checks that there are steps after the warm-up, as OptimizerParamScheduler of
/// megatron/core/optimizer_param_scheduler.py does.
void LaunchOptions::checkWarmup() {
  const bool steps = given("--train-iters");
  const char* const warmup = steps ? "--lr-warmup-iters" : "--lr-warmup-samples";
  const char* length = steps ? "--lr-decay-iters" : "--lr-decay-samples";
  if (!has(length))
    length = steps ? "--train-iters" : "--train-samples";
  std::uint64_t warm = 0, whole = 0;
  if (!has("--skip-train") && given(warmup) &&
      !llvm::StringRef(known(warmup)).getAsInteger(10, warm) &&
      !llvm::StringRef(known(length)).getAsInteger(10, whole) && warm >= whole)
    incomplete(warmup,
               fmt::format("{} {} is not below {} {} (AssertionError when it makes the schedule of "
                           "the learning rate)",
                           warmup, warm, length, whole));
}

/// The value of an option if it has only one and it is known; otherwise empty.
std::string LaunchOptions::known(const std::string& option) const {
  const auto found = options.find(option);
  return found != options.end() && found->second.values.size() == 1 &&
                 !found->second.values.front().doubt
             ? found->second.values.front().text
             : "";
}
