//===- Frontend.cpp - Compiles a file: reads, resolves, checks and lowers it ------------------===//
#include "frontend/CompilationState.h"
#include "support/diagnostics/Schema.h"
#include "support/diagnostics/Sema.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
using namespace dpl;
using namespace dpl::sema;

namespace {
/// Warns about blocks without `for` and `on`. Such a block is a base or a fragment. If nothing uses
/// it, it is never checked with a model or cluster.
void warnOfMissingHeaders(SourceModule& file, Evaluator& evaluator, DiagnosticEngine& diags) {
  llvm::StringSet<> used;
  for (const ast::Decl* decl : file.ast->declarations)
    if (const auto* user = llvm::dyn_cast<ast::BlockDecl>(decl)) {
      if (user->base.size() == 1)
        used.insert(user->base[0].text);
      for (ast::QualifiedName fragment : user->fragments)
        if (fragment.size() == 1)
          used.insert(fragment[0].text);
    }
  for (const ast::Decl* decl : file.ast->declarations) {
    const auto* block = llvm::dyn_cast<ast::BlockDecl>(decl);
    const Object* object = block ? evaluator.block({&file, decl}) : nullptr;
    if (!object || object->schema->forKinds().empty())
      continue;
    const bool lacksOn = !object->schema->onKind().empty() && !object->onObject();
    if (used.count(block->name.text) || (object->forObject() && !lacksOn))
      continue;
    const std::string missing = object->forObject()
                                    ? object->schema->onKind().str()
                                    : llvm::join(object->schema->forKinds(), " or ");
    if (object->forObject()) {
      diags
          .report<diag::HalfHeader>(block->name.range, block->blockKind.text, block->name.text,
                                    missing)
          .help(fmt::format("write `on NAME` after `for {}`", text(block->forWhat)));
      continue;
    }
    diags
        .report<diag::HeaderMissing>(block->name.range, block->blockKind.text, block->name.text,
                                     missing)
        .help(fmt::format("write `{} {} for NAME`", block->blockKind.text, block->name.text));
  }
}
} // namespace

/// Whether the block is a layout, or a search for one, that does not become a plan.
bool Compilation::CompilationState::isOtherLayout(const ast::BlockDecl& block) {
  const Schema* schema = isWanted(&block) ? nullptr : schemas.find(*main, block.blockKind.text);
  return schema && schema->isA("layout");
}

void Compilation::CompilationState::checkDeclarations() {
  for (const ast::Decl* decl : main->ast->declarations) {
    if (!shared.budget.spend(1, decl->range))
      return;
    switch (decl->kind) {
    case ast::Decl::DeclKind::Import:
      break;
    case ast::Decl::DeclKind::Param:
    case ast::Decl::DeclKind::Let: {
      const SourceRange at = decl->range;
      (void)evaluator.declared({main, decl}, "", at);
      break;
    }
    case ast::Decl::DeclKind::Schema:
      if (const Schema* schema = schemas.get({main, decl})) {
        const unsigned before = shared.diags.errors();
        schemas.check(*schema);
        if (shared.diags.errors() > before)
          broken.insert(schema);
      }
      break;
    case ast::Decl::DeclKind::Block:
      if (options.point && isOtherLayout(llvm::cast<ast::BlockDecl>(*decl)))
        break;
      if (Object* object = evaluator.block({main, decl})) {
        checker.check(*object);
        for (Object* header : {object->forObject(), object->onObject()})
          if (header)
            checker.check(*header);
      }
      break;
    case ast::Decl::DeclKind::Assert:
      checker.checkAssert(llvm::cast<ast::AssertDecl>(decl)->check, main->scope, nullptr);
      break;
    }
  }
}

/// Checks the schemas. This comes after the blocks, because errors are reported at the blocks if
/// possible.
void Compilation::CompilationState::checkSchemas() {
  for (const ast::Decl* decl : main->ast->declarations)
    if (llvm::isa<ast::SchemaDecl>(decl))
      if (const Schema* schema = schemas.get({main, decl}); schema && !broken.count(schema))
        checker.check(*schema);
}

bool Compilation::CompilationState::isLint(const ast::Decl& decl) {
  const auto* block = llvm::dyn_cast<ast::BlockDecl>(&decl);
  const Schema* schema = block ? schemas.find(*main, block->blockKind.text) : nullptr;
  return schema && schema->isA("lint");
}

/// Reports a second `lint` block, because it is not clear which of the two applies.
void Compilation::CompilationState::checkLints() {
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

/// The file's `lint` block, or the defaults of its schema if there is none or a value is missing.
Object* Compilation::CompilationState::defaultLint() {
  if (!writtenLint) { // searched once, because a file may have thousands of layouts
    const auto* const found = llvm::find_if(main->ast->declarations,
                                            [&](const ast::Decl* decl) { return isLint(*decl); });
    writtenLint = found == main->ast->declarations.end() ? nullptr : *found;
  }
  if (*writtenLint) {
    Object* written = evaluator.block({main, *writtenLint});
    bool lacksValue = false;
    if (written && options.keepsDamaged)
      written->eachField([&](const FieldDecl& field) {
        lacksValue |= evaluator.field(*written, field, {}).poison();
      });
    // A missing limit of an advice takes no plan, because it changes no figure.
    if (!lacksValue)
      return written;
  }
  const Schema* schema = schemas.find(modules.prelude(), "lint");
  if (!schema)
    return nullptr;
  if (!advice) {
    // A place for the message that the steps run out here.
    const auto& all = main->ast->declarations;
    advice = &evaluator.instance(*schema, nullptr, nullptr,
                                 all.empty() ? SourceRange() : all.front()->range);
    settings->applyTo(*advice);
    if (settings->setsAdvice())
      checker.check(*advice);
  }
  return advice;
}

std::optional<ir::Plan> Compilation::CompilationState::lowerLayout(Object& layout) {
  // Predicting a layout takes at least as long as evaluating this many values.
  constexpr std::uint64_t stepsOfALayout = 2000;
  Object* lint = defaultLint();
  if (!shared.budget.spend(stepsOfALayout, layout.range) || !lint || !layout.forObject() ||
      !layout.onObject())
    return std::nullopt;
  bool failed = false;
  const std::string neededBy =
      fmt::format("{}layout `{}`", layout.isSearch() ? "search " : "", layout.name());
  auto fields = [&](Object& o) { return ObjectFields(evaluator, o, failed, neededBy); };
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
  if (!options.point) // the hash of a point's plan is not used
    plan.hash = ir::contentHash(plan);
  return plan;
}

/// Lowers a search over layouts with a complete header.
std::optional<ir::Plan> Compilation::CompilationState::lowerSearch(Object& search) {
  if (!search.schema->isA("layout"))
    return std::nullopt;
  std::optional<ir::Plan> plan = lowerLayout(search);
  if (plan)
    sema::lowerSearch(checker, evaluator, search, *plan);
  return plan;
}

FailureOr<CompiledFile> Compilation::CompilationState::compile(const std::string& file) {
  path = file;
  const std::size_t before = shared.diags.diagnostics().size();
  main = modules.openFile(file);
  shared.diags.endPhase();
  if (!main)
    return LogicalResult::failure();
  if (options.keepsDamaged && llvm::any_of(modules.all(), [](const SourceModule& module) {
        return module.failed() && !module.parsed->lacksValuesOnly;
      }))
    return LogicalResult::failure();
  const unsigned misread = shared.diags.errors();
  const ast::BlockDecl* const layout = namedLayout();
  settings = std::make_unique<OverrideSettings>(evaluator, *main, layout);
  for (const Override& setting : options.overrides)
    (void)settings->add(setting);
  if (shared.diags.errors() > misread)
    return LogicalResult::failure();
  evaluator.addOuterLevels = [this](Object& object) { settings->applyTo(object); };
  if (options.point) // errors in other layouts were reported before the first point
    findWanted(layout);
  checkDeclarations();
  checkSchemas();
  checkLints();
  if (settings->setsAdvice())
    (void)defaultLint();
  shared.diags.endPhase();

  CompiledFile out;
  if (shared.budget.spent()) {
    complete = true;
    return out; // the rest of the file was not evaluated
  }
  if (!options.point)
    findWanted(layout);
  std::vector<Diagnostic> said = shared.diags.diagnostics().drop_front(before).vec();
  // Layouts that read a missing value have no plan, so other layouts need not be left out.
  if (options.keepsDamaged)
    llvm::erase_if(said, [&](const Diagnostic& d) {
      return llvm::any_of(modules.all(), [&](const SourceModule& module) {
        return module.failed() &&
               llvm::any_of(module.parsed->diagnostics, [&](const Diagnostic& o) {
                 return o.info.code == d.info.code && o.range == d.range;
               });
      });
    });
  sound.emplace(*main, shared.sources, said);
  told = shared.diags.heldBack() == 0;
  oneByOne = options.plansOneByOne && !plansGrow();
  if (oneByOne)
    return out;
  out.plans.reserve(llvm::count_if(main->ast->declarations, [](const ast::Decl* decl) {
    const auto* block = llvm::dyn_cast<ast::BlockDecl>(decl);
    return block && !block->search && block->blockKind.text == "layout";
  }));
  (void)nextPlan(out);
  return out;
}

std::optional<ir::Plan> Compilation::CompilationState::nextPlan(CompiledFile& out) {
  const auto& declarations = main->ast->declarations;
  if (complete)
    return std::nullopt;
  while (nextBlock < declarations.size()) {
    const ast::Decl* decl = declarations[nextBlock++];
    if (std::optional<ir::Plan> plan = lowerBlock(*decl, out))
      return plan;
  }
  complete = true;
  // Users are lowered after all layouts, because a run may be declared before its layout.
  for (const ast::Decl* decl : declarations)
    if (llvm::isa<ast::BlockDecl>(decl))
      if (Object* object = evaluator.block({main, decl}); object && shared.diags.errors() == 0)
        lowerUser(*object, out);
  if (shared.diags.errors() == 0) {
    warnOfMissingHeaders(*main, evaluator, shared.diags);
    findUnstarted(out);
  }
  shared.diags.endPhase();
  return std::nullopt;
}

/// Adds a block to the compiled file. Returns the plan of a layout if plans are returned one at a
/// time.
std::optional<ir::Plan> Compilation::CompilationState::lowerBlock(const ast::Decl& decl,
                                                                  CompiledFile& out) {
  const auto* block = llvm::dyn_cast<ast::BlockDecl>(&decl);
  if (!block)
    return std::nullopt;
  ++out.blocks;
  Object* object = evaluator.block({main, &decl});
  if (!object)
    return std::nullopt;
  const NamedBlock name{block->name.text.str(), block->name.range};
  if (block->search) {
    out.searches.push_back(name);
    if (shared.diags.errors() == 0 && isWanted(block))
      if (std::optional<ir::Plan> plan = lowerSearch(*object)) {
        planOf.insert({block, {out.searched.size(), &CompiledFile::searched, object}});
        out.searched.push_back(std::move(*plan));
      }
  } else if (object->schema->isA("run"))
    out.runs.push_back(name);
  else if (object->schema->isA("study"))
    out.studies.push_back(name);
  else if (object->schema->isA("launch"))
    out.launches.push_back(name);
  else if (object->schema->isA("layout") && object->forObject() && object->onObject() && told &&
           isWanted(block) && sound->contains(decl)) {
    std::optional<ir::Plan> plan = lowerLayout(*object);
    if (oneByOne || !plan)
      return plan;
    planOf.insert({block, {out.plans.size(), &CompiledFile::plans, object}});
    out.plans.push_back(std::move(*plan));
  }
  return std::nullopt;
}

Compilation::Compilation(ParsedFiles& files, DiagnosticEngine& diags, FrontendOptions options)
    : state(std::make_unique<CompilationState>(
          std::make_shared<KnownDeclarations>(files, diags, options.onName), std::move(options))) {
  state->shared.keepsDamaged = state->options.keepsDamaged;
}
Compilation::Compilation(PointContext& context, FrontendOptions options) {
  context.diags = DiagnosticEngine();
  if (!context.known)
    context.known =
        std::make_shared<KnownDeclarations>(context.files, context.diags, options.onName);
  context.known->shared.budget.restart();
  context.reads.clear();
  context.known->shared.reads = &context.reads;
  options.point = true;
  state = std::make_unique<CompilationState>(context.known, std::move(options));
}
Compilation::~Compilation() = default;

FailureOr<CompiledFile> Compilation::compile(const std::string& path) {
  return state->compile(path);
}

std::optional<ir::Plan> Compilation::nextPlan(CompiledFile& file) { return state->nextPlan(file); }

std::vector<FieldLevel> Compilation::history(const std::string& path) const {
  return state->settings ? state->settings->history(path) : std::vector<FieldLevel>();
}

std::vector<WrittenField> Compilation::fields(const ir::Plan& plan) const {
  return state->fields(plan);
}

bool Compilation::isOpen(const ir::Plan& plan, llvm::StringRef path) const {
  return state->isOpen(plan, path);
}

std::optional<std::uint32_t> Compilation::source() const {
  return state->main ? std::optional(state->main->ast->id) : std::nullopt;
}
