#pragma once
//===- Figures.h - Every figure of a plan, created on demand ----------------------------------===//
//
// The figures of a plan, from the rows of ir/Results.def. Reading a figure creates only the figures
// that it depends on, so a plan whose figures nobody reads creates none.
#include "figures/FormulaTrees.h"
#include "ir/Assertion.h"
#include "ir/Plan.h"
#include <functional>
#include <memory>
#include <optional>

namespace dpl::figures {

/// The location "plan.dpl:21:3" at which a field such as "cluster.node.gpu.memory" was last set; ""
/// if unknown.
using FieldLocator = std::function<std::string(const std::string& field)>;

/// The depth of formulas and of the list of all figures: down to modules, or to their operators,
/// which have hundreds of figures. `find` finds figures at any depth. With `Values`, figures have
/// the same values, but not the inputs that only explain them.
enum class Depth : std::uint8_t { Values, Modules, Operators };

class Figures {
public:
  /// Relies on: a plan that every compiler pass has completed. The plan must outlive this object.
  explicit Figures(const ir::Plan& plan, FieldLocator where = {}, Depth depth = Depth::Modules);
  ~Figures();

  /// The figure with this path; null if the plan has none.
  const Figure* find(llvm::StringRef path) const;
  std::optional<double> value(llvm::StringRef path) const;
  /// The value that an assertion reads.
  std::optional<ir::ResultValue> result(const std::string& path) const;
  /// All figures in table order; inputs precede the figures derived from them.
  const std::vector<const Figure*>& all() const;

  /// The formula as a text with the paths of figures; "" if the figure has none.
  std::string formula(const Figure& figure) const;
  const FormulaTrees& expressions() const;

private:
  class FigureBuilder;
  std::unique_ptr<FigureBuilder> maker;
};

/// The paths of the figures whose sum is `step_time`. A plan may lack some of them.
llvm::ArrayRef<const char*> stepComponents();

} // namespace dpl::figures
