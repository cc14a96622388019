//===- Workspace.cpp - Compiles files to complete plans, without input and output -------------===//
#include "driver/workspace/Workspace.h"
#include "planner/CompletePlan.h"
#include "llvm/ADT/Twine.h"
#include <filesystem>
using namespace dpl;

namespace {
std::string normal(const std::string& path) {
  return std::filesystem::path(path).lexically_normal().string();
}
} // namespace

CompiledUnit::CompiledUnit(std::shared_ptr<ReadFiles> from, DiagnosticEngine& diags,
                           FrontendOptions options, bool keepNames)
    : file(LogicalResult::failure()), read(std::move(from)), compilation(read->files, diags, [&] {
        if (keepNames)
          options.onName = [this](SourceRange use, const NameMeaning& meaning) {
            names.push_back({use, meaning});
          };
        return std::move(options);
      }()) {}

std::optional<ir::Plan> CompiledUnit::nextPlan() {
  return file.failed() ? std::nullopt : compilation.nextPlan(*file);
}

CompiledUnit::CompiledUnit(std::shared_ptr<ReadFiles> from, FrontendOptions options)
    : file(LogicalResult::failure()), read(std::move(from)),
      compilation(read->point, std::move(options)) {}

CompiledUnit::CompiledUnit(std::shared_ptr<ReadFiles> from)
    : file(LogicalResult::failure()), read(std::move(from)),
      compilation(read->files, unreported, [] {
        FrontendOptions options;
        options.keepsDamaged = true;
        return options;
      }()) {}

std::vector<WrittenField> CompiledUnit::fieldsOf(const ir::Plan& plan) const {
  return compilation.fields(plan);
}

std::vector<FieldLevel> CompiledUnit::history(const std::string& path) const {
  return compilation.history(path);
}

SourceRange CompiledUnit::placeOf(const ir::Plan& plan, llvm::StringRef path) const {
  const llvm::StringRef kind = path.take_until([](char c) { return c == '.'; });
  const std::string& name = kind == "layout"    ? plan.layout.name
                            : kind == "cluster" ? plan.cluster.name
                                                : plan.model.name;
  // If the block is in another file, it is named by its kind, if the file has only one block of
  // this kind.
  for (const llvm::StringRef block : {llvm::StringRef(name), kind})
    if (const std::vector<FieldLevel> levels =
            history((block + path.drop_front(kind.size())).str());
        !levels.empty())
      return levels.back().range;
  return {};
}

std::optional<NameAt> CompiledUnit::nameAt(std::uint32_t inFile, std::uint32_t byte) const {
  const NameAt* best = nullptr;
  for (const NameAt& name : names)
    if (name.use.file == inFile && name.use.begin <= byte && byte <= name.use.end &&
        (!best || name.use.end - name.use.begin < best->use.end - best->use.begin))
      best = &name;
  return best ? std::optional(*best) : std::nullopt;
}

CompiledUnit::~CompiledUnit() = default;
Workspace::~Workspace() = default;

Workspace::Workspace(FileReader disk) : disk(std::move(disk)), first(readNothing()), read(first) {}

std::shared_ptr<ReadFiles> Workspace::readNothing() {
  return std::make_shared<ReadFiles>([this](const std::string& path) {
    read->paths.insert(normal(path));
    const auto own = overlays.find(normal(path));
    return own == overlays.end() ? disk(path) : FileText(own->second);
  });
}

void Workspace::overlay(const std::string& path, std::string text) {
  const std::size_t size = text.size();
  overlays[normal(path)] = std::move(text);
  if (read->paths.count(normal(path)) == 0)
    return;
  // Messages and units refer to texts by numbers, so that few versions of a file are kept together.
  const std::size_t few = std::max(keptBytes, 4 * size);
  if (read->files.bytesRead() <= std::min(few, read->files.limit / 2)) {
    read->files.forget(normal(path));
    return;
  }
  const std::size_t limit = read->files.limit;
  read = readNothing();
  read->files.limit = limit;
}

std::unique_ptr<CompiledUnit> Workspace::compile(const std::string& path, DiagnosticEngine& diags,
                                                 std::vector<Override> overrides, bool keepNames,
                                                 bool plansOneByOne, std::string layout) {
  FrontendOptions options;
  options.plansOneByOne = plansOneByOne;
  options.overrides = std::move(overrides), options.layout = std::move(layout);
  std::unique_ptr<CompiledUnit> unit(new CompiledUnit(read, diags, std::move(options), keepNames));
  unit->file = unit->compilation.compile(path);
  diags.endPhase();
  return unit;
}

std::unique_ptr<CompiledUnit> Workspace::compileAroundMissingValues(const std::string& path) {
  std::unique_ptr<CompiledUnit> unit(new CompiledUnit(read));
  unit->file = unit->compilation.compile(path);
  return unit;
}

std::unique_ptr<FileNames> Workspace::names(const std::string& path) {
  return std::make_unique<FileNames>(std::shared_ptr<ParsedFiles>(read, &read->files), path);
}

std::unique_ptr<CompiledUnit> Workspace::compilePoint(const std::string& path,
                                                      DiagnosticEngine& diags,
                                                      std::vector<Override> overrides,
                                                      std::string layout) {
  FrontendOptions options;
  options.overrides = std::move(overrides), options.layout = std::move(layout);
  std::unique_ptr<CompiledUnit> unit(new CompiledUnit(read, std::move(options)));
  unit->file = unit->compilation.compile(path);
  read->point.diags.endPhase();
  diags = read->point.diags;
  return unit;
}

LogicalResult Workspace::complete(ir::Plan& plan, DiagnosticEngine& diags,
                                  const PipelineOptions& options,
                                  const planner::SupportsSchedule& runs,
                                  const planner::PlanRefusals& refusals) {
  PipelineOptions with = options;
#ifndef NDEBUG
  with.verify = true;
#endif
  const LogicalResult worked = planner::completePlan(plan, diags, with, runs, refusals);
  diags.endPhase();
  return worked;
}
