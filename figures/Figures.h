#pragma once
//===- Figures.h - Every figure of a plan, made when asked ------------------------------------===//
//
// The rows of ir/Results.def. Asking for one figure makes what it is derived from and no more; a
// plan whose figures nobody reads makes none.
#include "figures/FormulaTrees.h"
#include "ir/Assertion.h"
#include "ir/Plan.h"
#include <functional>
#include <memory>
#include <optional>

namespace dpl::figures {

/// "plan.dpl:21:3", where a field such as "cluster.node.gpu.memory" was last set; "" when nobody
/// knows.
using FieldLocator = std::function<std::string(const std::string& field)>;

/// How far formulas and the list of all figures go: to the parts of a stage or to the operators of
/// a part, which have hundreds of figures. `find` knows them all at any depth. With `Values` a
/// figure has the same value, but lacks the inputs that only explain it.
enum class Depth : std::uint8_t { Values, Modules, Operators };

class Figures {
public:
  /// Of a plan that every pass has completed. It must outlive the figures.
  explicit Figures(const ir::Plan& plan, FieldLocator where = {}, Depth depth = Depth::Modules);
  ~Figures();

  /// Null when the plan has no figure of that path.
  const Figure* find(llvm::StringRef path) const;
  std::optional<double> value(llvm::StringRef path) const;
  /// What an assertion reads.
  std::optional<ir::ResultValue> result(const std::string& path) const;
  /// In the order of the table; what a figure is derived from stands before it.
  const std::vector<const Figure*>& all() const;

  /// The formula with figures by their paths, or with a text of each; "" where there is none.
  std::string formula(const Figure& figure) const;
  const FormulaTrees& expressions() const;

private:
  class FigureBuilder;
  std::unique_ptr<FigureBuilder> maker;
};

/// The figures that add up to `step_time`. A plan may lack some of them.
llvm::ArrayRef<const char*> stepComponents();

} // namespace dpl::figures
