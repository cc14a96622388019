//===- LayoutUsers.cpp - Runs, launches and studies of layouts --------------------------------===//
#include "frontend/CompilationState.h"
#include "frontend/parse/ParseTree.h"
#include "frontend/sema/Written.h"
#include "ir/FoundFields.h"
#include "ir/MeshText.h"
#include "ir/Names.h"
#include "support/diagnostics/Schema.h"
#include "llvm/ADT/STLExtras.h"
using namespace dpl;
using namespace dpl::sema;

/// The plan of a layout, or null if it has none. If `anywhere` is set, a layout of another file is
/// also checked and lowered.
ir::Plan* Compilation::CompilationState::planFor(Object& layout, CompiledFile& out, bool anywhere) {
  if (!layout.forObject() || !layout.onObject())
    return nullptr;
  const auto found = planOf.find(layout.decl);
  if (found != planOf.end())
    return &(out.*found->second.list)[found->second.index];
  if (!anywhere)
    return nullptr;
  for (Object* object : {&layout, layout.forObject(), layout.onObject()})
    checker.check(*object);
  if (shared.diags.errors() > 0)
    return nullptr;
  std::optional<ir::Plan> lowered = lowerLayout(layout);
  if (!lowered)
    return nullptr;
  planOf.insert({layout.decl, {out.launched.size(), &CompiledFile::launched, &layout}});
  out.launched.push_back(std::move(*lowered));
  return &out.launched.back();
}

/// Adds the run to the plan of each of its layouts. Then calls `use` with each layout and its plan.
void Compilation::CompilationState::withRun(
    Object& runObject, CompiledFile& out, bool anywhere,
    llvm::function_ref<void(const ObjectFields&, Object&, ir::Plan&)> use) {
  bool failed = false;
  const ObjectFields run(evaluator, runObject, failed, fmt::format("run `{}`", runObject.name()));
  const std::vector<Object*> layouts = layoutsOf(run);
  if (llvm::none_of(layouts, [&](const Object* layout) { return isWanted(layout->decl); }))
    return;
  for (Object* layout : layouts) {
    ir::Plan* plan = planFor(*layout, out, anywhere);
    if (!plan)
      continue;
    if (runsLowered.insert({&runObject, layout->decl}) &&
        sema::lowerRun(run, *layout, shared.sources, shared.diags, *plan).failed())
      continue;
    if (!failed)
      use(run, *layout, *plan);
  }
}

void Compilation::CompilationState::refuse(const ObjectFields& study, const char* why) {
  shared.diags.report<diag::StudyLayout>(study.has("layout") ? study.range("layout")
                                                             : study.raw()->range,
                                         study.name(), study.raw()->forObject()->schema->name, why);
}

/// Lowers the layout that the study names, on the cluster that the study names.
void Compilation::CompilationState::lowerStudyOfCluster(const ObjectFields& study, Object& cluster,
                                                        CompiledFile& out) {
  const ObjectFields runs = study.object("layout");
  if (!runs.raw()->forObject())
    return refuse(study, "its `layout` has no model");
  if (ir::Plan* plan = planFor(evaluator.onCluster(*runs.raw(), cluster, *study.raw()), out, true))
    (void)sema::lowerStudy(checker, evaluator, study, "", *plan);
}

void Compilation::CompilationState::lowerUser(Object& object, CompiledFile& out) {
  if (object.schema->isA("run"))
    return withRun(object, out, true, [](const ObjectFields&, Object&, ir::Plan&) {});
  const bool launches = object.schema->isA("launch");
  if (!object.forObject() || (!launches && !object.schema->isA("study")))
    return;
  bool failed = false;
  const ObjectFields fields(evaluator, object, failed,
                            fmt::format("{} `{}`", object.schema->name, object.name()));
  Object& about = *object.forObject();
  const bool ofCluster = about.schema->isA("cluster");
  if (!launches && fields.has("layout") != ofCluster)
    return refuse(fields, ofCluster ? "it needs a `layout` that runs on the cluster"
                                    : "only a study of a cluster has a `layout`");
  if (ofCluster)
    return lowerStudyOfCluster(fields, about, out);
  if (about.schema->isA("layout")) {
    if (!isWanted(about.decl))
      return;
    if (ir::Plan* plan = planFor(about, out, true))
      (void)sema::lowerStudy(checker, evaluator, fields, "", *plan);
    return;
  }
  withRun(about, out, true, [&](const ObjectFields& run, Object& layout, ir::Plan& plan) {
    if (launches)
      (void)sema::lowerLaunch(fields, run, layout, shared.sources, shared.diags, plan);
    else
      (void)sema::lowerStudy(checker, evaluator, fields, run.name().str(), plan);
  });
}

void Compilation::CompilationState::findUnstarted(CompiledFile& out) {
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
    const ObjectFields fields(evaluator, *run, failed, "");
    for (const Object* layout : layoutsOf(fields))
      found.layouts.push_back(layout->name().str());
    found.lengthAlone =
        !fields.isSet("optimizer") && !fields.has("checkpoint") &&
        llvm::none_of(fields.runs("phase"), [](const ObjectFields::FieldsRun& phase) {
          return phase.fields.has("batch");
        });
    out.unstarted.push_back(std::move(found));
  }
}

/// Whether the file has runs, launches or studies, because these add to the plans of its layouts.
bool Compilation::CompilationState::plansGrow() {
  return llvm::any_of(main->ast->declarations, [&](const ast::Decl* decl) {
    const Object* object =
        llvm::isa<ast::BlockDecl>(decl) ? evaluator.block({main, decl}) : nullptr;
    return object && (object->schema->isA("run") || object->schema->isA("launch") ||
                      object->schema->isA("study"));
  });
}

/// The layout that `--layout` names; null if the file has no layout of that name.
const ast::BlockDecl* Compilation::CompilationState::namedLayout() {
  const auto* block = llvm::dyn_cast_or_null<ast::BlockDecl>(modules.find(*main, options.layout));
  const Schema* schema = block ? schemas.find(*main, block->blockKind.text) : nullptr;
  return schema && schema->isA("layout") ? block : nullptr;
}

/// Finds the layouts to lower: the named one, and those that its runs also train.
void Compilation::CompilationState::findWanted(const ast::BlockDecl* layout) {
  if (!layout)
    return;
  wanted.insert(layout);
  for (const ast::Decl* decl : main->ast->declarations) {
    Object* run = llvm::isa<ast::BlockDecl>(decl) ? evaluator.block({main, decl}) : nullptr;
    if (!run || !run->schema->isA("run") || shared.diags.errors() > 0)
      continue;
    bool failed = false;
    const std::vector<Object*> all = layoutsOf(ObjectFields(evaluator, *run, failed, ""));
    if (llvm::any_of(all, [&](const Object* one) { return one->decl == layout; }))
      for (const Object* one : all)
        wanted.insert(one->decl);
  }
}

/// A copy of the layout in which open fields have the values that searches found, so that dependent
/// fields have them too. The mesh is left out, because its text is known.
Object& Compilation::CompilationState::withFoundFields(Object& layout, const ir::Plan& plan) {
  std::vector<ir::FoundField> found;
  if (plan.mesh.found)
    found = ir::foundValues(plan.layout);
  if (plan.layout.scheduleAutomatic && !plan.mesh.axes.empty()) {
    const auto chosen = llvm::find_if(plan.scheduleCandidates, [](const auto& row) {
      return row.outcome == ir::CandidateOutcome::Chosen;
    });
    found.push_back({"schedule", chosen != plan.scheduleCandidates.end()
                                     ? chosen->text()
                                     : ir::name(plan.layout.schedule)});
  }
  if (found.empty())
    return layout;
  Object& out = evaluator.onCluster(layout, *layout.onObject(), layout);
  for (const ir::FoundField& field : found) {
    const std::uint32_t text = shared.sources.add("found", field.path + " = " + field.value);
    const ast::FieldStmt* stmt = parseSetting(shared.sources, text, shared.arena, shared.diags);
    if (!stmt)
      continue;
    const SettingLevel& level =
        evaluator.level(SettingLevel::SettingLevelKind::Set, "found", nullptr);
    out.levels.push_back({&level, out.nextGeneration(), 0, stmt, &main->scope, nullptr});
  }
  return out;
}

/// The layout of a plan; null if another compilation made the plan.
Object* Compilation::CompilationState::layoutOf(const ir::Plan& plan) {
  // A launched layout of another file may have the same name as one of this file.
  const auto place = llvm::find_if(planOf, [&](const auto& entry) {
    return entry.second.layout->range == plan.layout.rangeOf("");
  });
  return place == planOf.end() ? nullptr : place->second.layout;
}

bool Compilation::CompilationState::isOpen(const ir::Plan& plan, llvm::StringRef field) {
  Object* layout = layoutOf(plan);
  if (!layout)
    return false;
  bool failed = false;
  const ObjectFields of(evaluator, *layout, failed, "");
  const auto [object, last] = field.rsplit('.');
  return last.empty() ? of.isOpen(field) : of.object(object).isOpen(last);
}

std::vector<WrittenField> Compilation::CompilationState::fields(const ir::Plan& plan) {
  std::vector<WrittenField> out;
  Object* found = layoutOf(plan);
  if (!found || found->isSearch()) // fields of a search have candidates in place of values
    return out;
  Object& layout = *found;
  const bool open = plan.layout.mesh.automatic && !plan.mesh.found;
  const std::string mesh = open ? "auto" : ir::meshText(plan);
  const auto add = [&](Object* object, const std::string& under) {
    if (object)
      writeFields(evaluator, *object, under, mesh, out);
  };
  add(&withFoundFields(layout, plan), "layout");
  add(layout.forObject(), "model");
  add(layout.onObject(), "cluster");
  add(defaultLint(), "lint");
  for (const auto& [run, trained] : runsLowered)
    if (trained == layout.decl)
      add(run, run->name().str());
  return out;
}
