//===- Figures.cpp - Every figure of a plan, created on demand --------------------------------===//
#include "figures/Figures.h"
#include "figures/Rows.h"
#include "ir/FigureNames.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/SaveAndRestore.h"
#include <deque>
#include <set>

using namespace dpl;
using namespace dpl::figures;

const char* figures::name(Provenance p) {
  static constexpr const char* names[] = {"derived", "declared", "assumed", "simulated"};
  return names[static_cast<std::size_t>(p)];
}

namespace {

constexpr std::size_t alone = SIZE_MAX; ///< for rows without a placeholder

bool begins(llvm::StringRef path, llvm::StringRef prefix) {
  return path.consume_front(prefix) && (path.empty() || path.front() == '.');
}

/// The assignment of rows to sets of instances.
struct RowTable {
  struct RowPlace {
    std::size_t set = alone, outermost = alone;
    llvm::StringRef column; ///< rest of the path after the pattern of the set; may be empty
  };
  std::vector<RowPlace> places;                      ///< parallel to rows()
  llvm::StringMap<std::size_t> single;               ///< rows without a placeholder, by path
  std::vector<llvm::StringMap<std::size_t>> columns; ///< by set, then by column

  RowTable() {
    llvm::SmallVector<llvm::StringRef, 32> patterns;
    for (const InstanceSet& set : instanceSets())
      patterns.push_back(set.pattern);
    const llvm::ArrayRef<FigureDefinition> all = rows();
    places.reserve(all.size());
    llvm::SmallVector<unsigned, 32> counts(patterns.size(), 0);
    for (const FigureDefinition& row : all) {
      RowPlace& place = places.emplace_back(placeOf(row.path, patterns));
      if (place.set != alone)
        ++counts[place.set];
    }
    // The tables get their size at once: growing them would hash every path again.
    single = llvm::StringMap<std::size_t>(static_cast<unsigned>(all.size()));
    columns.reserve(counts.size());
    for (const unsigned count : counts)
      columns.emplace_back(count);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (places[i].set == alone)
        single[all[i].path] = i;
      else
        columns[places[i].set][places[i].column] = i;
    }
  }

private:
  static RowPlace placeOf(llvm::StringRef path, llvm::ArrayRef<llvm::StringRef> patterns) {
    RowPlace place;
    for (std::size_t s = patterns.size(); s-- > 0;)
      if (path.front() == patterns[s].front() && begins(path, patterns[s])) {
        if (place.outermost == alone)
          place.outermost = s; // the last match in the list is the shortest pattern
        place.set = s;
      }
    if (place.set != alone) {
      place.column = path.drop_front(patterns[place.set].size());
      place.column.consume_front(".");
    }
    return place;
  }
};

const RowTable& table() {
  static const RowTable once;
  return once;
}

bool isCapital(char c) { return c >= 'A' && c <= 'Z'; }

llvm::StringRef rootOf(llvm::StringRef path) {
  return path.take_until([](char c) { return c == '.' || c == '['; });
}

/// Whether a path starts like the pattern of a set and contains the pattern's words.
bool mayHold(llvm::StringRef pattern, llvm::StringRef path) {
  if (!isCapital(pattern.front()) && !path.startswith(pattern.take_front()))
    return false;
  const llvm::StringRef begin = rootOf(pattern), root = rootOf(path);
  const llvm::ArrayRef<const char*> forms = ir::formsOf(begin);
  if (forms.empty() ? root != begin : llvm::none_of(forms, [&](const char* form) {
        return root.startswith({form, 1}) && rootOf(form) == root;
      }))
    return false;
  pattern = pattern.drop_front(begin.size());
  while (!pattern.empty()) {
    pattern = pattern.drop_while(isCapital);
    const llvm::StringRef word = pattern.take_until(isCapital);
    const std::size_t at = path.find(word);
    if (at == llvm::StringRef::npos)
      return false;
    path = path.drop_front(at + word.size());
    pattern = pattern.drop_front(word.size());
  }
  return true;
}

} // namespace

class Figures::FigureBuilder {
public:
  FigureBuilder(const ir::Plan& plan, FieldLocator where, Depth depth)
      : facts(plan, std::move(where), depth, expressions,
              [this](const std::string& path) { return find(path); }),
        instances(instanceSets().size()) {}

  const Figure* find(llvm::StringRef path) {
    const auto known = made.find(path);
    if (known != made.end())
      return known->second;
    if (const auto row = table().single.find(path); row != table().single.end())
      return make(path, row->second, nullptr);
    prepare(path);
    // The longest prefix of an instance: a level of a collective before the collective.
    for (std::size_t end = path.size();; end = path.rfind('.', end)) {
      if (end == llvm::StringRef::npos)
        return made[path] = nullptr;
      const auto place = byPrefix.find(path.take_front(end));
      if (place == byPrefix.end())
        continue;
      llvm::StringRef column = path.drop_front(end);
      column.consume_front(".");
      for (const auto& [set, instance] : place->second) {
        const auto& columns = table().columns[set];
        if (const auto row = columns.find(column); row != columns.end())
          return make(path, row->second, instance);
      }
    }
  }

  const std::vector<const Figure*>& all() {
    if (!inOrder.empty())
      return inOrder;
    const std::vector<RowTable::RowPlace>& places = table().places;
    for (std::size_t begin = 0, end = 0; begin < places.size(); begin = end) {
      const std::size_t set = places[begin].outermost;
      if (set == alone) {
        visit(find(rows()[begin].path));
        end = begin + 1;
        continue;
      }
      while (end < places.size() && places[end].outermost == set)
        ++end;
      for (const Instance& instance : of(set))
        for (std::size_t row = begin; row < end; ++row)
          if (facts.depth == Depth::Operators || !rows()[row].detail)
            visitRow(row, instance);
    }
    return inOrder;
  }

  FormulaTrees expressions;

private:
  const std::vector<Instance>& of(std::size_t set) {
    if (!instances[set]) {
      instances[set] = instanceSets()[set].of(facts);
      for (const Instance& instance : *instances[set])
        byPrefix[instance.prefix].emplace_back(set, &instance);
    }
    return *instances[set];
  }

  /// Creates the instances of the sets that a path may belong to.
  void prepare(llvm::StringRef path) {
    const llvm::ArrayRef<InstanceSet> sets = instanceSets();
    for (std::size_t s = 0; s < sets.size(); ++s)
      if (mayHold(sets[s].pattern, path))
        (void)of(s);
  }

  void visitRow(std::size_t row, const Instance& instance) {
    const RowTable::RowPlace& place = table().places[row];
    const auto figureOf = [&](const Instance& i) {
      return find(place.column.empty() ? i.prefix : i.prefix + "." + place.column.str());
    };
    if (place.set == place.outermost) {
      visit(figureOf(instance));
      return;
    }
    for (const Instance& inner : of(place.set))
      if (begins(inner.prefix, instance.prefix))
        visit(figureOf(inner));
  }

  void visit(const Figure* figure) {
    if (!figure || !visited.insert(figure).second)
      return;
    for (const Figure* input : figure->inputs)
      visit(input);
    inOrder.push_back(figure);
  }

  const Figure* make(llvm::StringRef path, std::size_t rowIndex, const Instance* instance) {
    const FigureDefinition& row = rows()[rowIndex];
    made[path] = nullptr; // marks the figure while it is made, so that it cannot read itself
    const llvm::SaveAndRestore<const Instance*> current(facts.instance, instance);
    Traced value = row.make(facts);
    if (!value.has())
      return nullptr;
    Figure& figure = figures.emplace_back();
    figure.path = path.str();
    figure.value = value.number;
    figure.dimension = row.dimension;
    figure.provenance = value.root != 0 ? Provenance::Derived : value.provenance;
    figure.source = std::move(value.source);
    figure.note = value.note ? std::move(*value.note) : row.note;
    figure.overLinks = value.links;
    figure.formula = value.root;
    figure.inputs = expressions.inputsOf(value.root);
    for (const std::uint32_t root : value.read)
      for (const Figure* input : expressions.inputsOf(root))
        figure.inputs.push_back(input);
    return made[path] = &figure;
  }

  FigureContext facts;
  std::deque<Figure> figures;
  llvm::StringMap<const Figure*> made; ///< null: the plan has no figure with this path
  std::vector<std::optional<std::vector<Instance>>> instances; ///< by set
  /// Instances by the prefix of their paths. Instances of several sets can have the same prefix:
  /// "node_type[1]".
  llvm::StringMap<std::vector<std::pair<std::size_t, const Instance*>>> byPrefix;
  std::vector<const Figure*> inOrder;
  std::set<const Figure*> visited;
};

Figures::Figures(const ir::Plan& plan, FieldLocator where, Depth depth)
    : maker(std::make_unique<FigureBuilder>(plan, std::move(where), depth)) {}
Figures::~Figures() = default;

const Figure* Figures::find(llvm::StringRef path) const { return maker->find(path); }
const std::vector<const Figure*>& Figures::all() const { return maker->all(); }
const FormulaTrees& Figures::expressions() const { return maker->expressions; }

std::optional<double> Figures::value(llvm::StringRef path) const {
  const Figure* figure = find(path);
  return figure ? std::optional(figure->value) : std::nullopt;
}

std::optional<ir::ResultValue> Figures::result(const std::string& path) const {
  const Figure* figure = find(path);
  return figure ? std::optional(ir::ResultValue{figure->value, figure->dimension}) : std::nullopt;
}

std::string Figures::formula(const Figure& figure) const {
  return maker->expressions.text(figure.formula,
                                 [](const Figure& f) { return ir::writtenPath(f.path); });
}
