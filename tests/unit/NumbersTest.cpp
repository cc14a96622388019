//===- NumbersTest.cpp - Number formats against LLVM's and tables of all numbers --------------===//
#include "simulate/converge/Numbers.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace dpl::converge;
using llvm::APFloat;

namespace {
constexpr auto nearestEven = APFloat::rmNearestTiesToEven;
const llvm::fltSemantics& semantics(std::size_t place) {
  return place == 0 ? APFloat::IEEEsingle() : place == 1 ? APFloat::IEEEhalf() : APFloat::BFloat();
}
double valueOf(APFloat x) {
  bool inexact = false;
  x.convert(APFloat::IEEEdouble(), nearestEven, &inexact);
  return x.convertToDouble();
}
APFloat in(const llvm::fltSemantics& format, double value) {
  APFloat x(value);
  bool inexact = false;
  x.convert(format, nearestEven, &inexact);
  return x;
}

/// All finite numbers of a format that are not negative, in order, from its bits: OCP 8-bit and MX
/// specifications. `unused` is how many of the largest codes are no number.
std::vector<double> table(int exponentBits, int mantissaBits, int unused) {
  const int bias = (1 << (exponentBits - 1)) - 1, codes = 1 << (exponentBits + mantissaBits);
  std::vector<double> out;
  for (int code = 0; code < codes - unused; ++code) {
    const int exponent = code >> mantissaBits, mantissa = code & ((1 << mantissaBits) - 1);
    const double fraction = std::ldexp(mantissa, -mantissaBits);
    out.push_back(exponent == 0 ? std::ldexp(fraction, 1 - bias)
                                : std::ldexp(1 + fraction, exponent - bias));
  }
  return out;
}
} // namespace

TEST(Numbers, Rounding_IsThatOfLlvm_BitByBit) {
  std::mt19937_64 generator(5);
  for (std::size_t place = 0; place < 3; ++place) {
    const NumberFormat& format = formatAt(place);
    EXPECT_EQ(format.largest, valueOf(APFloat::getLargest(semantics(place))));
    EXPECT_EQ(format.smallestNormal(), valueOf(APFloat::getSmallestNormalized(semantics(place))));
    for (int i = 0; i < 100'000; ++i) {
      // Exponents around the range of the format, and some beyond its ends.
      const double exponent =
          std::ilogb(format.smallestNormal()) - 30.0 +
          static_cast<double>(generator() % 1000) / 1000 *
              (std::ilogb(format.largest) - std::ilogb(format.smallestNormal()) + 35.0);
      const double value = std::ldexp(1 + std::ldexp(static_cast<double>(generator() >> 11), -53),
                                      static_cast<int>(exponent)) *
                           (generator() % 2 == 0 ? 1 : -1);
      ASSERT_EQ(format.round(value), valueOf(in(semantics(place), value))) << value;
    }
  }
}

TEST(Numbers, Sums_AreThoseOfLlvm_BitByBit) {
  std::mt19937_64 generator(9);
  std::normal_distribution<double> normal;
  for (std::size_t place = 0; place < 3; ++place)
    for (int i = 0; i < 200; ++i) {
      std::vector<double> values(50);
      for (double& each : values)
        each = normal(generator) * std::exp(1.5 * normal(generator));
      APFloat sum = in(semantics(place), values.front());
      for (std::size_t k = 1; k < values.size(); ++k)
        sum.add(in(semantics(place), values[k]), nearestEven);
      ASSERT_EQ(sumOf(values, formatAt(place), SumOrder::LeftToRight), valueOf(sum));
      std::reverse(values.begin(), values.end());
      ASSERT_EQ(sumOf(values, formatAt(place), SumOrder::RightToLeft), valueOf(sum));
    }
}

TEST(Numbers, SmallFormats_RoundToTheNearestOfAllTheirNumbers) {
  struct Small {
    std::size_t place;
    int exponentBits, mantissaBits, unused;
  };
  for (const auto& [place, exponentBits, mantissaBits, unused] :
       {Small{3, 4, 3, 1}, Small{4, 5, 2, 4}, Small{5, 2, 1, 0}}) {
    const NumberFormat& format = formatAt(place);
    const std::vector<double> all = table(exponentBits, mantissaBits, unused);
    EXPECT_EQ(format.largest, all.back());
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(format.round(all[i]), all[i]);
      EXPECT_EQ(format.place(all[i]), static_cast<std::int64_t>(i));
      EXPECT_EQ(format.place(-all[i]), -static_cast<std::int64_t>(i));
      if (i + 1 == all.size())
        continue;
      const double middle = (all[i] + all[i + 1]) / 2;
      EXPECT_EQ(format.round(middle), all[i % 2 == 0 ? i : i + 1]) << middle;
      EXPECT_EQ(format.round(std::nextafter(middle, 0)), all[i]);
      EXPECT_EQ(format.round(-std::nextafter(middle, INFINITY)), -all[i + 1]);
    }
  }
  EXPECT_EQ(formatAt(3).round(464), 448); // half way to 480, which would be even no more
  EXPECT_TRUE(std::isnan(formatAt(3).round(464.1)));
  EXPECT_TRUE(std::isinf(formatAt(4).round(61440)));
  EXPECT_EQ(formatAt(5).round(1000), 6);
}

TEST(Numbers, ExactSum_LosesNothing) {
  EXPECT_EQ(exactSum({1e30, 1, -1e30}), 1);
  EXPECT_EQ(exactSum({1e16, 1, 1, -1e16}), 2);
  EXPECT_EQ(exactSum({}), 0);
}

// A million draws of the standard library: three binomial standard errors.
TEST(Numbers, SharesOfNormalValues_AreThoseOfDrawnOnes) {
  std::mt19937_64 generator(2);
  for (const int scale : {0, 4, 29}) {
    const double deviation = std::ldexp(1e-4, scale);
    std::normal_distribution<double> normal(0, deviation);
    std::vector<double> values(1'000'000);
    for (double& each : values)
      each = normal(generator);
    const StoredShares expected = sharesOfNormal(deviation, formatAt(1)),
                       drawn = sharesOf(values, formatAt(1));
    for (const auto& [share, found] : {std::pair(expected.belowNormal, drawn.belowNormal),
                                       std::pair(expected.aboveLargest, drawn.aboveLargest),
                                       std::pair(expected.overflow, drawn.overflow)})
      EXPECT_NEAR(found, share, 3 * std::sqrt(share * (1 - share) / 1e6) + 1e-6) << scale;
  }
}

TEST(Numbers, DynamicScale_SkipsOneStepInAWindow) {
  const ScaledSteps steps = scaleSteps({0.6}, formatAt(1), 65536, 10, 11'000);
  EXPECT_EQ(steps.skipped, 1000U); // ten good ones, one that overflows
  EXPECT_EQ(steps.scale, 65536);
  EXPECT_EQ(scaleSteps({0}, formatAt(1), 1, 10, 100).scale, 1024);
}
