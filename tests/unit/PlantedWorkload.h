#pragma once
//===- PlantedWorkload.h - A workload with one cause of long steps in it ----------------------===//
#include <string>

namespace dpl::test {

/// The text of a workload whose step, or whose run, is computation but for a few percent of
/// everything else, and one cause that is planted in it, by its key; "" plants none.
std::string plantedWorkload(unsigned seed, const std::string& cause);

/// It is seen only where each message is run.
bool isOfMessages(const std::string& cause);

} // namespace dpl::test
