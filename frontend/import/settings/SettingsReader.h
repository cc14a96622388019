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

/// A setting because of which the program differs from the plan, and a sentence about the
/// difference.
struct Difference {
  const char *path, *what;
};

/// Settings that do not stop an import. A path includes all paths below it. "*.name" stands for
/// settings of that name in any table.
struct IgnorableSettings {
  /// Settings that affect neither the layout nor the cost of a step.
  const WordTable& without;
  /// Defaults of the program. A setting that has its default has no effect.
  const DefaultTable& defaults;
  llvm::ArrayRef<Difference> different; ///< settings whose sentences become comments in the
                                        ///< imported plan
};

/// Reads values by path: "training.seq_len" is `seq_len` in the table `training`. A value of a
/// wrong type is reported at its place. A value that the file leaves open (`"auto"`, `???`, an
/// expression that is not data) is a missing input; `--define` sets it by the last word of the
/// path.
class SettingsReader {
public:
  using Defines = std::vector<std::pair<std::string, std::string>>;
  SettingsReader(SettingValue root, std::uint32_t file, const Defines& defines,
                 DiagnosticEngine& diags)
      : root(std::move(root)), file(file), defines(defines), diags(diags) {}

  /// Whether a setting is present and not null.
  bool has(llvm::StringRef path) const;
  /// Reads a whole number, which must be at least `least`. If it is absent, returns `otherwise`.
  std::uint64_t count(const std::string& path, std::uint64_t otherwise, std::uint64_t least = 0);
  double real(const std::string& path, double otherwise, NumberRange range = NumberRange::Any);
  bool flag(const std::string& path, bool otherwise);
  std::string text(const std::string& path, const std::string& otherwise);
  std::string choice(const std::string& path, const std::string& otherwise,
                     const std::vector<std::string>& known);
  /// The value of a setting, which is not marked as read; null if there is none.
  const SettingValue* peek(llvm::StringRef path) const { return find(path); }
  /// The value of a setting; null if there is none.
  const SettingValue* value(const std::string& path);
  /// Marks a path and all paths below it as read, or as having no meaning for a plan.
  void markRead(const std::string& path) { readPaths.insert(path); }
  /// A number that only `--define` can set. If it does not, the number is a missing input.
  std::uint64_t defined(const std::string& name, const std::string& what);
  /// The same, with a default.
  std::uint64_t definedOr(const std::string& name, std::uint64_t otherwise);
  /// One of the words `known`, which only `--define` can set.
  std::string definedChoice(const std::string& name, const std::string& what,
                            const std::vector<std::string>& known);
  /// The text that `--define` sets for a name; empty if it sets none.
  std::string definition(const std::string& name);

  /// Reports a wrong value. If `offered` is set, the help says that `--ignore` leaves the setting
  /// out.
  void wrong(const std::string& path, const std::string& needed, bool offered = false);
  void refused(const std::string& path, const std::string& who, const std::string& why);
  /// Reports a setting that was read, but that a plan cannot express. `help` says which part of it
  /// a plan can express.
  void unsupported(const std::string& path, const std::string& help = "");
  /// The same for a behaviour that is the default, so that `--ignore` does not help.
  void unsupportedByDefault(const std::string& path, const std::string& help);
  /// Removes the settings that `--ignore` names, so that they have their defaults. A degree, a
  /// batch size or a length is reported instead, because without it the plan would describe another
  /// run.
  void ignore(const std::vector<std::string>& paths);
  /// Makes the setting `theirs` of the file readable as `ours`. Messages still name `theirs`. False
  /// if the file does not have it, or also has `ours`.
  bool rename(const std::string& theirs, const std::string& ours);
  /// Sets a value, in place of the value in the file if there is one.
  void replace(const std::string& path, SettingValue value);
  /// Reports each setting that was not read and may affect the plan. Returns the others as comment
  /// lines: settings that are off, that have their default or no meaning for a plan; settings
  /// because of which the program differs from the plan; and settings that `--ignore` names.
  std::string rest(const IgnorableSettings& neutral);
  /// Whether a setting that was not read misspells a degree, batch size or length that was read.
  bool misspellsASize(const std::string& path) const;
  /// Whether an input is missing. Numbers may then be placeholders.
  bool hasMissing() const { return !missing.empty(); }
  /// Whether the file leaves a setting to the user who starts the program.
  bool open(const std::string& path) const;
  /// For a setting that is left open and not defined: the name that `--define` has to set, and the
  /// value in the file. None if the value is known.
  std::optional<std::pair<std::string, std::string>> unknown(const std::string& path);
  /// Reports missing inputs. If `alone` is set, also reports definitions that were not read;
  /// otherwise another reader does that. False if there are errors.
  bool finish(bool alone = true);
  /// All settings with a value.
  WrittenSettings written() const;
  /// The place of a setting; the beginning of the file if it is absent.
  SourceRange range(llvm::StringRef path) const;

private:
  const SettingValue* find(llvm::StringRef path) const;
  /// The name of a setting in the file.
  std::string named(const std::string& path) const;
  struct Leaf {
    std::string path;
    const SettingValue* value;
    bool off; ///< whether a table around it is switched off
  };
  /// The value in the file; or that of `--define`, if the file leaves it open.
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
  std::set<std::string> earlier; ///< names of earlier releases that the file does not use
  std::map<std::string, std::string> theirNames; ///< names in the file of the settings that were
                                                 ///< renamed
  std::vector<std::pair<std::string, SourceRange>> ignored; ///< settings that `--ignore` names
  MissingInputs missing;
};

} // namespace dpl::imports::settings
