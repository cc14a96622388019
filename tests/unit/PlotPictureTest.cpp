//===- PlotPictureTest.cpp - Tests for the frame of pictures ----------------------------------===//
#include "backends/report/PlotPicture.h"
#include <gtest/gtest.h>

using namespace dpl::report;

TEST(PlotPicture, CutsTextsThatHaveNoRoom) {
  PlotPicture plot;
  plot.legend("bimodal { fraction = 0.1, slowdown = 1.5 } é", 0, 2);
  plot.legend(std::string(60, 'a'), 1, 2);
  plot.gridLine(100, std::string(300, 'W'));
  EXPECT_NE(plot.svg().find(">bimodal { fraction = 0.1, slowdown = 1.5 } é<"), std::string::npos);
  EXPECT_NE(plot.svg().find(">" + std::string(47, 'a') + "…<"), std::string::npos);
  EXPECT_NE(plot.svg().find(">" + std::string(11, 'W') + "…<"), std::string::npos);
}

TEST(PlotPicture, KeepsNoRoomForALegendWithoutLines) {
  const auto widthOf = [](const PlotPicture& plot) {
    const std::string picture = plot.svg();
    return std::stod(picture.substr(picture.find(" width=\"") + 8));
  };
  PlotPicture plot, named;
  plot.finish("step time over nodes", "nodes", "", 0);
  EXPECT_LE(widthOf(plot), PlotPicture::right + 60);
  EXPECT_EQ(plot.svg().find("></text>"), std::string::npos) << "the axis has no name";
  named.legend("tensor = 8", 0, 1);
  named.finish("step time over nodes", "nodes", "step_time", 1);
  EXPECT_GT(widthOf(named), widthOf(plot));
}

TEST(PlotPicture, IsAsWideAsItsTitle) {
  const std::string title(90, 'a');
  PlotPicture plot;
  plot.finish(title, "", "", 0);
  EXPECT_NE(plot.svg().find(">" + title + "</text>"), std::string::npos);
}
