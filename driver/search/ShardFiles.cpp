//===- ShardFiles.cpp - The parts of a search that several processes share --------------------===//
#include "driver/search/ShardFiles.h"
#include "support/FileIo.h"
#include "support/Json.h"
#include "support/Utf8.h"
#include "support/diagnostics/Search.h"
#include "support/diagnostics/Tools.h"
#include "llvm/Support/xxhash.h"
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
using namespace dpl;
using namespace dpl::search;
using planner::CandidateFate;
using planner::JudgedCandidate;
using planner::SearchedPart;

namespace {
constexpr const char* schema = "dplc.search.shard.1";

std::string pathOf(const std::string& folder, std::uint64_t shard, std::uint64_t shards) {
  return fmt::format("{}/shard-{}-of-{}.json", folder, shard, shards);
}

Json jsonOf(const JudgedCandidate& judged) {
  return {static_cast<unsigned>(judged.fate), validUtf8(judged.rule), judged.objectives,
          judged.miss};
}

/// The number in a JSON value. Infinity is written as null.
double numberOf(const Json& json) { return json.is_number() ? json.get<double>() : INFINITY; }

/// Reads a candidate. False for a value that `jsonOf` does not write.
bool read(const Json& json, JudgedCandidate& out) {
  if (!json.is_array() || json.size() != 4 || !json[0].is_number_unsigned() ||
      json[0].get<unsigned>() >= planner::candidateFates || !json[1].is_string() ||
      !json[2].is_array())
    return false;
  out.fate = static_cast<CandidateFate>(json[0].get<unsigned>());
  out.rule = json[1].get<std::string>();
  for (const Json& value : json[2])
    out.objectives.push_back(numberOf(value));
  out.miss = numberOf(json[3]);
  return true;
}

Json jsonOf(const SearchedPart& part) {
  Json screened = Json::array(), executed = Json::array();
  for (const auto& [key, count] : part.screened)
    screened.push_back({static_cast<unsigned>(key.first), validUtf8(key.second), count});
  for (const planner::ExecutedCandidate& one : part.executed)
    executed.push_back({one.candidate, one.step, one.memory, jsonOf(one.judged), one.exact});
  Json nearest;
  if (part.nearestBound) {
    const planner::MissedCandidate& one = *part.nearestBound;
    nearest = {{"candidate", one.candidate},
               {"bound", jsonOf(JudgedCandidate{one.fate, one.rule, {}, one.miss})},
               {"judged", part.nearestJudged ? jsonOf(*part.nearestJudged) : Json()}};
  }
  return {{"screened", std::move(screened)},
          {"executed", std::move(executed)},
          {"excluded", part.excluded},
          {"least_excluded", part.leastExcluded ? Json(*part.leastExcluded) : Json()},
          {"nearest", std::move(nearest)}};
}

/// Reads a part. False if it is incomplete.
bool read(const Json& json, SearchedPart& out) {
  for (const Json& one : json["screened"]) {
    if (!one.is_array() || one.size() != 3 || !one[0].is_number_unsigned() ||
        one[0].get<unsigned>() >= planner::candidateFates || !one[1].is_string() ||
        !one[2].is_number_unsigned())
      return false;
    out.screened[{static_cast<CandidateFate>(one[0].get<unsigned>()), one[1].get<std::string>()}] =
        one[2].get<std::uint64_t>();
  }
  for (const Json& one : json["executed"]) {
    if (!one.is_array() || one.size() != 5 || !one[0].is_number_unsigned())
      return false;
    out.executed.push_back(
        {one[0].get<std::uint64_t>(), numberOf(one[1]), numberOf(one[2]), {}, numberOf(one[4])});
    if (!read(one[3], out.executed.back().judged))
      return false;
  }
  if (!json["excluded"].is_number_unsigned())
    return false;
  out.excluded = json["excluded"].get<std::uint64_t>();
  if (json["least_excluded"].is_number())
    out.leastExcluded = json["least_excluded"].get<double>();
  const Json& nearest = json["nearest"];
  if (!nearest.is_object())
    return true;
  JudgedCandidate bound;
  if (!nearest["candidate"].is_number_unsigned() || !read(nearest["bound"], bound))
    return false;
  out.nearestBound = planner::MissedCandidate{nearest["candidate"].get<std::uint64_t>(), bound.fate,
                                              bound.rule, bound.miss};
  if (nearest["judged"].is_null())
    return true;
  out.nearestJudged.emplace();
  return read(nearest["judged"], *out.nearestJudged);
}

Json documentOf(const ShardHeader& header, std::uint64_t shard, std::uint64_t shards,
                const Json& part) {
  // Because of the checksum, a number that was edited or damaged does not count as a result.
  return {{"schema", schema},  {"search", header.search},
          {"key", header.key}, {"candidates", header.candidates},
          {"shard", shard},    {"shards", shards},
          {"part", part},      {"sum", fmt::format("{:016x}", llvm::xxHash64(part.dump()))}};
}

/// "2, 5"; long lists end with the number of the others.
std::string numbersText(const std::vector<std::uint64_t>& numbers) {
  constexpr std::size_t most = 8;
  const llvm::ArrayRef<std::uint64_t> shown = llvm::makeArrayRef(numbers).take_front(most);
  std::string out = fmt::format("{}", fmt::join(shown.begin(), shown.end(), ", "));
  return numbers.size() > most ? fmt::format("{} and {} more", out, numbers.size() - most) : out;
}

/// A file of a folder that a shard wrote.
struct ShardFile {
  std::string path;
  std::uint64_t shard = 0, shards = 0;
};

/// The files that are named like those of shards, in the order of their names.
std::vector<ShardFile> filesOf(const std::string& folder) {
  std::vector<ShardFile> out;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
    const std::string file = entry.path().filename().string();
    llvm::StringRef name = file;
    ShardFile one{entry.path().string(), 0, 0};
    if (name.consume_front("shard-") && !name.consumeInteger(10, one.shard) &&
        name.consume_front("-of-") && !name.consumeInteger(10, one.shards) && name == ".json")
      out.push_back(std::move(one));
  }
  std::sort(out.begin(), out.end(),
            [](const ShardFile& a, const ShardFile& b) { return a.path < b.path; });
  return out;
}

/// The part in a file; none if the file is damaged or is of another search.
std::optional<SearchedPart> partOf(const ShardFile& file, const ShardHeader& header) {
  const FileText text = readFile(file.path);
  Json json = text.failed() ? Json() : Json::parse(text.text);
  if (!json.is_object() || !json.contains("part") || !json["part"].is_object() ||
      json != documentOf(header, file.shard, file.shards, json["part"]))
    return std::nullopt;
  SearchedPart out;
  return read(json["part"], out) ? std::optional(std::move(out)) : std::nullopt;
}
} // namespace

LogicalResult search::writePart(const std::string& folder, const ShardHeader& header,
                                std::uint64_t shard, std::uint64_t shards, const SearchedPart& part,
                                DiagnosticEngine& diags) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed); // if this fails, writing the file reports
                                                       // why
  return writeFile(pathOf(folder, shard, shards),
                   documentOf(header, shard, shards, jsonOf(part)).dump() + "\n", diags);
}

std::optional<SearchedPart> search::partIn(const std::string& folder, const ShardHeader& header,
                                           std::uint64_t shard, std::uint64_t shards) {
  return partOf({pathOf(folder, shard, shards), shard, shards}, header);
}

std::string search::missingShards(const std::string& folder, const ShardHeader& header,
                                  std::uint64_t shards) {
  std::vector<std::uint64_t> missing;
  for (std::uint64_t shard = 1; shard <= shards; ++shard)
    if (!partIn(folder, header, shard, shards))
      missing.push_back(shard);
  return numbersText(missing);
}

FailureOr<std::vector<SearchedPart>> search::readParts(const std::vector<std::string>& folders,
                                                       const ShardHeader& header,
                                                       DiagnosticEngine& diags) {
  std::map<std::uint64_t, SearchedPart> parts;
  std::uint64_t shards = 0;
  for (const std::string& folder : folders)
    for (const ShardFile& file : filesOf(folder)) {
      std::optional<SearchedPart> part = partOf(file, header);
      if (!part || (shards > 0 && file.shards != shards))
        return diags.report<diag::OtherShard>({}, file.path, header.search)
            .help("a shard is of the same file, settings and release of dplc as the others");
      shards = file.shards;
      parts[file.shard] = std::move(*part);
    }
  if (parts.empty() || parts.size() < shards) {
    auto d = diags.report<diag::ShardsMissing>(
        {}, parts.size(), shards > 0 ? std::to_string(shards) : "all", header.search);
    std::vector<std::uint64_t> missing;
    for (std::uint64_t shard = 1; shard <= shards; ++shard)
      if (parts.count(shard) == 0)
        missing.push_back(shard);
    if (!missing.empty())
      std::move(d).help(fmt::format("missing: {}; `--shard {}/{} -o DIR` searches one",
                                    numbersText(missing), missing.front(), shards));
    return d;
  }
  std::vector<SearchedPart> out;
  for (auto& [shard, part] : parts)
    out.push_back(std::move(part));
  return out;
}
