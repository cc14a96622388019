//===- CompiledPlan.cpp - A plan from the text of its file ------------------------------------===//
#include "tests/unit/CompiledPlan.h"
#include "driver/workspace/Workspace.h"
#include <gtest/gtest.h>
using namespace dpl;

ir::Plan test::completedPlan(const std::string& name, const std::string& text) {
  DiagnosticEngine diags;
  Workspace workspace;
  workspace.overlay(name, text);
  const std::unique_ptr<CompiledUnit> unit = workspace.compile(name, diags);
  FailureOr<CompiledFile>& file = unit->file;
  if (file.failed() || file->plans.size() != 1 ||
      Workspace::complete(file->plans.front(), diags).failed()) {
    ADD_FAILURE() << renderText(diags, workspace.sources(), false);
    return {};
  }
  return std::move(file->plans.front());
}
