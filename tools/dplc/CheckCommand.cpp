//===- CheckCommand.cpp - dplc check: legality, fit and speed on one screen -------------------===//
#include "backends/report/Report.h"
#include "support/Json.h"
#include "tools/dplc/Session.h"
#include "tools/dplc/Targets.h"
#include "llvm/ADT/ScopeExit.h"
using namespace dpl;
using namespace dpl::tool;

namespace {
std::string counted(std::size_t n, const char* what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

/// What was type-checked and has no screen of its own.
std::string remarks(const Session& session, const CompiledFile& file) {
  const std::string& path = session.options.files.front();
  std::string text;
  for (const NamedBlock& search : file.searches)
    text += fmt::format("search `{}` is well formed; running a search is not available yet\n",
                        search.name);
  for (const NamedBlock& study : file.studies)
    text += fmt::format("study `{}` is well formed; running a study is not available yet\n",
                        study.name);
  for (const NamedBlock& run : file.runs)
    text += fmt::format("run `{}` is well formed\n", run.name);
  for (const NamedBlock& launch : file.launches)
    text += fmt::format("launch `{}` is well formed\n", launch.name);
  if (file.plans.empty() && text.empty())
    text = fmt::format("{}: {}, no layout to check\n", path, counted(file.blocks, "block"));
  return text;
}

Json namesOf(const std::vector<NamedBlock>& blocks) {
  Json names = Json::array();
  for (const NamedBlock& block : blocks)
    names.push_back(block.name);
  return names;
}

/// What the targets of `--target` say of a plan: lines for the screen, objects for `--json`.
std::string judge(Session& session, const ir::Plan& plan, const std::vector<ChosenTarget>& targets,
                  Json& verdicts) {
  std::string lines;
  for (const ChosenTarget& chosen : targets) {
    TargetRequest request{*chosen.target, plan, chosen.release, {}};
    for (const ChosenTarget& other : targets)
      if (other.target != chosen.target)
        request.beside.emplace_back(other.target->name);
    const bool taken = check(request, session.diags).succeeded();
    session.diags.endPhase();
    lines += fmt::format("{} {} this plan\n", chosen.text(), taken ? "takes" : "refuses");
    verdicts.push_back(
        {{"target", chosen.target->name}, {"release", chosen.release.text()}, {"accepted", taken}});
  }
  return lines;
}

/// All of the file itself, or the one that `--layout` names.
std::vector<ir::Plan*> checkedPlans(CompiledFile& file, ir::Plan* only, bool one) {
  if (one)
    return only ? std::vector<ir::Plan*>{only} : std::vector<ir::Plan*>();
  std::vector<ir::Plan*> all;
  for (ir::Plan& plan : file.plans)
    all.push_back(&plan);
  return all;
}

} // namespace

int tool::runCheck(Session& session) {
  Options& options = session.options;
  Json layouts = Json::array();
  CompiledFile compiled;
  bool worked = false;
  FrontendOptions front;
  const FailureOr<std::vector<ChosenTarget>> targets = chooseTargets(session);
  if (session.diags.errors() == 0 && !targets.failed() && session.prepare(front)) {
    Compilation compilation(session.sources, session.diags, front);
    FailureOr<CompiledFile> file = compilation.compile(options.files.front());
    session.diags.endPhase();
    worked = !file.failed() && session.diags.errors() == 0;
    if (worked) {
      compiled = std::move(*file);
      ir::Plan* only = options.layout.empty() ? nullptr : session.choose(compiled);
      for (ir::Plan* plan : checkedPlans(compiled, only, !options.layout.empty())) {
        // Nobody reads it again, and a file may have thousands.
        const auto drop = llvm::make_scope_exit([&] { *plan = {}; });
        const unsigned before = session.diags.warnings();
        if (!chooseLaunch(session, *plan, *targets) || !session.complete(*plan))
          continue;
        Json verdicts = Json::array();
        const std::string lines = judge(session, *plan, *targets, verdicts);
        if (options.json) {
          layouts.push_back(Json::parse(report::reportJson(*plan), nullptr, false));
          if (!targets->empty())
            layouts.back()["targets"] = std::move(verdicts);
        } else {
          session.out +=
              (session.out.empty() ? "" : "\n") +
              report::renderCheck(*plan, terminalWidth(), session.diags.warnings() - before) +
              lines;
        }
      }
      if (options.layout.empty() && !options.json)
        if (const std::string text = remarks(session, compiled); !text.empty())
          session.out += (session.out.empty() ? "" : "\n") + text;
    }
  }
  if (options.json) {
    Json diagnostics = Json::array();
    llvm::StringRef rest, line;
    const std::string lines = session.takeDiagnosticsAsJson();
    for (std::tie(line, rest) = llvm::StringRef(lines).split('\n'); !line.empty();
         std::tie(line, rest) = rest.split('\n'))
      diagnostics.push_back(Json::parse(line.str(), nullptr, false));
    session.out = Json{{"schema", "dplc.check.1"},
                       {"file", options.files.empty() ? "" : validUtf8(options.files.front())},
                       {"ok", worked && session.diags.errors() == 0},
                       {"layouts", std::move(layouts)},
                       {"searches", namesOf(compiled.searches)},
                       {"runs", namesOf(compiled.runs)},
                       {"studies", namesOf(compiled.studies)},
                       {"launches", namesOf(compiled.launches)},
                       {"diagnostics", std::move(diagnostics)}}
                      .dump(2) +
                  "\n";
  }
  return session.finish();
}
