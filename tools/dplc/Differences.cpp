//===- Differences.cpp - The changes of an emit, as `diff -u` writes them ---------------------===//
#include "support/diagnostics/Tools.h"
#include "tools/dplc/Targets.h"
#include "llvm/ADT/StringExtras.h"
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <set>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
using namespace dpl;
using namespace dpl::tool;

namespace {
/// A file without a name, which a child process can read or write at `path()`.
class NamelessFile {
public:
  NamelessFile() : descriptor(::memfd_create("dplc", 0)) {}
  NamelessFile(const NamelessFile&) = delete;
  NamelessFile& operator=(const NamelessFile&) = delete;
  ~NamelessFile() { ::close(descriptor); }
  std::error_code write(llvm::StringRef text) const { return writeAll(descriptor, text); }
  int get() const { return descriptor; }
  std::string path() const { return fmt::format("/dev/fd/{}", descriptor); }
  std::string text() const {
    std::string out(static_cast<std::size_t>(::lseek(descriptor, 0, SEEK_END)), '\0');
    return ::pread(descriptor, out.data(), out.size(), 0) < 0 ? "" : out;
  }

private:
  int descriptor;
};

/// The output of `diff` for one file; `now` or `then` is /dev/null if the file does not exist.
FailureOr<std::string> compare(const std::string& label, const std::string& now,
                               const std::string& then, DiagnosticEngine& diags) {
  const NamelessFile output;
  const std::string from = "--label=" + (now == "/dev/null" ? now : label),
                    to = "--label=" + (then == "/dev/null" ? then : label);
  const char* arguments[] = {"diff",      "-u",         from.c_str(), to.c_str(),
                             now.c_str(), then.c_str(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, output.get(), STDOUT_FILENO);
  pid_t child = 0;
  const int failed = ::posix_spawnp(&child, "diff", &actions, nullptr,
                                    const_cast<char* const*>(arguments), environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  if (failed != 0 || ::waitpid(child, &status, 0) < 0) {
    const char* reason = std::strerror(failed != 0 ? failed : errno);
    return diags.report<diag::FolderNotWritten>({}, fmt::format("cannot run `diff`: {}", reason));
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) > 1)
    return diags.report<diag::FolderNotWritten>({}, fmt::format("`diff` failed on `{}`", label));
  return output.text();
}

bool isExecutable(const std::string& path) {
  struct stat about {};
  return ::stat(path.c_str(), &about) == 0 && (about.st_mode & S_IXUSR) != 0;
}

bool isHash(llvm::StringRef word) {
  const auto isDigit = [](char c) { return llvm::isDigit(c) || (c >= 'a' && c <= 'f'); };
  return word.size() == 16 && llvm::all_of(word, isDigit);
}

/// The hashes of plans that the new files name, in a header or as JSON.
std::set<std::string> hashesIn(const std::vector<EmittedFile>& files) {
  std::set<std::string> out;
  for (const EmittedFile& file : files)
    for (const llvm::StringRef mark : {", plan ", "\"hash\": \""}) {
      const std::string text = file.text();
      llvm::StringRef rest = text;
      for (std::size_t at; (at = rest.find(mark)) != llvm::StringRef::npos;) {
        rest = rest.drop_front(at + mark.size());
        if (const llvm::StringRef word = rest.take_while(llvm::isAlnum); isHash(word))
          out.insert(word.str());
      }
    }
  return out;
}

/// A line with each hash replaced; `known` are the hashes to replace, or null for all.
std::string withoutHashes(llvm::StringRef line, const std::set<std::string>* known) {
  std::string out;
  while (!line.empty()) {
    const llvm::StringRef word = line.take_while(llvm::isAlnum);
    const bool hash = isHash(word) && (!known || known->count(word.str()) != 0);
    out += hash ? "HASH" : word.str();
    line = line.drop_front(word.size());
    const llvm::StringRef between = line.take_until(llvm::isAlnum);
    out += between.str();
    line = line.drop_front(between.size());
  }
  return out;
}

/// The differences of a file without the hunks in which only hashes of plans change.
std::string withoutHashChanges(llvm::StringRef diff, const std::set<std::string>& hashes) {
  llvm::SmallVector<llvm::StringRef, 64> lines;
  diff.split(lines, '\n', -1, false);
  std::string head, out, hunk, removed, added;
  const auto close = [&] {
    if (removed != added)
      out += hunk;
    hunk.clear(), removed.clear(), added.clear();
  };
  if (diff.empty())
    return "";
  for (const llvm::StringRef line : lines) {
    if (line.startswith("@@"))
      close();
    const bool inHunk = !hunk.empty() || line.startswith("@@");
    (inHunk ? hunk : head) += line.str() + "\n";
    if (inHunk && line.startswith("-"))
      removed += withoutHashes(line.drop_front(), nullptr) + "\n";
    else if (inHunk && line.startswith("+"))
      added += withoutHashes(line.drop_front(), &hashes) + "\n";
  }
  close();
  // Files with a NUL have no hunks: "Binary files a and b differ".
  const bool binary = llvm::none_of(lines, [](llvm::StringRef l) { return l.startswith("@@"); });
  return out.empty() && !binary ? "" : head + out;
}
} // namespace

FailureOr<std::string> tool::differences(const std::string& folder,
                                         const std::vector<EmittedFile>& files,
                                         DiagnosticEngine& diags) {
  std::string text;
  const std::set<std::string> hashes = hashesIn(files);
  const auto add = [&](const std::string& label, const std::string& now, const std::string& then) {
    FailureOr<std::string> changed = compare(label, now, then, diags);
    if (!changed.failed())
      text += withoutHashChanges(*changed, hashes);
    return !changed.failed();
  };
  std::set<std::string> gone;
  std::ifstream list(folder + "/.dplc-files");
  for (std::string line; std::getline(list, line);)
    gone.insert(line);
  for (const EmittedFile& file : files) {
    gone.erase(file.path);
    const NamelessFile content;
    if (const std::error_code failed = content.write(file.text()))
      return diags.report<diag::FolderNotWritten>({}, failed.message());
    const std::string path = folder + "/" + file.path;
    const bool there = ::access(path.c_str(), R_OK) == 0;
    if (!add(path, there ? path : "/dev/null", content.path()))
      return LogicalResult::failure();
    if (there && isExecutable(path) != file.executable)
      text += fmt::format("{} {} its executable bit\n", path, file.executable ? "gets" : "loses");
  }
  for (const std::string& path : gone)
    if (!add(folder + "/" + path, folder + "/" + path, "/dev/null"))
      return LogicalResult::failure();
  return text;
}
