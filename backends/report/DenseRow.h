#pragma once
//===- DenseRow.h - A row of actions that are narrower than pixels ----------------------------===//
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace dpl::report {

/// A row of a picture in columns of two pixels. Areas are stacked in each column, each as high as
/// its share of the column's time, so that no action hides another.
class DenseRow {
public:
  /// The row is between these edges, in pixels.
  DenseRow(double left, double right, double top, double bottom);
  /// Adds an action to an area. Areas with a smaller `order` are higher; an area has one `style`,
  /// SVG attributes.
  void add(std::size_t order, const std::string& style, double begin, double end);
  std::string svg() const;

private:
  struct Area {
    std::string style;
    std::vector<double> width; ///< pixels of each column that the area's actions take
  };
  double left, top, height;
  std::size_t columns;
  std::map<std::size_t, Area> areas;
};

} // namespace dpl::report
