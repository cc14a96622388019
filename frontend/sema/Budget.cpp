//===- Budget.cpp -----------------------------------------------------------------------------===//
#include "frontend/sema/Budget.h"
#include "support/diagnostics/Sema.h"
using namespace dpl;
using namespace dpl::sema;

bool Budget::refuse(SourceRange at) {
  diags.report<diag::TooMuchToWorkOut>(at, most).help(
      "write the values out instead of what makes them; `--limit` allows more");
  return false;
}
