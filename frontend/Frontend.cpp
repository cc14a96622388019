//===- Frontend.cpp - One compilation: read, resolve, check, lower ----------------------------===//
#include "frontend/Frontend.h"
#include "frontend/MissingHeaders.h"
#include "frontend/SoundBlocks.h"
#include "frontend/sema/Checker.h"
#include "frontend/sema/Lower.h"
#include "frontend/sema/Settings.h"
#include "support/diagnostics/Schema.h"
#include "support/diagnostics/Sema.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>
using namespace dpl;
using namespace dpl::sema;

struct Compilation::State {
  State(ParsedFiles& files, DiagnosticEngine& diags, FrontendOptions givenOptions)
      : options(std::move(givenOptions)),
        shared{files.sources,         diags, arena, files, files.library, options.onName,
               {diags, files.steps()}},
        modules(shared), schemas(shared, modules), evaluator(shared, modules, schemas),
        checker(evaluator, options.point) {}

  FailureOr<CompiledFile> compile(const std::string& path);
  void checkDeclarations();
  void checkSchemas();
  void checkLints();
  bool isLint(const ast::Decl& decl);
  Object* defaultLint();
  std::optional<ir::Plan> lowerLayout(Object& layout);
  std::optional<ir::Plan> lowerSearch(Object& search);
  ir::Plan* planFor(Object& layout, CompiledFile& out, bool anywhere);
  void withRun(Object& run, CompiledFile& out, bool anywhere,
               llvm::function_ref<void(const Fields&, Object&, ir::Plan&)> use);
  void lowerStudyOfCluster(const Fields& study, Object& cluster, CompiledFile& out);
  /// Reports that what a study is for and its layout do not go together.
  void refuse(const Fields& study, const char* why);
  /// Adds a run, a launch or a study to the plans of the layouts that it is about.
  void lowerUser(Object& object, CompiledFile& out);
  bool plansGrow();
  void findUnstarted(CompiledFile& out);

  FrontendOptions options;
  Arena arena; ///< of what this compilation makes beside the parsed files
  Shared shared;
  Modules modules;
  Schemas schemas;
  Evaluator evaluator;
  Checker checker;
  Module* main = nullptr;
  std::unique_ptr<Settings> settings;
  /// Where the plan of a layout stands: its index, and whether in `launched`.
  llvm::DenseMap<const ast::BlockDecl*, std::pair<std::size_t, bool>> planOf;
  llvm::DenseSet<std::pair<const Object*, const ast::BlockDecl*>> runsLowered; ///< with the layout
  llvm::DenseSet<const Schema*> broken;        ///< whose declaration was reported
  std::optional<const ast::Decl*> writtenLint; ///< the file's `lint` block, once it was looked for
  Object* advice = nullptr;                    ///< of a file without a `lint` block
  std::string path;
};

void Compilation::State::checkDeclarations() {
  for (const ast::Decl* decl : main->ast->declarations) {
    if (!shared.budget.spend(1, decl->range))
      return;
    switch (decl->kind) {
    case ast::Decl::Kind::Import:
      break;
    case ast::Decl::Kind::Param:
    case ast::Decl::Kind::Let: {
      const SourceRange at = decl->range;
      (void)evaluator.declared({main, decl}, "", at);
      break;
    }
    case ast::Decl::Kind::Schema:
      if (const Schema* schema = schemas.get({main, decl})) {
        const unsigned before = shared.diags.errors();
        schemas.check(*schema);
        if (shared.diags.errors() > before)
          broken.insert(schema);
      }
      break;
    case ast::Decl::Kind::Block:
      if (Object* object = evaluator.block({main, decl})) {
        checker.check(*object);
        for (Object* header : {object->forObject(), object->onObject()})
          if (header)
            checker.check(*header);
      }
      break;
    case ast::Decl::Kind::Assert:
      checker.checkAssert(llvm::cast<ast::AssertDecl>(decl)->check, main->scope, nullptr);
      break;
    }
  }
}

/// After the blocks, whose mistakes are told at the blocks.
void Compilation::State::checkSchemas() {
  for (const ast::Decl* decl : main->ast->declarations)
    if (llvm::isa<ast::SchemaDecl>(decl))
      if (const Schema* schema = schemas.get({main, decl}); schema && !broken.count(schema))
        checker.check(*schema);
}

bool Compilation::State::isLint(const ast::Decl& decl) {
  const auto* block = llvm::dyn_cast<ast::BlockDecl>(&decl);
  const Schema* schema = block ? schemas.find(*main, block->blockKind.text) : nullptr;
  return schema && schema->isA("lint");
}

/// Which of two would hold is not said.
void Compilation::State::checkLints() {
  const ast::BlockDecl* first = nullptr;
  for (const ast::Decl* decl : main->ast->declarations)
    if (isLint(*decl)) {
      const auto& block = llvm::cast<ast::BlockDecl>(*decl);
      if (first)
        shared.diags.report<diag::SecondLint>(block.name.range)
            .note<diag::DeclaredHere>(first->name.range, first->name.text);
      else
        first = &block;
    }
}

/// The file's `lint` block, or the defaults of its schema.
Object* Compilation::State::defaultLint() {
  if (!writtenLint) { // asked once for each layout, of which a file may have thousands
    const auto* const found = llvm::find_if(main->ast->declarations,
                                            [&](const ast::Decl* decl) { return isLint(*decl); });
    writtenLint = found == main->ast->declarations.end() ? nullptr : *found;
  }
  if (*writtenLint)
    return evaluator.block({main, *writtenLint});
  const Schema* schema = schemas.find(modules.prelude(), "lint");
  if (!schema)
    return nullptr;
  if (!advice) {
    advice = &evaluator.instance(*schema, nullptr, nullptr, {});
    settings->applyTo(*advice);
    if (settings->setsAdvice())
      checker.check(*advice);
  }
  return advice;
}

std::optional<ir::Plan> Compilation::State::lowerLayout(Object& layout) {
  // A layout takes as long to be predicted as so many values to be worked out, at least.
  constexpr std::uint64_t stepsOfALayout = 2000;
  Object* lint = defaultLint();
  if (!shared.budget.spend(stepsOfALayout, layout.range) || !lint || !layout.forObject() ||
      !layout.onObject())
    return std::nullopt;
  bool failed = false;
  const std::string neededBy =
      fmt::format("{}layout `{}`", layout.isSearch() ? "search " : "", layout.name());
  auto fields = [&](Object& o) { return Fields(evaluator, o, failed, neededBy); };
  ir::Plan plan;
  plan.name = layout.name().str();
  const llvm::StringRef file = shared.sources.name(layout.range.file);
  plan.file = file.empty() ? path : file.str();
  const LogicalResult lowered =
      lower(fields(layout), fields(*layout.forObject()), fields(*layout.onObject()), fields(*lint),
            shared.sources, shared.diags, plan);
  if (lowered.failed() || failed)
    return std::nullopt;
  lowerFramework(evaluator, fields(layout), plan.framework);
  plan.assertions = checker.waiting(layout);
  plan.hash = ir::contentHash(plan);
  return plan;
}

/// Of a search over a layout whose header is complete.
std::optional<ir::Plan> Compilation::State::lowerSearch(Object& search) {
  if (!search.schema->isA("layout"))
    return std::nullopt;
  std::optional<ir::Plan> plan = lowerLayout(search);
  if (plan)
    sema::lowerSearch(checker, evaluator, search, *plan);
  return plan;
}

/// The plan of a layout; one of another file is checked and lowered for it where `anywhere`. Null
/// where it has none.
ir::Plan* Compilation::State::planFor(Object& layout, CompiledFile& out, bool anywhere) {
  if (!layout.forObject() || !layout.onObject())
    return nullptr;
  const auto found = planOf.find(layout.decl);
  if (found != planOf.end())
    return found->second.second ? &out.launched[found->second.first]
                                : &out.plans[found->second.first];
  if (!anywhere)
    return nullptr;
  for (Object* object : {&layout, layout.forObject(), layout.onObject()})
    checker.check(*object);
  if (shared.diags.errors() > 0)
    return nullptr;
  std::optional<ir::Plan> lowered = lowerLayout(layout);
  if (!lowered)
    return nullptr;
  planOf[layout.decl] = {out.launched.size(), true};
  out.launched.push_back(std::move(*lowered));
  return &out.launched.back();
}

/// Calls `use` with every layout of the run and its plan, to which the run was added.
void Compilation::State::withRun(Object& runObject, CompiledFile& out, bool anywhere,
                                 llvm::function_ref<void(const Fields&, Object&, ir::Plan&)> use) {
  bool failed = false;
  const Fields run(evaluator, runObject, failed, fmt::format("run `{}`", runObject.name()));
  for (Object* layout : layoutsOf(run)) {
    ir::Plan* plan = planFor(*layout, out, anywhere);
    if (!plan)
      continue;
    if (runsLowered.insert({&runObject, layout->decl}).second &&
        sema::lowerRun(run, *layout, shared.sources, shared.diags, *plan).failed())
      continue;
    if (!failed)
      use(run, *layout, *plan);
  }
}

void Compilation::State::refuse(const Fields& study, const char* why) {
  shared.diags.report<diag::StudyLayout>(study.has("layout") ? study.range("layout")
                                                             : study.raw()->range,
                                         study.name(), study.raw()->forObject()->schema->name, why);
}

/// Puts the layout that it names on the cluster that it is for.
void Compilation::State::lowerStudyOfCluster(const Fields& study, Object& cluster,
                                             CompiledFile& out) {
  const Fields runs = study.object("layout");
  if (!runs.raw()->forObject())
    return refuse(study, "its `layout` has no model");
  if (ir::Plan* plan = planFor(evaluator.onCluster(*runs.raw(), cluster, *study.raw()), out, true))
    (void)sema::lowerStudy(checker, evaluator, study, "", *plan);
}

void Compilation::State::lowerUser(Object& object, CompiledFile& out) {
  if (object.schema->isA("run"))
    return withRun(object, out, true, [](const Fields&, Object&, ir::Plan&) {});
  const bool launches = object.schema->isA("launch");
  if (!object.forObject() || (!launches && !object.schema->isA("study")))
    return;
  bool failed = false;
  const Fields fields(evaluator, object, failed,
                      fmt::format("{} `{}`", object.schema->name, object.name()));
  Object& about = *object.forObject();
  const bool ofCluster = about.schema->isA("cluster");
  if (!launches && fields.has("layout") != ofCluster)
    return refuse(fields, ofCluster ? "its `layout` says what runs there, found none"
                                    : "`layout` is of one for a cluster");
  if (ofCluster)
    return lowerStudyOfCluster(fields, about, out);
  if (about.schema->isA("layout")) {
    if (ir::Plan* plan = planFor(about, out, true))
      (void)sema::lowerStudy(checker, evaluator, fields, "", *plan);
    return;
  }
  withRun(about, out, true, [&](const Fields& run, Object& layout, ir::Plan& plan) {
    if (launches)
      (void)sema::lowerLaunch(fields, run, layout, shared.sources, shared.diags, plan);
    else
      (void)sema::lowerStudy(checker, evaluator, fields, run.name().str(), plan);
  });
}

void Compilation::State::findUnstarted(CompiledFile& out) {
  llvm::DenseSet<const Object*> started;
  std::vector<Object*> runs;
  for (const ast::Decl* decl : main->ast->declarations)
    if (llvm::isa<ast::BlockDecl>(decl))
      if (Object* object = evaluator.block({main, decl})) {
        if (object->schema->isA("launch"))
          started.insert(object->forObject());
        else if (object->schema->isA("run"))
          runs.push_back(object);
      }
  for (Object* run : runs) {
    if (started.count(run) != 0)
      continue;
    bool failed = false;
    UnstartedRun found{{run->name().str(), run->range}, {}};
    const Fields fields(evaluator, *run, failed, "");
    for (const Object* layout : layoutsOf(fields))
      found.layouts.push_back(layout->name().str());
    found.lengthAlone = !fields.isSet("optimizer") && !fields.has("checkpoint") &&
                        llvm::none_of(fields.runs("phase"), [](const Fields::Run& phase) {
                          return phase.fields.has("batch");
                        });
    out.unstarted.push_back(std::move(found));
  }
}

/// Whether the file has blocks that add to the plans of its layouts.
bool Compilation::State::plansGrow() {
  return llvm::any_of(main->ast->declarations, [&](const ast::Decl* decl) {
    const Object* object =
        llvm::isa<ast::BlockDecl>(decl) ? evaluator.block({main, decl}) : nullptr;
    return object && (object->schema->isA("run") || object->schema->isA("launch") ||
                      object->schema->isA("study"));
  });
}

FailureOr<CompiledFile> Compilation::State::compile(const std::string& file) {
  path = file;
  const std::size_t before = shared.diags.diagnostics().size();
  main = modules.openFile(file);
  shared.diags.endPhase();
  if (!main)
    return LogicalResult::failure();
  const unsigned misread = shared.diags.errors();
  settings = std::make_unique<Settings>(evaluator, *main);
  for (const Override& setting : options.overrides)
    (void)settings->add(setting);
  if (shared.diags.errors() > misread)
    return LogicalResult::failure();
  evaluator.addOuterLevels = [this](Object& object) { settings->applyTo(object); };
  checkDeclarations();
  checkSchemas();
  checkLints();
  if (settings->setsAdvice())
    (void)defaultLint();
  shared.diags.endPhase();

  CompiledFile out;
  if (shared.budget.spent())
    return out; // of what was left unread nothing is known
  const SoundBlocks sound(*main, shared.sources, shared.diags.diagnostics().drop_front(before));
  const bool told =
      shared.diags.heldBack() == 0; // else there are mistakes of which nothing is known
  const bool handOver = options.onPlan && !plansGrow();
  if (!handOver)
    out.plans.reserve(llvm::count_if(main->ast->declarations, [](const ast::Decl* decl) {
      const auto* block = llvm::dyn_cast<ast::BlockDecl>(decl);
      return block && !block->search && block->blockKind.text == "layout";
    }));
  for (const ast::Decl* decl : main->ast->declarations) {
    const auto* block = llvm::dyn_cast<ast::BlockDecl>(decl);
    if (!block)
      continue;
    ++out.blocks;
    Object* object = evaluator.block({main, decl});
    if (!object)
      continue;
    const NamedBlock name{block->name.text.str(), block->name.range};
    if (block->search) {
      out.searches.push_back(name);
      if (shared.diags.errors() == 0)
        if (std::optional<ir::Plan> plan = lowerSearch(*object))
          out.searched.push_back(std::move(*plan));
    } else if (object->schema->isA("run"))
      out.runs.push_back(name);
    else if (object->schema->isA("study"))
      out.studies.push_back(name);
    else if (object->schema->isA("launch"))
      out.launches.push_back(name);
    else if (object->schema->isA("layout") && object->forObject() && object->onObject() && told &&
             sound.contains(*decl)) {
      std::optional<ir::Plan> plan = lowerLayout(*object);
      if (plan && handOver) {
        options.onPlan(std::move(*plan));
      } else if (plan) {
        planOf[block] = {out.plans.size(), false};
        out.plans.push_back(std::move(*plan));
      }
    }
  }
  // Behind all layouts: a run may stand before them.
  for (const ast::Decl* decl : main->ast->declarations)
    if (llvm::isa<ast::BlockDecl>(decl))
      if (Object* object = evaluator.block({main, decl}); object && shared.diags.errors() == 0)
        lowerUser(*object, out);
  if (shared.diags.errors() == 0) {
    warnOfMissingHeaders(*main, evaluator, shared.diags);
    findUnstarted(out);
  }
  shared.diags.endPhase();
  return out;
}

Compilation::Compilation(ParsedFiles& files, DiagnosticEngine& diags, FrontendOptions options)
    : state(std::make_unique<State>(files, diags, std::move(options))) {}
Compilation::~Compilation() = default;

FailureOr<CompiledFile> Compilation::compile(const std::string& path) {
  return state->compile(path);
}

std::vector<FieldLevel> Compilation::history(const std::string& path) const {
  return state->settings ? state->settings->history(path) : std::vector<FieldLevel>();
}

std::optional<std::uint32_t> Compilation::source() const {
  return state->main ? std::optional(state->main->ast->id) : std::nullopt;
}
