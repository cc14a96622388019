#pragma once
//===- CostModel.h - Times and sizes: the one cost model --------------------------------------===//
//
// Pure functions that the passes, the search and the simulator share. Times are seconds as double;
// a caller rounds to picoseconds once, when it stores.
#include "ir/CollectiveCost.h"
#include "ir/LayerCost.h"
#include "ir/OperatorTime.h"
#include "ir/PipelineSchedule.h"
