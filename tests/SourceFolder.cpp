//===- SourceFolder.cpp - Where the project's own files lie -----------------------------------===//
#include "tests/SourceFolder.h"

std::filesystem::path dpl::test::sourceFolder() { return DPL_SOURCE_DIR; }
