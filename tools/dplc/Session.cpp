//===- Session.cpp - State and functions that the commands of dplc share ----------------------===//
#include "tools/dplc/Session.h"
#include "support/FileIo.h"
#include "support/Json.h"
#include "support/RenderText.h"
#include "support/Utf8.h"
#include "support/diagnostics/Tools.h"
#include "tools/dplc/Answer.h"
#include "tools/dplc/Terminal.h"
#include <cstdlib>
#include <filesystem>
#include <unistd.h>
using namespace dpl;
using namespace dpl::tool;

namespace {
bool in(llvm::StringRef code, llvm::StringRef first, llvm::StringRef last) {
  return code >= first && code <= last;
}

std::vector<std::string> warningNames() {
  std::vector<std::string> names;
  for (const DiagInfo& row : allDiagnostics())
    if (row.severity == Severity::Warning || row.severity == Severity::Remark)
      names.emplace_back(row.name);
  return names;
}

/// Splits a text at the first `=`; false if a side is empty.
bool splitSetting(llvm::StringRef text, Override& setting) {
  const auto [path, value] = text.split('=');
  setting.path = path.trim().str();
  setting.value = value.trim().str();
  return !setting.path.empty() && !setting.value.empty();
}
} // namespace

Session::Session(CompileOptions given) : options(std::move(given)), sources(workspace.sources()) {}

bool Session::prepare() {
  using Mapping = DiagnosticEngine::SeverityMapping;
  const auto map = [&](const std::vector<std::string>& names, Mapping mapping) {
    for (const std::string& name : names) {
      Override setting;
      if (mapping == Mapping::Warning && splitSetting(name, setting)) {
        setting.origin = "--warn";
        overrides.push_back(std::move(setting));
      } else if (!diags.map(name, mapping)) {
        (void)diags.report<diag::UnknownWarning>({}, name).help(
            didYouMean(nearNames(name, warningNames()), "`dplc explain` lists the warnings"));
      }
    }
  };
  if (!options.limit.empty())
    if (const auto bytes = bytesOf("--limit", options.limit))
      workspace.limitSources(*bytes);
  map(options.noWarn, Mapping::Off);
  map(options.warn, Mapping::Warning);
  map(options.error, Mapping::Error);
  if (llvm::count(options.files, "-") > 1)
    (void)diags.report<diag::UsageError>(
        {}, "`-` is given twice, but standard input can be read only once");
  for (const std::string& file : options.setFiles)
    readSettings(file);
  // Settings of the command line are added after those of files, so that they override them.
  for (const std::string& text : options.set) {
    Override setting;
    setting.origin = "--set";
    addSetting(text, std::move(setting));
  }
  diags.endPhase();
  silent = diags;
  return diags.errors() == 0;
}

int tool::runCommand(const CommandLine& line, Session& session) {
  session.out = line.exitCode == ExitOk ? line.text : "";
  if (line.exitCode != ExitOk)
    (void)session.diags.report<diag::UsageError>({}, line.text).help(line.help);
  return line.command.run ? line.command.run(session) : session.finish();
}

std::unique_ptr<CompiledUnit> Session::compile(const std::string& path, bool keepNames,
                                               bool plansOneByOne) {
  const std::string name = nameOf(path);
  if (path == "-")
    if (FileText read = dpl::readFile("/dev/stdin"); !read.failed())
      workspace.overlay(name, std::move(read.text));
  return workspace.compile(name, diags, overrides, keepNames, plansOneByOne, options.layout);
}

std::vector<Override> Session::settings() const {
  std::vector<Override> given = overrides;
  for (Override& setting : given)
    setting.range = {};
  return given;
}

std::optional<std::uint64_t> Session::wholeOf(llvm::StringRef text, const char* dimension,
                                              std::int64_t parts) {
  const llvm::StringRef digits =
      text.take_while([](char c) { return (c >= '0' && c <= '9') || c == '.' || c == '_'; });
  const Unit* unit = findUnit(text.drop_front(digits.size()));
  std::optional<Rational> amount = Rational::parse(digits);
  if (!amount || !unit || unit->dimension != *dimensionNamed(dimension))
    return std::nullopt;
  amount = Rational::multiply(*amount, unit->factor);
  if (amount)
    amount = Rational::multiply(*amount, parts);
  const std::optional<std::int64_t> whole = amount ? amount->asInteger() : std::nullopt;
  return whole && *whole > 0 ? std::optional<std::uint64_t>(*whole) : std::nullopt;
}

std::optional<std::uint64_t> Session::bytesOf(llvm::StringRef option, llvm::StringRef text) {
  const bool bare = !text.empty() && text.find_if_not([](char c) {
    return c >= '0' && c <= '9';
  }) == llvm::StringRef::npos;
  const std::optional<std::uint64_t> bytes =
      wholeOf(bare ? text.str() + "B" : text.str(), "Bytes", 1);
  if (!bytes)
    (void)diags.report<diag::UsageError>(
        {}, fmt::format("{}: `{}` is not a size such as 64MiB", option, text));
  return bytes;
}

std::optional<std::uint64_t> Session::picosecondsOf(llvm::StringRef option, llvm::StringRef text) {
  const std::optional<std::uint64_t> time = wholeOf(text, "Duration", 1'000'000'000'000);
  if (!time)
    (void)diags.report<diag::UsageError>(
        {}, fmt::format("{}: `{}` is not a time such as 10us", option, text));
  return time;
}

void Session::addSetting(llvm::StringRef text, Override setting) {
  if (!splitSetting(text, setting)) {
    (void)diags.report<diag::NotASetting>(setting.range, text);
    return;
  }
  if (llvm::StringRef name = setting.path; name.consume_front("param.")) {
    (void)diags
        .report<diag::UsageError>(setting.range, fmt::format("`{}` is not a path", setting.path))
        .help(fmt::format("a parameter is set by its name: `{}={}`", name, setting.value));
    return;
  }
  overrides.push_back(std::move(setting));
}

void Session::readSettings(const std::string& path) {
  const FailureOr<std::uint32_t> file = loadSource(sources, diags, path);
  if (file.failed())
    return;
  llvm::StringRef rest = sources.text(*file);
  const char* start = rest.data();
  while (!rest.empty()) {
    llvm::StringRef line;
    std::tie(line, rest) = rest.split('\n');
    const llvm::StringRef text = withoutComment(line).trim();
    if (text.empty())
      continue;
    Override setting;
    setting.origin = "--set-file";
    const auto begin = static_cast<std::uint32_t>(text.data() - start);
    const SourceRange range{*file, begin, begin + static_cast<std::uint32_t>(text.size())};
    setting.range = range;
    addSetting(text, std::move(setting));
  }
}

figures::FieldLocator Session::whereSet(const ir::Plan& plan, const CompiledUnit& unit) const {
  return [&plan, &unit, this](const std::string& field) {
    return sources.describe(unit.placeOf(plan, field));
  };
}

ir::Plan* Session::meant(CompiledFile& file) const {
  // The file's own layouts come before layouts of other files that it launches.
  const std::size_t all = file.plans.size() + file.launched.size();
  for (std::vector<ir::Plan>* plans : {&file.plans, &file.launched})
    for (ir::Plan& plan : *plans) {
      const bool onlyOne = plans == &file.plans ? plans->size() == 1 : all == 1;
      if (plan.layout.name == options.layout || (options.layout.empty() && onlyOne))
        return &plan;
    }
  // The plan of a search is the plan of its first candidate.
  if (plansOfSearches)
    for (ir::Plan& plan : file.searched)
      if (plan.layout.name == options.layout || (options.layout.empty() && all == 0))
        return &plan;
  return nullptr;
}

ir::Plan* Session::choose(CompiledFile& file, const std::string& path) {
  if (ir::Plan* plan = meant(file))
    return plan;
  for (const NamedBlock& search : file.searches)
    if (search.name == options.layout || (options.layout.empty() && file.plans.empty())) {
      (void)diags.report<diag::SearchIsNoLayout>(search.range, search.name)
          .help(fmt::format("`dplc search {} {}` finds layouts", path, search.name));
      return nullptr;
    }
  std::vector<std::string> names;
  for (const std::vector<ir::Plan>* plans : {&file.plans, &file.launched})
    for (const ir::Plan& plan : *plans)
      names.push_back(plan.layout.name);
  if (names.empty())
    (void)diags.report<diag::NoLayout>({}, path).help(
        "a layout is `layout NAME for MODEL on CLUSTER { … }`; `dplc new FILE` writes one");
  else if (options.layout.empty())
    (void)diags.report<diag::LayoutNeeded>({}, path, names.size())
        .help("choose with `--layout`: " + alternatives(names));
  else
    (void)diags.report<diag::NoSuchLayout>({}, path, options.layout)
        .help(didYouMean(nearNames(options.layout, names), "it has " + alternatives(names)));
  return nullptr;
}

void Session::withPlan(llvm::function_ref<void(ir::Plan&, const CompiledUnit&)> use) {
  if (!prepare())
    return;
  const std::string& path = options.files.front();
  const std::unique_ptr<CompiledUnit> unit = compile(path);
  if (unit->file.failed() || diags.errors() > 0)
    return;
  if (ir::Plan* plan = choose(*unit->file, nameOf(path)))
    use(*plan, *unit);
}

void Session::wrongUsage(const std::string& what, const std::string& help) {
  (void)diags.report<diag::UsageError>({}, what).help(help);
}

bool Session::isStandardOutput(const std::string& path) {
  return path == "-" || descriptorNamed(path) == STDOUT_FILENO;
}

LogicalResult Session::writeNew(const std::string& path, llvm::StringRef text) {
  std::error_code unknown;
  if (std::filesystem::exists(std::filesystem::symlink_status(path, unknown)) &&
      !isWrittenThrough(path))
    return diags.report<diag::FileNotWritten>({},
                                              fmt::format("`{}` exists and is not replaced", path));
  return writeFile(path, text, diags);
}

LogicalResult Session::writeNextTo(const std::string& path, llvm::StringRef text) {
  std::error_code unknown;
  std::vector<std::string> read = options.files;
  for (std::uint32_t file = 1; file <= sources.files(); ++file)
    read.push_back(sources.name(file).str());
  for (const std::string& one : read)
    if (std::filesystem::equivalent(path, one, unknown) && !isWrittenThrough(path))
      return diags.report<diag::FileNotWritten>(
          {}, fmt::format("`{}` is an input and is not replaced", path));
  return writeFile(path, text, diags);
}

std::string Session::writePicture(const std::string& path, std::string picture) {
  if (isStandardOutput(path)) {
    exact = true;
    return picture;
  }
  return writeNextTo(path, picture).succeeded() ? fmt::format("wrote {}\n", path) : "";
}

void Session::beginFile() {
  before.absorb(std::move(diags));
  diags = silent;
}

void Session::endFiles() {
  before.absorb(std::move(diags));
  diags = std::move(before);
}

std::vector<Json> Session::releaseDiagnosticsAsJson() {
  diags.endPhase();
  std::vector<Json> taken = diagnosticsAsJson(diags, sources);
  if (answer)
    answer->messages += renderText(diags, sources, false, pageWidth());
  rendered = true;
  worst = std::max(worst, exitCode());
  diags = silent;
  return taken;
}

int Session::exitCode() const {
  int code = ExitOk;
  for (const Diagnostic& d : diags.diagnostics()) {
    if (d.info.severity != Severity::Error)
      continue;
    const llvm::StringRef name = d.info.code;
    const bool unread = !d.range.valid() && in(name, "DPL0002", "DPL0005");
    if (unread || in(name, "DPL0720", "DPL0729"))
      return ExitIo;
    // A release is named by the command line or by a file; only the former is a usage error.
    const bool usage = in(name, "DPL0700", "DPL0719") || name == "DPL0605" ||
                       (name == "DPL0606" && !d.range.valid());
    code = std::max<int>(code, usage ? ExitUsage : ExitWrong);
  }
  return code;
}

int Session::finish() {
  progress.end();
  diags.endPhase();
  if (answer) {
    if (!rendered) {
      answer->messages = renderText(diags, sources, false, pageWidth());
      answer->diagnostics = diagnosticsAsJson(diags, sources);
    }
    answer->json = options.json;
    answer->out = std::move(out);
    return answer->code = std::max(worst, exitCode());
  }
  const bool colour = hasColour(STDERR_FILENO);
  if (!rendered) {
    const DiagnosticFormat format = options.diagnostics;
    std::string shown =
        format == DiagnosticFormat::Text   ? renderText(diags, sources, colour, pageWidth())
        : format == DiagnosticFormat::Json ? renderJson(diags, sources)
                                           : renderSarif(diags, sources, DPL_VERSION, explainPage);
    if (diagnosticsInOutput && format != DiagnosticFormat::Text)
      out = std::move(shown);
    else
      (void)writeAll(STDERR_FILENO, shown);
  }
  const int code = std::max(worst, exitCode());
  if (!exact && !options.json)
    out = manyLines(out, hasColour(STDOUT_FILENO));
  const std::error_code failed = writeAll(STDOUT_FILENO, out);
  if (!failed)
    return code;
  if (failed == std::errc::broken_pipe) // a reader such as `| head` has closed the pipe
    return ExitIo;
  DiagnosticEngine last;
  (void)last.report<diag::OutputFailed>({}, failed.message());
  (void)writeAll(STDERR_FILENO, renderText(last, sources, colour));
  return ExitIo;
}
