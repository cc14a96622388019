#pragma once
//===- OpenTexts.h - Texts that stand in place of files on disk -------------------------------===//
#include <string>

namespace dpl {

/// Makes `readFile` return this text for the path in the whole process, as for a file that an
/// editor has not saved. `/dev/stdin` is a path too. Call it before other threads start.
void openText(const std::string& path, std::string text);

/// The text in place of the file; null if there is none.
const std::string* openTextOf(const std::string& path);

/// The path from the root, without `.` and `..`. Links are not followed.
std::string absolutePath(const std::string& path);

} // namespace dpl
