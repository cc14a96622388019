//===- FigureNames.cpp - The table of figures: paths, dimensions, definitions -----------------===//
#include "ir/FigureNames.h"
#include "ir/Names.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <utility>

using namespace dpl;
using namespace dpl::ir;

namespace {

bool isCapital(char c) { return c >= 'A' && c <= 'Z'; }
/// A placeholder begins with a capital and may have several words: LAYER_TYPE.
bool isOfHole(char c) { return isCapital(c) || c == '_'; }

constexpr const char* parts[] = {"recomputed_layer[LAYER_TYPE]",
                                 "layer[LAYER_TYPE]",
                                 "layer_input",
                                 "sent_activation",
                                 "offloaded",
                                 "embedding",
                                 "head",
                                 "mtp_layer",
                                 "tied_embedding"};
constexpr const char* devices[] = {"device", "node_type[N]"};

bool isNumber(llvm::StringRef text) { return !text.empty() && llvm::all_of(text, llvm::isDigit); }

/// Whether a text can replace a placeholder.
bool fills(llvm::StringRef hole, llvm::StringRef text) {
  if (hole == "R" || hole == "N")
    return isNumber(text);
  if (hole == "STAGE") {
    const auto [rank, chunk] = text.split('.');
    return isNumber(rank) && (chunk.empty() ? !text.contains('.') : isNumber(chunk));
  }
  if (hole == "LAYER_TYPE" || hole == "GROUP" || hole == "LINK" || hole == "OPERATOR" ||
      hole == "RUN")
    return !text.empty();
  if (hole == "LEVEL")
    return llvm::is_contained(namesOf(Level{}), text);
  if (hole == "TYPE")
    return llvm::is_contained(namesOf(DataType{}), text);
  if (hole == "ACTION")
    return text == "forward" || text == "backward_input" || text == "backward_weight";
  if (hole == "COLLECTIVE")
    return llvm::is_contained(namesOf(CollectiveKind{}), text);
  if (hole == "AXIS")
    return llvm::is_contained(namesOf(Axis{}), text);
  assert(hole == "CONTENTS" && "a hole that nobody knows");
  for (const char* contents :
       {"activations", "kv", "tokens", "gradients", "parameters", "embedding", "momentum"})
    if (text == contents)
      return true;
  return false;
}

bool startsAs(llvm::StringRef path, llvm::StringRef form) {
  return path.startswith(form.substr(0, form.find('[')));
}

bool matches(llvm::StringRef pattern, llvm::StringRef path) {
  // Most patterns differ in the first character.
  if (!isCapital(pattern.front()) && (path.empty() || path.front() != pattern.front()))
    return false;
  const llvm::StringRef first = pattern.take_while(isOfHole);
  if (const llvm::ArrayRef<const char*> forms = formsOf(first); !forms.empty()) {
    const llvm::StringRef rest = pattern.drop_front(first.size());
    return llvm::any_of(forms, [&](llvm::StringRef form) {
      if (!startsAs(path, form))
        return false;
      return matches((form + rest).str(), path) ||
             (first == "MODULE" && matches((form + ".rank[R]" + rest).str(), path));
    });
  }
  while (!pattern.empty()) {
    if (!isCapital(pattern.front())) {
      if (path.empty() || path.front() != pattern.front())
        return false;
      pattern = pattern.drop_front(), path = path.drop_front();
      continue;
    }
    const llvm::StringRef hole = pattern.take_while(isOfHole);
    pattern = pattern.drop_front(hole.size());
    // In brackets a placeholder stands for any text without brackets, elsewhere for one word.
    const bool inBrackets = pattern.startswith("]");
    const llvm::StringRef text = path.take_until(
        [&](char c) { return inBrackets ? c == ']' || c == '[' : c == '.' || c == '['; });
    if (!fills(hole, text))
      return false;
    path = path.drop_front(text.size());
  }
  return path.empty();
}

llvm::StringRef rootOf(llvm::StringRef path) {
  return path.take_until([](char c) { return c == '.' || c == '['; });
}

} // namespace

llvm::ArrayRef<const char*> ir::formsOf(llvm::StringRef hole) {
  if (hole == "MODULE")
    return parts;
  if (hole == "DEVICE")
    return devices;
  return {};
}

bool FigureRow::hasHoles() const { return llvm::any_of(llvm::StringRef(path), isCapital); }

llvm::ArrayRef<FigureRow> ir::figureRows() {
  static constexpr FigureRow rows[] = {
#define FIGURE(PATH, DIMENSION, NOTE, ...) {PATH, DIMENSION, NOTE},
#include "ir/Results.def"
  };
  return rows;
}

namespace {
/// The row without placeholders that has this path; null if there is none. A row with placeholders
/// never matches such a path.
const FigureRow* rowWithoutHoles(llvm::StringRef path) {
  static const llvm::StringMap<const FigureRow*> rows = [] {
    llvm::StringMap<const FigureRow*> out;
    for (const FigureRow& row : figureRows())
      if (!row.hasHoles())
        out.try_emplace(row.path, &row);
    return out;
  }();
  return rows.lookup(path);
}
} // namespace

const FigureRow* ir::figureNamed(llvm::StringRef path) {
  if (const FigureRow* row = rowWithoutHoles(path))
    return row;
  // First placeholder of the current rows; `begins`: one of its forms begins the path.
  llvm::StringRef hole;
  bool begins = true;
  for (const FigureRow& row : figureRows()) {
    const llvm::StringRef first = llvm::StringRef(row.path).take_while(isOfHole);
    if (first != std::exchange(hole, first)) {
      const llvm::ArrayRef<const char*> forms = formsOf(first);
      begins = forms.empty() ||
               llvm::any_of(forms, [&](llvm::StringRef form) { return startsAs(path, form); });
    }
    if (begins && matches(row.path, path))
      return &row;
  }
  return nullptr;
}

Dimension ir::dimensionOf(const FigureRow& row) {
  return row.dimension[0] ? *dimensionNamed(row.dimension) : Dimension{};
}

bool ir::isFigureRoot(llvm::StringRef name) {
  static const llvm::StringSet<> roots = [] {
    llvm::StringSet<> all;
    llvm::StringRef last; // root of the previous row
    for (const FigureRow& row : figureRows()) {
      const llvm::StringRef root = rootOf(row.path);
      if (root == std::exchange(last, root))
        continue;
      const llvm::ArrayRef<const char*> forms = formsOf(root);
      if (forms.empty())
        all.insert(root);
      for (const char* form : forms)
        all.insert(rootOf(form));
    }
    return all;
  }();
  return roots.contains(name);
}

/// An index that needs no quotes: `0`, `data+context`, `100ms`.
static bool isPlainIndex(llvm::StringRef index) {
  const auto inNumber = [](char c) { return llvm::isAlnum(c) || c == '.' || c == '_'; };
  llvm::SmallVector<llvm::StringRef, 4> words;
  index.split(words, '+');
  return llvm::all_of(words, [&](llvm::StringRef word) {
    if (word.empty())
      return false;
    if (!llvm::isDigit(word.front()))
      return llvm::all_of(word, [](char c) { return llvm::isAlnum(c) || c == '_'; });
    const llvm::StringRef unit =
        word.drop_while([](char c) { return llvm::isDigit(c) || c == '.' || c == '_'; });
    return llvm::all_of(word, inNumber) && (unit.empty() || findUnit(unit));
  });
}

std::string ir::writtenPath(llvm::StringRef path) {
  std::string out;
  while (!path.empty()) {
    const auto open = path.find('['), close = path.find(']', open);
    if (close == llvm::StringRef::npos)
      break;
    const llvm::StringRef index = path.slice(open + 1, close);
    const char* quote = isPlainIndex(index) ? "" : "\"";
    out += (path.take_front(open + 1) + quote + index + quote + "]").str();
    path = path.drop_front(close + 1);
  }
  return out + path.str();
}

std::string ir::pathWritten(llvm::StringRef text) {
  std::string out;
  for (const char c : text)
    if (c == ']' && llvm::StringRef(out).endswith("\"")) {
      out.back() = c;
    } else if (!(c == '"' && llvm::StringRef(out).endswith("["))) {
      out += c;
    }
  return out;
}

llvm::ArrayRef<const char*> ir::shareFigures() {
  static constexpr const char* shares[] = {"mfu",
                                           "hfu",
                                           "bubble_fraction",
                                           "bubble_fraction.longest_rank",
                                           "bubble_fraction.equal_stages",
                                           "pipeline_utilization",
                                           "pipeline_utilization.longest_rank",
                                           "communication_share",
                                           "communication.exposed.share",
                                           "regime",
                                           "speedup.limit.reached",
                                           "peak_share",
                                           "routing.dropped",
                                           "failures.fail_slow_loss",
                                           "run[RUN].availability",
                                           "run[RUN].goodput"};
  return shares;
}

bool ir::isShareFigure(llvm::StringRef path) {
  const FigureRow* row = figureNamed(path);
  if (!row)
    row = figureNamed(path.rsplit('.').first);
  return row && llvm::is_contained(shareFigures(), llvm::StringRef(row->path));
}
