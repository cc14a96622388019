//===- Encoding.cpp - Serialization of syntax trees -------------------------------------------===//
#include "frontend/ast/Encoding.h"
#include "frontend/ast/NodeParts.h"
#include "llvm/ADT/SmallVector.h"
using namespace dpl;
using namespace dpl::ast;

void dpl::putNumber(std::string& out, std::uint64_t n) {
  for (; n >= 0x80; n >>= 7)
    out.push_back(static_cast<char>(n | 0x80));
  out.push_back(static_cast<char>(n));
}
void dpl::putString(std::string& out, llvm::StringRef s) {
  putNumber(out, s.size());
  out.append(s.data(), s.size());
}
std::uint64_t dpl::takeLongNumber(llvm::StringRef& bytes) {
  std::uint64_t n = 0;
  for (unsigned shift = 0;; shift += 7) {
    assert(!bytes.empty() && "the image was written by putNumber");
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes = bytes.drop_front();
    n |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80)
      return n;
  }
}
llvm::StringRef dpl::takeString(llvm::StringRef& bytes) {
  const std::size_t size = takeNumber(bytes);
  const llvm::StringRef s = bytes.take_front(size);
  bytes = bytes.drop_front(size);
  return s;
}

namespace {

/// Maps small positive and negative numbers to small unsigned ones.
std::uint64_t zigzag(std::int64_t n) {
  return (static_cast<std::uint64_t>(n) << 1) ^ static_cast<std::uint64_t>(n >> 63);
}
std::int64_t unzigzag(std::uint64_t n) {
  return static_cast<std::int64_t>(n >> 1) ^ -static_cast<std::int64_t>(n & 1);
}

class Encoder {
public:
  Encoder(llvm::StringRef text, bool places) : text(text), places(places) {}

  void put(const Decl& d) { putNode(d); }
  std::string out;

private:
  template <class Base> void putNode(const Base& node) {
    putNumber(out, static_cast<std::uint64_t>(node.kind));
    withType(node.kind,
             [&](auto type) { putParts(static_cast<const typename decltype(type)::type&>(node)); });
  }
  template <class T> void putParts(const T& node) {
    std::apply([&](const auto&... part) { (put(part), ...); }, NodeParts<T>::of(node));
  }

  void put(const Expr& e) { putNode(e); }
  void put(const Stmt& s) { putNode(s); }
  template <class T> std::enable_if_t<NodeParts<T>::known> put(const T& node) { putParts(node); }
  template <class T> std::enable_if_t<std::is_enum_v<T> || std::is_same_v<T, bool>> put(T v) {
    putNumber(out, static_cast<std::uint64_t>(v));
  }
  template <class T> void put(const T* node) {
    putNumber(out, node != nullptr);
    if (node)
      put(*node);
  }
  template <class T> void put(llvm::ArrayRef<T> nodes) {
    putNumber(out, nodes.size());
    for (const T& node : nodes)
      put(node);
  }

  /// Writes the length of a range plus one, or 0 if it is invalid; then the distance to the last
  /// place.
  void put(SourceRange r) {
    if (!places)
      return;
    putNumber(out, r.valid() ? std::uint64_t{r.end} - r.begin + 1 : 0);
    if (!r.valid())
      return;
    putNumber(out, zigzag(std::int64_t{r.begin} - last));
    last = r.begin;
  }
  void put(const Name& n) {
    assert((n.text.empty() || n.text == text.slice(n.range.begin, n.range.end)) &&
           "a name is what stands at its place");
    if (places)
      put(n.text.empty() ? SourceRange{} : n.range);
    else
      putString(out, n.text);
  }
  /// Writes a string: twice its length, plus 1 if it is in the text; then its distance or its
  /// bytes.
  void put(llvm::StringRef s) {
    const bool inText = places && s.data() >= text.begin() && s.end() <= text.end();
    putNumber(out, s.size() * 2 + inText);
    if (inText) {
      const std::int64_t begin = s.data() - text.begin();
      putNumber(out, zigzag(begin - last));
      last = begin;
    } else {
      out.append(s.data(), s.size());
    }
  }
  void put(const Number& n) {
    put(n.value.numerator());
    put(n.value.denominator());
    putString(out, n.unit ? n.unit->text : "");
  }
  void put(Rational::Int n) {
    assert(n >= 0 && "a literal has no sign");
    putNumber(out, static_cast<std::uint64_t>(n));
    putNumber(out, static_cast<std::uint64_t>(n >> 64));
  }

  llvm::StringRef text;
  bool places;
  std::int64_t last = 0;
};

class Decoder {
public:
  Decoder(llvm::StringRef bytes, llvm::StringRef text, std::uint32_t file, Arena& arena)
      : bytes(bytes), text(text), file(file), arena(arena) {}

  template <class Base> const Base& node() {
    const auto kind = static_cast<decltype(Base::kind)>(takeNumber(bytes));
    return withType(
        kind, [&](auto type) -> const Base& { return make<typename decltype(type)::type>(); });
  }

private:
  /// Reads one part of a node: a value, or a reference to a node in the arena.
  template <class T> decltype(auto) take() {
    if constexpr (std::is_same_v<T, Expr> || std::is_same_v<T, Stmt>)
      return node<T>();
    else if constexpr (isNode<T>)
      return make<T>();
    else
      return part(TypeTag<T>{});
  }
  template <class T>
  static constexpr bool isNode = std::is_base_of_v<Expr, T> || std::is_base_of_v<Stmt, T> ||
                                 std::is_base_of_v<Decl, T> || std::is_same_v<T, Block>;

  template <class T> const T& make() {
    return build<T>([&](auto&&... parts) -> const T& { return arena.make<T>(parts...); });
  }
  template <class T, class F> decltype(auto) build(F f) {
    return parts<T>(f, TypeTag<decltype(NodeParts<T>::of(std::declval<const T&>()))>{});
  }
  /// In braces the parts are evaluated from left to right.
  template <class T, class F, class... Part>
  decltype(auto) parts(F f, TypeTag<std::tuple<const Part&...>>) {
    std::tuple<decltype(take<Part>())...> all{take<Part>()...};
    return std::apply(f, all);
  }

  template <class T> std::enable_if_t<NodeParts<T>::known, T> part(TypeTag<T>) {
    return build<T>([](auto&&... parts) { return T{parts...}; });
  }
  template <class T>
  std::enable_if_t<std::is_enum_v<T> || std::is_same_v<T, bool>, T> part(TypeTag<T>) {
    return static_cast<T>(takeNumber(bytes));
  }
  template <class T> const T* part(TypeTag<const T*>) {
    if (takeNumber(bytes) == 0)
      return nullptr;
    if constexpr (std::is_same_v<T, Expr> || std::is_same_v<T, Stmt> || isNode<T>)
      return &take<T>();
    else
      return &arena.make<T>(take<T>());
  }
  template <class T> llvm::ArrayRef<T> part(TypeTag<llvm::ArrayRef<T>>) {
    llvm::SmallVector<T, 8> all;
    for (std::uint64_t n = takeNumber(bytes); n > 0; --n)
      all.push_back(take<T>());
    return arena.copy(llvm::ArrayRef<T>(all));
  }

  SourceRange part(TypeTag<SourceRange>) {
    const std::uint64_t length = takeNumber(bytes);
    if (length == 0)
      return {};
    last += unzigzag(takeNumber(bytes));
    const auto begin = static_cast<std::uint32_t>(last);
    return {file, begin, static_cast<std::uint32_t>(begin + length - 1)};
  }
  Name part(TypeTag<Name>) {
    const SourceRange r = part(TypeTag<SourceRange>{});
    return r.valid() ? Name{text.slice(r.begin, r.end), r} : Name{};
  }
  llvm::StringRef part(TypeTag<llvm::StringRef>) {
    const std::uint64_t length = takeNumber(bytes);
    if (length % 2 == 1) {
      last += unzigzag(takeNumber(bytes));
      return text.substr(static_cast<std::size_t>(last), length / 2);
    }
    const llvm::StringRef s = bytes.take_front(length / 2);
    bytes = bytes.drop_front(length / 2);
    return s;
  }
  Number part(TypeTag<Number>) {
    const Rational::Int numerator = integer(), denominator = integer();
    Number n;
    n.value = *Rational::of(numerator, denominator);
    if (const llvm::StringRef unit = takeString(bytes); !unit.empty()) {
      n.unit = findUnit(unit);
      n.dimension = n.unit->dimension;
    }
    return n;
  }
  Rational::Int integer() {
    const Rational::Int low = takeNumber(bytes), high = takeNumber(bytes);
    return high << 64 | low;
  }

  llvm::StringRef bytes, text;
  std::uint32_t file;
  Arena& arena;
  std::int64_t last = 0;
};

} // namespace

std::string dpl::encode(const Decl& decl, llvm::StringRef text) {
  Encoder encoder(text, true);
  encoder.put(decl);
  return std::move(encoder.out);
}

const Decl& dpl::decode(llvm::StringRef bytes, llvm::StringRef text, std::uint32_t file,
                        Arena& arena) {
  return Decoder(bytes, text, file, arena).node<Decl>();
}

std::string dpl::structure(const File& file, llvm::StringRef text) {
  Encoder encoder(text, false);
  for (const Decl* d : file.declarations)
    encoder.put(*d);
  return std::move(encoder.out);
}
