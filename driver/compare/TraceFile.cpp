//===- TraceFile.cpp - The events of a profiler's trace ---------------------------------------===//
#include "driver/compare/TraceFile.h"
#include "driver/compare/JsonStream.h"
#include "support/Json.h"
#include "support/diagnostics/Files.h"
#include "support/diagnostics/Tools.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>
#include <filesystem>
using namespace dpl;
using namespace dpl::compare;

namespace {
/// A time in us as whole ns. Times since 1970 have more digits than a double.
std::optional<std::int64_t> nanosecondsOf(llvm::StringRef text) {
  const auto [whole, rest] = text.split('.');
  std::int64_t us = 0;
  if (rest.find_first_not_of("0123456789") != llvm::StringRef::npos || whole.getAsInteger(10, us)) {
    double value = 0;
    if (text.getAsDouble(value) || !(std::abs(value) < 1e15))
      return std::nullopt;
    return std::llround(value * 1000);
  }
  std::int64_t ns = 0;
  for (std::size_t i = 0; i < 3; ++i)
    ns = ns * 10 + (i < rest.size() ? rest[i] - '0' : 0);
  constexpr std::int64_t most = std::int64_t{1} << 52; // us; the sum of two is no overflow in ns
  if (us < -most || us > most)
    return std::nullopt;
  return us * 1000 + (whole.startswith("-") ? -ns : ns);
}

enum class EventKey : std::uint8_t {
  Other,
  Phase,
  Category,
  Name,
  Process,
  Thread,
  Begin,
  Duration,
  Arguments
};
EventKey keyOf(llvm::StringRef key) {
  return llvm::StringSwitch<EventKey>(key)
      .Case("ph", EventKey::Phase)
      .Case("cat", EventKey::Category)
      .Case("name", EventKey::Name)
      .Case("pid", EventKey::Process)
      .Case("tid", EventKey::Thread)
      .Case("ts", EventKey::Begin)
      .Case("dur", EventKey::Duration)
      .Case("args", EventKey::Arguments)
      .Default(EventKey::Other);
}

class TraceReader {
public:
  TraceReader(ByteStream& bytes, TraceHead& head, llvm::function_ref<void(const TraceEvent&)> visit)
      : bytes(bytes), json(bytes), head(head), visit(visit) {}

  /// Empty, or the mistake.
  std::string read() {
    const bool array = json.peek() == '[';
    if (array)
      (void)events();
    else
      (void)json.object([&](const std::string& key) { return member(key); });
    if (!json.failed() && json.peek() >= 0)
      (void)json.fail("there is text after the trace");
    // The checksum of an archive is after its text.
    if (!json.failed() && !bytes.problem().empty())
      (void)json.fail(bytes.problem());
    if (!json.failed() && !array && !found)
      return "it has no `traceEvents`";
    return json.mistake();
  }

private:
  bool member(const std::string& key) {
    if (key == "traceEvents")
      return found = true, events();
    if (key == "distributedInfo" || key == "otherData" || key == "deviceProperties") {
      if ((json.peek() != '{' && json.peek() != '[') || !json.text(scratch))
        return json.skip();
      return about(Json::parse(scratch));
    }
    return json.skip();
  }
  bool about(const Json& value) {
    if (value.is_array()) {
      for (const Json& device : value)
        if (const Json* name = device.find("name");
            name && name->is_string() && head.device.empty())
          head.device = name->get<std::string>();
      return true;
    }
    if (const Json* rank = value.find("rank"); rank && rank->is_number()) {
      const double given = rank->get<double>();
      if (given < 0)
        return json.fail(fmt::format("rank {} is negative", given));
      head.rank = rank->get<std::uint64_t>();
    }
    if (const Json* size = value.find("world_size");
        size && size->is_number() && size->get<double>() > 0)
      head.worldSize = size->get<std::uint64_t>();
    head.emitted |= value.contains("inside_actions");
    constexpr llvm::StringLiteral mark = ", plan ";
    if (const Json* comment = value.find("comment"); comment && comment->is_string()) {
      const std::string text = comment->get<std::string>();
      if (const std::size_t at = text.find(mark); at != std::string::npos)
        head.plan = llvm::StringRef(text).drop_front(at + mark.size()).take_while(llvm::isAlnum);
    }
    return true;
  }
  bool events() {
    return json.array([&] {
      event.clear();
      if (!json.object([&](const std::string& key) { return field(key); }))
        return false;
      visit(event);
      return true;
    });
  }
  bool field(const std::string& key) {
    switch (keyOf(key)) {
    case EventKey::Phase:
      if (!json.text(scratch))
        return false;
      event.phase = scratch.empty() ? '\0' : scratch.front();
      return true;
    case EventKey::Category:
      return json.text(event.category);
    case EventKey::Name:
      return json.text(event.name);
    case EventKey::Process:
      return json.text(event.process);
    case EventKey::Thread:
      return json.text(event.thread);
    case EventKey::Begin:
      return time(event.begin);
    case EventKey::Duration:
      return time(event.duration);
    case EventKey::Arguments:
      return json.peek() == '{' ? json.object([&](const std::string& argument) {
        return this->argument(argument);
      })
                                : json.skip();
    case EventKey::Other:
      break;
    }
    return json.skip();
  }
  bool time(std::int64_t& ns) {
    if (!json.text(scratch))
      return false;
    const std::optional<std::int64_t> value = nanosecondsOf(scratch);
    if (!value)
      return json.fail("`" + scratch.substr(0, 40) + "` is not a time in us");
    ns = *value;
    return true;
  }
  bool argument(const std::string& key) {
    std::string* const text = llvm::StringSwitch<std::string*>(key)
                                  .Case("correlation", &event.correlation)
                                  .Case("stream", &event.stream)
                                  .Cases("Input Dims", "Input dims", &event.shapes)
                                  .Case("Collective name", &event.collective)
                                  .Case("dtype", &event.type)
                                  .Cases("Process Group Name", "group", &event.group)
                                  .Case("Process Group Ranks", &event.ranks)
                                  .Default(nullptr);
    if (text)
      return json.text(*text);
    std::uint64_t* const count = llvm::StringSwitch<std::uint64_t*>(key)
                                     .Case("In msg nelems", &event.inElements)
                                     .Case("Out msg nelems", &event.outElements)
                                     .Case("Group size", &event.groupSize)
                                     .Case("bytes", &event.bytes)
                                     .Default(nullptr);
    if (!count)
      return json.skip();
    if (!json.text(scratch))
      return false;
    if (llvm::StringRef(scratch).getAsInteger(10, *count))
      *count = 0;
    return true;
  }

  ByteStream& bytes;
  JsonStream json;
  TraceHead& head;
  llvm::function_ref<void(const TraceEvent&)> visit;
  TraceEvent event;
  std::string scratch;
  bool found = false;
};
} // namespace

LogicalResult compare::readTrace(const std::string& path, TraceHead& head,
                                 llvm::function_ref<void(const TraceEvent&)> visit,
                                 DiagnosticEngine& diags) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
    return diags.report<diag::FileMissing>(SourceRange{}, path);
  ByteStream bytes;
  if (const std::string problem = bytes.open(path); !problem.empty())
    return diags.report<diag::TraceWrong>(SourceRange{}, path, problem);
  if (const std::string mistake = TraceReader(bytes, head, visit).read(); !mistake.empty())
    return diags.report<diag::TraceWrong>(SourceRange{}, path, mistake);
  return LogicalResult::success();
}
