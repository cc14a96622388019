#pragma once
//===- JsonConfig.h - Reads a JSON object by key ----------------------------------------------===//
#include "support/Diagnostics.h"
#include "support/Json.h"
#include <map>
#include <optional>
#include <set>

namespace dpl::imports {

/// Reads values by key. Reports wrong values at the key.
class JsonConfig {
public:
  /// Parses a file. Reports a text that is not JSON, or that is not an object.
  static std::optional<JsonConfig> parse(const SourceManager& sources, std::uint32_t file,
                                         DiagnosticEngine& diags);

  /// Whether the key is present and not null.
  bool has(llvm::StringRef key) const;
  /// The value, or `otherwise` if the key is absent or null. A value of another type is reported.
  std::uint64_t count(llvm::StringRef key, std::uint64_t otherwise);
  /// The same, but a null counts as `null`.
  std::uint64_t count(llvm::StringRef key, std::uint64_t otherwise, std::uint64_t null);
  /// A number from 1 to `most`.
  std::uint64_t positive(llvm::StringRef key, std::uint64_t otherwise,
                         std::uint64_t most = std::uint64_t{1} << 32);
  /// Reports that the value of a key is not what was wanted.
  void wrong(llvm::StringRef key, const std::string& wanted);
  double real(llvm::StringRef key, double otherwise);
  bool flag(llvm::StringRef key, bool otherwise);
  std::string text(llvm::StringRef key, const std::string& otherwise);
  std::vector<std::uint64_t> counts(llvm::StringRef key);
  std::vector<std::string> texts(llvm::StringRef key);
  /// The value as the file writes it; empty if it is absent or null.
  std::string shown(llvm::StringRef key) const;
  /// Whether the value has this kind.
  bool holds(llvm::StringRef key, Json::JsonKind kind) const;
  /// Replaces this object by the object of a key, if there is one.
  void enter(llvm::StringRef key);
  /// A reader of the object of a key, or of an empty object. Its errors count for this reader only
  /// after `mergeFailure`.
  JsonConfig inside(llvm::StringRef key);
  /// Makes the file's key `theirs` readable as `ours`. Reports still name `theirs`. "a.b" is the
  /// key b in the object a. Does nothing if the key is absent.
  void rename(llvm::StringRef theirs, llvm::StringRef ours);
  /// Makes messages about the absent key `ours` name `theirs`.
  void nameAbsent(llvm::StringRef ours, llvm::StringRef theirs) {
    absentNames.try_emplace(ours.str(), theirs.str());
  }
  /// The name that a key has in the file.
  std::string written(llvm::StringRef key) const;
  /// Copies the value of a key from another part of the file, if that part has it.
  void adopt(llvm::StringRef key, const JsonConfig& from);
  struct UnreadKey {
    std::string key, theirs; ///< name by which it is read, and name in the file
  };
  /// Keys that were not read, sorted by name. Keys that a renamed key with another value replaced
  /// are included.
  std::vector<UnreadKey> unread() const;
  /// Keys that were looked up and are not in the file, sorted by name.
  std::vector<std::string> absent() const;
  /// The keys of all objects inside this object, as "a.b".
  std::vector<std::string> innerKeys() const;
  /// Whether the value switches a key off: null, false, 0 or empty.
  bool isNothing(llvm::StringRef key) const;
  /// Reports an error at a key of the file.
  template <class Message, class... Args>
  DiagnosticEngine::InFlight report(llvm::StringRef theirs, const Args&... args) {
    failed = true;
    return diags->report<Message>(rangeOf(theirs), args...);
  }
  /// Reports a warning at a key of the file.
  template <class Message, class... Args>
  DiagnosticEngine::InFlight warn(llvm::StringRef theirs, const Args&... args) const {
    return diags->report<Message>(rangeOf(theirs), args...);
  }
  /// Marks this reader as failed if `other` failed.
  void mergeFailure(const JsonConfig& other) { failed |= other.failed; }

  /// Whether no error was reported.
  bool good() const { return !failed; }
  /// The place of a key; the beginning of the file if it is absent.
  SourceRange range(llvm::StringRef key) const;

private:
  JsonConfig(const SourceManager& sources, std::uint32_t file, DiagnosticEngine& diags)
      : sources(&sources), diags(&diags), file(file) {}
  SourceRange rangeOf(llvm::StringRef theirs) const;
  /// The position at which the object of a key begins.
  std::size_t openingOf(llvm::StringRef key) const;
  /// The value of a key; null if it is absent. If it is not `wanted`, this is reported, and the
  /// result is also null.
  template <class Is> const Json* value(llvm::StringRef key, const char* wanted, Is is);

  Json root;
  std::map<std::string, std::string> theirNames; ///< names in the file, by the name of a renamed
                                                 ///< key
  std::map<std::string, std::string> absentNames;
  mutable std::set<std::string> readKeys;
  std::set<std::string> replaced; ///< keys that a renamed key replaced
  const SourceManager* sources;
  DiagnosticEngine* diags;
  std::uint32_t file;
  std::size_t opens = 0; ///< offset in the file from which the keys of the object are searched: its
                         ///< brace or before it
  bool failed = false;
};

} // namespace dpl::imports
