//===- Backend.cpp - What every target has in common ------------------------------------------===//
#include "backends/Backend.h"

std::string dpl::generatorName() { return "dplc " DPL_VERSION; }
