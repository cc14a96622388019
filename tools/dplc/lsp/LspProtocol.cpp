//===- LspProtocol.cpp - The language server --------------------------------------------------===//
#include "tools/dplc/lsp/LspProtocol.h"
#include "support/diagnostics/Tools.h"
#include "tools/dplc/Session.h"
#include "tools/dplc/lsp/Features.h"
#include "tools/dplc/lsp/LibraryFiles.h"
#include "llvm/ADT/STLExtras.h"
using namespace dpl;
using namespace dpl::tool;

namespace {
/// LSP's error for requests before `initialize`.
constexpr auto notInitialized = static_cast<RpcError>(-32002);
/// What the processes that judge a plan may use.
constexpr JobLimits limitsOfPlan{120, 4'000'000'000};

/// "Segmentation fault" of "the process of request `…` ended early: Segmentation fault".
std::string reasonOf(llvm::StringRef message) { return message.rsplit(": ").second.str(); }

/// The message about a plan whose process gave no result, from the error in the place of its reply.
std::vector<Diagnostic> unjudged(const ir::Plan& plan, const Json& error) {
  DiagnosticEngine diags;
  const SourceRange at = plan.layout.rangeOf("");
  const std::string name = "layout " + plan.layout.name, message = textAt(error, "message");
  const auto is = [&](const char* code) {
    const Json& found = error["data"]["diagnostics"];
    return found.is_array() && !found.empty() && textAt(found[0], "code") == code;
  };
  constexpr const char* help = "`dplc check` has no limit of time and memory";
  if (is(diag::RequestTooLong::info.code))
    (void)diags.report<diag::RequestTooLong>(at, name, *limitsOfPlan.seconds).help(help);
  else if (is(diag::RequestTooLarge::info.code))
    (void)diags.report<diag::RequestTooLarge>(at, name, fmt::format("{} B", *limitsOfPlan.bytes))
        .help(help);
  else
    (void)diags.report<diag::RequestBroken>(
        at, name, message.empty() ? "it could not start" : reasonOf(message));
  return diags.diagnostics().vec();
}

Json idOf(std::uint64_t plan) { return {{"plan", fmt::format("{:016x}", plan)}}; }
} // namespace

void LspProtocol::receive(Server& server, const Request& request) {
  if (request.method != "$/cancelRequest")
    return waiting.push_back(request);
  const Json& id = request.params["id"];
  const auto found =
      llvm::find_if(waiting, [&](const Request& one) { return one.id && *one.id == id; });
  if (found == waiting.end())
    return;
  server.send(errorText(id, RpcError::Cancelled, "the request was cancelled"));
  waiting.erase(found);
}

bool LspProtocol::work(Server& server) {
  if (!waiting.empty()) {
    const Request request = std::move(waiting.front());
    waiting.pop_front();
    handle(server, request);
    return true;
  }
  for (auto& [uri, document] : documents.all())
    if (document.changed || document.unpublished) {
      check(server, document);
      if (document.unpublished)
        publish(server, document);
      return true;
    }
  if (std::exchange(refreshes, false) && client.refreshesHints)
    request(server, "workspace/inlayHint/refresh");
  return false;
}

void LspProtocol::handle(Server& server, const Request& request) {
  const std::string& method = request.method;
  const auto refuse = [&](RpcError code, std::string why) {
    if (request.id)
      server.send(errorText(*request.id, code, std::move(why)));
  };
  if (method == "exit")
    return server.stop(codeAtEnd());
  if (shutDown)
    return refuse(RpcError::InvalidRequest, "the server has been shut down");
  if (method == "initialize")
    return initialize(server, request);
  if (!started)
    return refuse(notInitialized, "`initialize` is the first request");
  if (method == "shutdown") {
    shutDown = true;
    if (request.id)
      server.send(resultText(*request.id, nullptr));
    return;
  }
  if (method == "textDocument/didOpen")
    return open(request.params);
  if (method == "textDocument/didChange")
    return change(request.params);
  if (method == "textDocument/didClose")
    return close(server, request.params);
  if (method == "textDocument/didSave" || method == "workspace/didChangeWatchedFiles")
    return filesChanged();
  if (method == "initialized")
    return watchFiles(server);
  if (method == "workspace/didChangeWorkspaceFolders")
    return changeFolders(request.params["event"]);
  if (!request.id) // notifications that are not known are ignored
    return;
  const DocumentMethod* found = documentMethod(method);
  if (!found)
    return refuse(RpcError::UnknownMethod, fmt::format("there is no method `{}`", method));
  const std::string uri = textAt(request.params["textDocument"], "uri");
  OpenDocument* document = documents.find(uri);
  if (!document)
    return refuse(RpcError::InvalidParams, fmt::format("`{}` is not open", uri));
  for (auto& [other, open] : documents.all()) // names are also looked up in other open files
    check(server, open);
  std::string mistake;
  Json result = found->answer({documents, *document, request.params, client, mistake});
  if (!mistake.empty())
    return refuse(RpcError::Failed, std::move(mistake));
  server.send(resultText(*request.id, std::move(result)));
}

void LspProtocol::open(const Json& params) {
  const Json& document = params["textDocument"];
  const std::string uri = textAt(document, "uri");
  if (uri.empty())
    return;
  documents.open(uri, textAt(document, "text"), wholeAt(document, "version", 0));
  filesChanged();
}

void LspProtocol::change(const Json& params) {
  const Json& named = params["textDocument"];
  OpenDocument* document = documents.find(textAt(named, "uri"));
  if (!document)
    return;
  document->apply(params["contentChanges"], documents.encoding);
  document->version = wholeAt(named, "version", document->version);
  filesChanged();
}

void LspProtocol::close(Server& server, const Json& params) {
  const std::string uri = textAt(params["textDocument"], "uri");
  const OpenDocument* document = documents.find(uri);
  if (!document)
    return;
  const std::string path = document->path;
  documents.close(uri);
  std::set<std::string> paths{path};
  for (const auto& [shownIn, list] : messages[uri])
    paths.insert(shownIn);
  messages.erase(uri);
  shown.insert(path);
  filesChanged();
  for (const std::string& one : paths)
    publish(server, one, documents.findPath(one));
  judgeApart(server);
}

/// Checks the documents again that have read a file which has another text now.
void LspProtocol::filesChanged() {
  for (auto& [uri, document] : documents.all())
    document.changed |= document.check.isOutdated();
}

void LspProtocol::check(Server& server, OpenDocument& document) {
  if (!document.changed)
    return;
  document.check.run(document.text);
  document.changed = false, document.unpublished = true;
  judgeApart(server);
}

/// Has a process judge each slow plan of the open documents, and ends those of other plans.
void LspProtocol::judgeApart(Server& server) {
  std::map<std::uint64_t, SlowPlan> needed;
  for (const auto& [uri, document] : documents.all())
    for (const SlowPlan& plan : document.check.slowPlans())
      needed.emplace(plan.key, plan);
  for (auto key = apart.begin(); key != apart.end();) {
    if (needed.count(*key)) {
      ++key;
      continue;
    }
    server.cancel(idOf(*key), /*answers=*/false);
    key = apart.erase(key);
  }
  for (const auto& [key, plan] : needed) {
    if (!apart.insert(key).second)
      continue;
    Job job;
    job.id = idOf(key), job.name = "the passes of layout " + plan.plan->layout.name;
    job.limits = limitsOfPlan;
    job.work = [plan = plan](Answer& answer, const Progress::Listener&) {
      PlanResult result = resultOf(*plan.plan, *plan.unit, plan.workspace->sources(), true);
      result.figures = figuresOf(*plan.plan);
      answer.out = asJson(result).dump();
    };
    job.finish = [this, plan = plan](const std::string& reply) { finish(plan, reply); };
    server.submit(std::move(job));
  }
}

void LspProtocol::finish(const SlowPlan& plan, const std::string& reply) {
  auto result = std::make_shared<PlanResult>();
  const Json answer = reply.empty() ? Json::object() : Json::parse(reply);
  if (answer.find("judged"))
    *result = planResultOf(answer);
  else
    result->openPhase = unjudged(*plan.plan, answer["error"]);
  result->ranges = rangesOf(*plan.plan);
  documents.table.add(plan.key, std::move(result));
  apart.erase(plan.key);
  for (auto& [uri, document] : documents.all())
    if (document.check.update())
      document.unpublished = refreshes = true;
}

std::string LspProtocol::replyTo(const Job&, const Answer& answer) const { return answer.out; }

std::string LspProtocol::progressOf(const Job&, std::uint64_t, std::uint64_t, const std::string&,
                                    const std::string&) const {
  return "";
}

int tool::runLsp(Session&, const LspOptions&) {
  LspProtocol protocol;
  return Server(protocol).run();
}
