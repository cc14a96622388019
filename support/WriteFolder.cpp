//===- WriteFolder.cpp - Writes files and folders atomically ----------------------------------===//
#include "support/FileIo.h"
#include "support/diagnostics/Tools.h"
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <set>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
using namespace dpl;
namespace fs = std::filesystem;

namespace {
/// The list of files in a folder that dplc wrote. A folder with any other file is not replaced.
constexpr const char* listName = ".dplc-files";

std::string systemError(const std::string& what, const std::string& path) {
  return fmt::format("{} `{}`: {}", what, path, std::strerror(errno));
}

LogicalResult folderRefused(DiagnosticEngine& diags, const std::string& reason) {
  return diags.report<diag::FolderNotWritten>({}, reason);
}

/// Writes the content and closes the descriptor; returns the first error.
std::error_code writeAndClose(int descriptor, llvm::StringRef content) {
  const std::error_code failed = writeAll(descriptor, content);
  const bool closed = ::close(descriptor) == 0;
  return failed || closed ? failed : std::error_code(errno, std::generic_category());
}

/// Writes a new file. `shown` is the path in messages: the place where the user will find the file.
LogicalResult writeNew(const std::string& path, const std::string& shown, llvm::StringRef content,
                       mode_t mode, DiagnosticEngine& diags) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (descriptor < 0)
    return folderRefused(diags, systemError("cannot create", shown));
  if (const std::error_code failed = writeAndClose(descriptor, content))
    return folderRefused(diags, fmt::format("cannot write `{}`: {}", shown, failed.message()));
  return LogicalResult::success();
}

/// The files that dplc wrote into a folder, and their folders, relative to it.
std::set<std::string> written(const fs::path& folder) {
  std::set<std::string> known;
  std::error_code failed;
  if (!fs::is_regular_file(fs::symlink_status(folder / listName, failed)))
    return known;
  std::ifstream list(folder / listName);
  if (!list)
    return known;
  known.insert(listName);
  for (std::string line; std::getline(list, line);)
    for (fs::path path = line; !path.empty() && path.is_relative(); path = path.parent_path())
      known.insert(path.generic_string());
  return known;
}

/// The first entry by name in the folder at `below` that dplc did not write: an unknown name, or a
/// link, device, pipe or socket with a known name. Searches only folders that dplc made.
std::string foreignEntry(const fs::path& folder, const fs::path& below,
                         const std::set<std::string>& known, std::error_code& failed) {
  std::set<fs::path> names;
  for (fs::directory_iterator entry(folder / below, failed), end; !failed && entry != end;
       entry.increment(failed))
    names.insert(below / entry->path().filename());
  for (const fs::path& name : names) {
    const fs::file_status status = fs::symlink_status(folder / name, failed);
    const bool directory = fs::is_directory(status);
    if (!known.count(name.generic_string()) || !(directory || fs::is_regular_file(status)))
      return name.generic_string();
    if (directory)
      if (std::string inside = foreignEntry(folder, name, known, failed); !inside.empty())
        return inside;
  }
  return "";
}

/// Removes a folder that dplc wrote, and its list last, so that an interrupted removal can be
/// continued.
void removeOwn(const fs::path& folder) {
  std::error_code ignored;
  std::vector<fs::path> entries;
  for (fs::directory_iterator entry(folder, ignored), end; !ignored && entry != end;
       entry.increment(ignored))
    entries.push_back(entry->path());
  for (const fs::path& entry : entries)
    if (entry.filename() != listName)
      fs::remove_all(entry, ignored);
  fs::remove_all(folder, ignored);
}

/// Blocks signals that would end the process and leave a temporary file or folder.
class Undisturbed {
public:
  Undisturbed() {
    ::sigemptyset(&ending);
    for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM}) {
      struct sigaction action {};
      if (::sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN)
        ::sigaddset(&ending, signal);
    }
    ::pthread_sigmask(SIG_BLOCK, &ending, &before);
  }
  ~Undisturbed() { ::pthread_sigmask(SIG_SETMASK, &before, nullptr); }
  Undisturbed(const Undisturbed&) = delete;
  Undisturbed& operator=(const Undisturbed&) = delete;
  /// Whether a signal is pending; the destructor delivers it.
  bool asked() const {
    sigset_t waiting;
    ::sigpending(&waiting);
    for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM})
      if (::sigismember(&waiting, signal) == 1 && ::sigismember(&ending, signal) == 1)
        return true;
    return false;
  }

private:
  sigset_t ending{}, before{};
};

/// A temporary folder next to the target that is filled and then renamed, or removed. It is locked
/// while its process lives, so that later processes can find abandoned ones.
class Temporary {
public:
  explicit Temporary(const std::string& target) : target(target) {}
  ~Temporary() {
    if (!path.empty())
      removeOwn(path);
    if (lock >= 0)
      ::close(lock);
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  /// Makes the folder; false with the reason in `errno`.
  bool make() {
    removeStale();
    for (int attempt = 0; attempt < 8; ++attempt) {
      std::string name = target + suffix + "XXXXXX";
      if (!::mkdtemp(name.data()))
        return false;
      lock = ::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
      // A process that starts now may have removed the folder before it was locked.
      if (lock >= 0 && ::flock(lock, LOCK_EX) == 0 && ::access(name.c_str(), F_OK) == 0) {
        path = name;
        return true;
      }
      if (lock >= 0)
        ::close(lock);
      lock = -1;
    }
    return false;
  }
  std::string path;

private:
  static constexpr const char* suffix = ".dplc-";

  /// Removes abandoned temporary folders next to the target: unlocked folders that match the
  /// pattern and contain only files of dplc.
  void removeStale() const {
    const fs::path whole = target;
    const fs::path parent = whole.has_parent_path() ? whole.parent_path() : ".";
    const std::string prefix = whole.filename().string() + suffix;
    std::error_code failed;
    std::vector<fs::path> candidates;
    for (fs::directory_iterator entry(parent, failed), end; !failed && entry != end;
         entry.increment(failed))
      if (const std::string name = entry->path().filename().string();
          name.size() == prefix.size() + 6 && name.compare(0, prefix.size(), prefix) == 0)
        candidates.push_back(entry->path());
    for (const fs::path& candidate : candidates) {
      const int held = ::open(candidate.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
      if (held < 0)
        continue;
      if (::flock(held, LOCK_EX | LOCK_NB) == 0 &&
          foreignEntry(candidate, "", written(candidate), failed).empty() && !failed)
        removeOwn(candidate);
      ::close(held);
    }
  }

  const std::string& target;
  int lock = -1;
};

/// The path without slashes at its end.
std::string withoutSlashes(std::string folder) {
  while (folder.size() > 1 && folder.back() == '/')
    folder.pop_back();
  return folder;
}

/// The outermost missing parent folder of `path`; empty if none is missing.
std::string missingAround(const fs::path& path) {
  std::string out;
  std::error_code failed;
  for (fs::path at = path.parent_path(); !at.empty() && !fs::exists(at, failed) && !failed;
       at = at.parent_path())
    out = at.string();
  return out;
}

/// Why the folder at `path` must not be replaced; empty if it may be.
std::string whyFolderKept(const std::string& path) {
  const std::string folder = withoutSlashes(path);
  std::error_code failed;
  const fs::file_status status = fs::symlink_status(folder, failed);
  if (!fs::exists(status))
    return "";
  if (fs::is_symlink(status))
    return fmt::format("`{}` is a link, the folder itself is needed", folder);
  if (!fs::is_directory(status))
    return fmt::format("`{}` exists and is not a folder", folder);
  const std::string foreign = foreignEntry(folder, "", written(folder), failed);
  if (!foreign.empty())
    return fmt::format("`{}` exists and contains `{}`, which dplc did not write", folder, foreign);
  if (failed)
    return fmt::format("cannot read `{}`: {}", folder, failed.message());
  const fs::path last = fs::path(folder).filename();
  if (last == "." || last == "..")
    return fmt::format("`{}` cannot be replaced, a folder inside of it is needed", folder);
  return "";
}

/// Renames `from` to `to`. If `to` existed, its previous contents are then at `from`.
bool putInPlace(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE) == 0)
    return true;
  if (errno == ENOENT || errno == EINVAL || errno == ENOSYS) {
    // `to` is missing, or the file system cannot exchange; an empty folder may be replaced.
    if (::rename(from.c_str(), to.c_str()) == 0)
      return true;
    const std::string aside = from + ".old";
    if (::rename(to.c_str(), aside.c_str()) != 0)
      return false;
    if (::rename(from.c_str(), to.c_str()) == 0)
      return ::rename(aside.c_str(), from.c_str()) == 0;
    const int reason = errno;
    (void)::rename(aside.c_str(), to.c_str());
    errno = reason;
  }
  return false;
}

/// Whether a path names an open file of a process (`/proc/self/fd/1`). The system shows a link, but
/// pipes and deleted files can only be opened by this path.
bool inOpenFiles(const fs::path& path) {
  const std::string folder = path.parent_path().string();
  return llvm::StringRef(folder).startswith("/proc/") && llvm::StringRef(folder).endswith("/fd");
}

/// The path after all links, even if nothing exists there. Stops at the link of an open file. A
/// path in a cycle of links is returned unchanged.
fs::path throughLinks(fs::path path) {
  constexpr int mostLinks = 40; // the limit of Linux
  std::error_code failed;
  for (int links = 0; links < mostLinks; ++links) {
    if (const fs::path parent = path.has_parent_path() ? path.parent_path() : ".";
        path.has_filename())
      if (const fs::path real = fs::weakly_canonical(parent, failed); !failed)
        path = real / path.filename();
    if (inOpenFiles(path) || !fs::is_symlink(fs::symlink_status(path, failed)))
      break;
    const fs::path next = fs::read_symlink(path, failed);
    if (failed)
      break;
    path = next.is_absolute() ? next : path.parent_path() / next;
  }
  return path;
}

/// Opens an object that is not a regular file and writes to it. Returns the error; "" without one.
std::string writeThrough(const std::string& path, llvm::StringRef content) {
  const std::optional<int> open = descriptorNamed(path);
  // Opening a pipe without a reader must not block; writing may block.
  const int descriptor =
      open ? ::fcntl(*open, F_DUPFD_CLOEXEC, 0)
           : ::open(path.c_str(), O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (descriptor < 0)
    return errno == ENXIO ? "it is a pipe or a socket that no process reads" : std::strerror(errno);
  if (!open)
    (void)::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
  const std::error_code failed = writeAndClose(descriptor, content);
  return failed ? failed.message() : "";
}
} // namespace

LogicalResult dpl::mayWriteFolder(const std::string& folder, DiagnosticEngine& diags) {
  const std::string reason = whyFolderKept(folder);
  if (!reason.empty())
    return folderRefused(diags, reason);
  return LogicalResult::success();
}

LogicalResult dpl::writeFolder(const std::string& folder, const std::vector<OutputFile>& files,
                               DiagnosticEngine& diags) {
  const std::string target = withoutSlashes(folder);
  if (mayWriteFolder(target, diags).failed())
    return LogicalResult::failure();
  const Undisturbed undisturbed;
  Temporary temporary(target);
  if (!temporary.make()) {
    const int reason = errno;
    const std::string missing = missingAround(target);
    errno = reason;
    return folderRefused(
        diags, missing.empty()
                   ? systemError("cannot create a folder next to", target)
                   : fmt::format("cannot create `{}`: there is no folder `{}`", target, missing));
  }
  const std::string& name = temporary.path;
  // mkdtemp makes a private folder; this call gives it the usual permissions.
  const mode_t mask = ::umask(0);
  (void)::umask(mask);
  (void)::chmod(name.c_str(), 0777 & ~mask);
  std::string list;
  for (const OutputFile& file : files)
    list += file.path + "\n";
  if (writeNew(name + "/" + listName, target + "/" + listName, list, 0666, diags).failed())
    return LogicalResult::failure();
  for (const OutputFile& file : files) {
    if (undisturbed.asked())
      return folderRefused(diags, "dplc was interrupted by a signal");
    const fs::path path = fs::path(name) / file.path;
    std::error_code failed;
    fs::create_directories(path.parent_path(), failed);
    if (failed)
      return folderRefused(
          diags, fmt::format("cannot create `{}/{}`: {}", target, file.path, failed.message()));
    if (writeNew(path.string(), target + "/" + file.path, file.text(),
                 file.executable ? 0777 : 0666, diags)
            .failed())
      return LogicalResult::failure();
  }
  if (!putInPlace(name, target))
    return folderRefused(diags, systemError("cannot put the folder in place at", target));
  return LogicalResult::success();
}

std::optional<int> dpl::descriptorNamed(const std::string& path) {
  const fs::path name = throughLinks(path);
  const std::string folder = name.parent_path().string();
  int number = 0;
  if (folder != fmt::format("/proc/{}/fd", ::getpid()) ||
      llvm::StringRef(name.filename().string()).getAsInteger(10, number))
    return std::nullopt;
  return number;
}

bool dpl::isWrittenThrough(const std::string& path) {
  std::error_code failed;
  const fs::path target = throughLinks(path);
  const fs::file_status status = fs::status(target, failed);
  return inOpenFiles(target) ||
         (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status));
}

LogicalResult dpl::writeFile(const std::string& path, llvm::StringRef content,
                             DiagnosticEngine& diags) {
  const auto fails = [&](const std::string& reason) -> LogicalResult {
    return diags.report<diag::FileNotWritten>({},
                                              fmt::format("cannot write `{}`: {}", path, reason));
  };
  if (isWrittenThrough(path)) {
    const std::string reason = writeThrough(path, content);
    return reason.empty() ? LogicalResult::success() : fails(reason);
  }
  // Replaces the target of a link, so that the link stays.
  const std::string target = throughLinks(path).string();
  struct stat info {};
  if (::lstat(target.c_str(), &info) == 0 && S_ISLNK(info.st_mode))
    return fails(std::strerror(ELOOP));
  const bool exists = ::stat(target.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode))
    return fails(std::strerror(EISDIR));
  std::string name = target + ".dplc-XXXXXX";
  const Undisturbed undisturbed;
  const int descriptor = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor < 0)
    return diags.report<diag::FileNotWritten>({},
                                              systemError("cannot create a file next to", path));
  const mode_t mask = ::umask(0);
  (void)::umask(mask);
  (void)::fchmod(descriptor, exists ? info.st_mode & 07777 : 0666 & ~mask);
  std::error_code wrong = writeAndClose(descriptor, content);
  if (!wrong && ::rename(name.c_str(), target.c_str()) == 0)
    return LogicalResult::success();
  if (!wrong)
    wrong = {errno, std::generic_category()};
  (void)::unlink(name.c_str());
  return fails(wrong.message());
}
