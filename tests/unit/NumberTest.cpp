#include "support/Number.h"
#include "support/UnitTable.h"
#include <gtest/gtest.h>
using namespace dpl;

namespace {
Number number(const char* digits, const char* unit = "", Scope scope = Scope::None) {
  const std::optional<Rational> value = Rational::parse(digits);
  if (!*unit)
    return {*value, {}, scope, nullptr};
  const Unit* found = findUnit(unit);
  EXPECT_NE(found, nullptr) << unit;
  return {*Rational::multiply(*value, found->factor), found->dimension, scope, found};
}

std::string quotient(const Number& a, const Number& b) { return divide(a, b).value->str(); }
} // namespace

TEST(Rational, Decimals_AreReadExactly) {
  EXPECT_EQ(Rational::parse("3.35")->str(), "3.35");
  EXPECT_EQ(Rational::parse("1_000")->str(), "1000");
  EXPECT_EQ(Rational::parse("2.5e9")->str(), "2500000000");
  EXPECT_EQ(Rational::parse("8e-5")->str(), "0.00008");
  EXPECT_EQ(Rational::parse("0.10")->str(), "0.1");
}

TEST(Rational, ANumberThatDoesNotFit_IsNothing) {
  EXPECT_FALSE(Rational::parse("1e39"));
  EXPECT_FALSE(Rational::parse("1e999999999999999999999"));
  EXPECT_FALSE(Rational::parse(std::string(400, '9')));
  EXPECT_TRUE(Rational::parse("170141183460469231731687303715884105727"));
  EXPECT_TRUE(Rational::parse("0e999")->isZero());
}

TEST(Rational, ProductsAndSums_ThatOverflow_AreNothing) {
  const Rational big = *Rational::parse("1e30");
  EXPECT_FALSE(Rational::multiply(big, big));
  EXPECT_FALSE(Rational::add(*Rational::parse("1.7e38"), *Rational::parse("1.7e38")));
  EXPECT_FALSE(Rational::divide(1, 0));
  EXPECT_TRUE(Rational::multiply(big, *Rational::of(1, big.numerator())) == Rational(1));
}

TEST(Rational, Comparison_NeverOverflows) {
  const Rational a = *Rational::of(Rational::parse("1e38")->numerator(), 3);
  const Rational b = *Rational::of(Rational::parse("1e38")->numerator() + 1, 3);
  EXPECT_EQ(Rational::compare(a, b), -1);
  EXPECT_EQ(Rational::compare(b, a), 1);
  EXPECT_EQ(Rational::compare(a, a), 0);
  EXPECT_EQ(Rational::compare(*Rational::of(-1, 2), *Rational::of(1, 3)), -1);
  EXPECT_EQ(Rational::compare(*Rational::of(-1, 2), *Rational::of(-1, 3)), -1);
}

TEST(Rational, Remainder_HasTheSignOfTheDivisor) {
  EXPECT_EQ(*Rational::remainder(7, 3), Rational(1));
  EXPECT_EQ(*Rational::remainder(-7, 3), Rational(2));
  EXPECT_EQ(*Rational::remainder(*Rational::parse("0.5"), *Rational::parse("0.2")),
            *Rational::parse("0.1"));
}

TEST(Rational, AThird_PrintsAsAFraction) { EXPECT_EQ(Rational::of(1, 3)->str(), "1/3"); }

TEST(Units, DecimalAndBinary_AreDifferentNumbers) {
  EXPECT_EQ(number("80", "GB").value, Rational(80'000'000'000));
  EXPECT_EQ(number("80", "GiB").value, Rational(85'899'345'920));
}

TEST(Units, Bits_AreEighthsOfBytes) {
  // A 200 Gbps port carries 25 GB/s in one direction.
  EXPECT_EQ(number("200", "Gbps").value, number("25", "GB/s").value);
  EXPECT_EQ(number("200", "Gbps").value, number("200", "Gb/s").value);
  EXPECT_EQ(number("1", "b").value, *Rational::of(1, 8));
}

TEST(Units, Quotients_AreMadeOfTheTable) {
  EXPECT_EQ(describe(findUnit("usd/kWh")->dimension), "an energy price (money/energy)");
  EXPECT_EQ(describe(findUnit("FLOP/B")->dimension), "intensity (FLOP/byte)");
  EXPECT_EQ(findUnit("usd/kWh"), findUnit("usd/kWh"));
  EXPECT_EQ(findUnit("seq/dp"), nullptr);
  EXPECT_EQ(findUnit("GB/s/s"), nullptr);
  EXPECT_EQ(findUnit(""), nullptr);
}

TEST(Units, RefusedSpellings_AreNotInTheTable) {
  for (const char* text : {"gb", "G", "GBps", "K", "KB", "gib", "TFLOPs", "sec"})
    EXPECT_EQ(findUnit(text), nullptr) << text;
}

TEST(Units, RefusedSpellings_HaveTheLikelyEdit) {
  EXPECT_EQ(suggestUnit("gb"), "GB");
  EXPECT_EQ(suggestUnit("GBps"), "GB/s");
  EXPECT_EQ(suggestUnit("gib"), "GiB");
  EXPECT_EQ(suggestUnit("GB/sec"), "GB/s");
  EXPECT_EQ(suggestUnit("usd/hour"), "usd/h");
  EXPECT_EQ(suggestUnit("GiBs"), "GiB");
  EXPECT_EQ(suggestUnit("seq/dp"), "");
  EXPECT_EQ(suggestUnits("KB"), (std::vector<std::string>{"kB", "kb"}));
  EXPECT_EQ(suggestUnits("TFLOPs"), (std::vector<std::string>{"TFLOPS"}));
  EXPECT_EQ(suggestUnits("G", dimensionNamed("Tokens")),
            (std::vector<std::string>{"Gtok", "Gitok"}));
  EXPECT_EQ(suggestUnits("k"), (std::vector<std::string>{"ktok", "Kitok", "kB"}));
  EXPECT_EQ(suggestUnits("M"), (std::vector<std::string>{"Mtok", "Mitok", "MB"}));
  EXPECT_EQ(suggestUnits("G"), (std::vector<std::string>{"GB", "GiB", "Gtok"}));
  EXPECT_EQ(suggestUnits("T"), (std::vector<std::string>{"Ttok", "Titok", "TB"}));
  EXPECT_EQ(suggestUnit("G", dimensionNamed("FlopRate")), "GFLOPS");
}

TEST(Units, ByteSpelling_IsOnlyForBits) {
  EXPECT_EQ(byteSpelling(*findUnit("Gb")), "GB");
  EXPECT_EQ(byteSpelling(*findUnit("Gbps")), "GB/s");
  EXPECT_EQ(byteSpelling(*findUnit("Gb/s")), "GB/s");
  EXPECT_EQ(byteSpelling(*findUnit("GB")), "");
}

TEST(Units, TypeNames_GoBothWays) {
  for (const NamedDimension& named : namedDimensions())
    EXPECT_EQ(typeName(*dimensionNamed(named.typeName)), named.typeName);
  EXPECT_FALSE(dimensionNamed("Count"));
}

TEST(Arithmetic, BytesOverBitsASecond_AreTime) {
  // 5 GB over one 40 Gbps link take 1 s.
  EXPECT_EQ(quotient(number("5", "GB"), number("40", "Gbps")), "1s");
}

TEST(Arithmetic, TokensOverTokensASequence_AreExact) {
  const Number perSequence = *divide(number("8192", "tok"), number("1", "seq")).value;
  EXPECT_EQ(quotient(number("4", "Mitok"), perSequence), "512seq");
  EXPECT_EQ(quotient(number("4", "Mtok"), perSequence), "488.28125seq");
}

TEST(Arithmetic, GigabytesAgainstGibibytes_DecideHowManyLayersFit) {
  // 1.823e9 parameters of 4 bytes: 10 layers in 80 GB, 11 in 80 GiB.
  const Number layer = *multiply(number("1.823e9"), number("4", "B")).value;
  EXPECT_EQ(static_cast<int>(divide(number("80", "GB"), layer).value->toDouble()), 10);
  EXPECT_EQ(static_cast<int>(divide(number("80", "GiB"), layer).value->toDouble()), 11);
}

TEST(Arithmetic, UnlikeDimensionsAndScopes_DoNotAdd) {
  EXPECT_EQ(add(number("1", "GB"), number("1", "s")).error, ArithmeticError::Dimensions);
  EXPECT_EQ(add(number("1", "GB/s", Scope::Gpu), number("1", "GB/s", Scope::Nic)).error,
            ArithmeticError::Scopes);
  EXPECT_EQ(add(number("1", "GB/s", Scope::Gpu), number("1", "GB/s", Scope::Gpu)).value->str(),
            "2GB/s per gpu");
}

TEST(Arithmetic, PortsPerGpuTimesBandwidthPerPort_IsBandwidthPerGpu) {
  const Arithmetic product =
      multiply(number("2", "", Scope::Gpu), number("400", "Gbps", Scope::Nic));
  EXPECT_EQ(product.value->str(), "800Gbps per gpu");
  EXPECT_EQ(multiply(number("2", "GB", Scope::Gpu), number("4", "s", Scope::Nic)).error,
            ArithmeticError::Scopes);
}

TEST(Arithmetic, DivisionByZero_SaysSo) {
  EXPECT_EQ(divide(number("1"), number("0", "s")).error, ArithmeticError::DivideByZero);
  EXPECT_EQ(remainder(number("1"), number("0")).error, ArithmeticError::DivideByZero);
}

TEST(NumberText, KeepsTheUnitTheUserWrote) {
  EXPECT_EQ(number("80", "GiB").str(), "80GiB");
  EXPECT_EQ(number("400", "Gbps", Scope::Gpu).str(), "400Gbps per gpu");
  EXPECT_EQ(number("8192", "tok").str(), "8192tok");
  EXPECT_EQ(number("3.35", "TB/s").str(), "3.35TB/s");
  EXPECT_EQ(number("92", "pct").str(), "92pct");
  EXPECT_EQ(number("500000", "h").str(), "500000h");
  EXPECT_EQ(number("128_256").str(), "128256");
}

TEST(NumberText, DerivedValues_HaveOneToThreeLeadingDigits) {
  EXPECT_EQ(multiply(number("512"), number("8192", "tok")).value->str(), "4Mitok");
  EXPECT_EQ(multiply(number("92", "pct"), number("80", "GiB")).value->str(), "73.6GiB");
  EXPECT_EQ(multiply(number("1000"), number("2.5", "GB")).value->str(), "2.5TB");
  EXPECT_EQ(multiply(number("4"), number("400", "Gbps")).value->str(), "1.6Tbps");
  EXPECT_EQ(quotient(number("10", "GB"), number("3", "GB/s")), "3.3333s");
}

TEST(NumberText, Rates_AreWrittenAsDivisions) {
  const Number rate = *divide(number("1"), number("50_000", "h")).value;
  EXPECT_EQ(rate.str(), "1 / 2083.3d");
  Number scoped = rate;
  scoped.scope = Scope::Gpu;
  EXPECT_EQ(scoped.str(), "(1 / 2083.3d) per gpu");
}

TEST(Human, ChoosesTheUnit) {
  EXPECT_EQ(human(7.3e9, *dimensionNamed("Bytes")), "7.3GB");
  EXPECT_EQ(human(85'899'345'920.0, *dimensionNamed("Bytes"), true), "80GiB");
  EXPECT_EQ(human(3.2141, *dimensionNamed("Duration")), "3.214s");
  EXPECT_EQ(human(936.25e-9, *dimensionNamed("Duration")), "936.2ns");
  EXPECT_EQ(human(0.99999e-3, *dimensionNamed("Duration")), "1ms");
  EXPECT_EQ(human(400e12, *dimensionNamed("FlopRate")), "400TFLOPS");
  EXPECT_EQ(human(1.5e6, *dimensionNamed("TokenRate")), "1.5Mtok/s");
  EXPECT_EQ(human(50e9, *dimensionNamed("Bandwidth")), "50GB/s");
  EXPECT_EQ(human(2.1 / 3600, *dimensionNamed("PriceRate")), "2.1usd/h");
  EXPECT_EQ(human(0, *dimensionNamed("Bytes")), "0B");
  EXPECT_EQ(human(512, *dimensionNamed("Sequences")), "512seq");
  EXPECT_EQ(human(70.55e9, {}), "70.55e9");
  EXPECT_EQ(human(0.4321, {}), "0.4321");
  EXPECT_EQ(human(512, {}), "512");
}

TEST(UnitTable, ListsEveryDimension) {
  const std::string table = unitTable();
  EXPECT_NE(table.find("GiB      2^30 B"), std::string::npos) << table;
  EXPECT_NE(table.find("usd/h"), std::string::npos);
  EXPECT_NE(table.find("Gbps     125000000 B/s"), std::string::npos) << table;
}
