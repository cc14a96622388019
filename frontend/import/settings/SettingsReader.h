#pragma once
//===- SettingsReader.h - The settings of a file, and which of them were read
//------------------===//
#include "frontend/import/BlockText.h"
#include "frontend/import/MissingInputs.h"
#include "frontend/import/WrittenSettings.h"
#include "frontend/import/settings/SettingValue.h"
#include "support/WordTable.h"
#include "llvm/ADT/ArrayRef.h"
#include <map>
#include <optional>
#include <set>

namespace dpl::imports::settings {

/// The value of a setting that a file does not set. A scalar is the text that `Value` holds; others
/// are "null" or "[a, b]".
struct Default {
  const char *path, *value;
};

/// A setting that makes the program differ from the plan, and the words for the difference.
struct Difference {
  const char *path, *what;
};

/// Settings that do not stop an import. A path includes all paths below it. "*.name" is a setting
/// of that name in any table.
struct IgnorableSettings {
  /// Settings that change neither the layout nor the cost of a step.
  const WordTable& without;
  /// The program's defaults; a setting at its default has no effect.
  llvm::ArrayRef<Default> defaults;
  llvm::ArrayRef<Difference> different; ///< the written file has the words of each
};

/// Takes values out of a file by path: "training.seq_len" is `seq_len` in the table `training`.
/// What is no value of the kind asked for is reported where it stands; what the file leaves to
/// others (`"auto"`, `???`, what is no data) is asked for by the path's last word, and `--define`
/// says it.
class SettingsReader {
public:
  using Defines = std::vector<std::pair<std::string, std::string>>;
  SettingsReader(SettingValue root, std::uint32_t file, const Defines& defines,
                 DiagnosticEngine& diags)
      : root(std::move(root)), file(file), defines(defines), diags(diags) {}

  /// Present, and not null.
  bool has(llvm::StringRef path) const;
  /// A whole number of at least `least`.
  std::uint64_t count(const std::string& path, std::uint64_t otherwise, std::uint64_t least = 0);
  double real(const std::string& path, double otherwise, NumberRange range = NumberRange::Any);
  bool flag(const std::string& path, bool otherwise);
  std::string text(const std::string& path, const std::string& otherwise);
  std::string choice(const std::string& path, const std::string& otherwise,
                     const std::vector<std::string>& known);
  /// The value itself, which is not read by that; null where there is none.
  const SettingValue* peek(llvm::StringRef path) const { return find(path); }
  /// The value itself; null where there is none.
  const SettingValue* value(const std::string& path);
  /// Read, or without a meaning for a plan: the path and all below it.
  void markRead(const std::string& path) { readPaths.insert(path); }
  /// A number that `--define` alone says; asked for where it is needed.
  std::uint64_t defined(const std::string& name, const std::string& what);
  /// The same where `otherwise` holds without.
  std::uint64_t definedOr(const std::string& name, std::uint64_t otherwise);
  /// A word that `--define` alone says, one of these.
  std::string definedChoice(const std::string& name, const std::string& what,
                            const std::vector<std::string>& known);
  /// The text of a definition, "" without one.
  std::string definition(const std::string& name);

  /// If `offered`, the help says that `--ignore` imports the file without the setting.
  void wrong(const std::string& path, const std::string& needed, bool offered = false);
  void refused(const std::string& path, const std::string& who, const std::string& why);
  /// Reports a setting that has been read and that no plan can express; `help` says which part of
  /// it a plan can.
  void unsupported(const std::string& path, const std::string& help = "");
  /// The same if the program does so even without the setting, so that `--ignore` cannot help.
  void unsupportedByDefault(const std::string& path, const std::string& help);
  /// Removes the settings of `--ignore`, so that each has its default. A degree, a batch or a
  /// length is reported, because without it the plan would describe another run.
  void ignore(const std::vector<std::string>& paths);
  /// Reads the file's setting `theirs` as `ours`; messages still name `theirs`. False if the file
  /// does not have it, or also has `ours`.
  bool rename(const std::string& theirs, const std::string& ours);
  /// Sets a value, replacing the file's if it has one.
  void replace(const std::string& path, SettingValue value);
  /// Reports each unread setting that may change the plan. The other unread settings are returned
  /// as lines of comment: those that are off, at their default or without a meaning for a plan;
  /// those that make the program differ from the plan; those that `--ignore` removed.
  std::string rest(const IgnorableSettings& neutral);
  /// Whether a setting that was not read misspells a degree, batch or length that was.
  bool misspellsASize(const std::string& path) const;
  /// Whether something has been asked for; numbers then stand for what nobody knows.
  bool hasMissing() const { return !missing.empty(); }
  /// Left to who starts the program.
  bool open(const std::string& path) const;
  /// The name by which another reader asks for what is left open there and not defined, as it
  /// stands in the file; nothing where it is known.
  std::optional<std::pair<std::string, std::string>> unknown(const std::string& path);
  /// Reports what is missing and, unless another reads them as well, definitions that nobody asked
  /// for; false where anything was reported.
  bool finish(bool alone = true);
  /// All settings that have a value.
  WrittenSettings written() const;
  /// Where it stands; the file's beginning where it does not.
  SourceRange range(llvm::StringRef path) const;

private:
  const SettingValue* find(llvm::StringRef path) const;
  /// The name of the setting in the file.
  std::string named(const std::string& path) const;
  struct Leaf {
    std::string path;
    const SettingValue* value;
    bool off; ///< the table that holds it is switched off
  };
  /// What is read there: the file's value, or the definition in place of one that is none.
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
  std::set<std::string> earlier; ///< names of other releases that the file does not have
  std::map<std::string, std::string> theirNames; ///< the file's names of renamed settings
  std::vector<std::pair<std::string, SourceRange>> ignored; ///< by `--ignore`
  MissingInputs missing;
};

} // namespace dpl::imports::settings
