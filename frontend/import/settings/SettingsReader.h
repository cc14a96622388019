#pragma once
//===- SettingsReader.h - Reads settings of a file by path, and finds unread ones -------------===//
#include "frontend/import/BlockText.h"
#include "frontend/import/MissingInputs.h"
#include "frontend/import/WrittenSettings.h"
#include "frontend/import/settings/DefaultTable.h"
#include "frontend/import/settings/SettingValue.h"
#include "support/WordTable.h"
#include "llvm/ADT/ArrayRef.h"
#include <map>
#include <optional>
#include <set>

namespace dpl::imports::settings {

/// A setting that makes the program differ from the plan, with a sentence on the difference.
struct Difference {
  const char *path, *what;
};

/// Settings that do not stop an import. A path includes all paths below it. "*.name" is a setting
/// of that name in any table.
struct IgnorableSettings {
  /// Settings that change neither the layout nor the cost of a step.
  const WordTable& without;
  /// The program's defaults; a setting at its default has no effect.
  const DefaultTable& defaults;
  llvm::ArrayRef<Difference> different; ///< the imported plan has these sentences as comments
};

/// Reads values by path: "training.seq_len" is `seq_len` in the table `training`. A value of a
/// wrong type is reported at its place. A value that the file leaves open (`"auto"`, `???`, an
/// expression that is not data) is a missing input, which `--define` sets by the path's last word.
class SettingsReader {
public:
  using Defines = std::vector<std::pair<std::string, std::string>>;
  SettingsReader(SettingValue root, std::uint32_t file, const Defines& defines,
                 DiagnosticEngine& diags)
      : root(std::move(root)), file(file), defines(defines), diags(diags) {}

  /// Whether the setting is present and not null.
  bool has(llvm::StringRef path) const;
  /// Reads a whole number of at least `least`; `otherwise` is the default.
  std::uint64_t count(const std::string& path, std::uint64_t otherwise, std::uint64_t least = 0);
  double real(const std::string& path, double otherwise, NumberRange range = NumberRange::Any);
  bool flag(const std::string& path, bool otherwise);
  std::string text(const std::string& path, const std::string& otherwise);
  std::string choice(const std::string& path, const std::string& otherwise,
                     const std::vector<std::string>& known);
  /// The value, which does not become read; null if there is none.
  const SettingValue* peek(llvm::StringRef path) const { return find(path); }
  /// The value; null if there is none.
  const SettingValue* value(const std::string& path);
  /// Marks the path and all below it as read, or without a meaning for a plan.
  void markRead(const std::string& path) { readPaths.insert(path); }
  /// A number that only `--define` sets; without it a missing input.
  std::uint64_t defined(const std::string& name, const std::string& what);
  /// The same with a default.
  std::uint64_t definedOr(const std::string& name, std::uint64_t otherwise);
  /// A word of `known` that only `--define` sets.
  std::string definedChoice(const std::string& name, const std::string& what,
                            const std::vector<std::string>& known);
  /// The text of a definition; "" if there is none.
  std::string definition(const std::string& name);

  /// Reports a wrong value. If `offered`, the help says that `--ignore` drops the setting.
  void wrong(const std::string& path, const std::string& needed, bool offered = false);
  void refused(const std::string& path, const std::string& who, const std::string& why);
  /// Reports a setting that was read and that no plan can express; `help` says which part of it a
  /// plan can express.
  void unsupported(const std::string& path, const std::string& help = "");
  /// The same for a behaviour that is also the default, so that `--ignore` cannot help.
  void unsupportedByDefault(const std::string& path, const std::string& help);
  /// Removes the settings of `--ignore`, so that each has its default. A degree, a batch size or a
  /// length is reported, because without it the plan would describe another run.
  void ignore(const std::vector<std::string>& paths);
  /// Reads the file's setting `theirs` as `ours`; messages still name `theirs`. False if the file
  /// does not have it, or also has `ours`.
  bool rename(const std::string& theirs, const std::string& ours);
  /// Sets a value; replaces the file's value if there is one.
  void replace(const std::string& path, SettingValue value);
  /// Reports each unread setting that may change the plan, and returns the other unread ones as
  /// comment lines: settings that are off, at their default or without a meaning for a plan;
  /// settings that make the program differ from the plan; and settings of `--ignore`.
  std::string rest(const IgnorableSettings& neutral);
  /// Whether an unread setting misspells a degree, batch size or length that was read.
  bool misspellsASize(const std::string& path) const;
  /// Whether an input is missing; numbers may then be placeholders.
  bool hasMissing() const { return !missing.empty(); }
  /// Whether the file leaves the setting to whoever starts the program.
  bool open(const std::string& path) const;
  /// For a setting that is left open and not defined: the name that `--define` has to set, and the
  /// value in the file. Nothing if the value is known.
  std::optional<std::pair<std::string, std::string>> unknown(const std::string& path);
  /// Reports missing inputs and, if `alone`, definitions that nothing reads. Without `alone`
  /// another reader checks definitions. False if there are errors.
  bool finish(bool alone = true);
  /// All settings that have a value.
  WrittenSettings written() const;
  /// The place of the setting; the beginning of the file if it is absent.
  SourceRange range(llvm::StringRef path) const;

private:
  const SettingValue* find(llvm::StringRef path) const;
  /// The name of the setting in the file.
  std::string named(const std::string& path) const;
  struct Leaf {
    std::string path;
    const SettingValue* value;
    bool off; ///< a table around it is switched off
  };
  /// The value in the file, or the definition if the file leaves it open.
  std::optional<SettingValue> known(const std::string& path, const char* kind);
  std::vector<std::string> knownSizes(const IgnorableSettings& neutral) const;
  std::vector<std::string> knownNames(const IgnorableSettings& neutral) const;
  void sizeUnknown(const Leaf& leaf, const std::vector<std::string>& sizes);
  void leaves(const SettingValue& value, const std::string& path, bool off,
              std::vector<Leaf>& out) const;

  SettingValue root;
  std::uint32_t file;
  const Defines& defines;
  DiagnosticEngine& diags;
  std::set<std::string> readPaths, used;
  std::set<std::string> earlier; ///< names of other releases that the file does not use
  std::map<std::string, std::string> theirNames; ///< names in the file of renamed settings
  std::vector<std::pair<std::string, SourceRange>> ignored; ///< settings of `--ignore`
  MissingInputs missing;
};

} // namespace dpl::imports::settings
