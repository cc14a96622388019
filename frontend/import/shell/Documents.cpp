//===- Documents.cpp - Here-documents of a shell script that are scripts ----------------------===//
#include "frontend/import/shell/Processes.h"
#include "frontend/import/shell/Script.h"

using namespace dpl;
using namespace dpl::imports::shell;

namespace {
bool mayTrain(llvm::StringRef document) {
  return llvm::any_of(llvm::ArrayRef<const char*>{".py", "python", "torchrun", "srun", "mpirun"},
                      [&](const char* word) { return document.contains(word); });
}
} // namespace

/// Follows each here-document that may start a training, as if it were the job or shell that
/// receives it. Its assignments are rolled back afterwards. A document that is written to a file
/// may run later; a training in it counts only if there is no other.
LogicalResult Script::documents() {
  const bool writes = std::exchange(writesDocument, false);
  for (const HereDocument& one : in.releaseDocuments()) {
    if (!mayTrain(in.text().slice(one.begin, one.behind)) || !blocks.runs() || expansion.escaped)
      continue;
    const auto read = [&] { return document(one); };
    if ((writes ? search.inFile(read) : read()).failed())
      return LogicalResult::failure();
  }
  return LogicalResult::success();
}

LogicalResult Script::document(const HereDocument& document) {
  const std::size_t mark = variables.mark();
  for (auto& [option, word] :
       batchOptions(in.text().slice(document.begin, document.behind), in.file())) {
    ShellWord value = word;
    value.at.begin += static_cast<std::uint32_t>(document.begin);
    value.at.end += static_cast<std::uint32_t>(document.begin);
    if (llvm::StringRef(value.text).contains('$') && !document.quoted) {
      ScriptCursor inside(value.text, in.file());
      if (const ShellWords words = Expansion(inside, variables).word(); words.size() == 1)
        value.text = words.front().text, value.doubt = words.front().doubt;
    }
    batch[option] = value;
  }
  setBatchVariables();
  expansion.escaped = !document.quoted;
  blocks.push("{", document.begin).mark = mark;
  const LogicalResult out =
      follow({in.text().take_front(document.behind), in.file(), document.begin}, blocks.size());
  expansion.escaped = ended = false;
  variables.rollBack(mark);
  return out;
}
