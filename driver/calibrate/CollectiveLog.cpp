//===- CollectiveLog.cpp - Logs of nccl-tests and rccl-tests ----------------------------------===//
//
// The text has a line per device (`#  Rank 0 Group 0 Pid 1 on HOST device …`), a line with the
// names of columns, and a line per size. Other lines are from other programs and are skipped.
#include "driver/calibrate/LogRows.h"
#include "llvm/Support/Regex.h"
using namespace dpl;
using namespace dpl::score;

namespace {
using LogWords = llvm::SmallVector<llvm::StringRef, 24>;

LogWords wordsOf(llvm::StringRef line) {
  LogWords words;
  while (true) {
    line = line.ltrim();
    if (line.empty())
      return words;
    words.push_back(line.take_until([](char c) { return c == ' ' || c == '\t'; }));
    line = line.drop_front(words.back().size());
  }
}

/// The line without the prefixes of launchers and collectors of logs: "[1,0]<stdout>:" of mpirun,
/// "0: " of srun and pdsh, "[node-3] ", "rank0 | ", time stamps, and colours of terminals.
llvm::StringRef withoutPrefixes(llvm::StringRef line) {
  static const llvm::Regex prefix("^[ \t]*("
                                  "\x1b\\[[0-9;]*m|"
                                  "\\[[^]]+\\](<std(out|err)>)?:?|"
                                  "[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.,]+(Z|[+-][0-9:]+)?[ \t]|"
                                  "[A-Za-z0-9_.-]+[ \t]*\\|[ \t]|"
                                  "[A-Za-z0-9_.-]+:[ \t])");
  llvm::SmallVector<llvm::StringRef, 4> found;
  while (prefix.match(line, &found))
    line = line.drop_front(found.front().size());
  return line;
}

class TextLog {
public:
  explicit TextLog(LogRows& rows) : rows(rows) {}

  LogicalResult read() {
    llvm::StringRef rest = rows.text;
    while (!rest.empty()) {
      const llvm::StringRef line = rest.take_until([](char c) { return c == '\n'; });
      rest = rest.drop_front(std::min(rest.size(), line.size() + 1));
      if (this->line(line.rtrim('\r')).failed())
        return LogicalResult::failure();
    }
    return rows.end();
  }

private:
  LogicalResult line(llvm::StringRef whole) {
    const llvm::StringRef line = withoutPrefixes(whole);
    const LogWords words = wordsOf(line);
    if (words.empty())
      return LogicalResult::success();
    if (words.front().startswith("#"))
      return head(line, words);
    if (time == 0 || words.front().find_first_not_of("0123456789") != llvm::StringRef::npos)
      return LogicalResult::success();
    // Other lines of a launcher may begin with a number after their prefix.
    if (line.size() < whole.size() && words.size() <= time + 2)
      return LogicalResult::success();
    return row(line.trim(), words);
  }

  LogicalResult head(llvm::StringRef line, const LogWords& words) {
    if (line.contains("Collective test starting:")) {
      rows.beginDevices();
      rows.ofThread = 0;
      return rows.program(words.back());
    }
    // A line such as `# nThread 1 nGpus 8 minBytes 8 …`.
    if (words.size() > 4 && words[1] == "nThread" && words[3] == "nGpus")
      return words[4].getAsInteger(10, rows.ofThread)
                 ? rows.wrong(words[4], fmt::format("`{}` is not a number of devices", words[4]))
                 : LogicalResult::success();
    if (words.size() > 8 && words[1] == "Rank" && words[5] == "Pid")
      return device(words);
    if (words.size() < 4 || words[1] != "size")
      return LogicalResult::success();
    time = 0;
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (words[i] == "cputime")
        return rows.wrong(words[i], "these are host times, run nccl-tests without `-C`");
      if (words[i] == "time" && time == 0)
        time = i - 1; // the index does not count the `#`
      if (wrongs == 0 && time > 0 && (words[i] == "#wrong" || words[i] == "error"))
        wrongs = i - 1;
    }
    if (time == 0)
      return rows.wrong(line, "the columns have no `time`");
    return LogicalResult::success();
  }

  /// Reads a line `#  Rank  0 Group  0 Pid  1234 on  HOST device  0 [0x07] NAME`.
  LogicalResult device(const LogWords& words) {
    std::uint64_t rank = 0;
    if (words[2].getAsInteger(10, rank))
      return rows.wrong(words[2], fmt::format("`{}` is not a rank", words[2]));
    if (words[4] != "0")
      return rows.wrong(words[4], "ranks are in several groups at once, one group is needed");
    // A rank 0 after rows begins a new test, to which earlier devices do not belong.
    if (rank == 0 && sawRows)
      rows.beginDevices();
    sawRows = false;
    rows.process(words[8], rank);
    // The name follows the bus address: "[0x07]", or "[0000:07:00]" in older releases.
    if (words.size() > 12 && words[9] == "device")
      rows.device = llvm::StringRef(words[12].data(), words.back().end() - words[12].data()).str();
    return LogicalResult::success();
  }

  LogicalResult row(llvm::StringRef line, const LogWords& words) {
    std::uint64_t bytes = 0;
    double microseconds = 0;
    if (words.size() <= time + 2)
      return rows.wrong(line, fmt::format("the row has {} of its columns and no time with its "
                                          "bandwidths: it was cut off",
                                          words.size()));
    if (words[0].getAsInteger(10, bytes) || words[time].getAsDouble(microseconds))
      return rows.wrong(words[time], fmt::format("`{}` is not a time in us", words[time]));
    if (wrongs > 0 && wrongs < words.size())
      if (double found = 0; !words[wrongs].getAsDouble(found) && found > 0)
        return rows.wrong(
            words[wrongs],
            fmt::format("{} results were wrong: this is not a measurement", words[wrongs]));
    sawRows = true;
    return rows.row(line, bytes, microseconds);
  }

  LogRows& rows;
  std::size_t time = 0, wrongs = 0; ///< columns of the out-of-place time and of the errors
  bool sawRows = false;
};
} // namespace

LogicalResult score::readCollectiveLog(std::uint32_t file, const LogDefaults& defaults,
                                       SourceManager& sources, DiagnosticEngine& diags,
                                       std::vector<CollectiveTiming>& rows) {
  LogRows log(file, defaults, sources, diags, rows);
  return log.text.ltrim().startswith("{") ? readJsonLog(log) : TextLog(log).read();
}
