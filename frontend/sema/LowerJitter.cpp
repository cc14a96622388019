//===- LowerJitter.cpp - Lowers the field `jitter` --------------------------------------------===//
#include "frontend/sema/LowerJitter.h"
#include "frontend/sema/ClusterFields.h"
#include "support/diagnostics/Layout.h"
#include "support/diagnostics/Schema.h"
#include <cmath>

using namespace dpl;
using namespace dpl::sema;

namespace {
class JitterLowering : ClusterFields {
public:
  JitterLowering(Lowering& to, const ObjectFields& owner, ir::Jitter& out)
      : ClusterFields(to, owner), jitter(out) {}

  void run() {
    jitter.kind = choice(fields, "jitter", ir::JitterKind::None);
    if (jitter.kind == ir::JitterKind::None)
      return;
    const ObjectFields from = fields.object("jitter");
    if (jitter.kind == ir::JitterKind::Measured)
      return measured(from);
    jitter.spread = jitter.kind == ir::JitterKind::Pareto        ? ratio(from, "shape", finiteMean)
                    : jitter.kind == ir::JitterKind::Exponential ? ratio(from, "cv", noneOrShare)
                                                                 : ratio(from, "cv", spread);
    if (jitter.kind == ir::JitterKind::LogNormal) {
      jitter.node = ratio(from, "node_correlation", noneOrShare);
      lasts(from);
    }
    if (jitter.kind == ir::JitterKind::Rare) {
      jitter.share = ratio(from, "fraction", noneOrShare);
      jitter.slowdown = ratio(from, "slowdown", tapered);
    }
  }

private:
  void lasts(const ObjectFields& from) {
    jitter.lasts = to.bounded(from.whole("persistence"), mostDevices, "persistence",
                              from.range("persistence"));
    notZero(jitter.lasts, from, "persistence");
  }
  /// Reads measured times. They are divided by their mean and sorted in ascending order.
  void measured(const ObjectFields& from) {
    const Value written = from.value("times");
    if (!written.is(Value::ValueKind::List))
      return;
    lasts(from);
    std::vector<double>& times = jitter.times;
    double sum = 0;
    const auto refused = [&](SourceRange at, const std::string& found) {
      to.failed = true;
      (void)to.diags.report<diag::MeasuredTime>(at.valid() ? at : from.range("times"), found);
    };
    if (written.list.empty())
      return refused(written.range, "an empty list");
    for (const Value& v : written.list) {
      times.push_back(v.number.toDouble());
      sum += times.back();
      if (times.back() <= 0)
        return refused(v.range, v.number.str());
    }
    for (double& time : times)
      time *= static_cast<double>(times.size()) / sum;
    llvm::sort(times);
    double square = 0;
    for (const double time : times)
      square += (time - 1) * (time - 1) / static_cast<double>(times.size());
    jitter.spread = std::sqrt(square);
  }

  ir::Jitter& jitter;
};
} // namespace

void sema::lowerJitter(Lowering& to, const ObjectFields& owner, ir::Jitter& out) {
  JitterLowering(to, owner, out).run();
}

void sema::lowerFreshJitter(Lowering& to, const ObjectFields& owner, llvm::StringRef what,
                            ir::Jitter& out) {
  lowerJitter(to, owner, out);
  if (out.kind == ir::JitterKind::None)
    return;
  const ObjectFields from = owner.object("jitter");
  const auto refused = [&](const char* field) {
    to.failed = true;
    to.diags.report<diag::DrawnAnew>(from.range(field), field, what);
  };
  if (out.node > 0)
    refused("node_correlation");
  if (out.lasts > 1)
    refused("persistence");
}
