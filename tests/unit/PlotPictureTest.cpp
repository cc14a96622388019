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
