//===- Names.cpp - Names and values of settings -----------------------------------------------===//
#include "frontend/import/settings/Names.h"
#include "frontend/import/SettingPath.h"
#include "support/Utf8.h"

using namespace dpl;
using namespace dpl::imports;

std::string dpl::imports::settings::shown(const SettingValue& value) {
  constexpr std::size_t most = 60;
  std::string out = value.kind == SettingValue::SettingKind::List    ? "a list"
                    : value.kind == SettingValue::SettingKind::Table ? "a table"
                    : value.kind == SettingValue::SettingKind::Null  ? "null"
                                                                     : oneLine(value.text);
  double number = 0;
  const llvm::StringRef text = value.text;
  if (value.kind == SettingValue::SettingKind::Text &&
      (!text.getAsDouble(number) || text == "true" || text == "false"))
    out = '"' + out + '"';
  if (out.size() > most)
    out.replace(most - 3, std::string::npos, "...");
  return out;
}

bool dpl::imports::settings::stands(llvm::StringRef row, llvm::StringRef path) {
  if (row.consume_front("*."))
    return lastWord(path) == row;
  return path == row || (path.startswith(row) && path[row.size()] == '.');
}

bool dpl::imports::settings::isSize(llvm::StringRef path) {
  const llvm::StringRef name = lastWord(path);
  for (const char* end : {"_degree", "_parallel_size", "batch_size", "_microbatches", "_seq_len",
                          "_seq_length", "_accumulation_steps"})
    if (name.endswith(end))
      return true;
  return name == "seq_len" || name == "seq_length" || name == "stage" ||
         name == "train_micro_batch_size_per_gpu" || name == "autotp_size" || name == "autoep_size";
}
