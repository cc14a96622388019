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

/// Reads the options of a launch. A value of a wrong type, or one that a plan cannot express, is
/// reported at its place.
class LaunchOptions {
public:
  LaunchOptions(const LaunchImport& request, DiagnosticEngine& diags)
      : request(request), diags(diags), where{request.file, 0, 1} {}
  /// Reads a launch script or a file of options. Fails after an error was reported.
  LogicalResult read();
  using OptionNameMap = std::map<std::string, std::string>;
  /// Sets the options that a file of another format has, and the numbers of nodes and of processes
  /// per node (0 if not known). Messages use the names in `names`.
  void setOptions(const ShellWords& words, std::uint64_t ofNodes, std::uint64_t perNode,
                  const OptionNameMap& names = {});

  std::uint64_t nodes = 1, gpus = 1;
  bool oneProcess = false; ///< whether `python` starts the script, perhaps many times from another
                           ///< script
  std::string otherScript; ///< script that runs in place of `pretrain_gpt.py`; empty if there is
                           ///< none
  /// Adds the number of processes to the missing inputs.
  void requireProcessCount();

  /// All options whose values are known.
  WrittenSettings written() const;
  bool has(const std::string& option) const { return options.count(option) != 0; }
  bool flag(const std::string& option);
  /// The value of an option as it is written; `otherwise` if the option is absent.
  std::string text(const std::string& option, const std::string& otherwise = "");
  std::uint64_t count(const std::string& option, std::uint64_t otherwise);
  /// A count without a default. If the option is absent, it is added to the missing inputs.
  std::uint64_t needed(const std::string& option);
  /// A count, if it is known. If not, it is not added to the missing inputs.
  std::optional<std::uint64_t> ifKnown(const std::string& option);
  double real(const std::string& option, double otherwise, NumberRange range = NumberRange::Any);
  std::vector<std::string> list(const std::string& option);
  /// The values of an option as whole numbers; empty if one of them is not a whole number.
  std::vector<std::uint64_t> counts(const std::string& option);
  /// A value, which must be one of `known`.
  std::string choice(const std::string& option, const std::string& otherwise,
                     std::vector<std::string> known);
  /// Marks options as read that change nothing in this launch.
  void haveNoEffect(std::initializer_list<const char*> names) {
    withoutEffect.insert(names.begin(), names.end());
  }
  /// Reports that the value of an option is wrong, or that the option is absent. If `offered` is
  /// set, the help says that `--ignore` gives the option its default.
  void wrong(const std::string& option, const std::string& needed, bool offered = false);
  /// Reports at `option` that Megatron-LM refuses the values, or the absence, of the options `of`.
  /// If one of these is not known, reports nothing. `processes` stands for the number of processes.
  void refused(const std::string& option, const std::string& why,
               std::initializer_list<const char*> of);
  static constexpr const char* processes = "processes";
  /// The same for options that are known, even if other inputs are missing.
  void excluded(const std::string& option, const std::string& why);
  /// The same for an absent option. Reports nothing if the launch may have further options.
  void incomplete(const std::string& option, const std::string& why);
  /// Reports what Megatron-LM refuses when it parses its options.
  void checkArguments();
  /// Notes that the launch may have options that are not known.
  void mayHaveMore() { moreOptions = true; }
  /// Reports each option that was not read and that a plan cannot express. Returns the options that
  /// have no meaning for a plan.
  std::vector<std::string> rest();
  /// Options that `--ignore` or `--lenient` removed.
  std::vector<std::string> ignored() const;
  void unusedDefinitions();
  /// Reports all missing inputs at once, with definitions that can be copied.
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
  /// `definition` is a name that `--define` may set in place of the word.
  std::uint64_t number(const std::string& option, const ShellWord& word,
                       const char* definition = "");
  bool startedElsewhere() const;
  bool inWrapper = false; ///< whether another command starts `python`
  bool requireInput(const std::string& option, const ShellWord& word, const char* kind);

  const LaunchImport& request;
  DiagnosticEngine& diags;
  LaunchOptionMap options;
  OptionNameMap theirNames; ///< names of options in a file of another format
  std::set<std::string> consumed, used, dropped, withoutEffect;
  std::set<std::string> placeholders; ///< options whose value is a placeholder, and `processes`
  MissingInputs missing;
  std::vector<std::pair<std::string, std::string>> lacking; ///< options and reasons that
                                                            ///< `incomplete` has collected
  bool moreOptions = false;
  void reportIncomplete();
  bool given(const std::string& option) const;
  std::string known(const std::string& option) const;
  void checkWarmup();
  /// Words of the launch that are not known, by the statement that is the reason.
  std::vector<ShellWords> unfollowed;
  bool optionsUnknown = false; ///< whether such a statement may set whole options
  void reportUnfollowed();
  std::vector<std::uint32_t> sourced; ///< files that the script sources
  SourceRange where; ///< place of the command, or the beginning of a file of options or settings
};

/// Whether an option affects neither the layout nor its cost: data, length of the run, checkpoints,
/// logs.
bool hasNoEffectOnPlan(llvm::StringRef option);
/// Whether an option is a degree, a batch size or a length, which every plan needs.
bool isSizeOption(llvm::StringRef option);
/// Whether a script or a run is named after a model that is not a decoder: "pretrain_bert.py".
bool namesAnotherModel(llvm::StringRef name);
/// Whether the value is Megatron-LM's default for the option.
bool isAtDefault(llvm::StringRef option, llvm::StringRef value);
/// Whether an option only affects how Megatron-LM executes a plan, so that `--lenient` leaves it
/// out.
bool isPerformanceOption(llvm::StringRef option);
/// Whether an expansion is `$@`, `$1` or another argument of the script, which `--define @=` sets.
bool isAnArgument(llvm::StringRef expansion);
/// Whether an option without a meaning for a plan always has a value, so that the next word is not
/// an option.
bool hasAValue(llvm::StringRef option);

} // namespace dpl::imports::megatron
