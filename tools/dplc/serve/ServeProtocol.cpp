//===- ServeProtocol.cpp - The methods of `dplc serve` ----------------------------------------===//
#include "tools/dplc/serve/ServeProtocol.h"
#include "support/Near.h"
#include "support/OpenTexts.h"
#include "support/Utf8.h"
#include "tools/dplc/Session.h"
#include "tools/dplc/serve/CommandWords.h"
#include "tools/dplc/serve/FigurePoints.h"
#include "llvm/ADT/STLExtras.h"
using namespace dpl;
using namespace dpl::tool;

namespace {
/// Requests that the server answers itself, without a process.
constexpr const char* ownMethods[] = {"initialize", "open", "change", "close", "shutdown"};

std::vector<std::string> methodNames() {
  std::vector<std::string> names(std::begin(ownMethods), std::end(ownMethods));
  names.emplace_back(figuresMethod);
  for (const CommandMethod& method : commandMethods())
    names.emplace_back(method.name);
  return names;
}

Json welcome() {
  const JobLimits limits;
  return {{"schema", "dplc.serve.1"},
          {"version", DPL_VERSION},
          {"methods", methodNames()},
          {"limits", {{"seconds", *limits.seconds}, {"bytes", *limits.bytes}}}};
}
} // namespace

void ServeProtocol::receive(Server& server, const Request& request) {
  const std::string& method = request.method;
  const auto answer = [&](Json result) {
    if (request.id)
      server.send(resultText(*request.id, std::move(result)));
  };
  if (method == "initialize")
    return answer(welcome());
  if (method == "shutdown")
    return answer(nullptr);
  if (method == "exit")
    return server.stop(0);
  if (method == "$/cancelRequest") {
    server.cancel(request.params["id"]);
    return answer(nullptr);
  }
  if (method == "open" || method == "change" || method == "close")
    return changeText(server, request);
  // Notifications that are not known are ignored, and so is a job whose answer nobody wants.
  if (!request.id)
    return;
  if (commandMethod(method) || method == figuresMethod)
    return submit(server, request);
  server.send(errorText(
      *request.id, RpcError::UnknownMethod, fmt::format("there is no method `{}`", method),
      {{"help", didYouMean(nearNames(method, methodNames()), "`initialize` lists the methods")}}));
}

/// `open` and `change` give the whole text of a file; `close` returns to the file on disk.
void ServeProtocol::changeText(Server& server, const Request& request) {
  const Json& file = request.params["file"];
  const Json& text = request.params["text"];
  const bool closes = request.method == "close";
  const bool good = file.is_string() && !file.str().empty() &&
                    file.str().find('\0') == std::string::npos && (closes || text.is_string());
  const std::string path = good ? absolutePath(file.str()) : "";
  const bool known = good && (request.method == "open" || texts.count(path) != 0);
  if (known && closes)
    texts.erase(path);
  else if (known)
    texts[path] = std::make_shared<const std::string>(text.str());
  if (!request.id)
    return;
  if (known)
    return server.send(resultText(*request.id, nullptr));
  server.send(errorText(*request.id, RpcError::InvalidParams,
                        good ? fmt::format("`{}` is not open", file.str())
                        : closes
                            ? "`close` needs a `file`"
                            : fmt::format("`{}` needs a `file` and its `text`", request.method)));
}

void ServeProtocol::submit(Server& server, const Request& request) {
  Job job;
  job.id = *request.id, job.name = request.method, job.texts = texts;
  std::string mistake;
  const auto refuse = [&] { server.send(errorText(job.id, RpcError::InvalidParams, mistake)); };
  if (!readCommonParameters(request.params, job, mistake))
    return refuse();
  if (request.method == figuresMethod) {
    job.work = figuresWork(request.params, mistake);
    if (!job.work)
      return refuse();
  } else {
    std::optional<std::vector<std::string>> words =
        commandLineOf(*commandMethod(request.method), request.params, mistake);
    if (!words)
      return refuse();
    job.work = [words = std::move(*words)](Answer& answer, const Progress::Listener& progress) {
      runWords(words, answer, progress);
    };
  }
  server.submit(std::move(job));
}

std::string ServeProtocol::replyTo(const Job& job, const Answer& answer) const {
  // JSON is not parsed again: its bytes are those that the command prints. A shard of a search has
  // a line of text also with `--json`.
  const llvm::StringRef out = llvm::StringRef(answer.out).rtrim();
  const bool object = answer.json && (out.startswith("{") || out.startswith("["));
  const std::string output = object                       ? out.str()
                             : answer.json && out.empty() ? "null"
                                                          : Json(validUtf8(answer.out)).dump();
  return fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{{"exit_code":{},"output":{},)"
                     R"("messages":{},"diagnostics":{}}}}})",
                     job.id.dump(), answer.code, output, Json(validUtf8(answer.messages)).dump(),
                     answer.diagnostics.dump());
}

std::string ServeProtocol::progressOf(const Job& job, std::uint64_t done, std::uint64_t all,
                                      const std::string& unit, const std::string& note) const {
  return notificationText("$/progress", {{"token", job.progressToken},
                                         {"value",
                                          {{"done", done},
                                           {"all", all},
                                           {"unit", unit},
                                           {"note", llvm::StringRef(note).trim(", ")}}}});
}

int tool::runServe(Session&, const ServeOptions&) {
  ServeProtocol protocol;
  return Server(protocol).run();
}
