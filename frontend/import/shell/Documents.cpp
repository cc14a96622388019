//===- Documents.cpp - Here-documents of a shell script that are scripts ----------------------===//
#include "frontend/import/shell/Processes.h"
#include "frontend/import/shell/Script.h"

using namespace dpl;
using namespace dpl::imports::megatron;

namespace {
bool mayTrain(llvm::StringRef document) {
  return llvm::any_of(llvm::ArrayRef<const char*>{".py", "python", "torchrun", "srun", "mpirun"},
                      [&](const char* word) { return document.contains(word); });
}
} // namespace

/// What stands between `<<END` and `END` and may start a training is followed as the job, or the
/// shell, that gets it; its variables are its own. One that is written to a file may be run later:
/// its training counts where there is no other.
LogicalResult Script::documents() {
  const bool writes = std::exchange(writesDocument, false);
  for (const Expansion::Document& document : in.releaseDocuments()) {
    const llvm::StringRef inside = text.slice(document.begin, document.behind);
    if (!mayTrain(inside) || !runs() || in.escaped)
      continue;
    const std::size_t mark = variables.mark();
    for (auto& [option, word] : batchOptions(inside, file)) {
      ShellWord value = word;
      value.at.begin += static_cast<std::uint32_t>(document.begin);
      value.at.end += static_cast<std::uint32_t>(document.begin);
      if (llvm::StringRef(value.text).contains('$') && !document.quoted) {
        Expansion own(value.text, file, variables);
        if (const ShellWords words = own.word(); words.size() == 1)
          value.text = words.front().text, value.doubt = words.front().doubt;
      }
      batch[option] = value;
    }
    setBatchVariables();
    const std::optional<ShellWords> outside = found;
    if (writes)
      found.reset();
    in.escaped = !document.quoted;
    blocks.push_back({"{", document.begin, mark, false, ""});
    const LogicalResult out =
        follow({text.take_front(document.behind), file, document.begin}, blocks.size());
    in.escaped = ended = false;
    variables.rollBack(mark);
    if (writes && found && !inDocument)
      inDocument = std::exchange(found, std::nullopt);
    if (writes)
      found = outside;
    if (out.failed())
      return out;
  }
  return LogicalResult::success();
}
