#pragma once
//===- WriteFolder.h - What becomes of a folder that is there --------------------------------===//
//-------------------------------------===//
#include <string>

namespace dpl {

/// Why `writeFolder` would leave what is at `folder` alone; empty when it would not.
std::string whyFolderKept(const std::string& folder);

} // namespace dpl
