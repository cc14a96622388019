//===- WhyNot.cpp - Why a layout is not what a search finds -----------------------------------===//
#include "driver/search/WhyNot.h"
#include "backends/Target.h"
#include "backends/report/Format.h"
#include "figures/Figures.h"
#include "ir/Arithmetic.h"
#include "ir/DrawnFigures.h"
using namespace dpl;
using namespace dpl::search;

namespace {
constexpr llvm::StringLiteral ofLayout = "layout.";

const WrittenField* fieldOf(llvm::ArrayRef<WrittenField> fields, llvm::StringRef path) {
  const auto* found =
      llvm::find_if(fields, [&](const WrittenField& field) { return path == field.path; });
  return found == fields.end() ? nullptr : found;
}

/// The value of a field in expressions: a number, or the name of a choice.
ir::ResultValue valueOf(const std::string& text) {
  if (const std::optional<ir::ResultValue> number = ir::numberWritten(text))
    return *number;
  ir::ResultValue choice;
  choice.name = text;
  return choice;
}

bool isSame(const std::string& candidate, const WrittenField& field) {
  if (candidate == field.value)
    return true;
  const std::optional<ir::ResultValue> a = ir::numberWritten(candidate),
                                       b = ir::numberWritten(field.value);
  // A default may be a number without a unit: `micro_batch` is 1, and a candidate 1seq.
  return a && b && a->value == b->value &&
         (a->dimension == b->dimension || b->dimension == Dimension{});
}

bool isAmong(const ir::OpenField& open, const WrittenField& field) {
  for (std::uint64_t i = 0; i < open.size(); ++i)
    if (isSame(open.at(i), field))
      return true;
  return false;
}
} // namespace

namespace {
/// The field of a layout with the degree of an axis.
std::string fieldOf(ir::Axis axis) {
  switch (axis) {
  case ir::Axis::ExpertData:
    return "mesh.experts.data";
  case ir::Axis::Expert:
    return "mesh.experts.expert";
  case ir::Axis::ExpertTensor:
    return "mesh.experts.tensor";
  default:
    return std::string("mesh.") + ir::name(axis);
  }
}

/// Whether all candidates of a search have the degree of `best` on this axis.
bool isFixed(const ir::Space& space, const ir::Plan& best, ir::Axis axis) {
  const ir::MeshRequest& mesh = best.layout.mesh;
  const std::string field = fieldOf(axis);
  for (const ir::OpenField& open : space.open)
    if (open.path == field || open.path == "mesh")
      return false;
  const bool ofExperts = llvm::StringRef(field).startswith("mesh.experts.");
  const std::vector<ir::AxisRequest>& asked = ofExperts ? mesh.experts : mesh.axes;
  const auto found =
      llvm::find_if(asked, [&](const ir::AxisRequest& one) { return one.axis == axis; });
  return found == asked.end() ? !ofExperts : !found->rest;
}

/// Objections to degrees of the mesh that no candidate has.
void addMesh(const ir::Plan& plan, const ir::Space& space, const ir::Plan& best,
             std::vector<Objection>& out) {
  std::vector<ir::Axis> axes = {ir::Axis::Replica, ir::Axis::Pipeline, ir::Axis::Data,
                                ir::Axis::Context, ir::Axis::Tensor};
  if (!plan.mesh.expertAxes.empty())
    axes.insert(axes.end(), {ir::Axis::ExpertData, ir::Axis::Expert, ir::Axis::ExpertTensor});
  for (const ir::Axis axis : axes) {
    const std::string field = fieldOf(axis);
    const std::uint64_t size = plan.mesh.size(axis);
    const auto open =
        llvm::find_if(space.open, [&](const ir::OpenField& one) { return one.path == field; });
    if (open != space.open.end() ? !isAmong(*open, {field, std::to_string(size), ""})
                                 : isFixed(space, best, axis) && best.mesh.size(axis) != size)
      out.push_back(
          {"space", fmt::format("{} = {} is not a candidate of the search", field, size)});
  }
}
} // namespace

std::vector<Objection> search::objectionsTo(const ir::Plan& plan,
                                            llvm::ArrayRef<WrittenField> fields,
                                            const ir::Space& space, const ir::Plan& best) {
  std::vector<Objection> out;
  if (const ir::RankMemory* worst = ir::tightest(plan.memory); worst && worst->headroom() < 0)
    out.push_back(
        {"memory", fmt::format("it does not fit: pipeline rank {} needs {}, a device has {}",
                               worst->rank, report::memory(ir::real(worst->peak())),
                               report::memory(ir::real(worst->usable)))});
  if (const std::string refusal = whyRefused(plan); !refusal.empty())
    out.push_back({"program", fmt::format("{} refuses it: {}", plan.framework.text(), refusal)});
  const figures::Figures figures(plan, {}, figures::Depth::Values);
  const auto results = [&](const std::string& path) -> std::optional<ir::ResultValue> {
    if (!llvm::StringRef(path).startswith(ofLayout))
      return figures.result(path);
    const WrittenField* field = fieldOf(fields, path);
    if (!field)
      return std::nullopt;
    return valueOf(field->name.empty() ? field->value : field->name);
  };
  for (const ir::Assertion& constraint : space.constraints) {
    if (constraint.nodes.empty())
      continue;
    const ir::Verdict verdict = ir::evaluate(constraint, results);
    if (verdict.known && verdict.error.empty() && !verdict.holds)
      out.push_back({"require", fmt::format("it breaks `require {}`\n{}", constraint.source,
                                            verdict.diagram)});
  }
  addMesh(plan, space, best, out);
  for (const ir::OpenField& open : space.open)
    if (llvm::StringRef(open.path).startswith("mesh."))
      continue;
    else if (const WrittenField* field = fieldOf(fields, (ofLayout + open.path).str());
             field && field->name.empty() && !isAmong(open, *field))
      out.push_back({"space", fmt::format("{} = {} is not a candidate of the search", open.path,
                                          field->value)});
  return out;
}
