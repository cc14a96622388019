//===- ErrorFitTest.cpp - Weights and intervals from errors that were planted -----------------===//
#include "driver/score/ErrorFit.h"
#include "driver/score/Assumption.h"
#include "support/math/Random.h"
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace dpl;
using namespace dpl::score;
using figures::ErrorSource;
using figures::indexOf;

namespace {
constexpr double dense = 0.02, waits = 0.2, framework = 0.05;

/// Errors with a Laplace distribution of the planted scale, in families of unequal sizes.
std::vector<Observation> planted() {
  std::vector<Observation> out;
  simulate::Draws draws({11});
  for (unsigned family = 0; family < 24; ++family)
    for (unsigned i = 0; i < 20 + 10 * family; ++i) {
      Observation o;
      o.family = fmt::format("family {}", family);
      o.framework = i % 4 != 0;
      o.shares[indexOf(ErrorSource::Dense)] = 1;
      o.shares[indexOf(ErrorSource::Waits)] = 0.5 * draws.uniform();
      o.shares[indexOf(ErrorSource::Framework)] = o.framework ? 0 : 1;
      const double scale =
          dense + waits * o.shares[indexOf(ErrorSource::Waits)] + (o.framework ? 0 : framework);
      const double size = -scale * std::log(1 - draws.uniform());
      o.ratio = draws.uniform() < 0.5 ? 1 + size : 1 / (1 + size);
      out.push_back(o);
    }
  return out;
}
} // namespace

TEST(ErrorFit, OfPlantedErrors_FindsTheirWeights) {
  const figures::ErrorModel model = fitErrors(planted());
  EXPECT_NEAR(model.weights[indexOf(ErrorSource::Dense)], dense, 0.15 * dense);
  EXPECT_NEAR(model.weights[indexOf(ErrorSource::Waits)], waits, 0.1 * waits);
  EXPECT_NEAR(model.weights[indexOf(ErrorSource::Framework)], framework, 0.15 * framework);
  EXPECT_EQ(model.weights[indexOf(ErrorSource::Device)], 0); // no row assumes it
  // The 10 % quantile of a Laplace distribution is ln(0.2) of its scale.
  EXPECT_NEAR(model.below, -std::log(0.2), 0.1);
  EXPECT_NEAR(model.above, -std::log(0.2), 0.1);
  EXPECT_EQ(model.families, 24U);
}

TEST(ErrorFit, OfOtherFamilies_CoversFourOfFiveRows_AndBeatsOneWidth) {
  for (const auto& [kind, quality] : intervalsOfOthers(planted())) {
    EXPECT_NEAR(quality.covered, 0.8, 0.03) << kind;
    if (kind == "all") {
      EXPECT_LT(quality.score, 0.95 * quality.constantScore);
      EXPECT_EQ(quality.rows, planted().size());
    }
  }
}

// What an input is worth is seen in rows from which it is left out.
TEST(ErrorFit, OfRowsWithoutAnInput_GivesItAWeight) {
  std::vector<Observation> rows = planted();
  const std::size_t stated = rows.size();
  simulate::Draws draws({3});
  for (std::size_t i = 0; i < stated; ++i) {
    Observation o = rows[i];
    o.assumption = 1;
    o.shares[indexOf(ErrorSource::Network)] = 1;
    o.ratio *= draws.uniform() < 0.5 ? 1.5 : 1 / 1.5;
    rows.push_back(o);
  }
  const figures::ErrorModel model = fitErrors(rows);
  EXPECT_GT(model.weights[indexOf(ErrorSource::Network)], 0.2);
  EXPECT_EQ(model.rows, stated); // the quantiles are those of rows as they are
}

TEST(Assumption, LeavesOutWhatIsBelowItsFields) {
  RowSettings row;
  row.set("layout.mesh.tensor", "8");
  row.set("layout.overlap.tensor", "true");
  row.set("layout.micro_batch", "2");
  row.set("cluster.nic.bandwidth", "100Gbps");
  row.set("cluster.nodes", "4");
  for (const Assumption& assumption : assumptions()) {
    RowSettings left = row;
    assume(assumption, left);
    EXPECT_EQ(left["layout.mesh.tensor"], "8");
    EXPECT_EQ(left["cluster.nodes"], "4");
    EXPECT_EQ(left["layout.overlap.tensor"].empty(), assumption.source == ErrorSource::Framework);
    EXPECT_EQ(left["layout.micro_batch"].empty(), assumption.source == ErrorSource::MicroBatch);
    EXPECT_EQ(left["cluster.nic.bandwidth"].empty(), assumption.source == ErrorSource::Network);
    EXPECT_EQ(left["cluster.node.gpu.sustained"].empty(), assumption.source != ErrorSource::Device);
  }
}
