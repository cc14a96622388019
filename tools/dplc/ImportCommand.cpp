//===- ImportCommand.cpp - dplc import: a .dpl file from a file of another program ------------===//
#include "backends/Target.h"
#include "frontend/Frontend.h"
#include "frontend/import/ErrorOrigins.h"
#include "frontend/import/HuggingFace.h"
#include "frontend/import/Megatron.h"
#include "frontend/import/sandbox/Sandbox.h"
#include "support/FileIo.h"
#include "support/Text.h"
#include "support/Utf8.h"
#include "support/diagnostics/Cost.h"
#include "support/diagnostics/Imports.h"
#include "support/diagnostics/Targets.h"
#include "tools/dplc/ConfigurationImports.h"
#include "tools/dplc/Machine.h"
#include "tools/dplc/Session.h"
#include "tools/dplc/Targets.h"
#include "tools/dplc/Terminal.h"
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <set>
using namespace dpl;
using namespace dpl::tool;

namespace {
bool isName(llvm::StringRef text) {
  const auto part = [](unsigned char c) { return c < 0x80 && (std::isalnum(c) != 0 || c == '_'); };
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 &&
         std::all_of(text.begin(), text.end(), part);
}

bool isCluster(const std::string& path) { return llvm::is_contained(clustersOfLibrary(), path); }

/// A reader of the files that a script sources. They must be in the folder of the script or below
/// it, and below the size limit of sources.
auto filesBeside(Session& session, const std::string& script) {
  const std::filesystem::path folder = std::filesystem::path(script).parent_path();
  return [&session, folder](llvm::StringRef path) -> std::optional<std::uint32_t> {
    const std::filesystem::path file = folder / path.str();
    std::error_code failed;
    if (!std::filesystem::is_regular_file(std::filesystem::symlink_status(file, failed)))
      return std::nullopt;
    const std::filesystem::path root =
        std::filesystem::canonical(folder.empty() ? "." : folder, failed);
    const std::filesystem::path below =
        std::filesystem::canonical(file, failed).lexically_relative(root);
    if (failed || below.empty() || *below.begin() == "..")
      return std::nullopt; // the path leaves the folder through a link
    DiagnosticEngine silent;
    const FailureOr<std::uint32_t> read = loadSource(session.sources, silent, file.string());
    return read.failed() ? std::nullopt : std::optional(*read);
  };
}

/// Runs the script in the sandbox. Returns a source text with the script's `#SBATCH` lines and one
/// line per command that it starts.
FailureOr<std::uint32_t> executed(Session& session, const ImportOptions& options,
                                  std::uint32_t file) {
  imports::sandbox::ScriptRun run{options.files.front(), {}, {}};
  for (const auto& [name, value] : definitions(options.defines)) {
    llvm::SmallVector<llvm::StringRef, 8> words;
    if (name != "@")
      run.environment.emplace_back(name, value);
    else
      llvm::SplitString(value, words);
    run.arguments.insert(run.arguments.end(), words.begin(), words.end());
  }
  const FailureOr<std::string> visible = imports::sandbox::whatItSees(run, session.diags);
  if (visible.failed())
    return LogicalResult::failure();
  std::fputs(visible->c_str(), stderr); // printed before the script runs
  const FailureOr<imports::sandbox::ScriptOutput> ran =
      imports::sandbox::execute(run, session.diags);
  if (ran.failed())
    return LogicalResult::failure();
  const FailureOr<std::string> commands =
      imports::sandbox::commandsIn(ran->records, oneLine(run.script), session.diags);
  if (commands.failed())
    return LogicalResult::failure();
  if (commands->empty()) {
    const std::string end = ran->output.empty() ? ""
                                                : ", and its last output was: " +
                                                      imports::sandbox::lastWords(ran->output);
    return session.diags
        .report<diag::ImportStopped>(
            {}, oneLine(run.script),
            fmt::format("it reached no launcher; it ended with status {}{}", ran->status, end))
        .help("its environment has only `PATH` and the variables of `--define`, and it sees only "
              "the files of its folder");
  }
  std::string text;
  llvm::StringRef rest = session.sources.text(file), line;
  while (!rest.empty()) {
    std::tie(line, rest) = rest.split('\n');
    if (!line.startswith("#") && !line.trim().empty())
      break;
    if (line.startswith("#SBATCH"))
      text += line.str() + "\n";
  }
  return session.sources.add(options.files.front() + " (as it ran)", text + *commands);
}

FailureOr<std::string> launch(Session& session, const ImportOptions& options, std::uint32_t file,
                              imports::WrittenSettings& settings) {
  imports::LaunchImport request{
      session.sources, file,           definitions(options.defines), options.ignore,
      options.lenient, options.cluster};
  request.settings = &settings;
  if (options.execute) {
    const FailureOr<std::uint32_t> started = executed(session, options, file);
    if (started.failed())
      return LogicalResult::failure();
    request.file = *started, request.executed = true;
  } else if (!options.line) {
    request.addSourcedFile = filesBeside(session, options.files.front());
  }
  return imports::megatronLaunch(request, session.diags);
}

constexpr const char* madeFile = "imported.dpl";

/// The text of the plan from the field of an error to its end. The range of an error may be the
/// value after `=`.
llvm::StringRef fieldOf(const SourceManager& made, SourceRange at) {
  if (!at.valid() || made.name(at.file) != madeFile)
    return {};
  const llvm::StringRef text = made.text(at.file);
  llvm::StringRef before = text.take_front(at.begin).rtrim();
  const bool ofValue = !made.text(at).contains('=') && before.consume_back("=");
  return text.drop_front(ofValue ? before.rtrim().find_last_of(" {\n") + 1 : at.begin);
}

/// Warns about settings that the framework itself refuses, in the release of the file, at their
/// lines in the file if these are known. `made` has the text of the plan.
void askFramework(Session& session, const ImportOptions& options, const ir::Plan& plan,
                  const SourceManager& made, const imports::ErrorOrigins& origins) {
  const std::string& kind = options.kind;
  const Target* const target =
      targetNamed(kind == "torchtitan" || kind == "deepspeed" ? kind : "megatron");
  const bool old = kind == "torchtitan" &&
                   !llvm::StringRef(options.files.front()).endswith(".py"); // a TOML file
  const Release release = old ? target->releases.front() : target->newest();
  for (Diagnostic& one : refusalsBy({*target, plan, release, {}})) {
    if (llvm::StringRef(one.info.code) != diag::TargetRefuses::info.code)
      continue; // the import has reported options without a counterpart
    one.range = origins.placeOf(fieldOf(made, one.range)).value_or(SourceRange{});
    session.diags.issue(std::move(one));
  }
}

/// Reports the first error that `dplc check` would find in the text, except too little memory,
/// which depends on the cluster.
LogicalResult checked(Session& session, const ImportOptions& options, const std::string& text,
                      const imports::ErrorOrigins& origins) {
  const std::string name = options.files.empty() ? "--line" : options.files.front();
  Workspace workspace;
  workspace.overlay(madeFile, text);
  DiagnosticEngine found;
  const std::unique_ptr<CompiledUnit> unit = workspace.compile(madeFile, found);
  if (!unit->file.failed() && found.errors() == 0)
    for (ir::Plan& plan : unit->file->plans)
      (void)Workspace::complete(plan, found);
  found.endPhase();
  for (const Diagnostic& one : found.diagnostics())
    if (one.info.severity == Severity::Error &&
        llvm::StringRef(one.info.code) != diag::OutOfMemory::info.code &&
        llvm::StringRef(one.info.code) != diag::HostOutOfMemory::info.code) {
      const imports::ErrorOrigin origin = origins.of(one, fieldOf(workspace.sources(), one.range));
      auto report =
          session.diags.report<diag::ImportIllegal>(origin.at, oneLine(name), origin.message);
      if (!origin.help.empty())
        (void)std::move(report).help(origin.help);
      return LogicalResult::failure();
    }
  if (!unit->file.failed())
    for (const ir::Plan& plan : unit->file->plans)
      askFramework(session, options, plan, workspace.sources(), origins);
  return LogicalResult::success();
}

/// The imported text in the format of `dplc fmt`; fails after a report.
FailureOr<std::string> import(Session& session, const ImportOptions& options) {
  const FailureOr<std::uint32_t> file =
      options.line ? session.sources.add("--line", *options.line + "\n")
                   : loadSource(session.sources, session.diags, options.files.front());
  if (file.failed())
    return LogicalResult::failure();
  imports::WrittenSettings settings;
  const FailureOr<std::string> text =
      options.kind == "megatron" ? launch(session, options, *file, settings)
      : options.kind == "hf"     ? imports::huggingFaceModel(session.sources, *file, options.name,
                                                             options.as, session.diags)
                                 : importConfiguration(session, options, *file, settings);
  if (text.failed())
    return LogicalResult::failure();
  const std::uint32_t made =
      session.sources.add(options.output.empty() ? "import" : options.output, *text);
  const FailureOr<std::string> formatted = format(session.sources, made, session.diags);
  const imports::ErrorOrigins origins(options.kind, session.sources, *file, std::move(settings));
  if (formatted.failed() || checked(session, options, *formatted, origins).failed())
    return LogicalResult::failure();
  return formatted;
}

/// The message about options that exclude each other; empty if there is none.
std::string contradiction(const ImportOptions& options) {
  const bool megatron = options.kind == "megatron";
  if (!megatron && (options.execute || options.line))
    return fmt::format("`{}` is for a launch of Megatron-LM", options.line ? "--line" : "--run");
  if (!options.name.empty() && options.kind != "hf")
    return "`--name` is for a model of Hugging Face";
  if (options.kind == "hf") {
    const bool elsewhere = options.cluster != ImportOptions().cluster;
    if (elsewhere || !options.defines.empty() || !options.ignore.empty())
      return fmt::format("`{}` is for a launch or its configuration; a model of Hugging Face is "
                         "complete",
                         elsewhere                 ? "--cluster"
                         : options.defines.empty() ? "--ignore"
                                                   : "--define");
  }
  if (!options.overrides.empty() && options.kind != "torchtitan")
    return fmt::format(
        "`--{}` is an override of torchtitan; `--define` sets what another file leaves "
        "open",
        options.overrides.front());
  if (options.lenient && !megatron)
    return "`--lenient` is for a launch of Megatron-LM; `--ignore` names a setting";
  if (!options.as.empty() && (megatron || options.kind == "nemo"))
    return "`--as` is for files that do not name the model; this file names it";
  if (options.line && options.execute)
    return "`--line` and `--run` exclude each other: a command needs no script";
  if (options.line && !options.files.empty())
    return "`--line` takes the place of the file";
  if (options.files.empty() && !options.line)
    return megatron ? "a file or `--line COMMAND` is needed" : "a file is needed";
  return "";
}

/// The `///` remarks at the top of the imported file, for example about dropped options or a batch
/// that grows. The first line is left out, and options that are not part of a plan.
std::string remarksOf(llvm::StringRef text) {
  std::string out;
  llvm::StringRef rest = text.split('\n').second, line;
  for (std::tie(line, rest) = rest.split('\n'); line.consume_front("/// ");
       std::tie(line, rest) = rest.split('\n'))
    if (!line.startswith("Not part of a plan"))
      out += "  " + wrapped(line.str(), pageWidth() - 2, 2) + "\n";
  return out;
}
} // namespace

int tool::runImport(Session& session, const ImportOptions& options) {
  session.diags.limit = 500; // all errors of an import are reported at once
  if (const std::string wrong = contradiction(options); !wrong.empty())
    return session.refuse(wrong);
  if (!options.name.empty() && !isName(options.name)) {
    return session.refuse("`--name` needs a name of letters, digits and `_`");
  }
  if (imports::isTakenName(options.name))
    return session.refuse(
        fmt::format("`--name {}`: a model cannot have this name, the file uses the word "
                    "otherwise",
                    options.name));
  std::set<std::string> defined;
  for (const std::string& given : options.defines) {
    const llvm::StringRef name = llvm::StringRef(given).split('=').first;
    const bool wellFormed = llvm::StringRef(given).contains('=') && (name == "@" || isName(name));
    if (wellFormed && defined.insert(name.str()).second)
      continue;
    return session.refuse(wellFormed
                              ? fmt::format("`--define {}` is given more than once", name)
                              : fmt::format("`--define {}` is not of the form NAME=VALUE", given));
  }
  if (options.kind != "hf" && !isCluster(options.cluster))
    return session.refuse(
        fmt::format("`--cluster {}` is not a cluster of the library", options.cluster));
  const FailureOr<std::string> text = import(session, options);
  session.diags.endPhase();
  if (text.failed())
    return session.finish();
  if (options.output.empty() || Session::isStandardOutput(options.output)) {
    session.out = *text;
    return session.finish();
  }
  if (session.writeNew(options.output, *text).succeeded())
    session.out = fmt::format("wrote {}\n", options.output) + remarksOf(*text);
  return session.finish();
}
