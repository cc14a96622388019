//===- Launch.cpp - The options of a launch, and which of them were read ----------------------===//
#include "imports/megatron/Launch.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::imports::megatron;

namespace {
std::string alternatives(const std::vector<std::string>& words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i)
    out += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  return out;
}

std::string variableIn(llvm::StringRef text) {
  const std::size_t dollar = text.find('$');
  llvm::StringRef rest = text.substr(dollar == llvm::StringRef::npos ? text.size() : dollar + 1);
  rest.consume_front("{");
  return rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; }).str();
}
} // namespace

/// Values are what stands up to the next word with `--`; the last of two equal options wins.
Launch::Options Launch::group(llvm::ArrayRef<Word> words) {
  Options out;
  Option* open = nullptr;
  for (const Word& word : words) {
    const llvm::StringRef text = word.text;
    if (!text.startswith("--")) {
      if (open)
        open->values.push_back(word);
      continue;
    }
    const auto [name, value] = text.split('=');
    open = &out[name.str()];
    *open = {word.at, {}};
    if (name.size() < text.size())
      open->values.push_back({value.str(), word.at});
  }
  return out;
}

std::uint64_t Launch::launcherCount(const Options& given, std::initializer_list<const char*> names,
                                    std::uint64_t otherwise) {
  for (const char* name : names)
    if (const auto found = given.find(name); found != given.end() && !found->second.values.empty())
      return number(name, found->second.values.front());
  return otherwise;
}

/// A file of options: one or several a line, `#` before a comment. The line `# torchrun …` says how
/// many processes run them.
LogicalResult Launch::readFile() {
  const llvm::StringRef text = request.sources.text(request.file);
  std::vector<Word> words, launcher;
  llvm::StringRef rest = text, line;
  while (!rest.empty()) {
    const std::size_t begin = text.size() - rest.size();
    std::tie(line, rest) = rest.split('\n');
    const llvm::StringRef trimmed = line.trim();
    const bool comment = trimmed.startswith("#");
    if (comment && !trimmed.startswith("# torchrun "))
      continue;
    const SourceRange at{request.file, static_cast<std::uint32_t>(begin),
                         static_cast<std::uint32_t>(begin + line.size())};
    if (comment) {
      llvm::SmallVector<llvm::StringRef, 8> pieces;
      llvm::SplitString(trimmed, pieces);
      for (const llvm::StringRef piece : pieces)
        launcher.push_back({piece.str(), at});
    } else if (!trimmed.empty()) { // one token a line, or an option and its values
      llvm::SmallVector<llvm::StringRef, 4> pieces;
      llvm::SplitString(trimmed, pieces);
      if (!trimmed.startswith("--"))
        pieces = {trimmed};
      for (const llvm::StringRef piece : pieces)
        words.push_back({piece.str(), at});
    }
  }
  options = group(words);
  const Options started = group(launcher);
  nodes = launcherCount(started, {"--nnodes"}, 0);
  gpus = launcherCount(started, {"--nproc-per-node"}, 0);
  for (const auto& [name, value] : request.defines) {
    std::uint64_t defined = 0;
    if (!llvm::StringRef(value).getAsInteger(10, defined) && name == "NNODES")
      nodes = defined;
    if (!llvm::StringRef(value).getAsInteger(10, defined) && name == "NPROC_PER_NODE")
      gpus = defined;
  }
  if (nodes == 0 || gpus == 0)
    return diags.report<diag::ImportMissing>({}, "how many processes it starts")
        .help("`--define NNODES=64 --define NPROC_PER_NODE=8` says it, or a line `# torchrun "
              "--nnodes 64 --nproc-per-node 8` of the file");
  return LogicalResult::success();
}

LogicalResult Launch::read() {
  llvm::StringRef rest = request.sources.text(request.file), line;
  while (!rest.empty()) {
    std::tie(line, rest) = rest.split('\n');
    if (line.trim().startswith("--"))
      return readFile();
    if (!line.trim().empty() && !line.trim().startswith("#"))
      break;
  }
  FailureOr<std::vector<Word>> command = Script(request, diags).launch();
  if (command.failed())
    return LogicalResult::failure();
  const auto script = llvm::find_if(
      *command, [](const Word& w) { return llvm::StringRef(w.text).endswith(".py"); });
  const std::size_t at = static_cast<std::size_t>(script - command->begin());
  const llvm::ArrayRef<Word> words(*command);
  const Options launcher = group(words.take_front(at));
  nodes = launcherCount(launcher, {"--nnodes", "--nodes"}, 1);
  gpus = launcherCount(launcher, {"--nproc_per_node", "--nproc-per-node", "--ntasks-per-node"}, 1);
  options = group(words.drop_front(at + 1));
  return failed() ? LogicalResult::failure() : LogicalResult::success();
}

const Launch::Option* Launch::take(const std::string& option) {
  taken.insert(option);
  const auto found = options.find(option);
  return found == options.end() ? nullptr : &found->second;
}

bool Launch::flag(const std::string& option) { return take(option) != nullptr; }

void Launch::wrong(const std::string& option, const std::string& needed) {
  const auto found = options.find(option);
  if (found == options.end()) {
    (void)diags.report<diag::ImportMissing>({}, fmt::format("`{}`, {}", option, needed));
    return;
  }
  std::string written;
  for (const Word& word : found->second.values)
    written += (written.empty() ? "" : " ") + word.text;
  const std::string variable = variableIn(written);
  auto report = diags.report<diag::ImportValue>(found->second.at, option, written, needed);
  if (!variable.empty())
    (void)std::move(report).help(fmt::format("`--define {}=VALUE` says what it is", variable));
}

void Launch::refused(const std::string& option, const std::string& why) {
  const auto found = options.find(option);
  (void)diags.report<diag::ImportRefused>(found == options.end() ? SourceRange{} : found->second.at,
                                          "Megatron-LM", why);
}

std::string Launch::text(const std::string& option, const std::string& otherwise) {
  const Option* found = take(option);
  return found && !found->values.empty() ? found->values.front().text : otherwise;
}

std::uint64_t Launch::number(const std::string& option, const Word& word) {
  std::uint64_t out = 0;
  if (!llvm::StringRef(word.text).getAsInteger(10, out) && out > 0)
    return out;
  const std::string variable = variableIn(word.text);
  auto report =
      diags.report<diag::ImportValue>(word.at, option, word.text, "a whole number of at least 1");
  if (!variable.empty())
    (void)std::move(report).help(fmt::format("`--define {}=VALUE` says what it is", variable));
  return 1;
}

std::uint64_t Launch::count(const std::string& option, std::uint64_t otherwise) {
  const Option* found = take(option);
  if (!found)
    return otherwise;
  if (found->values.size() == 1)
    return number(option, found->values.front());
  wrong(option, "a whole number of at least 1");
  return otherwise == 0 ? 1 : otherwise;
}

std::uint64_t Launch::needed(const std::string& option) {
  if (!has(option)) {
    (void)diags.report<diag::ImportMissing>({}, fmt::format("`{}`", option));
    return 1;
  }
  return count(option, 1);
}

double Launch::real(const std::string& option, double otherwise) {
  const Option* found = take(option);
  double out = otherwise;
  if (found &&
      (found->values.size() != 1 || llvm::StringRef(found->values.front().text).getAsDouble(out)))
    wrong(option, "a number");
  return out;
}

std::vector<std::string> Launch::list(const std::string& option) {
  std::vector<std::string> out;
  if (const Option* found = take(option))
    for (const Word& word : found->values)
      out.push_back(word.text);
  return out;
}

std::string Launch::choice(const std::string& option, const std::string& otherwise,
                           std::vector<std::string> known) {
  const Option* found = take(option);
  if (!found)
    return otherwise;
  if (found->values.size() == 1 && llvm::is_contained(known, found->values.front().text))
    return found->values.front().text;
  wrong(option, alternatives(known));
  return otherwise;
}

std::vector<std::string> Launch::rest() {
  std::vector<std::string> nothing;
  for (const auto& [name, option] : options) {
    if (taken.count(name) != 0)
      continue;
    if (meansNothingToAPlan(name))
      nothing.push_back(name);
    else
      (void)diags.report<diag::ImportOptionUnsaid>(option.at, name);
  }
  return nothing;
}

bool dpl::imports::megatron::meansNothingToAPlan(llvm::StringRef option) {
  for (const char* prefix : {"--log-",
                             "--save",
                             "--load",
                             "--tensorboard",
                             "--wandb",
                             "--eval",
                             "--data-",
                             "--tokenizer",
                             "--no-load",
                             "--no-save",
                             "--init-method",
                             "--exit-",
                             "--profile",
                             "--timing-",
                             "--one-logger",
                             "--rerun",
                             "--dist-ckpt",
                             "--ckpt-",
                             "--async-",
                             "--num-dataset",
                             "--mock-",
                             "--lr-",
                             "--train-",
                             "--valid-",
                             "--test-",
                             "--reset-",
                             "--hf-",
                             "--adam-eps",
                             "--clip-",
                             "--initial-loss",
                             "--loss-",
                             "--min-loss",
                             "--hysteresis",
                             "--distributed-",
                             "--manual-gc",
                             "--inference-",
                             "--non-persistent",
                             "--auto-detect",
                             "--check-",
                             "--no-check",
                             "--override-",
                             "--use-checkpoint",
                             "--finetune",
                             "--te-rng",
                             "--rotary-",
                             "--use-rotary",
                             "--mmap",
                             "--no-mmap",
                             "--create-attention",
                             "--no-create-attention",
                             "--moe-aux-",
                             "--moe-z-",
                             "--moe-router-load",
                             "--moe-router-dtype",
                             "--moe-router-bias",
                             "--moe-router-enable",
                             "--moe-router-score",
                             "--moe-router-topk-scaling",
                             "--moe-router-num-groups",
                             "--moe-router-group",
                             "--moe-per-layer",
                             "--mtp-loss",
                             "--yarn-",
                             "--mscale",
                             "--original-max",
                             "--beta-",
                             "--straggler",
                             "--nccl-",
                             "--high-priority"})
    if (option.startswith(prefix))
      return true;
  static const llvm::StringSet<> names{"--seed",
                                       "--split",
                                       "--vocab-file",
                                       "--merge-file",
                                       "--num-workers",
                                       "--lr",
                                       "--min-lr",
                                       "--dataloader-type",
                                       "--norm-epsilon",
                                       "--weight-decay-incr-style",
                                       "--start-weight-decay",
                                       "--end-weight-decay",
                                       "--attention-dropout",
                                       "--hidden-dropout",
                                       "--moe-grouped-gemm",
                                       "--no-rope-fusion",
                                       "--apply-layernorm-1p",
                                       "--rope-type",
                                       "--tiktoken-pattern",
                                       "--tiktoken-num-special-tokens",
                                       "--legacy-tokenizer",
                                       "--no-masked-softmax-fusion",
                                       "--no-bias-gelu-fusion",
                                       "--no-bias-swiglu-fusion",
                                       "--no-bias-dropout-fusion",
                                       "--no-persist-layer-norm",
                                       "--cross-entropy-loss-fusion",
                                       "--cross-entropy-fusion-impl",
                                       "--no-gradient-accumulation-fusion",
                                       "--use-flash-attn",
                                       "--transformer-impl",
                                       "--use-mcore-models",
                                       "--no-async-tensor-model-parallel-allreduce",
                                       "--moe-permute-fusion",
                                       "--moe-router-fusion",
                                       "--moe-token-drop-policy",
                                       "--moe-pad-expert-input-to-capacity",
                                       "--calculate-per-token-loss",
                                       "--disable-gloo-process-groups",
                                       "--enable-gloo-process-groups",
                                       "--no-scatter-gather-tensors-in-pipeline",
                                       "--local-rank",
                                       "--config-logger-dir",
                                       "--barrier-with-L1-time",
                                       "--no-barrier-with-level-1-timing",
                                       "--ddp-bucket-size",
                                       "--ddp-num-buckets",
                                       "--ddp-average-in-collective",
                                       "--ddp-pad-buckets-for-high-nccl-busbw",
                                       "--empty-unused-memory-level",
                                       "--moe-router-force-load-balancing",
                                       "--trust-remote-code"};
  return names.contains(option);
}
