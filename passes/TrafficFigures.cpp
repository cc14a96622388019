//===- TrafficFigures.cpp - Communication of the rank that sets the step, with its derivation
//---===//
#include "cost/CostModel.h"
#include "ir/Arithmetic.h"
#include "ir/Names.h"
#include "passes/FigureFormula.h"
#include "passes/StepFigures.h"

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// Collectives of one rank, axis, group and kind: one row of the report's table.
struct Row {
  std::string path, axis;
  double calls = 0, time = 0, exposed = 0;
  std::uint64_t each = 0; ///< ps of one, where all take the same
  bool alike = true;
  std::string how; ///< algorithm and size of one
  std::vector<double> sent;
};

std::vector<Row> rowsOf(const Plan& plan, std::uint64_t rank) {
  std::vector<Row> rows;
  for (const Collective& c : plan.collectives) {
    if (c.rank != rank || c.count == 0)
      continue;
    const std::string axis = axisOf(c.purpose);
    const Group* group = c.group < plan.groups.size() ? &plan.groups[c.group] : nullptr;
    const std::string path = fmt::format("communication[{}].{}.{}", group ? group->name : "",
                                         contentsOf(c.purpose), name(c.kind));
    Row* row = nullptr;
    for (Row& r : rows)
      row = r.path == path ? &r : row;
    if (!row) {
      rows.push_back({path, axis, 0, 0, 0, c.time, true,
                      fmt::format("{} over {} ranks, {} bytes", name(c.algorithm),
                                  group ? group->size : 1, c.bytes),
                      std::vector<double>(plan.cluster.levels.size(), 0)});
      row = &rows.back();
    }
    row->alike = row->alike && row->each == c.time;
    row->calls += real(c.count);
    row->time += real(c.count) * real(c.time) * picosecond;
    row->exposed += toSeconds(c.exposed);
    for (std::size_t l = 0; l < c.bytesPerLevel.size() && l < row->sent.size(); ++l)
      row->sent[l] += real(c.count) * real(c.bytesPerLevel[l]);
  }
  return rows;
}

/// Equal but for the rounding of picoseconds.
bool same(double a, double b) { return a - b <= 1e-7 * b && b - a <= 1e-7 * b; }

void addRow(Results& r, const Plan& plan, const Row& row) {
  r.derived(row.path + ".calls", row.calls, "", "", {}, "of one device in a step");
  FigureFormula time, exposed;
  if (row.alike && row.each > 0) {
    r.derived(row.path + ".each", toSeconds(row.each), "Duration", "", {}, row.how);
    time = {"calls * each", {row.path + ".calls", row.path + ".each"}};
  }
  addFigure(r, row.path + ".time", row.time, "Duration", std::move(time),
            row.alike ? "of all calls" : "of all calls, which differ by chunk");
  if (same(row.exposed, row.time))
    exposed = {"time", {row.path + ".time"}};
  const bool simulated = exposed.text.empty() && row.exposed > 0;
  addFigure(r, row.path + ".exposed", row.exposed, "Duration", std::move(exposed),
            simulated ? "the part with nothing to compute beside it, and what the rest costs "
                        "computation"
                      : "",
            simulated ? Provenance::Simulated : Provenance::Derived);
  for (std::size_t l = 0; l < row.sent.size(); ++l)
    if (row.sent[l] > 0)
      r.derived(row.path + "." + ir::name(plan.cluster.levels[l].level), row.sent[l], "Bytes", "",
                {}, "sent by one device over the links of the level, " + row.how);
}
} // namespace

void dpl::addTrafficFigures(Plan& plan, const StepTimes& times) {
  Results& r = plan.results;
  const std::vector<Row> rows = rowsOf(plan, times.rank);
  for (const Row& row : rows)
    addRow(r, plan, row);
  if (times.sends > 0)
    addFigure(r, "time.sends", times.sends, "Duration", {},
              "messages to other stages that the rank waits for", Provenance::Simulated);
  std::vector<std::string> axes;
  std::string sum;
  for (const auto& [axis, value] : times.exposedBy) {
    FigureFormula f;
    for (const Row& row : rows)
      if (row.axis == axis && row.exposed > 0)
        f.plus(row.path + ".exposed");
    if (axis == "pipeline" && times.sends > 0)
      f.plus("time.sends");
    axes.push_back("time.exposed." + axis);
    sum += (sum.empty() ? "" : " + ") + axes.back();
    addFigure(r, axes.back(), value, "Duration", std::move(f),
              fmt::format("communication along the axis with nothing to compute beside it, of "
                          "pipeline rank {}, which has the most to do",
                          times.rank));
  }
  r.add({"time.exposed", times.exposed(), "Duration", sum, axes, Provenance::Derived, "", ""});
  for (std::size_t l = 0; l < plan.cluster.levels.size(); ++l) {
    const char* level = ir::name(plan.cluster.levels[l].level);
    FigureFormula f;
    double bytes = 0;
    for (const Row& row : rows)
      if (row.sent[l] > 0) {
        f.plus(row.path + "." + level);
        bytes += row.sent[l];
      }
    addFigure(r, std::string("traffic.") + level, bytes, "Bytes", std::move(f),
              "sent by one device over the links of the level in a step");
  }
}
