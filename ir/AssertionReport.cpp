//===- AssertionReport.cpp - The message of a failed assert -----------------------------------===//
#include "ir/Assertion.h"
#include "support/diagnostics/Assertions.h"

using namespace dpl;

LogicalResult ir::report(const Assertion& a, const Verdict& verdict, DiagnosticEngine& diags) {
  if (!verdict.known)
    return diags.report<diag::UnknownResult>(a.range, verdict.missing);
  if (!verdict.error.empty())
    return diags.report<diag::AssertionNotComputed>(a.range, verdict.error);
  if (verdict.holds)
    return LogicalResult::success();
  auto d =
      diags.report<diag::AssertionFailed>(a.range, a.reason.empty() ? "" : ": " + a.reason)
          .note<diag::AssertionValues>(SourceRange{}, "the value of each part\n" + verdict.diagram);
  if (a.stated.valid())
    return std::move(d).note<diag::AssertedHere>(a.stated, a.schema);
  return d;
}
