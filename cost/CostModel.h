#pragma once
//===- CostModel.h - Times and sizes: the one cost model --------------------------------------===//
//
// Pure functions that the passes, the search and the simulator share. Times are seconds as double;
// a caller rounds to picoseconds once, when it stores.
#include "cost/collectives/CollectiveCost.h"
#include "cost/compute/LayerCost.h"
#include "cost/compute/OperatorTime.h"
#include "cost/schedules/Schedule.h"
