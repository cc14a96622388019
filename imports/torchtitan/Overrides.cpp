//===- Overrides.cpp - Settings of torchtitan's command line ----------------------------------===//
#include "imports/torchtitan/Overrides.h"
#include "imports/torchtitan/WithoutEffect.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::imports;
using namespace dpl::imports::settings;
using Kind = Value::Kind;

namespace {

bool isList(llvm::StringRef path) {
  const auto* const row =
      llvm::find_if(torchtitan::defaults, [&](const Default& d) { return path == d.path; });
  return (row != std::end(torchtitan::defaults) && llvm::StringRef(row->value).startswith("[")) ||
         path == "parallelism.module_fqns_per_model_part";
}

Value scalar(llvm::StringRef text, SourceRange at) {
  Value out;
  double number = 0;
  const std::string small = text.lower();
  out.kind = small == "true" || small == "false" ? Kind::Truth
             : !text.getAsDouble(number)         ? Kind::Number
                                                 : Kind::Text;
  out.text = out.kind == Kind::Truth ? small : text.str(), out.at = at;
  return out;
}

Value valueOf(llvm::StringRef path, llvm::StringRef text, SourceRange at) {
  if (!isList(path))
    return scalar(text, at);
  Value list;
  list.kind = Kind::List, list.at = at;
  std::string words = text.trim("[]").str();
  std::replace(words.begin(), words.end(), ' ', ',');
  llvm::SmallVector<llvm::StringRef, 8> parts;
  llvm::StringRef(words).split(parts, ',', -1, false);
  for (const llvm::StringRef part : parts)
    list.entries.push_back({"", scalar(part.trim("'\""), at)});
  return list;
}

} // namespace

void dpl::imports::torchtitan::takeOverrides(Settings& set, const SourceManager& sources,
                                             std::uint32_t file) {
  llvm::StringRef rest = sources.text(file), line;
  for (std::uint32_t begin = 0; !rest.empty(); begin += line.size() + 1) {
    std::tie(line, rest) = rest.split('\n');
    const SourceRange at{file, begin, begin + static_cast<std::uint32_t>(line.size())};
    auto [name, text] = line.drop_front(2).split('='); // without `--`
    const bool flag = !line.contains('=');
    std::string path = name.str();
    std::replace(path.begin(), path.end(), '-', '_');
    if (const std::size_t no = path.rfind(".no_"); flag && no != std::string::npos) {
      path.erase(no + 1, 3);
      text = "false";
    }
    set.replace(path, valueOf(path, flag && text.empty() ? "true" : text, at));
  }
}
