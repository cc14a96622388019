#pragma once
//===- JsonConfig.h - A JSON object whose values are asked for by key --------------------===//
#include "support/Diagnostics.h"
#include "support/Json.h"
#include <map>
#include <optional>
#include <set>

namespace dpl::imports {

/// Reads values and reports what is wrong with one at its key.
class JsonConfig {
public:
  /// Reports a text that is no JSON, or no object.
  static std::optional<JsonConfig> parse(const SourceManager& sources, std::uint32_t file,
                                         DiagnosticEngine& diags);

  /// Present, and not null.
  bool has(llvm::StringRef key) const;
  /// The value, or `otherwise` where it is absent. A value of another type is reported.
  std::uint64_t count(llvm::StringRef key, std::uint64_t otherwise);
  /// The same with another value for null, which in these files is not the default.
  std::uint64_t count(llvm::StringRef key, std::uint64_t otherwise, std::uint64_t null);
  /// From 1 to `most`.
  std::uint64_t positive(llvm::StringRef key, std::uint64_t otherwise,
                         std::uint64_t most = std::uint64_t{1} << 32);
  /// Reports the value of the key.
  void wrong(llvm::StringRef key, const std::string& wanted);
  double real(llvm::StringRef key, double otherwise);
  bool flag(llvm::StringRef key, bool otherwise);
  std::string text(llvm::StringRef key, const std::string& otherwise);
  std::vector<std::uint64_t> counts(llvm::StringRef key);
  std::vector<std::string> texts(llvm::StringRef key);
  /// The value as the file has it; empty where it is absent or null.
  std::string shown(llvm::StringRef key) const;
  /// Whether the value is of that kind.
  bool holds(llvm::StringRef key, Json::JsonKind kind) const;
  /// Reads on in the object that the key holds, if any.
  void enter(llvm::StringRef key);
  /// A reader of that object; of an empty one where there is none. Report what it finds with
  /// `take`.
  JsonConfig inside(llvm::StringRef key);
  /// Reads what the file calls `theirs` as `ours` from now on, and reports it by its own name.
  /// "a.b" is the key b of the object a. Nothing where it is absent or null.
  void rename(llvm::StringRef theirs, llvm::StringRef ours);
  /// Messages about the key `ours` name it `theirs` where the file lacks it.
  void nameAbsent(llvm::StringRef ours, llvm::StringRef theirs) {
    absentNames.try_emplace(ours.str(), theirs.str());
  }
  /// The key by its name in the file.
  std::string written(llvm::StringRef key) const;
  /// Takes the value of `key` from another part of the file, if it has one.
  void adopt(llvm::StringRef key, const JsonConfig& from);
  struct UnreadKey {
    std::string key, theirs; ///< the name by which it is read, and the name in the file
  };
  /// Keys of the file that were not read, and keys in whose place a renamed key was read. Sorted by
  /// name.
  std::vector<UnreadKey> unread() const;
  /// Keys that were asked for and that the file lacks, sorted by name.
  std::vector<std::string> absent() const;
  /// The keys of all objects that are values of keys, as "a.b".
  std::vector<std::string> innerKeys() const;
  /// Whether the value switches the key off: null, false, 0 or empty.
  bool isNothing(llvm::StringRef key) const;
  /// Reports a key of the file with the given message.
  template <class Message, class... Args>
  DiagnosticEngine::InFlight report(llvm::StringRef theirs, const Args&... args) {
    failed = true;
    return diags->report<Message>(rangeOf(theirs), args...);
  }
  /// The same for a message that is not an error.
  template <class Message, class... Args>
  DiagnosticEngine::InFlight warn(llvm::StringRef theirs, const Args&... args) const {
    return diags->report<Message>(rangeOf(theirs), args...);
  }
  /// Fails if `other` did.
  void mergeFailure(const JsonConfig& other) { failed |= other.failed; }

  /// False after a report.
  bool good() const { return !failed; }
  /// Where the key stands, the whole file's beginning when it is absent.
  SourceRange range(llvm::StringRef key) const;

private:
  JsonConfig(const SourceManager& sources, std::uint32_t file, DiagnosticEngine& diags)
      : sources(&sources), diags(&diags), file(file) {}
  SourceRange rangeOf(llvm::StringRef theirs) const;
  /// Where the object that the key holds opens.
  std::size_t openingOf(llvm::StringRef key) const;
  /// The value; null when it is absent or was reported, because it is not `wanted`.
  template <class Is> const Json* value(llvm::StringRef key, const char* wanted, Is is);

  Json root;
  std::map<std::string, std::string> theirNames; ///< of the keys that were renamed
  std::map<std::string, std::string> absentNames;
  mutable std::set<std::string> readKeys;
  std::set<std::string> replaced; ///< keys in whose place a renamed key is read
  const SourceManager* sources;
  DiagnosticEngine* diags;
  std::uint32_t file;
  std::size_t opens = 0; ///< where the object that is read opens, or before it
  bool failed = false;
};

} // namespace dpl::imports
