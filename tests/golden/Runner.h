#pragma once
//===- Runner.h - Running dplc on the cases of a file, as a user would ------------------------===//
#include "tests/SourceFolder.h"
#include <filesystem>
#include <string>
#include <vector>

namespace dpl::test {

namespace fs = std::filesystem;

std::string slurp(const fs::path& path);
void spill(const fs::path& path, const std::string& text);
/// DPL_UPDATE is set: outputs are recorded instead of compared.
bool updating();

/// A folder of its own that is removed in the end.
class TemporaryFolder {
public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  fs::path path;
};

struct Outcome {
  std::string out, error;
  int exitCode = 0;
};
/// Runs the built dplc in a folder. The arguments `> FILE` send its output there, `< FILE`, named
/// from the folder, is its input, and
/// `COLUMNS=80` before them says how wide its screens are.
Outcome dplc(std::vector<std::string> arguments, const fs::path& folder);
Outcome dplc(std::vector<std::string> arguments);

/// A message as the text renderer shows it.
struct Message {
  std::string severity, code, text, file;
  unsigned line = 0; ///< 0: not located
};
/// The errors and warnings in what dplc wrote to standard error; notes belong to their message.
std::vector<Message> messagesIn(const std::string& error);

/// One case of a golden file: the RUN line, the file itself and further files.
struct Case {
  /// The text after `// RUN:`. `check` runs with `--no-advice`, unless `%advice` is in it.
  std::string command;
  std::string name, text;
  struct File {
    std::string name, text;
    unsigned long size = 0; ///< `// --- big.dpl size=100000000`: that many zero bytes
  };
  std::vector<File> files; ///< a name that ends in `/` is a folder
};
/// `// ---` starts another case, `// --- name` another file of the case.
std::vector<Case> casesOf(const std::string& name, const std::string& text);

/// What running the case gives, masked for recording: the command, standard output and error, the
/// exit code, and each file that the command wrote or changed.
struct CaseRun {
  std::string record;
  Outcome outcome;
};
CaseRun run(const Case& c);

/// Differences between the messages and the markers `// expect-error [DPL0301] {{256 devices}}`,
/// `expect-warning`, with `@+1`, `@-1`, or `@none` for one without a place. Empty when they agree.
std::string compareWithMarkers(const Case& c, const std::string& error);

/// A fenced block of a page.
struct Fence {
  std::string kind; ///< the words after the opening mark: "dpl error=DPL0301"
  std::string text;
  std::size_t at = 0; ///< offset of the text in the page
  unsigned line = 0;  ///< of the opening mark
};
std::vector<Fence> fencesOf(const std::string& page);

/// Every file below the folder whose name ends so, sorted.
std::vector<fs::path> filesBelow(const fs::path& folder, const std::string& ending);
/// "passes/fail_heads" → "passes_fail_heads".
std::string testName(const fs::path& path, const fs::path& below);

} // namespace dpl::test
