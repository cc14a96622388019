//===- Loading.cpp - The data loading of a step -----------------------------------------------===//
#include "cost/step/Loading.h"
#include "ir/Arithmetic.h"

using namespace dpl;
using namespace dpl::cost;
using ir::real;

const ir::Loading* cost::loadingIn(const ir::Plan& plan) {
  return plan.cluster.loading.empty() ? nullptr : &plan.cluster.loading.front();
}

LoadingTimes cost::loadingOf(const ir::Plan& plan) {
  const ir::Loading* loading = loadingIn(plan);
  if (!loading)
    return {};
  const double samples = real(plan.layout.batch);
  LoadingTimes out;
  out.prepared = preparedTime(samples, ir::toSeconds(loading->time), loading->workers,
                              real(plan.cluster.devices()));
  if (loading->bytes > 0)
    out.read = readTime(samples, real(loading->bytes), real(plan.cluster.storageRead) / 8);
  return out;
}
