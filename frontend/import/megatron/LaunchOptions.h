#pragma once
//===- LaunchOptions.h - The options of a launch, and which of them were read
//------------------===//
#include "frontend/import/BlockText.h"
#include "frontend/import/Megatron.h"
#include "frontend/import/MissingInputs.h"
#include "frontend/import/shell/Processes.h"
#include <set>

namespace dpl::imports::megatron {
using shell::Doubt;
using shell::ShellWord;
using shell::ShellWords;

/// What a launch says, taken out option by option. A value that is no number, or not one of those
/// that a plan can say, is reported where it stands.
class LaunchOptions {
public:
  LaunchOptions(const LaunchImport& request, DiagnosticEngine& diags)
      : request(request), diags(diags), where{request.file, 0, 1} {}
  /// A launch script, or a file of options that begins with one; fails after a report.
  LogicalResult read();
  using OptionNameMap = std::map<std::string, std::string>;
  /// Takes options that another kind of file sets, and its numbers of nodes and of processes per
  /// node (0 if unknown). Messages call each option by its name in `names`.
  void setOptions(const ShellWords& words, std::uint64_t ofNodes, std::uint64_t perNode,
                  const OptionNameMap& names = {});

  std::uint64_t nodes = 1, gpus = 1;
  bool oneProcess = false; ///< one process as `python` starts it, which another script may do often
  std::string otherScript; ///< the script that runs in place of `pretrain_gpt.py`
  /// Asks how many processes there are.
  void requireProcessCount();

  /// All options that are known.
  WrittenSettings written() const;
  bool has(const std::string& option) const { return options.count(option) != 0; }
  bool flag(const std::string& option);
  /// The value as written, `otherwise` when the option is not given.
  std::string text(const std::string& option, const std::string& otherwise = "");
  std::uint64_t count(const std::string& option, std::uint64_t otherwise);
  /// A count that no default replaces: reported when it is missing.
  std::uint64_t needed(const std::string& option);
  /// A count that is not asked for where nobody knows it.
  std::optional<std::uint64_t> ifKnown(const std::string& option);
  double real(const std::string& option, double otherwise, NumberRange range = NumberRange::Any);
  std::vector<std::string> list(const std::string& option);
  /// The values as whole numbers; empty if one of them is not a whole number.
  std::vector<std::uint64_t> counts(const std::string& option);
  /// One of these words.
  std::string choice(const std::string& option, const std::string& otherwise,
                     std::vector<std::string> known);
  /// These options are read and change nothing in this launch.
  void haveNoEffect(std::initializer_list<const char*> names) {
    withoutEffect.insert(names.begin(), names.end());
  }
  /// Reports `option`'s value, or its absence when it is not given. If `offered`, the help says
  /// that `--ignore` gives the option its default.
  void wrong(const std::string& option, const std::string& needed, bool offered = false);
  /// Megatron-LM refuses it at `option`, for what the options of `of` say or leave out: silent
  /// where one of these is not known. `processes` stands for how many there are.
  void refused(const std::string& option, const std::string& why,
               std::initializer_list<const char*> of);
  static constexpr const char* processes = "processes";
  /// The same for what is known, whatever else is missing.
  void excluded(const std::string& option, const std::string& why);
  /// The same for an option that is not there: silent where the launch may have more of them.
  void incomplete(const std::string& option, const std::string& why);
  /// What Megatron-LM refuses when it reads its arguments.
  void checkArguments();
  /// The launch may have other options than are known.
  void mayHaveMore() { moreOptions = true; }
  /// Reports every option that was not read and that a plan cannot say; what means nothing to a
  /// plan is returned.
  std::vector<std::string> rest();
  /// The options that the plan goes without, as asked.
  std::vector<std::string> ignored() const;
  void unusedDefinitions();
  /// One report of all that `--define` has to say, with the words to copy.
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
  /// `definition` may say it in place of the word.
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
  std::set<std::string> placeholders; ///< options whose number is asked for, and `processes`
  MissingInputs missing;
  std::vector<std::pair<std::string, std::string>> lacking; ///< options and why, as `incomplete`
  bool moreOptions = false;
  void reportIncomplete();
  bool given(const std::string& option) const;
  std::string known(const std::string& option) const;
  void checkWarmup();
  /// By statement that is not followed, what the launch has of it.
  std::vector<ShellWords> unfollowed;
  bool optionsUnknown = false; ///< a statement that is not followed sets whole options
  void reportUnfollowed();
  std::vector<std::uint32_t> sourced; ///< files that the script sources
  SourceRange where; ///< of the command; the beginning of a file of options or settings
};

/// Options that change neither the layout nor what it costs: data, length of the run, checkpoints,
/// logs.
bool hasNoEffectOnPlan(llvm::StringRef option);
/// Whether an option is a degree, a batch or a length, which every plan needs.
bool isSizeOption(llvm::StringRef option);
/// Whether a script or a run is named after a model that is not a decoder: "pretrain_bert.py".
bool namesAnotherModel(llvm::StringRef name);
/// Whether the value is Megatron-LM's default for the option.
bool isAtDefault(llvm::StringRef option, llvm::StringRef value);
/// An option of Megatron-LM's own by which it does otherwise what a plan says: `--lenient` goes
/// without it.
bool isPerformanceOption(llvm::StringRef option);
/// `$@`, `$1` and their relatives, which `--define @=` gives.
bool isAnArgument(llvm::StringRef expansion);
/// Of those without a meaning, the ones that surely take a value, so that a word behind them is no
/// option.
bool hasAValue(llvm::StringRef option);

} // namespace dpl::imports::megatron
