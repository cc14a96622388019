//===- Trace.cpp - One step as a trace for timeline viewers -----------------------------------===//
//
// Writes trace-event JSON for Perfetto and chrome://tracing: a process per pipeline rank, with a
// thread for its computation and one for each stream of collectives.
#include "backends/Target.h"
#include "cost/step/Timeline.h"
#include "ir/MergedProgram.h"
#include "ir/Names.h"
#include "support/Json.h"
#include <algorithm>
#include <set>

using namespace dpl;
using ir::ActionKind;

namespace dpl::trace {
namespace rule {
#define DPL_RULES "backends/trace/Rules.def"
#include "backends/RuleTypes.inc"
} // namespace rule

namespace {
/// The largest number of actions, which keeps the text below a gigabyte.
constexpr std::uint64_t mostOperations = 400'000;

void check(const TargetRequest& request, Findings& findings) {
  std::uint64_t all = 0;
  for (const ir::RankSchedule& rank : request.plan.schedule)
    all += rank.actions.size();
  if (all > mostOperations)
    findings.report<rule::Size>("batch", all, mostOperations);
}

/// A trace that would have more events shows actions without their segments, so that viewers stay
/// fast. 100,000 events are about 15 MB.
constexpr std::uint64_t mostEvents = 100'000;

/// Rounds ps down to ns, so that nested slices stay nested.
std::uint64_t nanoseconds(std::uint64_t ps) { return ps / 1000; }
/// Converts ns to the unit of the format.
double microseconds(std::uint64_t ns) { return static_cast<double>(ns) / 1000; }

std::string lineOf(const Json& value) { return value.dump(); }

ir::Stream streamOf(ir::CollectivePurpose purpose) {
  switch (purpose) {
  case ir::CollectivePurpose::TensorActivation:
    return ir::Stream::Tensor;
  case ir::CollectivePurpose::ContextKeys:
    return ir::Stream::Context;
  case ir::CollectivePurpose::ExpertTokens:
    return ir::Stream::Expert;
  case ir::CollectivePurpose::PipelineActivation:
  case ir::CollectivePurpose::GradientReduce:
  case ir::CollectivePurpose::ParameterGather:
  case ir::CollectivePurpose::EmbeddingGradient:
  case ir::CollectivePurpose::MomentumGather:
    break;
  }
  return ir::Stream::Data;
}

/// The events of a plan. For viewers they have this order: an action, the message that it waits
/// for, its segments, the message that it sends.
class Events {
public:
  explicit Events(const ir::Plan& plan) : plan(plan) {
    for (const ir::RankSchedule& rank : plan.schedule) {
      for (std::size_t i = 0; i < rank.actions.size(); ++i)
        operation(rank, i);
      memory(rank.rank);
    }
    inside = count + cost::countSegments(plan) <= mostEvents;
    if (inside)
      for (const ir::RankSchedule& rank : plan.schedule)
        cost::visitSegments(plan, rank.rank,
                            [&](const cost::ExecutedSegment& s) { segment(rank, s); });
    names();
  }

  bool segments() const { return inside; }
  /// The events, one per line.
  const std::string& text() const { return lines; }

private:
  // The numbers follow Linux, as Perfetto's trace processor requires (UpdateThread in
  // src/trace_processor/importers/common/process_tracker.cc). 0 is the idle process. Thread numbers
  // are unique over all processes, and the first thread of a process has its number.
  static std::uint64_t processOf(std::uint64_t rank) { return rank + 1; }
  std::uint64_t threadOf(std::uint64_t rank, ir::Stream stream) const {
    constexpr auto streams = static_cast<unsigned>(ir::Stream::Data) + 1;
    return processOf(plan.schedule.size()) + rank * streams + static_cast<unsigned>(stream);
  }
  void add(const Json& event) { lines += (count++ > 0 ? ",\n" : "") + lineOf(event); }
  /// Adds a slice. Viewers nest the slices of a thread by their times.
  void slice(std::uint64_t rank, ir::Stream stream, std::string name, const char* category,
             std::uint64_t begin, std::uint64_t end, Json arguments) {
    const std::uint64_t from = nanoseconds(begin), to = nanoseconds(end);
    threads.insert({rank, stream});
    Json event; // most events are slices, for which a list of pairs would be slow
    event["ph"] = "X";
    event["pid"] = processOf(rank);
    event["tid"] = threadOf(rank, stream);
    event["ts"] = microseconds(from);
    event["dur"] = microseconds(to - from);
    event["name"] = std::move(name);
    event["cat"] = category;
    event["args"] = std::move(arguments);
    add(event);
  }
  void flow(const char* phase, std::uint64_t rank, const ir::PipelineMessage& message,
            std::uint64_t at) {
    const std::uint64_t from =
        plan.placement.indexOf(message.from.rank, message.from.chunk).index();
    Json event{{"ph", phase},
               {"pid", processOf(rank)},
               {"tid", threadOf(rank, ir::Stream::Compute)},
               {"ts", microseconds(at)},
               {"id", (from * plan.mesh.microBatches + message.microBatch) * 2 +
                          (message.forward ? 0 : 1)},
               {"name", message.forward ? "activation" : "gradient"},
               {"cat", "message"}};
    if (*phase == 'f')
      event["bp"] = "e"; // the arrow ends at the slice that contains this time
    add(event);
  }

  void operation(const ir::RankSchedule& rank, std::size_t i) {
    const ir::ScheduledAction& op = rank.actions[i];
    // Two merged actions are one slice, because their segments alternate.
    const bool first = mergedProgram(plan, rank.rank, op),
               second = i > 0 && mergedProgram(plan, rank.rank, rank.actions[i - 1]);
    const std::uint64_t begin = rank.start[second ? i - 1 : i], end = rank.endOf(first ? i + 1 : i);
    if (!ir::isChunkAction(op.kind)) {
      if (end > begin)
        writeEpilogue(rank.rank, op, begin, end);
      return;
    }
    std::string name = nameOf(op);
    Json arguments{{"micro_batch", op.microBatch}};
    if (plan.placement.chunks > 1)
      arguments["chunk"] = op.chunk;
    if (first) {
      const ir::ScheduledAction& with = rank.actions[i + 1];
      name += " with " + nameOf(with);
      arguments["backward"] = {{"micro_batch", with.microBatch}, {"chunk", with.chunk}};
    }
    if (!second)
      slice(rank.rank, ir::Stream::Compute, std::move(name), "action", begin, end,
            std::move(arguments));
    if (const auto into = ir::messageInto(plan.placement, rank.rank, op))
      flow("f", rank.rank, *into, nanoseconds(begin));
    if (const auto from = ir::messageFrom(plan.placement, rank.rank, op)) {
      // The arrow begins at the last moment inside the action.
      const std::uint64_t last = std::max(nanoseconds(end), nanoseconds(begin) + 1) - 1;
      flow("s", rank.rank, *from, last);
    }
  }
  /// Writes what runs after the actions: collectives and the optimizer step.
  void writeEpilogue(std::uint64_t rank, const ir::ScheduledAction& op, std::uint64_t begin,
                     std::uint64_t end) {
    if (op.kind == ActionKind::Collective) {
      const ir::Collective& c = plan.collectives[op.collective];
      slice(rank, streamOf(c.purpose), nameOf(c), "step_end", begin, end, argumentsOf(c));
    } else {
      slice(rank, ir::Stream::Compute, ir::name(op.kind), "step_end", begin, end, Json::object());
    }
  }
  void segment(const ir::RankSchedule& rank, const cost::ExecutedSegment& s) {
    if (nanoseconds(s.begin) == nanoseconds(s.end))
      return;
    const ir::ScheduledAction& op = rank.actions[s.action];
    Json arguments;
    if (s.collective)
      arguments = argumentsOf(*s.collective);
    arguments["micro_batch"] = op.microBatch;
    slice(rank.rank, s.collective ? s.segment->asCollective()->stream : ir::Stream::Compute,
          s.collective ? nameOf(*s.collective) : ir::name(s.segment->asCompute()->kind),
          s.collective ? "collective" : "compute", s.begin, s.end, std::move(arguments));
  }
  std::string nameOf(const ir::ScheduledAction& op) const {
    const std::string name = fmt::format("{} {}", ir::name(op.kind), op.microBatch);
    return plan.placement.chunks > 1 ? fmt::format("{}, chunk {}", name, op.chunk) : name;
  }
  static std::string nameOf(const ir::Collective& c) {
    return fmt::format("{} {}", ir::name(c.kind), ir::name(c.purpose));
  }
  Json argumentsOf(const ir::Collective& c) const {
    return {{"group", plan.groups.has(c.group) ? plan.groups[c.group].name : ""},
            {"algorithm", ir::name(c.algorithm)},
            {"bytes", c.bytes}};
  }

  void memory(std::uint64_t rank) {
    for (const cost::MemorySample& from : cost::memoryOverStep(plan, rank))
      add({{"ph", "C"},
           {"pid", processOf(rank)},
           {"ts", microseconds(nanoseconds(from.time))},
           {"name", "memory"},
           {"args", {{"bytes", from.bytes}}}});
  }

  /// Writes names of processes and threads, and their order on the screen.
  void names() {
    const auto say = [&](std::uint64_t rank, Json thread, const char* what, const char* key,
                         Json value) {
      Json event{{"ph", "M"}, {"pid", processOf(rank)}};
      event.update(thread);
      event.update({{"name", what}, {"args", {{key, std::move(value)}}}});
      add(event);
    };
    for (const ir::RankSchedule& rank : plan.schedule) {
      say(rank.rank, Json::object(), "process_name", "name",
          fmt::format("pipeline rank {}", rank.rank));
      say(rank.rank, Json::object(), "process_sort_index", "sort_index", rank.rank);
    }
    for (const auto& [rank, stream] : threads) {
      const std::uint64_t number = threadOf(rank, stream);
      const bool compute = stream == ir::Stream::Compute;
      say(rank, {{"tid", number}}, "thread_name", "name",
          fmt::format("{}{}", ir::name(stream), compute ? "" : " communication"));
      say(rank, {{"tid", number}}, "thread_sort_index", "sort_index",
          static_cast<unsigned>(stream));
    }
  }

  const ir::Plan& plan;
  bool inside = false;
  std::uint64_t count = 0;
  std::string lines;
  std::set<std::pair<std::uint64_t, ir::Stream>> threads;
};

std::vector<EmittedFile> render(const TargetRequest& request) {
  const Events events(request.plan);
  const Json about{{"comment", fmt::format("{}. {}.", subjectOf(request.plan), writtenBy(request))},
                   {"inside_actions", events.segments()
                                          ? Json("computation and calls")
                                          : Json(fmt::format("left out: with them there are more "
                                                             "than {} events",
                                                             mostEvents))}};
  return {{"trace.json",
           "{\n\"displayTimeUnit\": \"ns\",\n\"otherData\": " + lineOf(about) +
               ",\n\"traceEvents\": [\n" + events.text() + "\n]\n}\n",
           false}};
}
} // namespace

extern const Target target;
const Target target{
    "trace", "a trace viewer", "one step as a trace for Perfetto and chrome://tracing",
    {},      rule::all,        check,
    render};
} // namespace dpl::trace
