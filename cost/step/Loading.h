#pragma once
//===- Loading.h - The data loading of a step -------------------------------------------------===//
#include "ir/Plan.h"

namespace dpl::cost {

/// Data loading of the samples of a step without random variation. All data ranks have equally many
/// samples.
struct LoadingTimes {
  double prepared = 0; ///< seconds in which the workers of a data rank prepare its samples
  double read = 0;     ///< seconds in which storage reads all samples
  double step() const { return prepared > read ? prepared : read; }
};
/// The data loading of the cluster; null if it has no `data_loading`.
const ir::Loading* loadingIn(const ir::Plan& plan);
/// The two times of a step, for numbers and for traced figures.
template <class T> T preparedTime(T samples, T time, T workers, T devices) {
  return samples * time / (workers * devices);
}
template <class T> T readTime(T samples, T bytes, T storage) { return samples * bytes / storage; }
/// The loading times of a step; 0 if the cluster has no `data_loading`. Relies on: a resolved mesh.
LoadingTimes loadingOf(const ir::Plan& plan);

} // namespace dpl::cost
