#pragma once
//===- LaunchOptions.h - Options of a launch, and which of them were read ---------------------===//
#include "frontend/import/BlockText.h"
#include "frontend/import/Megatron.h"
#include "frontend/import/MissingInputs.h"
#include "frontend/import/shell/Processes.h"
#include <set>

namespace dpl::imports::megatron {
using shell::Doubt;
using shell::ShellWord;
using shell::ShellWords;

/// Reads a launch option by option. A value of a wrong type, or one that a plan cannot express, is
/// reported at its place.
class LaunchOptions {
public:
  LaunchOptions(const LaunchImport& request, DiagnosticEngine& diags)
      : request(request), diags(diags), where{request.file, 0, 1} {}
  /// Reads a launch script or a file of options; fails after a report.
  LogicalResult read();
  using OptionNameMap = std::map<std::string, std::string>;
  /// Sets options that another file format has, with nodes and processes per node (0 if unknown).
  /// Messages use the names in `names`.
  void setOptions(const ShellWords& words, std::uint64_t ofNodes, std::uint64_t perNode,
                  const OptionNameMap& names = {});

  std::uint64_t nodes = 1, gpus = 1;
  bool oneProcess = false; ///< `python` starts it, perhaps many times by another script
  std::string otherScript; ///< script that runs in place of `pretrain_gpt.py`
  /// Makes the number of processes a missing input.
  void requireProcessCount();

  /// All options that are known.
  WrittenSettings written() const;
  bool has(const std::string& option) const { return options.count(option) != 0; }
  bool flag(const std::string& option);
  /// The value as written; `otherwise` if the option is absent.
  std::string text(const std::string& option, const std::string& otherwise = "");
  std::uint64_t count(const std::string& option, std::uint64_t otherwise);
  /// A count without a default; it is reported as missing if the option is absent.
  std::uint64_t needed(const std::string& option);
  /// A count if it is known; an unknown one does not become a missing input.
  std::optional<std::uint64_t> ifKnown(const std::string& option);
  double real(const std::string& option, double otherwise, NumberRange range = NumberRange::Any);
  std::vector<std::string> list(const std::string& option);
  /// The values as whole numbers; empty if one of them is not a whole number.
  std::vector<std::uint64_t> counts(const std::string& option);
  /// A value that must be one of `known`.
  std::string choice(const std::string& option, const std::string& otherwise,
                     std::vector<std::string> known);
  /// These options are read and change nothing in this launch.
  void haveNoEffect(std::initializer_list<const char*> names) {
    withoutEffect.insert(names.begin(), names.end());
  }
  /// Reports the option's value, or its absence if it is not set. If `offered`, the help says that
  /// `--ignore` gives the option its default.
  void wrong(const std::string& option, const std::string& needed, bool offered = false);
  /// Reports at `option` that Megatron-LM refuses the values or absence of the options `of`.
  /// Reports nothing if one of these is unknown; `processes` stands for the number of processes.
  void refused(const std::string& option, const std::string& why,
               std::initializer_list<const char*> of);
  static constexpr const char* processes = "processes";
  /// The same for known options, even if other inputs are missing.
  void excluded(const std::string& option, const std::string& why);
  /// The same for an absent option; reports nothing if the launch may have more options.
  void incomplete(const std::string& option, const std::string& why);
  /// Reports what Megatron-LM refuses when it parses its arguments.
  void checkArguments();
  /// Notes that the launch may have more options than are known.
  void mayHaveMore() { moreOptions = true; }
  /// Reports each unread option that a plan cannot express; returns options without a meaning for a
  /// plan.
  std::vector<std::string> rest();
  /// Options that `--ignore` or `--lenient` removed.
  std::vector<std::string> ignored() const;
  void unusedDefinitions();
  /// Reports all missing inputs once, with the definitions to copy.
  void reportMissing();
  bool failed() const { return diags.errors() > 0; }

private:
  struct LaunchOption {
    SourceRange at;
    std::vector<ShellWord> values;
  };
  using LaunchOptionMap = std::map<std::string, LaunchOption>;
  void lacks(SourceRange at, const std::string& what, const std::string& define);
  static LaunchOptionMap group(llvm::ArrayRef<ShellWord> words);
  void translate();
  std::string inTheirWords(llvm::StringRef text) const;
  static bool trainsAnotherModel(llvm::ArrayRef<ShellWord> words, std::size_t script);
  const LaunchOption* consume(const std::string& option);
  std::vector<std::string> knownSizes() const;
  void unknownSize(const std::string& name, const LaunchOption& option);
  LogicalResult readFile();
  void started(llvm::ArrayRef<ShellWord> words, const std::map<std::string, ShellWord>& batch);
  const std::string* definitionFor(const std::string& wanted);
  std::uint64_t defined(const std::string& wanted, const std::string& option);
  void doubts(llvm::ArrayRef<ShellWord> words);
  void doubtful(const ShellWord& word);
  std::uint64_t launcherCount(const LaunchOptionMap& given,
                              std::initializer_list<const char*> names, std::uint64_t otherwise);
  /// `definition` is the name that `--define` may set instead of the word.
  std::uint64_t number(const std::string& option, const ShellWord& word,
                       const char* definition = "");
  bool startedElsewhere() const;
  bool inWrapper = false; ///< another command starts `python`
  bool requireInput(const std::string& option, const ShellWord& word, const char* kind);

  const LaunchImport& request;
  DiagnosticEngine& diags;
  LaunchOptionMap options;
  OptionNameMap theirNames; ///< names in the other file, by option
  std::set<std::string> consumed, used, dropped, withoutEffect;
  std::set<std::string> placeholders; ///< options with a placeholder value, and `processes`
  MissingInputs missing;
  std::vector<std::pair<std::string, std::string>> lacking; ///< options and reasons of `incomplete`
  bool moreOptions = false;
  void reportIncomplete();
  bool given(const std::string& option) const;
  std::string known(const std::string& option) const;
  void checkWarmup();
  /// Unknown words of the launch, grouped by the statement that makes them unknown.
  std::vector<ShellWords> unfollowed;
  bool optionsUnknown = false; ///< such a statement may set whole options
  void reportUnfollowed();
  std::vector<std::uint32_t> sourced; ///< files that the script sources
  SourceRange where; ///< place of the command; the beginning of a file of options or settings
};

/// Whether the option changes neither the layout nor its cost: data, length of the run,
/// checkpoints, logs.
bool hasNoEffectOnPlan(llvm::StringRef option);
/// Whether the option is a degree, a batch size or a length, which every plan needs.
bool isSizeOption(llvm::StringRef option);
/// Whether a script or a run is named after a model that is not a decoder: "pretrain_bert.py".
bool namesAnotherModel(llvm::StringRef name);
/// Whether the value is Megatron-LM's default for the option.
bool isAtDefault(llvm::StringRef option, llvm::StringRef value);
/// Whether the option only changes how Megatron-LM executes a plan, so that `--lenient` drops it.
bool isPerformanceOption(llvm::StringRef option);
/// Whether it is `$@`, `$1` or another argument of the script, which `--define @=` sets.
bool isAnArgument(llvm::StringRef expansion);
/// Whether an option without a meaning for a plan always has a value, so that the next word is not
/// an option.
bool hasAValue(llvm::StringRef option);

} // namespace dpl::imports::megatron
