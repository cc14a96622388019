//===- FileIo.cpp - Reads source files and writes streams -------------------------------------===//
#include "support/FileIo.h"
#include "support/OpenTexts.h"
#include "support/Utf8.h"
#include "support/diagnostics/Files.h"
#include "support/diagnostics/Parse.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
using namespace dpl;

namespace {
/// Whether the path names an open descriptor, as in `dplc check <(generate)`. Such a path is read.
/// A path of a named pipe is not, because opening it may block forever.
bool isDescriptor(llvm::StringRef path) {
  return path == "/dev/stdin" || path.startswith("/dev/fd/") || path.startswith("/proc/self/fd/");
}

/// A text such as "a pipe" for an object that is neither a file nor a folder.
const char* kindOf(mode_t mode) {
  if (S_ISFIFO(mode))
    return "a pipe";
  if (S_ISSOCK(mode))
    return "a socket";
  return "a device";
}
} // namespace

std::string dpl::largestSourceText() { return fmt::format("{}MiB", largestSourceFile >> 20); }

FileText dpl::readFile(const std::string& path) {
  if (const std::string* open = openTextOf(path))
    return *open;
  const auto failure = [] {
    const bool missing = errno == ENOENT || errno == ENOTDIR;
    return FileText(missing ? FileProblem::Missing : FileProblem::Unreadable, std::strerror(errno));
  };
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode) &&
      !isDescriptor(path))
    return {FileProblem::Unreadable, fmt::format("it is {}, not a file", kindOf(info.st_mode))};
  struct Descriptor {
    int number;
    ~Descriptor() {
      if (number >= 0)
        ::close(number);
    }
  } file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.number < 0)
    return failure();
  if (::fstat(file.number, &info) != 0)
    return failure();
  if (S_ISDIR(info.st_mode))
    return FileProblem::Directory;
  if (static_cast<std::uint64_t>(info.st_size) > largestSourceFile)
    return FileProblem::TooLarge;
  // The size is only a hint: pipes have none, and a file may grow during reading.
  std::size_t used = 0;
  std::string text;
  text.resize(static_cast<std::size_t>(info.st_size) + 1);
  while (true) {
    const ssize_t got = ::read(file.number, text.data() + used, text.size() - used);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return failure();
    if (got == 0)
      break;
    used += static_cast<std::size_t>(got);
    if (used > largestSourceFile)
      return FileProblem::TooLarge;
    if (used == text.size())
      text.resize(text.size() * 2 + 4096);
  }
  text.resize(used);
  return text;
}

LogicalResult dpl::checkText(const SourceManager& sources, std::uint32_t file,
                             DiagnosticEngine& diags) {
  const llvm::StringRef text = sources.text(file);
  const auto at = [&](std::size_t byte) {
    const auto begin = static_cast<std::uint32_t>(byte);
    return SourceRange{file, begin, begin + 1};
  };
  // Checks for NUL first: binary files are rarely UTF-8 either, and "not a text file" is clearer.
  if (const std::size_t nul = text.find('\0'); nul != llvm::StringRef::npos)
    return diags.report<diag::BinaryFile>(at(nul), nul + sources.skipped(file));
  if (const std::optional<std::size_t> bad = firstInvalidUtf8(text))
    return diags.report<diag::InvalidUtf8>(at(*bad), *bad + sources.skipped(file))
        .label(fmt::format("byte 0x{:02X}", static_cast<unsigned char>(text[*bad])))
        .help("save the file as UTF-8");
  for (std::size_t cr = text.find('\r'); cr != llvm::StringRef::npos; cr = text.find('\r', cr + 1))
    if (cr + 1 >= text.size() || text[cr + 1] != '\n')
      return diags.report<diag::LoneCarriageReturn>(at(cr)).help(
          "end lines with a line feed, or a carriage return and a line feed");
  return LogicalResult::success();
}

FailureOr<std::uint32_t> dpl::loadSource(SourceManager& sources, DiagnosticEngine& diags,
                                         const std::string& path, const FileReader& reader,
                                         SourceRange importedAt) {
  FileText read = reader(path);
  switch (read.problem) {
  case FileProblem::None:
    break;
  case FileProblem::Missing:
    return LogicalResult(diags.report<diag::FileMissing>(importedAt, path));
  case FileProblem::Directory:
    return LogicalResult(diags.report<diag::FileIsDirectory>(importedAt, path));
  case FileProblem::Unreadable:
    return LogicalResult(diags.report<diag::FileUnreadable>(importedAt, path, read.reason));
  case FileProblem::TooLarge:
    return LogicalResult(diags.report<diag::FileTooLarge>(importedAt, path, largestSourceText()));
  }
  constexpr llvm::StringLiteral mark = "\xEF\xBB\xBF";
  const bool marked = llvm::StringRef(read.text).startswith(mark);
  if (marked)
    read.text.erase(0, mark.size());
  const std::uint32_t file = sources.add(path, std::move(read.text), marked ? mark.size() : 0);
  if (checkText(sources, file, diags).failed())
    return LogicalResult::failure();
  if (sources.text(file).startswith(mark))
    return LogicalResult(diags.report<diag::UnknownCharacter>({file, 0, mark.size()}, "U+FEFF")
                             .help("a file begins with at most one byte order mark"));
  return file;
}

std::error_code dpl::writeAll(int descriptor, llvm::StringRef text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return {errno, std::generic_category()};
    text = text.drop_front(static_cast<std::size_t>(written));
  }
  return {};
}
