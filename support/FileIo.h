#pragma once
//===- FileIo.h - Reads files, and writes files, folders and streams --------------------------===//
#include "support/Diagnostics.h"
#include <functional>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace dpl {

/// Why a file could not be read.
enum class FileProblem : std::uint8_t { None, Missing, Directory, Unreadable, TooLarge };

/// The largest source file in bytes: offsets have 32 bits, and nobody writes larger files by hand.
constexpr std::size_t largestSourceFile = std::size_t{64} << 20;
/// The size limit as a text for messages.
std::string largestSourceText();

/// The contents of a file, or why it cannot be read; for Unreadable, `reason` is the system's
/// message.
struct FileText {
  FileText(std::string held) : text(std::move(held)) {} // NOLINT: texts convert
  FileText(FileProblem wrong, std::string why = "")
      : problem(wrong), reason(std::move(why)) {} // NOLINT
  bool failed() const { return problem != FileProblem::None; }
  std::string text;
  FileProblem problem = FileProblem::None;
  std::string reason;
};
using FileReader = std::function<FileText(const std::string& path)>;
/// Reads a file from disk, or an open descriptor (`/dev/fd/3`, `/dev/stdin`). Other pipes, sockets
/// and devices are unreadable.
FileText readFile(const std::string& path);

/// Reads a source file into `sources`, without a byte order mark. Reports one error: at
/// `importedAt` if the file cannot be read, or at the first wrong byte.
FailureOr<std::uint32_t> loadSource(SourceManager& sources, DiagnosticEngine& diags,
                                    const std::string& path, const FileReader& reader = readFile,
                                    SourceRange importedAt = {});
/// Checks that a text in the manager is UTF-8, without NUL and without a lone carriage return.
LogicalResult checkText(const SourceManager& sources, std::uint32_t file, DiagnosticEngine& diags);

struct OutputFile {
  std::string path; ///< path relative to the folder, with '/'
  std::string content;
  bool executable = false;
  /// Makes the content when it is written; used if all contents together need much memory.
  std::function<std::string()> later{};
  std::string text() const { return later ? later() : content; }
};
/// Writes a folder atomically: into a temporary sibling, which is then renamed. An existing folder
/// is replaced only if it is empty or has the file list that this function writes. A failure is
/// reported, and the temporary folder is removed. If the process is killed, the next call for the
/// folder removes what is left.
LogicalResult writeFolder(const std::string& folder, const std::vector<OutputFile>& files,
                          DiagnosticEngine& diags);
/// Fails with the same report if `writeFolder` would not replace `folder`.
LogicalResult mayWriteFolder(const std::string& folder, DiagnosticEngine& diags);
/// Replaces a file atomically and keeps its permissions. An object of another kind, such as a
/// device, a pipe or `/dev/stdout`, is opened and written to. A failure is reported.
LogicalResult writeFile(const std::string& path, llvm::StringRef content, DiagnosticEngine& diags);
/// Whether `writeFile` writes into the existing object at `path`, after following links, instead of
/// replacing it.
bool isWrittenThrough(const std::string& path);
/// The open descriptor of this process that `path` names, also through links, such as 1 for
/// `/dev/stdout`; none for other paths.
std::optional<int> descriptorNamed(const std::string& path);
/// Writes all text to a file descriptor and returns the system's error, for example for a broken
/// pipe or a full disk. Does not report the error, because diagnostics are themselves written by
/// this function.
[[nodiscard]] std::error_code writeAll(int descriptor, llvm::StringRef text);

} // namespace dpl
