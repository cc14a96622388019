//===- SchemaCases.cpp - Random files with `mesh = auto`, drawn from the library's schemas ----===//
#include "SchemaCases.h"
#include "cost/legality/Legality.h"
#include "driver/workspace/Workspace.h"
#include "passes/TakeDevices.h"
#include "llvm/Support/Casting.h"
#include <array>
#include <cstdlib>
#include <fmt/format.h>
#include <set>

using namespace dpl;
using namespace dpl::test;

namespace {
/// Fields that every case sets itself, and fields for which no value can be drawn.
const std::set<std::string> given = {"mesh", "batch", "notes"};
/// The deepest nesting of drawn values; deeper fields keep their defaults.
constexpr unsigned mostNested = 3;
} // namespace

std::uint64_t dpl::test::numberOf(const char* variable, std::uint64_t usual, std::uint64_t longer) {
  const char* text = std::getenv(variable);
  if (text)
    return std::strtoull(text, nullptr, 10);
  return longer > 0 && std::getenv("DPL_LONG") ? longer : usual;
}

SchemaCases::SchemaCases(unsigned seed) : random(seed) {
  readPrelude();
  models = blocksOf("models", "decoder"), clusters = blocksOf("clusters", "cluster");
}
SchemaCases::~SchemaCases() = default;

void SchemaCases::readPrelude() {
  files = std::make_unique<ParsedFiles>(sources, [](const std::string& path) -> FileText {
    return libraryText(llvm::StringRef(path).drop_back(4)).str(); // ".dpl"
  });
  DiagnosticEngine diags;
  for (const ast::Decl* decl : files->open("prelude.dpl", {}, diags)->ast->declarations)
    if (const auto* schema = llvm::dyn_cast<ast::SchemaDecl>(decl))
      schemas[schema->name.text] = schema;
}

std::vector<std::string> SchemaCases::blocksOf(const char* library, const char* schema) {
  DiagnosticEngine diags;
  std::vector<std::string> names;
  for (const ast::Decl* decl :
       files->open(std::string(library) + ".dpl", {}, diags)->ast->declarations)
    if (const auto* block = llvm::dyn_cast<ast::BlockDecl>(decl))
      if (block->blockKind.text == schema)
        names.push_back(std::string(library) + "." + block->name.text.str());
  return names;
}

std::optional<std::string> SchemaCases::choice(const ast::SchemaDecl& schema, unsigned depth) {
  const ast::ChoiceMember& member = schema.choices[below(schema.choices.size())];
  const std::optional<std::string> fields = block(member.fields, depth);
  if (!fields)
    return std::nullopt;
  return member.name.text.str() + (fields->empty() ? "" : " " + *fields);
}

/// Sets every field without a default and some of the others; empty if it sets nothing.
std::optional<std::string> SchemaCases::block(llvm::ArrayRef<ast::SchemaField> fields,
                                              unsigned depth) {
  std::string out;
  for (const ast::SchemaField& field : fields) {
    const bool needed = !field.value && !field.block && !field.type.optional &&
                        field.type.form != ast::TypeExpr::TypeForm::Map;
    if (!needed && (depth >= mostNested || !chance(40)))
      continue;
    if (const std::optional<std::string> drawn = value(field.type, depth + 1))
      out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", field.name.text.str(), *drawn);
    else if (needed)
      return std::nullopt;
  }
  return out.empty() ? out : "{ " + out + " }";
}

std::optional<std::string> SchemaCases::value(const ast::TypeExpr& type, unsigned depth) {
  if (type.form == ast::TypeExpr::TypeForm::Map)
    return std::nullopt;
  if (type.form == ast::TypeExpr::TypeForm::List) {
    std::string out;
    for (std::uint64_t left = 1 + below(2); left > 0; --left) {
      const std::optional<std::string> element = value(*type.element, depth + 1);
      if (!element)
        return std::nullopt;
      out += (out.empty() ? "" : ", ") + *element;
    }
    return "[" + out + "]";
  }
  const std::string name = type.name.back().text.str();
  const std::string per = type.scope.text.empty() ? "" : " per " + type.scope.text.str();
  if (name == "Bool")
    return one({"true", "false"});
  if (name == "Count")
    return one({"0", "1", "2", "3", "4", "8", "16"}) + per;
  if (name == "Real")
    return one({"0.05", "0.25", "0.5", "0.8", "1.0", "1.5"}) + per;
  if (name == "MicroBatch")
    return one({"1seq", "2seq", "4seq"});
  if (name == "Bytes" || name == "AutoBytes")
    return one({"0B", "1MiB", "25MiB", "1GiB"}) + per;
  if (name == "Duration")
    return one({"0us", "2us", "40us", "300us"}) + per;
  if (name == "Bandwidth")
    return one({"10GB/s", "50GB/s", "400GB/s", "4TB/s"}) + per;
  const ast::SchemaDecl* schema = schemas.lookup(name);
  if (!schema || depth > mostNested)
    return std::nullopt;
  if (!schema->choices.empty())
    return choice(*schema, depth);
  const std::optional<std::string> fields = block(schema->fields, depth);
  return fields && !fields->empty() ? std::optional(name + " " + *fields) : std::nullopt;
}

std::optional<SchemaCases::Setting> SchemaCases::setting(const ast::SchemaDecl& schema,
                                                         const std::string& above) {
  const auto* base = schema.base.empty() ? nullptr : schemas.lookup(schema.base.back().text);
  const std::size_t inherited = base ? base->fields.size() : 0;
  const std::size_t at = below(schema.fields.size() + inherited);
  const ast::SchemaField& field = at < inherited ? base->fields[at] : schema.fields[at - inherited];
  if (given.count(field.name.text.str()) != 0)
    return std::nullopt;
  const std::string path = above + field.name.text.str();
  if (field.type.form == ast::TypeExpr::TypeForm::Named && !field.type.optional)
    if (const auto* inner = schemas.lookup(field.type.name.back().text))
      if (inner->choices.empty())
        return setting(*inner, path + ".");
  std::optional<std::string> drawn = value(field.type, 0);
  return drawn ? std::optional(Setting{path, std::move(*drawn)}) : std::nullopt;
}

void SchemaCases::named(Settings& to, const char* field) {
  for (const ast::SchemaField& f : schemas.lookup("layout")->fields)
    if (f.name.text == field)
      if (std::optional<std::string> drawn = value(f.type, 0))
        to.push_back({field, std::move(*drawn)});
}

/// Fields with a large effect on the step are drawn more often than the others.
SchemaCases::Draft SchemaCases::draft() {
  Draft out;
  out.model = models[below(models.size())], out.cluster = clusters[below(clusters.size())];
  out.head = fmt::format("batch = {}seq\n  mesh = auto", one({"16", "48", "64", "256"}));
  const std::string nodes = one({"1", "2", "3", "4", "8", "16"});
  out.ofCluster.push_back({"nodes", nodes});
  if (chance(30))
    out.ofCluster.push_back(
        {"node_pool[\"other\"]", "{ nodes = " + nodes + ", node = servers." +
                                     one({"dgx_a100", "dgx_h200", "mi300x_platform"}) + " }"});
  if (chance(60))
    out.ofModel.push_back({"layers", one({"4", "6", "12", "16", "24", "61"})});
  if (chance(10))
    out.ofLayout.push_back({"schedule", "auto"});
  else if (chance(60))
    named(out.ofLayout, "schedule");
  if (chance(50))
    named(out.ofLayout, "recompute");
  for (std::uint64_t stage = below(4), i = 0; i < stage; ++i)
    out.ofLayout.push_back({std::string("shard.") + (i == 0   ? "optimizer"
                                                     : i == 1 ? "gradients"
                                                              : "parameters"),
                            "data"});
  const auto draw = [&](Settings& to, const char* schema, std::uint64_t count) {
    for (; count > 0; --count)
      if (std::optional<Setting> drawn = setting(*schemas.lookup(schema), ""))
        to.push_back(std::move(*drawn));
  };
  draw(out.ofLayout, "layout", below(6));
  draw(out.ofCluster, "cluster", below(4));
  draw(out.ofModel, "decoder", below(3));
  return out;
}

std::string SchemaCases::textOf(const Draft& draft) const {
  const auto lines = [](const Settings& settings) {
    std::string out;
    for (const Setting& s : settings)
      out += fmt::format("  {}{}{}\n", s.path, s.value.front() == '{' ? " " : " = ", s.value);
    return out;
  };
  return fmt::format("import std.models\nimport std.clusters\nimport std.servers\n"
                     "model llm from {} {{\n{}}}\ncluster pod from {} {{\n{}}}\n"
                     "layout plan for llm on pod {{\n  {}\n{}}}\n",
                     draft.model, lines(draft.ofModel), draft.cluster, lines(draft.ofCluster),
                     draft.head, lines(draft.ofLayout));
}

/// The plan of the file. Nothing if the front end refuses it, or a rule that holds for all degrees;
/// a setting is then removed.
std::optional<ir::Plan> SchemaCases::compiled(Draft& draft) {
  file = textOf(draft);
  DiagnosticEngine diags;
  Workspace workspace;
  workspace.overlay("case.dpl", file);
  const std::unique_ptr<CompiledUnit> unit = workspace.compile("case.dpl", diags);
  if (diags.errors() == 0 && !unit->file.failed() && unit->file->plans.size() == 1) {
    ir::Plan plan = std::move(unit->file->plans.front());
    DiagnosticEngine unheard;
    if (takeDevices(plan, unheard).succeeded() &&
        cost::LegalityInputs(plan.model, plan.cluster, plan.layout).fixed ==
            cost::LegalityRule::None)
      return plan;
  }
  std::uint64_t line = 0; // line of the first error in the file
  for (const Diagnostic& d : diags.diagnostics())
    if (line == 0 && d.info.severity == Severity::Error && d.range.valid() &&
        workspace.sources().name(d.range.file) == "case.dpl")
      line = workspace.sources().at(d.range.file, d.range.begin).line;
  drop(draft, line);
  return std::nullopt;
}

/// The setting on that line of the file, or any setting if the line has none.
void SchemaCases::drop(Draft& draft, std::uint64_t line) {
  const std::uint64_t model = 5, cluster = model + draft.ofModel.size() + 2,
                      layout = cluster + draft.ofCluster.size() + 4;
  const std::array<std::pair<Settings*, std::uint64_t>, 3> blocks = {
      {{&draft.ofModel, model}, {&draft.ofCluster, cluster}, {&draft.ofLayout, layout}}};
  for (const auto& [settings, first] : blocks)
    if (line >= first && line < first + settings->size()) {
      settings->erase(settings->begin() + static_cast<std::ptrdiff_t>(line - first));
      return;
    }
  std::vector<Settings*> filled;
  for (const auto& [settings, first] : blocks)
    if (!settings->empty())
      filled.push_back(settings);
  if (!filled.empty()) {
    Settings& from = *filled[below(filled.size())];
    from.erase(from.begin() + static_cast<std::ptrdiff_t>(below(from.size())));
  }
}

ir::Plan SchemaCases::plan() {
  for (;;) {
    Draft draft = this->draft();
    constexpr int tries = 12;
    for (int i = 0; i < tries; ++i)
      if (std::optional<ir::Plan> plan = compiled(draft))
        return std::move(*plan);
  }
}
