//===- OpenTexts.cpp - Texts that stand in place of files on disk -----------------------------===//
#include "support/OpenTexts.h"
#include <filesystem>
#include <map>
#include <system_error>
using namespace dpl;

namespace {
/// By absolute path.
std::map<std::string, std::string>& openTexts() {
  static std::map<std::string, std::string> texts;
  return texts;
}
} // namespace

std::string dpl::absolutePath(const std::string& path) {
  std::error_code gone; // the folder of the process was removed
  const std::filesystem::path whole = std::filesystem::absolute(path, gone);
  return gone ? path : whole.lexically_normal().string();
}

void dpl::openText(const std::string& path, std::string text) {
  openTexts()[absolutePath(path)] = std::move(text);
}

const std::string* dpl::openTextOf(const std::string& path) {
  if (openTexts().empty())
    return nullptr;
  const auto found = openTexts().find(absolutePath(path));
  return found == openTexts().end() ? nullptr : &found->second;
}
