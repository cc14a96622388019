//===- FieldsTest.cpp - No field is accepted that changes nothing -----------------------------===//
#include "FieldCases.h"
#include "backends/Target.h"
#include "backends/report/Report.h"
#include "driver/workspace/Workspace.h"
#include "figures/Figures.h"
#include "simulate/plan/Simulation.h"
#include "simulate/plan/WorkersSimulation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Casting.h"
#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace dpl;

namespace {

/// "device.launch_overhead", "recompute.full.layers": every field that the library's prelude
/// declares.
std::set<std::string> declaredFields() {
  std::set<std::string> all;
  SourceManager sources;
  DiagnosticEngine diags;
  ParsedFiles files(sources,
                    [](const std::string&) -> FileText { return libraryText("prelude").str(); });
  const ParsedFile* prelude = files.open("prelude.dpl", {}, diags);
  for (const ast::Decl* decl : prelude->ast->declarations)
    if (const auto* schema = llvm::dyn_cast<ast::SchemaDecl>(decl)) {
      const std::string name = schema->name.text.str();
      for (const ast::SchemaField& field : schema->fields)
        all.insert(name + "." + field.name.text.str());
      for (const ast::ChoiceMember& member : schema->choices)
        for (const ast::SchemaField& field : member.fields)
          all.insert(name + "." + member.name.text.str() + "." + field.name.text.str());
    }
  return all;
}

/// What a file comes to: what is said of it, its figures, and what its plans are emitted as.
class Outcome {
public:
  Outcome(std::string text, const std::vector<Override>& settings) {
    workspace.overlay("main.dpl", std::move(text));
    unit = workspace.compile("main.dpl", diags, settings);
    compiled = diags.errors() == 0 && !unit->file.failed();
    if (!compiled)
      return;
    for (ir::Plan& plan : unit->file->plans)
      if (Workspace::complete(plan, diags).succeeded())
        completed.push_back(&plan);
  }
  std::string figures() {
    std::string out = said(diags);
    for (const ir::Plan* plan : completed)
      for (const figures::Figures all(*plan); const figures::Figure* figure : all.all())
        out += fmt::format("{} = {:.17g}\n", figure->path, figure->value);
    return out;
  }
  std::string emitted() {
    std::string out;
    for (const ir::Plan* plan : completed)
      for (const Target* target : allTargets()) {
        const std::vector<std::string> beside = target->role == TargetRole::Launcher
                                                    ? std::vector<std::string>{"megatron"}
                                                    : std::vector<std::string>();
        const std::string& framework = plan->framework.name;
        if (!framework.empty() && framework != target->name)
          continue; // every other one refuses it and names it
        DiagnosticEngine verdict;
        FailureOr<std::vector<EmittedFile>> files =
            emit({*target, *plan, releaseFor(*target, *plan), beside}, verdict);
        verdict.endPhase();
        out += said(verdict);
        if (!files.failed())
          for (const EmittedFile& file : *files)
            out += withoutHash(file.text(), plan->hash);
      }
    return out;
  }
  /// Of what is data of the plan and has no figure: runs, searches and studies.
  std::string printed() {
    std::string out;
    for (const std::vector<ir::Plan>* plans : {&unit->file->plans, &unit->file->searched})
      for (const ir::Plan& plan : *plans)
        out += ir::print(plan);
    return out;
  }
  /// Of how data ranks step and how long times last, which simulated steps alone know.
  std::string simulated() {
    std::string out;
    for (const ir::Plan* plan : completed) {
      const simulation::WorkersRequest request{simulation::synchronizationOf(*plan), 40, 1};
      simulation::SimulationRequest steps;
      steps.messages = !plan->cluster.linkJitter.empty();
      if (simulation::whyNotSimulated(*plan, request).empty())
        out += simulation::renderJson(*plan, simulation::runWorkers(*plan, request)).dump();
      else if (simulation::whyNotSimulated(*plan, steps).empty())
        out += simulation::renderJson(*plan, simulation::runSteps(*plan, steps)).dump();
    }
    return out;
  }
  std::string reports() {
    std::string out;
    for (const ir::Plan* plan : completed)
      out += report::renderReport(*plan, 100);
    return out;
  }
  std::string errors() { return said(diags); }
  bool compiled = false;

private:
  static std::string said(const DiagnosticEngine& from) {
    std::string out;
    for (const Diagnostic& d : from.diagnostics())
      out += fmt::format("{} {} {}\n", d.info.code, d.message, d.label);
    return out;
  }
  /// The hash covers whatever the file says.
  static std::string withoutHash(std::string text, const std::string& hash) {
    for (std::size_t at = text.find(hash); at != std::string::npos; at = text.find(hash, at))
      text.replace(at, hash.size(), "HASH");
    return text;
  }
  Workspace workspace;
  DiagnosticEngine diags;
  std::unique_ptr<CompiledUnit> unit;
  std::vector<const ir::Plan*> completed;
};

/// "a.b=1; c.d=2"; of a path that is there twice the later value.
std::vector<Override> settingsOf(const std::string& text) {
  std::vector<Override> out;
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::StringRef(text).split(parts, ';', -1, false);
  for (const llvm::StringRef part : parts) {
    const auto [path, value] = part.split('=');
    llvm::erase_if(out, [&, name = path.trim()](const Override& o) { return o.path == name; });
    out.push_back({path.trim().str(), value.trim().str(), "--set"});
  }
  return out;
}

/// The text with what a case changes in it, "text: OLD => NEW".
bool edited(const std::string& change, std::string& text) {
  llvm::StringRef rest = change;
  if (!rest.consume_front("text: "))
    return false;
  const auto [before, after] = rest.split(" => ");
  const std::size_t at = text.find(before.str());
  EXPECT_NE(at, std::string::npos) << change;
  if (at != std::string::npos)
    text.replace(at, before.size(), after.str());
  return true;
}

class Fields : public testing::TestWithParam<test::FieldCase> {};

} // namespace

TEST_P(Fields, HaveAnEffect) {
  const test::FieldCase& c = GetParam();
  const std::string base = test::baseText(c.base);
  std::string changed = base;
  std::string settings = c.before;
  if (!edited(c.after, changed))
    settings += std::string(";") + c.after;
  Outcome before(base, settingsOf(c.before)), after(changed, settingsOf(settings));
  ASSERT_TRUE(before.compiled) << before.errors();
  ASSERT_TRUE(after.compiled) << after.errors();
  const llvm::StringRef schema = llvm::StringRef(c.field).split('.').first;
  static const std::set<std::string> data{"layout_search", "study",     "plot",       "sampling",
                                          "run",           "phase",     "checkpoint", "quadratic",
                                          "spectrum",      "goal",      "staleness",  "numbers",
                                          "number_values", "sum_order", "loss_scale"};
  const bool asData = data.count(schema.str()) > 0;
  static const std::set<std::string> steps{
      "synchronization",   "throttling",      "interference", "jitter",
      "parameter_servers", "batch_balancing", "shared_bus",   "data_loading",
      "message_delay",     "layer_time",      "link_jitter"};
  const bool ofSteps =
      steps.count(schema.str()) > 0 ||
      (schema == "layout" && steps.count(llvm::StringRef(c.field).split('.').second.str()) > 0);
  const bool forPeople = llvm::StringRef(c.field) == "layout.notes";
  const bool effect = (forPeople && before.reports() != after.reports()) ||
                      (asData && before.printed() != after.printed()) ||
                      (ofSteps && before.simulated() != after.simulated()) ||
                      before.figures() != after.figures() || before.emitted() != after.emitted();
  EXPECT_TRUE(effect) << c.field << " changes nothing";
}

TEST(FieldCases, CoverEveryFieldOfTheLibrary) {
  std::set<std::string> tried;
  for (const test::FieldCase& c : test::fieldCases())
    EXPECT_TRUE(tried.insert(c.field).second) << c.field << " stands twice";
  const auto declared = declaredFields(); // reads the whole library
  for (const std::string& field : declared)
    EXPECT_EQ(tried.count(field), 1U) << field << " has no case";
  for (const std::string& field : tried)
    EXPECT_EQ(declared.count(field), 1U) << field << " is no field";
}

INSTANTIATE_TEST_SUITE_P(Library, Fields, testing::ValuesIn(test::fieldCases()),
                         [](const testing::TestParamInfo<test::FieldCase>& info) {
                           std::string name = info.param.field;
                           for (char& c : name)
                             c = llvm::isAlnum(c) ? c : '_';
                           return name;
                         });
