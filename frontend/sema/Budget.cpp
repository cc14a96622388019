//===- Budget.cpp - Limit for the work of one compilation -------------------------------------===//
#include "frontend/sema/Budget.h"
#include "support/diagnostics/Sema.h"
using namespace dpl;
using namespace dpl::sema;

bool Budget::refuse(SourceRange at) {
  diags.report<diag::TooMuchToWorkOut>(at, most).help(
      "`--limit` with a larger size allows more; where few lines make many values, fewer of them "
      "need less");
  return false;
}
