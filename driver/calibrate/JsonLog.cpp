//===- JsonLog.cpp - The JSON of nccl-tests -J ------------------------------------------------===//
#include "driver/calibrate/LogRows.h"
#include "support/Json.h"
using namespace dpl;
using namespace dpl::score;

namespace {
/// The member with this name and kind, or null.
const Json* member(const Json& of, const char* name, bool (Json::*is)() const noexcept) {
  const Json* found = of.find(name);
  return found && (found->*is)() ? found : nullptr;
}

std::uint64_t countOr(const Json& of, const char* name, std::uint64_t otherwise) {
  const Json* found = member(of, name, &Json::is_number_unsigned);
  return found ? found->get<std::uint64_t>() : otherwise;
}

/// Reads the devices. Each entry is the first device of a process. All processes have the same
/// number of ranks.
LogicalResult devices(LogRows& rows, const Json& config) {
  const Json* list = member(config, "devices", &Json::is_array);
  const std::uint64_t each = countOr(config, "nthreads", 1) * countOr(config, "ngpus", 1);
  rows.ofThread = countOr(config, "ngpus", 0);
  std::uint64_t process = 0;
  for (const Json& device : list ? *list : Json::array()) {
    const Json* host = member(device, "hostname", &Json::is_string);
    if (!host)
      return rows.wrong(rows.text.take_front(0), "a device of `config.devices` has no `hostname`");
    if (countOr(device, "group", 0) != 0)
      return rows.wrong(rows.text.take_front(0),
                        "ranks are in several groups at once, one group is needed");
    rows.process(host->str(), ++process * each - 1);
  }
  return LogicalResult::success();
}
} // namespace

LogicalResult score::readJsonLog(LogRows& rows) {
  const llvm::StringRef text = rows.text;
  const Json log = Json::parse(text);
  if (!log.is_object())
    return rows.wrong(text.take_back(0), "this is not a complete JSON object: was it cut off?");
  const Json* results = member(log, "results", &Json::is_array);
  if (!results)
    return rows.wrong(text.take_front(0), "it has no list `results`, as nccl-tests -J writes one");
  if (const Json* arguments = member(log, "args", &Json::is_array))
    if (!arguments->empty() && arguments->front().is_string()) {
      // The error is placed at the name in the text, so that users find the mistake.
      const llvm::StringRef name = arguments->front().str();
      const llvm::StringRef own = name.substr(name.rfind('/') + 1);
      const std::size_t found = text.find(own);
      if (rows.program(found == llvm::StringRef::npos ? text.take_front(0)
                                                      : text.substr(found, own.size()))
              .failed())
        return LogicalResult::failure();
    }
  if (const Json* config = member(log, "config", &Json::is_object))
    if (devices(rows, *config).failed())
      return LogicalResult::failure();
  std::size_t from = text.find("\"results\"");
  for (const Json& result : *results) {
    // Each row of the text begins with its size, by which its place is found.
    from = text.find("\"size\"", from + 1);
    const llvm::StringRef piece =
        from == llvm::StringRef::npos ? text.take_front(0) : text.substr(from, 6);
    const Json* body = member(result, "out_of_place", &Json::is_object);
    if (!body)
      body = member(result, "in_place", &Json::is_object);
    const Json* time = body ? member(*body, "time", &Json::is_number) : nullptr;
    if (!member(result, "size", &Json::is_number_unsigned) || !time)
      return rows.wrong(piece, "a result needs `size` and `out_of_place.time`");
    if (const Json* wrong = member(*body, "nwrong", &Json::is_number);
        wrong && wrong->get<double>() > 0)
      return rows.wrong(piece, "results were wrong: this is not a measurement");
    if (rows.row(piece, countOr(result, "size", 0), time->get<double>()).failed())
      return LogicalResult::failure();
  }
  return rows.end();
}
