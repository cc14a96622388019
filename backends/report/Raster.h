#pragma once
//===- Raster.h - Polygons, lines and letters as pixels ---------------------------------------===//
#include "backends/report/Png.h"
#include <utility>

namespace dpl::report {

using PointPath = std::vector<std::pair<double, double>>; ///< x to the right, y down

/// Draws with smooth edges: a pixel has as much of a colour as of its sixteen parts are covered.
class Raster {
public:
  /// So many pixels a unit of what is drawn.
  Raster(double width, double height, double scale);

  // Colours are "#rgb" or "#rrggbb".
  void fill(const PointPath& polygon, const char* colour);
  /// `dash` has lengths of lines and gaps in turn, "6 3"; empty: one line.
  void line(const PointPath& points, double width, const char* dash, const char* colour);
  /// `anchor` as in SVG: start, middle, end.
  void text(double x, double y, const std::string& text, const std::string& anchor, double size,
            const char* colour);
  const Image& pixels() const { return image; }

private:
  void cover(const PointPath& polygon);
  /// Its ends reach out by `beyond`.
  void coverSegment(std::pair<double, double> from, std::pair<double, double> to, double width,
                    double beyond);
  void paint(const char* colour);

  double scale;
  Image image;
  std::vector<std::uint16_t> covered; ///< of each pixel, a bit for each of its parts
  std::size_t firstRow, lastRow = 0;  ///< that are, some of them, from and to before
};

} // namespace dpl::report
