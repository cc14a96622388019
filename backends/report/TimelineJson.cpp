//===- TimelineJson.cpp - The timeline of a step as JSON --------------------------------------===//
#include "backends/report/TimelineJson.h"
#include "cost/step/Timeline.h"
#include "ir/Names.h"
#include <algorithm>
#include <map>
#include <tuple>
using namespace dpl;

namespace {
/// Limits of the segments that are visited and that are written. Above them, actions have none.
constexpr std::uint64_t mostVisited = 4'000'000;
constexpr std::size_t mostWritten = 20'000;

/// The segments of one action, with times relative to its begin. Actions with equal segments share
/// one list.
class SegmentLists {
public:
  explicit SegmentLists(const ir::Plan& plan) : plan(plan) {
    if (cost::countSegments(plan) > mostVisited)
      return;
    for (const ir::RankSchedule& rank : plan.schedule)
      addRank(rank);
    if (written > mostWritten)
      lists = Json::array(), ofActions.clear();
  }

  /// The index of the list of an action; none if its segments are unknown.
  std::optional<std::size_t> of(std::uint64_t rank, std::size_t action) const {
    if (rank >= ofActions.size() || action >= ofActions[rank].size())
      return std::nullopt;
    return ofActions[rank][action];
  }
  Json take() { return std::move(lists); }

private:
  using RelativeSegment =
      std::tuple<const ir::Segment*, const ir::Collective*, std::int64_t, std::int64_t>;
  using RelativeSegments = std::vector<RelativeSegment>;

  void addRank(const ir::RankSchedule& rank) {
    std::vector<RelativeSegments> segments(rank.actions.size());
    cost::visitSegments(plan, rank.rank, [&](const cost::ExecutedSegment& s) {
      const std::size_t action = s.action.index();
      const auto relative = [&](std::uint64_t time) {
        return static_cast<std::int64_t>(time - rank.start[action]);
      };
      if (s.begin < s.end)
        segments[action].push_back({s.segment, s.collective, relative(s.begin), relative(s.end)});
    });
    std::vector<std::optional<std::size_t>>& own = ofActions.emplace_back();
    for (const RelativeSegments& one : segments)
      own.push_back(one.empty() ? std::nullopt : std::optional(indexOf(one)));
  }

  std::size_t indexOf(const RelativeSegments& segments) {
    const auto [at, isNew] = known.insert({segments, 0});
    if (!isNew || written > mostWritten)
      return at->second;
    Json list = Json::array();
    for (const RelativeSegment& segment : segments)
      list.push_back(jsonOf(segment));
    // Ranks have collectives of their own, so that equal lists have different keys.
    const auto [text, isOther] = indices.insert({list.dump(), lists.size()});
    at->second = text->second;
    if (isOther) {
      written += segments.size();
      lists.push_back(std::move(list));
    }
    return at->second;
  }

  Json jsonOf(const RelativeSegment& relative) const {
    const auto& [segment, collective, begin, end] = relative;
    Json out;
    if (collective) {
      out["name"] = fmt::format("{} {}", ir::name(collective->kind), ir::name(collective->purpose));
      out["stream"] = ir::name(segment->asCollective()->stream);
    } else {
      out["name"] = ir::name(segment->asCompute()->kind);
      out["stream"] = ir::name(ir::Stream::Compute);
    }
    out["begin_ps"] = begin, out["end_ps"] = end;
    if (collective && plan.groups.has(collective->group))
      out["group"] = plan.groups[collective->group].name;
    return out;
  }

  const ir::Plan& plan;
  Json lists = Json::array();
  std::size_t written = 0;
  std::map<RelativeSegments, std::size_t> known;
  std::map<std::string, std::size_t> indices;                     ///< by text of the list
  std::vector<std::vector<std::optional<std::size_t>>> ofActions; ///< by rank and action
};

/// Writes actions of a rank as JSON.
class ActionWriter {
public:
  ActionWriter(const ir::Plan& plan, std::uint64_t rank, const SegmentLists& segments)
      : plan(plan), rank(rank), segments(segments) {}

  Json action(const ir::RankSchedule& of, std::size_t i, bool own) const {
    const ir::ScheduledAction& action = of.actions[i];
    const bool chunk = ir::isChunkAction(action.kind);
    Json out;
    out["action"] = ir::name(action.kind);
    out["micro_batch"] = chunk ? Json(action.microBatch) : Json();
    out["chunk"] = chunk ? Json(action.chunk) : Json();
    out["begin_ps"] = of.start[i], out["end_ps"] = of.endOf(i);
    out["of_this_step"] = own;
    if (chunk)
      if (const auto message = ir::messageInto(plan.placement, rank, action))
        out["waits_for"] = {{"rank", message->from.rank},
                            {"chunk", message->from.chunk},
                            {"action", message->forward ? "forward" : "backward"}};
    if (own)
      if (const auto list = segments.of(rank, i))
        out["segments"] = *list;
    return out;
  }

private:
  const ir::Plan& plan;
  const std::uint64_t rank;
  const SegmentLists& segments;
};
} // namespace

Json report::timelineJson(const ir::Plan& plan, std::size_t mostPerRank) {
  Json ranks = Json::array();
  SegmentLists segments(plan);
  for (const ir::RankSchedule& rank : plan.schedule) {
    Json actions = Json::array();
    const cost::RankStepView drawn = cost::rankStepView(plan, rank.rank);
    const ActionWriter writer(plan, rank.rank, segments);
    for (std::size_t i = 0; i < drawn.neighbours.actions.size(); ++i)
      actions.push_back(writer.action(drawn.neighbours, i, false));
    const std::size_t count = drawn.schedule->actions.size();
    // The middle of a schedule repeats; its ends do not.
    const std::size_t first = count <= mostPerRank ? count : mostPerRank / 2;
    const std::size_t last = count <= mostPerRank ? count : count - (mostPerRank - first);
    for (std::size_t i = 0; i < count; i = i + 1 == first ? std::max(last, first) : i + 1)
      actions.push_back(writer.action(*drawn.schedule, i, true));
    Json one{{"rank", rank.rank}, {"actions", std::move(actions)}};
    if (first < last)
      one["left_out"] = {{"actions", last - first},
                         {"begin_ps", drawn.schedule->start[first]},
                         {"end_ps", drawn.schedule->endOf(last - 1)}};
    ranks.push_back(std::move(one));
  }
  return {{"schema", "dplc.timeline.1"},
          {"layout", plan.layout.name},
          {"step_s", plan.step->step},
          {"ranks", std::move(ranks)},
          {"segments", segments.take()}};
}
