//===- Journal.cpp - The finished points of a study, on disk ----------------------------------===//
#include "driver/study/Journal.h"
#include "driver/study/Study.h"
#include "support/FileIo.h"
#include "support/Utf8.h"
#include "support/diagnostics/Study.h"
#include "support/diagnostics/Tools.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/xxhash.h"
#include <array>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <unistd.h>
using namespace dpl;
using namespace dpl::study;

namespace {
constexpr const char* schema = "dplc.study.points.1";

std::string pathIn(const std::string& folder) { return folder + "/points.jsonl"; }

std::string lineOf(const Json& json) { return json.dump() + "\n"; }

std::string lineOf(const JournalHeader& header) {
  return lineOf(Json{{"schema", schema},
                     {"study", header.study},
                     {"layout", header.layout},
                     {"key", header.key},
                     {"points", header.points},
                     {"outputs", header.outputs}});
}

/// The flags of a point. Only flags that are true are written.
template <class P> auto flagsOf(P& point) {
  return std::array{std::pair("drawn", &point.drawn), std::pair("unsettled", &point.unsettled),
                    std::pair("half_width_missed", &point.farOff),
                    std::pair("by_workers", &point.byWorkers)};
}

std::optional<double> numberOf(const Json& json) {
  return json.is_number() ? std::optional(json.get<double>()) : std::nullopt;
}

/// Adds the runs of a point. False if one of them is incomplete.
bool readRuns(const Json& runs, StudyPoint& point) {
  if (!runs.is_array())
    return false;
  for (const Json& one : runs) {
    if (!one.is_object() || !one.value("run", Json()).is_string() ||
        !one.value("draws", Json()).is_number_unsigned() || !one.contains("half_width"))
      return false;
    point.runs.push_back({one["run"].get<std::string>(), one["draws"].get<std::uint64_t>(),
                          numberOf(one["half_width"])});
  }
  return true;
}

/// The checksum of a line, computed without the field `sum`.
std::string sumOf(const Json& line) { return fmt::format("{:016x}", llvm::xxHash64(line.dump())); }

std::string lineOf(const StudyPoint& point) {
  Json out = {{"point", point.number}};
  if (!point.ran())
    out["refused"] = validUtf8(point.refused);
  out["values"] = point.values; // JSON writes NaN as null
  if (!point.figures.empty())
    out["figures"] = point.figures;
  out["steps"] = point.steps;
  out["half_width"] = point.halfWidth ? Json(*point.halfWidth) : Json();
  for (const auto& [key, is] : flagsOf(point))
    if (*is)
      out[key] = true;
  out["failed_assertions"] = point.broken;
  if (!point.diagrams.empty())
    out["diagrams"] = point.diagrams;
  if (!point.runs.empty())
    out["runs"] = study::json(point.runs);
  if (!point.unknown.empty())
    out["missing"] = point.unknown;
  out["sum"] = sumOf(out);
  return lineOf(out);
}

/// The point in a line; empty if the checksum is wrong. Because of the checksum, a number that was
/// edited or damaged does not count as a result.
std::optional<StudyPoint> pointOf(llvm::StringRef line, const JournalHeader& header) {
  Json json = Json::parse(line);
  if (!json.is_object() || !json.contains("sum"))
    return std::nullopt;
  const Json sum = json["sum"];
  json.erase("sum");
  if (sum != Json(sumOf(json)))
    return std::nullopt;
  if (!json.contains("point") || !json.contains("values") || !json.contains("steps") ||
      !json.contains("half_width") || !json.contains("failed_assertions"))
    return std::nullopt;
  if (!json["point"].is_number_unsigned() || !json["values"].is_array() ||
      json["values"].size() != header.outputs || !json["steps"].is_number_unsigned() ||
      !(json["half_width"].is_number() || json["half_width"].is_null()) ||
      !json["failed_assertions"].is_array())
    return std::nullopt;
  StudyPoint out;
  out.number = json["point"].get<std::uint64_t>();
  if (out.number >= header.points)
    return std::nullopt;
  if (json.contains("refused")) {
    if (!json["refused"].is_string())
      return std::nullopt;
    out.refused = json["refused"].get<std::string>();
  }
  for (const Json& value : json["values"])
    out.values.push_back(value.is_number() ? value.get<double>() : std::nan(""));
  for (const Json& value : json.value("figures", Json::array()))
    out.figures.push_back(value.is_number() ? value.get<double>() : std::nan(""));
  if (out.ran() && out.figures.size() != header.figures)
    return std::nullopt;
  out.steps = json["steps"].get<std::uint64_t>();
  out.halfWidth = numberOf(json["half_width"]);
  if (json.contains("runs") && !readRuns(json["runs"], out))
    return std::nullopt;
  for (const auto& [key, is] : flagsOf(out))
    *is = json.contains(key);
  for (const Json& text : json["failed_assertions"])
    if (text.is_string())
      out.broken.push_back(text.get<std::string>());
  for (const auto& [key, texts] :
       {std::pair("missing", &out.unknown), std::pair("diagrams", &out.diagrams)})
    if (json.contains(key))
      for (const auto& [name, text] : json[key].items())
        if (text.is_string())
          (*texts)[name] = text.get<std::string>();
  return out;
}

/// The points of a journal, and the length of its text up to the end of the last complete line.
struct JournalText {
  std::vector<StudyPoint> points;
  std::size_t whole = 0;
};
JournalText readPoints(llvm::StringRef text, const JournalHeader& header) {
  JournalText out;
  llvm::StringRef rest = text;
  for (bool first = true; rest.contains('\n'); first = false) {
    const auto [line, after] = rest.split('\n');
    if (!first) {
      std::optional<StudyPoint> point = pointOf(line, header);
      if (!point)
        break;
      out.points.push_back(std::move(*point));
    }
    rest = after;
    out.whole = text.size() - rest.size();
  }
  return out;
}

/// Checks that a journal is of this study. Fails after an error was reported.
LogicalResult checkHeader(llvm::StringRef text, const std::string& folder,
                          const JournalHeader& header, DiagnosticEngine& diags) {
  const llvm::StringRef line = text.split('\n').first;
  if ((line + "\n").str() == lineOf(header))
    return LogicalResult::success();
  const Json found = Json::parse(line);
  const bool journal = found.is_object() && found.value("schema", "") == schema;
  return diags
      .report<diag::OtherStudy>({}, folder,
                                journal
                                    ? "points of another study, or of this one before its file, "
                                      "its settings or the compiler changed"
                                    : "something else")
      .help("choose another folder, or remove this one");
}

LogicalResult fails(const std::string& path, DiagnosticEngine& diags) {
  return diags.report<diag::OutputFailed>({}, path + ": " + std::strerror(errno));
}
} // namespace

Journal& Journal::operator=(Journal&& other) noexcept {
  path = std::move(other.path), header = std::move(other.header);
  known = std::move(other.known);
  std::swap(file, other.file);
  return *this;
}

Journal::~Journal() {
  if (file >= 0)
    ::close(file);
}

FailureOr<Journal> Journal::open(const std::string& folder, const JournalHeader& header,
                                 DiagnosticEngine& diags) {
  std::error_code failed;
  Journal out;
  out.path = pathIn(folder), out.header = lineOf(header);
  if (isWrittenThrough(out.path)) // opening a pipe that nobody writes to would block
    return diags.report<diag::OtherStudy>({}, folder, "something else")
        .help("choose another folder");
  if (std::filesystem::exists(folder, failed) && !std::filesystem::exists(out.path, failed) &&
      !(std::filesystem::is_directory(folder, failed) && std::filesystem::is_empty(folder, failed)))
    return diags.report<diag::OtherStudy>({}, folder, "something else")
        .help("choose another folder");
  std::filesystem::create_directories(folder, failed);
  out.file = ::open(out.path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (out.file < 0)
    return fails(out.path, diags);
  if (::flock(out.file, LOCK_EX | LOCK_NB) != 0)
    return diags.report<diag::StudyAtWork>({}, folder);
  const FileText file = readFile(out.path);
  if (file.failed())
    return diags.report<diag::OutputFailed>({}, out.path + ": " + file.reason);
  const std::string& text = file.text;
  if (!llvm::StringRef(text).contains('\n')) { // not even the header is complete
    if (::ftruncate(out.file, 0) != 0)
      return fails(out.path, diags);
    if (const std::error_code error = writeAll(out.file, out.header))
      return diags.report<diag::OutputFailed>({}, out.path + ": " + error.message());
    return out;
  }
  if (checkHeader(text, folder, header, diags).failed())
    return LogicalResult::failure();
  JournalText read = readPoints(text, header);
  if (read.whole < text.size() && ::ftruncate(out.file, static_cast<off_t>(read.whole)) != 0)
    return fails(out.path, diags);
  out.known = std::move(read.points);
  return out;
}

FailureOr<std::vector<StudyPoint>>
Journal::read(const std::string& folder, const JournalHeader& header, DiagnosticEngine& diags) {
  const FileText file = readFile(pathIn(folder));
  if (file.failed())
    return diags.report<diag::OtherStudy>({}, folder, "no points of a study");
  const std::string& text = file.text;
  if (checkHeader(text, folder, header, diags).failed())
    return LogicalResult::failure();
  return readPoints(text, header).points;
}

LogicalResult Journal::append(const StudyPoint& point, DiagnosticEngine& diags) {
  if (const std::error_code error = writeAll(file, lineOf(point)))
    return diags.report<diag::OutputFailed>({}, path + ": " + error.message());
  return LogicalResult::success();
}

LogicalResult Journal::finish(llvm::ArrayRef<StudyPoint> points, DiagnosticEngine& diags) {
  std::string text = header;
  for (const StudyPoint& point : points)
    text += lineOf(point);
  return writeFile(path, text, diags);
}
