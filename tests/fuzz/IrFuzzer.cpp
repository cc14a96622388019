//===- IrFuzzer.cpp - Any text as a printed plan ----------------------------------------------===//
#include "cost/step/PlanCheck.h"
#include "ir/Plan.h"
#include "passes/Pass.h"
#include <cstdio>
#include <cstdlib>
using namespace dpl;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  DiagnosticEngine diags;
  FailureOr<ir::Plan> plan =
      ir::read(std::string(reinterpret_cast<const char*>(data), size), "fuzz.ir", diags);
  diags.endPhase();
  if (plan.failed() && diags.errors() == 0) {
    std::fprintf(stderr, "failed without an error\n");
    std::abort();
  }
  if (plan.failed() || !cost::whatIsUnsound(*plan).empty())
    return 0;
  // What was read is what is printed, and that reads back to the same bytes.
  const std::string printed = ir::print(*plan);
  const FailureOr<ir::Plan> again = ir::read(printed, "again.ir", diags);
  if (again.failed() || ir::print(*again) != printed) {
    std::fprintf(stderr, "another plan when it is read back:\n%s\n", printed.c_str());
    std::abort();
  }
  for (const PassInfo& pass : allPasses())
    if (runPass(*plan, diags, pass).failed())
      break;
  return 0;
}
