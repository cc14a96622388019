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

/// The largest source file: offsets have 32 bits, and nobody writes larger files by hand.
constexpr std::size_t largestSourceFile = std::size_t{64} << 20;
/// The limit as text for messages.
std::string largestSourceText();

/// The contents of a file, or why it cannot be read; `reason` has the system's words if Unreadable.
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

/// Reads a source file into `sources`, without a byte order mark. Reports one error if the file or
/// its bytes are wrong: at `importedAt` for the file, otherwise at the byte.
FailureOr<std::uint32_t> loadSource(SourceManager& sources, DiagnosticEngine& diags,
                                    const std::string& path, const FileReader& reader = readFile,
                                    SourceRange importedAt = {});
/// Checks a text in the manager: UTF-8, no NUL, no lone carriage return.
LogicalResult checkText(const SourceManager& sources, std::uint32_t file, DiagnosticEngine& diags);

struct OutputFile {
  std::string path; ///< relative to the folder, with '/'
  std::string content;
  bool executable = false;
  /// Makes the content when it is needed, for files that together need much memory.
  std::function<std::string()> later{};
  std::string text() const { return later ? later() : content; }
};
/// Writes a folder atomically: into a temporary sibling, which is then renamed. An existing folder
/// is replaced only if it is empty or has the file list that this function writes. A failure is
/// reported, and nothing remains of it. The next call for the folder removes what a killed process
/// left.
LogicalResult writeFolder(const std::string& folder, const std::vector<OutputFile>& files,
                          DiagnosticEngine& diags);
/// Fails with the same report if `writeFolder` would not replace `folder`.
LogicalResult mayWriteFolder(const std::string& folder, DiagnosticEngine& diags);
/// Replaces a file atomically and keeps its permissions. Other objects, such as a device, a pipe or
/// `/dev/stdout`, are opened and written to. A failure is reported.
LogicalResult writeFile(const std::string& path, llvm::StringRef content, DiagnosticEngine& diags);
/// Whether `writeFile` writes into the existing object at `path`, after following links, instead of
/// replacing it.
bool isWrittenThrough(const std::string& path);
/// The open descriptor of this process that `path` names, also through links; 1 for `/dev/stdout`.
std::optional<int> descriptorNamed(const std::string& path);
/// Writes all text to a file descriptor and returns the system's error, such as a broken pipe or a
/// full disk. It reports nothing, because diagnostics are written by it.
[[nodiscard]] std::error_code writeAll(int descriptor, llvm::StringRef text);

} // namespace dpl
