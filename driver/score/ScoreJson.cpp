//===- ScoreJson.cpp - Scores as JSON, and changes since earlier scores -----------------------===//
#include "backends/report/TextTable.h"
#include "driver/score/MemoryLimit.h"
#include "driver/score/Screen.h"
#include "support/diagnostics/Score.h"
#include <cmath>
using namespace dpl;
using namespace dpl::score;

namespace {
/// Limit on the rows in the JSON, so that pages stay usable.
constexpr std::size_t mostRows = 20000;

/// Rounds to six decimals. That is exact enough for a million rows, and equal on all machines.
double rounded(double value) { return std::round(value * 1e6) / 1e6; }

Json jsonOf(const Errors& e) {
  return {{"rows", e.count},       {"mean", rounded(e.mean)}, {"median", rounded(e.median)},
          {"p90", rounded(e.p90)}, {"bias", rounded(e.bias)}, {"within_10", rounded(e.within10)}};
}

Json jsonOf(const std::map<std::string, Errors>& by) {
  Json out = Json::object();
  for (const auto& [name, errors] : by)
    out[name] = jsonOf(errors);
  return out;
}

Json jsonOf(const Verdicts& v) {
  return {{"runs", v.all()},           {"right", rounded(v.right())},
          {"fits", v.rightFits},       {"out_of_memory", v.rightOutOfMemory},
          {"false_fits", v.falseFits}, {"false_out_of_memory", v.falseOutOfMemory}};
}

Json jsonOf(const ChoiceQuality& c) {
  return {{"groups", c.groups},
          {"runs", c.runs},
          {"regret", jsonOf(c.regret)},
          {"out_of_memory", c.outOfMemory},
          {"pairs", c.pairs},
          {"ordered_right", c.pairs == 0 ? 0 : rounded(c.ordered / static_cast<double>(c.pairs))}};
}

Json reasonsOf(const Scores& scores,
               const std::vector<std::pair<std::string, std::vector<const ScoredRow*>>>& reasons) {
  Json out = Json::array();
  for (const auto& [reason, rows] : reasons) {
    Json ids = Json::array();
    for (std::size_t i = 0; i < rows.size() && i < 100; ++i)
      ids.push_back(scores.id(*rows[i]));
    out.push_back({{"reason", reason}, {"rows", rows.size()}, {"ids", std::move(ids)}});
  }
  return out;
}

/// Rounds a value with 24 bits to six significant digits.
double figure(float value) {
  return std::strtod(fmt::format("{:.6g}", static_cast<double>(value)).c_str(), nullptr);
}

const char* nameOf(ScoredRow::ScoreState state) {
  switch (state) {
  case ScoredRow::ScoreState::Fits:
    return "fits";
  case ScoredRow::ScoreState::DoesNotFit:
    return "does_not_fit";
  case ScoredRow::ScoreState::Refused:
    return "refused";
  case ScoredRow::ScoreState::Inexpressible:
    return "inexpressible";
  case ScoredRow::ScoreState::Unscored:
    break;
  }
  return "not_scored";
}

Json jsonOf(const Scores& scores, const ScoredRow& row) {
  Json out = {{"id", scores.id(row)}, {"table", scores.tables[row.table]}, {"line", row.line}};
  for (std::size_t l = 0; l < scores.labelNames.size(); ++l)
    if (row.labels[l] != 0)
      out["labels"][scores.labelNames[l]] = scores.texts[row.labels[l]];
  out["verdict"] = nameOf(row.state);
  if (row.ran != RunOutcome::Unknown)
    out["ran"] = row.ran == RunOutcome::Yes           ? "yes"
                 : row.ran == RunOutcome::OutOfMemory ? "out_of_memory"
                                                      : "both_marks";
  if (row.reason != 0)
    out["reason"] = scores.texts[row.reason];
  if (row.predicted())
    out["devices"] = row.devices;
  if (row.collectiveBytes > 0)
    out["bytes"] = static_cast<std::uint64_t>(row.collectiveBytes);
  else if (row.predicted())
    out.update({{"tensor", row.tensor},
                {"pipeline", row.pipeline},
                {"micro_batch", row.microBatch},
                {"context", row.context},
                {"hidden", row.hidden},
                {"tensor_bytes", figure(row.peakBytes)},
                {"free_share", figure(row.headroomShare)}});
  for (std::size_t q = 0; q < quantityCount; ++q)
    if (row.pairs[q].measured > 0) {
      out["measured"][quantities()[q].name] = figure(row.pairs[q].measured);
      if (row.pairs[q].predicted > 0) {
        out["predicted"][quantities()[q].name] = figure(row.pairs[q].predicted);
        out["explain"][quantities()[q].name] = explanation(scores, row, q);
      }
    }
  return out;
}
} // namespace

Json score::scoresJson(const Scores& scores) {
  Json out = {{"schema", "dplc.score.1"},    {"tables", scores.tables},
              {"mappings", scores.mappings}, {"rows_scored", scores.rows.size()},
              {"rows_wrong", scores.wrong},  {"rows_left_out", scores.filteredOut}};
  Json quantitiesOut = Json::object();
  for (std::size_t q : {StepTime, PartTime, Allocated, Reserved}) {
    const QuantityErrors errors = errorsOf(scores, q);
    if (errors.all.count == 0)
      continue;
    Json by = Json::object();
    for (const auto& [label, values] : errors.byLabel)
      by[label] = jsonOf(values);
    quantitiesOut[quantities()[q].name] = {{"all", jsonOf(errors.all)}, {"by", std::move(by)}};
  }
  const CollectiveErrors collectives = collectiveErrors(scores);
  if (collectives.small.count + collectives.large.count > 0)
    quantitiesOut["bus_bandwidth"] = {
        {"below_1MiB",
         {{"all", jsonOf(collectives.small)}, {"by", {{"family", jsonOf(collectives.smallBy)}}}}},
        {"from_1MiB",
         {{"all", jsonOf(collectives.large)}, {"by", {{"family", jsonOf(collectives.largeBy)}}}}}};
  out["errors"] = std::move(quantitiesOut);
  Json families = Json::object();
  for (const auto& [family, v] : verdictsBy(scores, "family"))
    families[family] = jsonOf(v);
  out["verdicts"] = {{"all", jsonOf(verdicts(scores, false))},
                     {"with_both_marks", jsonOf(verdicts(scores, true))},
                     {"by", {{"family", std::move(families)}}}};
  for (const MemoryLimit& limit : memoryLimits(scores))
    out["memory_limits"].push_back({{"family", limit.family},
                                    {"device", limit.device},
                                    {"bytes", figure(limit.bytes)},
                                    {"chosen", jsonOf(limit.chosen)},
                                    {"crossed", jsonOf(limit.crossed)}});
  const ChoiceQualities c = choices(scores);
  out["choice"] = {{"predicted_time", jsonOf(c.model)}, {"three_line_rule", jsonOf(c.rule)}};
  for (const ShortlistQuality& q : shortlists(scores))
    out["shortlists"].push_back({{"length", q.length},
                                 {"groups", q.groups},
                                 {"held", q.held},
                                 {"held_within_5", q.heldClosely},
                                 {"drawn", rounded(q.drawn)}});
  out["refused"] = reasonsOf(scores, byReason(scores, ScoredRow::ScoreState::Refused));
  out["inexpressible"] = reasonsOf(scores, byReason(scores, ScoredRow::ScoreState::Inexpressible));
  out["not_understood"] = reasonsOf(scores, unknownOf(scores));
  out["not_scored"] = reasonsOf(scores, byReason(scores, ScoredRow::ScoreState::Unscored));
  if (scores.rows.size() > mostRows)
    return out;
  Json rows = Json::array();
  for (const ScoredRow& row : scores.rows)
    rows.push_back(jsonOf(scores, row));
  out["rows"] = std::move(rows);
  return out;
}

namespace {
/// A change in percent, "12.3 -> 10.1"; "-" if one of the values is missing.
std::string change(const Json& before, const Json& now, const char* key) {
  const auto value = [&](const Json& j) {
    return j.is_object() && j.contains(key) && j[key].is_number()
               ? fmt::format("{:.1f}", 100 * j[key].get<double>())
               : std::string("-");
  };
  const std::string a = value(before), b = value(now);
  return a == b ? a : a + " -> " + b;
}

std::string rowsOf(const Json& before, const Json& now) {
  const auto value = [](const Json& j) {
    return j.is_object() && j.contains("rows") && j["rows"].is_number() ? j["rows"].dump()
                                                                        : std::string("-");
  };
  const std::string a = value(before), b = value(now);
  return a == b ? a : a + " -> " + b;
}

Json at(const Json& j, llvm::ArrayRef<const char*> path) {
  const Json* here = &j;
  for (const char* key : path) {
    if (!here->is_object() || !here->contains(key))
      return {};
    here = &(*here)[key];
  }
  return *here;
}

/// A table that compares the entries with equal names.
std::string compared(const std::string& title, const Json& before, const Json& now,
                     unsigned width) {
  if (before.is_null() && now.is_null())
    return "";
  report::TextTable table({title, "rows", "mean %", "median", "p90", "bias", "within 10"});
  const auto add = [&](const std::string& name, const Json& a, const Json& b) {
    table.row({name, rowsOf(a, b), change(a, b, "mean"), change(a, b, "median"),
               change(a, b, "p90"), change(a, b, "bias"), change(a, b, "within_10")});
  };
  add("all", at(before, {"all"}), at(now, {"all"}));
  const Json old = at(before, {"by", "family"}), fresh = at(now, {"by", "family"});
  std::map<std::string, std::pair<Json, Json>> families;
  if (old.is_object())
    for (const auto& [name, errors] : old.items())
      families[name].first = errors;
  if (fresh.is_object())
    for (const auto& [name, errors] : fresh.items())
      families[name].second = errors;
  for (const auto& [name, pair] : families)
    add(name, pair.first, pair.second);
  return "\n" + table.render(width);
}
} // namespace

FailureOr<std::string> score::comparison(const Json& now, const std::string& name,
                                         llvm::StringRef before, unsigned width,
                                         DiagnosticEngine& diags) {
  const Json old = Json::parse(before);
  if (!old.is_object() || !old.contains("schema") || old["schema"] != "dplc.score.1")
    return diags.report<diag::NotAScore>({}, name);
  std::string text = fmt::format("{} -> now\n", name);
  for (const Quantity& q : quantities())
    if (llvm::StringRef(q.name) != "bus_bandwidth")
      text += compared(q.words, at(old, {"errors", q.name}), at(now, {"errors", q.name}), width);
  for (const char* size : {"below_1MiB", "from_1MiB"})
    text +=
        compared(fmt::format("bus bandwidth, {}", size), at(old, {"errors", "bus_bandwidth", size}),
                 at(now, {"errors", "bus_bandwidth", size}), width);
  report::TextTable verdicts(
      {"does it fit", "runs", "right %", "false fits", "false out of memory"});
  const Json a = at(old, {"verdicts", "all"}), b = at(now, {"verdicts", "all"});
  const auto counts = [&](const char* key) {
    const std::string x = at(a, {key}).dump(), y = at(b, {key}).dump();
    return x == y ? x : x + " -> " + y;
  };
  verdicts.row({"all", counts("runs"), change(a, b, "right"), counts("false_fits"),
                counts("false_out_of_memory")});
  return text + "\n" + verdicts.render(width);
}
