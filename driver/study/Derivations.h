#pragma once
//===- Derivations.h - The figures from which the outputs of a study are computed -------------===//
#include "driver/study/Study.h"

namespace dpl::study {

/// For points of a study, the outputs and all figures that they are computed from, in the form of
/// `figures` of `dplc report --json`: a list of objects with `point`, `name` and `figures`. The
/// first object has all figures of its point, the others only those that differ from the first one,
/// null where they have none. Points with the least and the largest value of the first output are
/// always there, others up to limits that keep a page small. Relies on: the file of the request has
/// not changed since the study ran.
Json derivationsOf(const StudyRequest& request, const Results& results);

} // namespace dpl::study
