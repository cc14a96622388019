//===- StepFit.cpp - Device and link efficiencies fitted to measured steps --------------------===//
#include "driver/calibrate/StepFit.h"
#include <cmath>
using namespace dpl;
using namespace dpl::score;

namespace {
constexpr double difference = 0.05; ///< step of the logarithm for derivatives
constexpr double outlier = 2;       ///< standard deviations from which errors count linearly
constexpr double quantile = 1.2816; ///< 90 % quantile of the normal distribution
constexpr double least = 1e-4;      ///< smallest derivative of a logarithm that counts
constexpr unsigned mostSteps = 8;

using Vector = std::vector<double>;
using Matrix = std::vector<Vector>;

/// The inverse of a symmetric positive definite matrix.
Matrix inverseOf(Matrix a) {
  const std::size_t n = a.size();
  Matrix inverse(n, Vector(n, 0));
  for (std::size_t i = 0; i < n; ++i)
    inverse[i][i] = 1;
  for (std::size_t pivot = 0; pivot < n; ++pivot) {
    const double scale = 1 / a[pivot][pivot];
    for (std::size_t j = 0; j < n; ++j)
      a[pivot][j] *= scale, inverse[pivot][j] *= scale;
    for (std::size_t i = 0; i < n; ++i) {
      const double factor = a[i][pivot];
      for (std::size_t j = 0; i != pivot && j < n; ++j)
        a[i][j] -= factor * a[pivot][j], inverse[i][j] -= factor * inverse[pivot][j];
    }
  }
  return inverse;
}

class Fitter {
public:
  Fitter(const std::vector<ir::Plan>& plans, llvm::ArrayRef<TimedPart> parts,
         llvm::ArrayRef<const StepFactKind*> kinds, PredictParts predict)
      : plans(plans), parts(parts), predict(predict) {
    for (const StepFactKind* const kind : kinds)
      for (const ir::Plan& plan : plans)
        if (const double was = kind->get(plan); was > 0) {
          facts.push_back({kind, was, was, was, was, 1});
          break;
        }
  }

  StepFit run() {
    StepFit out;
    Vector x(facts.size(), 0);
    out.before = timesOf(x);
    Matrix slopes = slopesOf(x, out.before);
    keepSeen(slopes);
    x.assign(facts.size(), 0);
    Vector times = out.before;
    for (unsigned step = 0; step < mostSteps && !facts.empty(); ++step) {
      if (step > 0)
        slopes = slopesOf(x, times);
      if (!improve(x, times, slopes))
        break;
    }
    out.after = times;
    uncertainties(x, times, slopes);
    out.facts = facts;
    return out;
  }

private:
  Vector timesOf(const Vector& x) const {
    Vector out;
    std::vector<Vector> ofPlan(plans.size());
    for (std::size_t i = 0; i < plans.size(); ++i) {
      ir::Plan plan = plans[i];
      for (std::size_t k = 0; k < facts.size(); ++k)
        if (x[k] != 0 && facts[k].kind->get(plan) > 0)
          facts[k].kind->set(
              plan, std::min(facts[k].kind->most, facts[k].kind->get(plan) * std::exp(x[k])));
      ofPlan[i] = predict(i, plan);
    }
    for (const TimedPart& part : parts)
      out.push_back(ofPlan[part.plan][part.part]);
    return out;
  }
  double highest(std::size_t k) const { return std::log(facts[k].kind->most / facts[k].was); }
  Matrix slopesOf(const Vector& x, const Vector& times) const {
    Matrix out;
    for (std::size_t k = 0; k < facts.size(); ++k) {
      Vector moved = x;
      const double by = x[k] + difference > highest(k) ? -difference : difference;
      moved[k] += by;
      Vector slopes = timesOf(moved);
      for (std::size_t r = 0; r < parts.size(); ++r) {
        const double slope = std::log(slopes[r] / times[r]) / by;
        slopes[r] = std::isfinite(slope) ? slope : 0;
      }
      out.push_back(std::move(slopes));
    }
    return out;
  }
  void keepSeen(Matrix& slopes) {
    for (std::size_t k = facts.size(); k-- > 0;)
      if (llvm::none_of(slopes[k], [](double slope) { return std::abs(slope) > least; })) {
        facts.erase(facts.begin() + static_cast<std::ptrdiff_t>(k));
        slopes.erase(slopes.begin() + static_cast<std::ptrdiff_t>(k));
      }
  }
  double errorOf(std::size_t r, const Vector& times) const {
    const double error = std::log(times[r] / parts[r].measured);
    return std::isfinite(error) ? error / parts[r].noise : 0;
  }
  double lossOf(const Vector& x, const Vector& times) const {
    double sum = 0;
    for (std::size_t r = 0; r < parts.size(); ++r) {
      const double error = std::abs(errorOf(r, times));
      sum += error <= outlier ? error * error : outlier * (2 * error - outlier);
    }
    for (std::size_t k = 0; k < facts.size(); ++k)
      sum += x[k] * x[k] / (facts[k].kind->usual * facts[k].kind->usual);
    return sum;
  }
  double weightOf(std::size_t r, const Vector& times) const {
    const double error = std::abs(errorOf(r, times));
    return (error <= outlier ? 1 : outlier / error) / (parts[r].noise * parts[r].noise);
  }
  /// The curvature of half the loss, for a variance of the noise that is `misfit` times as large.
  Matrix curvatureOf(const Vector& times, const Matrix& slopes, double misfit = 1) const {
    Matrix out(facts.size(), Vector(facts.size(), 0));
    for (std::size_t i = 0; i < facts.size(); ++i) {
      out[i][i] = 1 / (facts[i].kind->usual * facts[i].kind->usual);
      for (std::size_t j = 0; j < facts.size(); ++j)
        for (std::size_t r = 0; r < parts.size(); ++r)
          out[i][j] += weightOf(r, times) / misfit * slopes[i][r] * slopes[j][r];
    }
    return out;
  }
  /// A Gauss-Newton step, shortened until the loss decreases. Parameters at their bound stay there.
  bool improve(Vector& x, Vector& times, const Matrix& slopes) const {
    Vector gradient(facts.size());
    for (std::size_t k = 0; k < facts.size(); ++k) {
      gradient[k] = x[k] / (facts[k].kind->usual * facts[k].kind->usual);
      for (std::size_t r = 0; r < parts.size(); ++r)
        gradient[k] += weightOf(r, times) * slopes[k][r] * errorOf(r, times) * parts[r].noise;
    }
    Matrix curvature = curvatureOf(times, slopes);
    for (std::size_t k = 0; k < facts.size(); ++k)
      if (x[k] >= highest(k) && gradient[k] < 0) {
        for (std::size_t j = 0; j < facts.size(); ++j)
          curvature[k][j] = curvature[j][k] = j == k ? 1 : 0;
        gradient[k] = 0;
      }
    const Matrix inverse = inverseOf(curvature);
    const double loss = lossOf(x, times);
    for (double length = 1; length > 0.05; length /= 2) {
      Vector moved = x;
      for (std::size_t k = 0; k < facts.size(); ++k) {
        for (std::size_t j = 0; j < facts.size(); ++j)
          moved[k] -= length * inverse[k][j] * gradient[j];
        moved[k] = std::min(moved[k], highest(k));
      }
      Vector found = timesOf(moved);
      if (const double now = lossOf(moved, found); now < loss) {
        x = std::move(moved), times = std::move(found);
        return loss - now > 1e-4;
      }
    }
    return false;
  }
  void uncertainties(const Vector& x, const Vector& times, const Matrix& slopes) {
    if (facts.empty())
      return;
    // Errors that are larger than the noise are noise too.
    double squares = 0;
    for (std::size_t r = 0; r < parts.size(); ++r) {
      const double error = std::abs(errorOf(r, times));
      squares += error * std::min(error, outlier);
    }
    const double misfit = std::max(1.0, squares / static_cast<double>(parts.size()));
    const Matrix covariance = inverseOf(curvatureOf(times, slopes, misfit));
    for (std::size_t k = 0; k < facts.size(); ++k) {
      FittedStepFact& fact = facts[k];
      const double deviation = std::sqrt(covariance[k][k]);
      fact.is = std::min(fact.kind->most, fact.was * std::exp(x[k]));
      fact.low = fact.is * std::exp(-quantile * deviation);
      fact.high = std::min(fact.kind->most, fact.is * std::exp(quantile * deviation));
      fact.varianceLeft = covariance[k][k] / (fact.kind->usual * fact.kind->usual);
    }
  }

  const std::vector<ir::Plan>& plans;
  llvm::ArrayRef<TimedPart> parts;
  PredictParts predict;
  std::vector<FittedStepFact> facts;
};
} // namespace

StepFit score::fitSteps(const std::vector<ir::Plan>& plans, llvm::ArrayRef<TimedPart> parts,
                        llvm::ArrayRef<const StepFactKind*> kinds, PredictParts predict) {
  return Fitter(plans, parts, kinds, predict).run();
}
