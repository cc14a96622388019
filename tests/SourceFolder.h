#pragma once
//===- SourceFolder.h - Where the project's own files lie -------------------------------------===//
#include <filesystem>

namespace dpl::test {

/// The folder of the checkout. Asked of one object file, so that no other depends on where it is.
std::filesystem::path sourceFolder();

} // namespace dpl::test
