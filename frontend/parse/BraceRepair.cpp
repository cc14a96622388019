//===- BraceRepair.cpp - Braces that were forgotten or are not yet closed, for editors --------===//
#include "frontend/parse/BraceRepair.h"
#include "frontend/parse/LineJoiner.h"
#include "frontend/parse/LineRules.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <utility>
using namespace dpl;

namespace {

using Kind = TokenKind;

/// A visible token with its place in its line.
struct Placed {
  Token token;
  std::size_t index;    ///< index among all tokens
  std::uint32_t indent; ///< indentation of its line
  bool first;           ///< whether it is the first of its line
};

Kind openerOf(Kind closing) {
  return closing == Kind::RightBrace     ? Kind::LeftBrace
         : closing == Kind::RightBracket ? Kind::LeftBracket
                                         : Kind::LeftParen;
}

Kind kindAt(llvm::ArrayRef<Placed> tokens, std::size_t i) {
  return i < tokens.size() ? tokens[i].token.kind : Kind::End;
}

/// Whether a line at the left margin can only begin a declaration.
bool beginsDeclaration(llvm::ArrayRef<Placed> line) {
  switch (kindAt(line, 0)) {
  case Kind::Import:
  case Kind::Schema:
  case Kind::Search:
    return true;
  case Kind::Param:
    return kindAt(line, 1) != Kind::Dot;
  case Kind::Identifier:
    return kindAt(line, 1) == Kind::Identifier;
  default:
    return false;
  }
}

/// Whether a line at the left margin begins a declaration of a file whose blocks are indented.
bool mayBeginDeclaration(const Token& first) {
  return !first.isClosing() && !first.is(Kind::End) &&
         (first.is(Kind::From) || !continuesBefore(first.kind));
}

class Repair {
public:
  Repair(std::vector<Token> tokens, llvm::StringRef text) : all(std::move(tokens)), text(text) {
    std::uint32_t indent = 0;
    bool first = true;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Token& t = all[i];
      if (t.isHidden())
        continue;
      if (first && !t.is(Kind::NewLine))
        indent = indentAt(t.begin);
      visible.push_back({t, i, indent, first && !t.is(Kind::NewLine)});
      first = t.is(Kind::NewLine);
    }
  }

  std::vector<Token> run() && {
    leaveOutImportsInBlocks();
    divide(
        visible, [](llvm::ArrayRef<Placed> line) { return beginsDeclaration(line); },
        [this](llvm::ArrayRef<Placed> part) { repair(part); });
    return edits.empty() ? std::move(all) : edited();
  }

private:
  /// A change at one of the tokens: it is dropped, or a `}` is added after it.
  struct Edit {
    std::size_t index;
    bool drops;
  };
  struct Open {
    Kind kind;
    std::uint32_t indent; ///< indentation of the statement that opened it
  };

  /// The words before a token.
  struct Words {
    std::size_t statement; ///< index of the first token of the statement
    std::size_t last;      ///< index of the last token that is kept; the number of tokens if none
    bool assigned;         ///< whether the statement has a `=`
  };

  std::uint32_t indentAt(std::uint32_t byte) const {
    const std::size_t line = text.take_front(byte).rfind('\n');
    return byte - static_cast<std::uint32_t>(line == llvm::StringRef::npos ? 0 : line + 1);
  }

  static bool isBalanced(llvm::ArrayRef<Placed> part) {
    std::vector<Kind> open;
    for (const Placed& p : part) {
      if (p.token.isOpening())
        open.push_back(p.token.kind);
      if (!p.token.isClosing())
        continue;
      if (open.empty() || open.back() != openerOf(p.token.kind))
        return false;
      open.pop_back();
    }
    return open.empty();
  }

  /// The first token after the line of the token `i` and after empty lines.
  std::size_t nextLine(std::size_t i) const {
    while (i < visible.size() && !visible[i].token.is(Kind::NewLine))
      ++i;
    while (i < visible.size() && visible[i].token.is(Kind::NewLine))
      ++i;
    return i;
  }

  /// Leaves out each line at the left margin that begins with `import`, if a block is open before
  /// it and goes on after it.
  void leaveOutImportsInBlocks() {
    const auto isInside = [&](std::size_t i) {
      const Placed& p = visible[i];
      if (!p.first || p.indent > 0 || !p.token.is(Kind::Import))
        return false;
      const std::size_t next = nextLine(i);
      return next < visible.size() && !visible[next].token.is(Kind::End) &&
             (visible[next].indent > 0 || visible[next].token.isClosing());
    };
    std::vector<Placed> kept;
    std::size_t depth = 0, copied = 0;
    for (std::size_t i = 0; i < visible.size(); ++i) {
      const Placed& p = visible[i];
      if (depth > 0 && isInside(i)) {
        kept.insert(kept.end(), visible.begin() + copied, visible.begin() + i);
        for (; !visible[i].token.is(Kind::NewLine); ++i)
          edits.push_back({visible[i].index, true});
        copied = i;
        continue;
      }
      if (p.first && p.indent == 0 && beginsDeclaration(llvm::makeArrayRef(visible).drop_front(i)))
        depth = 0;
      depth += p.token.is(Kind::LeftBrace);
      depth -= p.token.is(Kind::RightBrace) && depth > 0;
    }
    if (copied == 0)
      return;
    kept.insert(kept.end(), visible.begin() + copied, visible.end());
    visible = std::move(kept);
  }

  /// Divides tokens at the lines at the left margin of which `begins` is true.
  template <class Begins, class Visit>
  static void divide(llvm::ArrayRef<Placed> part, Begins begins, Visit visit) {
    std::size_t begin = 0;
    for (std::size_t i = 1; i < part.size(); ++i)
      if (part[i].first && part[i].indent == 0 && begins(part.drop_front(i))) {
        visit(part.slice(begin, i - begin));
        begin = i;
      }
    visit(part.drop_front(begin));
  }

  /// Repairs a part of the text that begins with a declaration.
  void repair(llvm::ArrayRef<Placed> part) {
    if (isBalanced(part))
      return;
    if (llvm::none_of(part, [](const Placed& p) { return p.first && p.indent > 0; }))
      return declaration(part);
    divide(
        part, [](llvm::ArrayRef<Placed> line) { return mayBeginDeclaration(line[0].token); },
        [this](llvm::ArrayRef<Placed> one) {
          if (!isBalanced(one))
            declaration(one);
        });
  }

  void declaration(llvm::ArrayRef<Placed> part) {
    std::vector<Open> open;
    std::uint32_t indent = 0; // of the current statement
    Words words{0, part.size(), false};
    bool indented = false; // whether a line before is indented
    bool startsLine = false;
    for (std::size_t i = 0; i < part.size(); ++i) {
      const Token& t = part[i].token;
      startsLine = startsLine || part[i].first;
      if (t.is(Kind::LeftBrace) && isStray(part, i, open.empty(), words)) {
        edits.push_back({part[i].index, true});
        continue;
      }
      if (std::exchange(startsLine, false)) {
        if (beginsStatement(part, i, open)) {
          if (part[i].indent > 0 || indented)
            closeAt(part, i, open);
          indent = part[i].indent;
          words.statement = i, words.assigned = false;
          indented = indented || indent > 0;
        }
      } else if (words.last < i && !open.empty() && open.back().kind == Kind::LeftBrace &&
                 part[words.last].token.isOneOf(Kind::LeftBrace, Kind::Comma)) {
        words.statement = i, words.assigned = false;
      }
      words.last = i;
      words.assigned = words.assigned || t.is(Kind::Assign);
      if (endsElement(part, i, open))
        closeAll(part, i, open, open.size() - 1);
      if (t.isOpening()) {
        open.push_back({t.kind, indent});
      } else if (t.isClosing()) {
        const auto match = std::find_if(open.rbegin(), open.rend(), [&](const Open& one) {
          return one.kind == openerOf(t.kind);
        });
        if (match == open.rend())
          continue;
        closeAll(part, i, open, static_cast<std::size_t>(open.rend() - match));
        open.pop_back();
      }
      if (open.size() > maxDepth)
        return; // the file is too deep to parse
    }
    closeAll(part, part.size(), open, 0);
  }

  /// Whether the first token of a line begins a statement, or ends a block.
  static bool beginsStatement(llvm::ArrayRef<Placed> part, std::size_t i,
                              const std::vector<Open>& open) {
    if (!open.empty() && open.back().kind != Kind::LeftBrace)
      return false;
    std::size_t before = i;
    while (before > 0 && part[before - 1].token.is(Kind::NewLine))
      --before;
    const bool continues = before > 0 && continuesAfter(part[before - 1].token.kind) &&
                           !part[before - 1].token.is(Kind::Comma);
    const Kind kind = part[i].token.kind;
    return !continues && (kind == Kind::Else || !continuesBefore(kind));
  }

  /// Whether a comma in a block of a list ends the element that the block belongs to, because
  /// another element follows: a name that no `=` follows.
  static bool endsElement(llvm::ArrayRef<Placed> part, std::size_t i,
                          const std::vector<Open>& open) {
    const Kind second = kindAt(part, i + 2);
    return part[i].token.is(Kind::Comma) && open.size() > 1 &&
           open.back().kind == Kind::LeftBrace && open[open.size() - 2].kind == Kind::LeftBracket &&
           kindAt(part, i + 1) == Kind::Identifier &&
           (second == Kind::LeftBrace || second == Kind::Comma || second == Kind::RightBracket);
  }

  /// Closes the blocks that the indentation of a line ends.
  void closeAt(llvm::ArrayRef<Placed> part, std::size_t i, std::vector<Open>& open) {
    const Placed& line = part[i];
    std::size_t keep = open.size();
    if (line.token.is(Kind::RightBrace)) {
      while (keep > 1 && open[keep - 1].indent > line.indent)
        --keep;
    } else {
      while (keep > 0 && open[keep - 1].indent >= line.indent)
        --keep;
    }
    closeAll(part, i, open, keep);
  }

  /// Adds the closing braces of blocks before the token `i`.
  void closeAll(llvm::ArrayRef<Placed> part, std::size_t i, std::vector<Open>& open,
                std::size_t keep) {
    while (i > 0 && part[i - 1].token.isOneOf(Kind::NewLine, Kind::End))
      --i;
    for (; open.size() > keep; open.pop_back())
      if (i > 0 && open.back().kind == Kind::LeftBrace)
        edits.push_back({part[i - 1].index, false});
  }

  /// Whether a `{` cannot begin a block: no block may follow the words before it, or the words
  /// after it are not those of a statement.
  static bool isStray(llvm::ArrayRef<Placed> part, std::size_t i, bool isHeader,
                      const Words& words) {
    const std::size_t statement = words.statement, last = words.last;
    const Kind first = kindAt(part, statement), after = kindAt(part, i + 1);
    const Kind before = last < part.size() ? kindAt(part, last) : Kind::NewLine;
    const bool takesCondition =
        first == Kind::If || first == Kind::For || first == Kind::Else || first == Kind::RightBrace;
    switch (before) {
    case Kind::Identifier:
    case Kind::Question:
      break;
    case Kind::RightBracket: // a list has no block
      if (words.assigned && !takesCondition)
        return true;
      break;
    case Kind::Else:
    case Kind::Number:
    case Kind::Quantity:
    case Kind::String:
    case Kind::RightParen:
    case Kind::True:
    case Kind::False:
      if (!takesCondition)
        return true;
      break;
    default:
      // A keyword after a dot is a name.
      if (last == 0 || last >= part.size() || !part[last].token.isKeyword() ||
          kindAt(part, last - 1) != Kind::Dot)
        return true;
    }
    // `layout { name`, `search layout { name`
    if (isHeader && ((i == statement + 1 && first == Kind::Identifier) ||
                     (i == statement + 2 && first == Kind::Search)))
      return true;
    switch (after) {
    case Kind::NewLine: {
      std::size_t next = i + 1;
      while (kindAt(part, next) == Kind::NewLine)
        ++next;
      return next < part.size() && !part[next].token.isOneOf(Kind::RightBrace, Kind::End) &&
             part[next].indent <= part[statement].indent && part[next].indent > 0;
    }
    case Kind::For:
      return kindAt(part, i + 2) == Kind::Identifier && kindAt(part, i + 3) != Kind::In &&
             kindAt(part, i + 3) != Kind::Comma;
    case Kind::Identifier:
    case Kind::RightBrace:
    case Kind::If:
    case Kind::Let:
    case Kind::Assert:
    case Kind::Require:
    case Kind::Minimize:
    case Kind::Maximize:
    case Kind::Choice:
    case Kind::Param:
    case Kind::End:
      return false;
    default:
      return true;
    }
  }

  std::vector<Token> edited() {
    std::stable_sort(edits.begin(), edits.end(),
                     [](const Edit& a, const Edit& b) { return a.index < b.index; });
    std::vector<Token> out;
    out.reserve(all.size() + edits.size());
    std::size_t next = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      bool dropped = false;
      for (std::size_t e = next; e < edits.size() && edits[e].index == i; ++e)
        dropped = dropped || edits[e].drops;
      if (!dropped)
        out.push_back(all[i]);
      for (; next < edits.size() && edits[next].index == i; ++next)
        if (!edits[next].drops)
          out.push_back({Kind::RightBrace, 0, all[i].end, all[i].end});
    }
    return out;
  }

  std::vector<Token> all;
  llvm::StringRef text;
  std::vector<Placed> visible;
  std::vector<Edit> edits;
};

} // namespace

std::vector<Token> dpl::withRepairedBraces(std::vector<Token> all, llvm::StringRef text) {
  return Repair(std::move(all), text).run();
}
