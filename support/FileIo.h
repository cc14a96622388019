#pragma once
//===- FileIo.h - Reading a file, writing a folder or a stream, with one clear error ----------===//
#include "support/Diagnostics.h"
#include <functional>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace dpl {

/// Why a file could not be read.
enum class FileProblem : std::uint8_t { None, Missing, Directory, Unreadable, TooLarge };

/// The largest source file: offsets are 32 bits, and nobody writes more by hand.
constexpr std::size_t largestSourceFile = std::size_t{64} << 20;
/// As a message says it.
std::string largestSourceText();

/// What a file holds, or why nobody knows; `reason` has the system's words for Unreadable.
struct FileText {
  FileText(std::string held) : text(std::move(held)) {} // NOLINT: a text is one
  FileText(FileProblem wrong, std::string why = "")
      : problem(wrong), reason(std::move(why)) {} // NOLINT
  bool failed() const { return problem != FileProblem::None; }
  std::string text;
  FileProblem problem = FileProblem::None;
  std::string reason;
};
using FileReader = std::function<FileText(const std::string& path)>;
/// The reader of the disk. Besides files it reads descriptors that are open (`/dev/fd/3`,
/// `/dev/stdin`); other pipes, sockets and devices are unreadable.
FileText readFile(const std::string& path);

/// Reads a source file and gives it to `sources`. One leading byte order mark is dropped. Whatever
/// is wrong with the file or its bytes is reported, once: at `importedAt` when the file itself is
/// the trouble, else at the byte.
FailureOr<std::uint32_t> loadSource(SourceManager& sources, DiagnosticEngine& diags,
                                    const std::string& path, const FileReader& reader = readFile,
                                    SourceRange importedAt = {});
/// Checks bytes that are in the manager already: UTF-8, no NUL, no lone carriage return.
LogicalResult checkText(const SourceManager& sources, std::uint32_t file, DiagnosticEngine& diags);

struct OutputFile {
  std::string path; ///< below the folder, with '/'
  std::string content;
  bool executable = false;
  /// Makes the content when it is asked for, of files that together would take much memory.
  std::function<std::string()> later{};
  std::string text() const { return later ? later() : content; }
};
/// Writes a folder that is complete or absent: into a temporary sibling, then renamed into place.
/// An existing folder is replaced when it is empty or was written by this function (it holds the
/// list of its files); any other is left alone. A failure is reported, and nothing is left of it.
/// What a killed process left beside the folder is removed by the next call for the same folder.
LogicalResult writeFolder(const std::string& folder, const std::vector<OutputFile>& files,
                          DiagnosticEngine& diags);
/// Fails, with the same report, where `writeFolder` would leave what is at `folder` alone.
LogicalResult mayWriteFolder(const std::string& folder, DiagnosticEngine& diags);
/// Replaces a file atomically, keeping its permissions. A device, a pipe, `/dev/stdout` and
/// whatever else is not a regular file is opened and written to instead. A failure is reported.
LogicalResult writeFile(const std::string& path, llvm::StringRef content, DiagnosticEngine& diags);
/// Whether `writeFile` writes to the existing object at `path`, or at the end of its links, instead
/// of replacing it.
bool isWrittenThrough(const std::string& path);
/// The open descriptor of this process that `path` names, also through links; 1 for `/dev/stdout`.
std::optional<int> descriptorNamed(const std::string& path);
/// Writes everything to a file descriptor; what the system says of a broken pipe or a full disk.
/// Diagnostics themselves go this way, so it reports none.
[[nodiscard]] std::error_code writeAll(int descriptor, llvm::StringRef text);

} // namespace dpl
