//===- Budget.cpp - Limit for the work of one compilation -------------------------------------===//
#include "frontend/sema/Budget.h"
#include "support/diagnostics/Sema.h"
using namespace dpl;
using namespace dpl::sema;

bool Budget::refuse(SourceRange at) {
  diags.report<diag::TooMuchToWorkOut>(at, most).help(
      "a larger `--limit` allows more steps; shorter ranges and fewer nested loops need fewer");
  return false;
}
