//===- LauncherTest.cpp - What launchers make of single values --------------------------------===//
#include "backends/kubernetes/Kubernetes.h"
#include "backends/slurm/Slurm.h"
#include <gtest/gtest.h>

using namespace dpl;

namespace {

TEST(Launcher, MemoryIsRoundedUp_SoThatNoRequestBecomesZero) {
  EXPECT_EQ(launcher::mebibytes(0), 0U);
  EXPECT_EQ(launcher::mebibytes(1), 1U);
  EXPECT_EQ(launcher::mebibytes(launcher::mebibyte), 1U);
  EXPECT_EQ(launcher::mebibytes(1'500'000), 2U);
  EXPECT_EQ(launcher::mebibytes(~0ULL), 1ULL << 44);
}

TEST(Launcher, ImagesOfARegistry_AreNamedAsPyxisNamesThem) {
  EXPECT_EQ(slurm::imageOf("nvcr.io/nvidia/pytorch:25.04-py3"), "nvcr.io#nvidia/pytorch:25.04-py3");
  EXPECT_EQ(slurm::imageOf("docker://nvcr.io/nvidia/pytorch:25.04-py3"),
            "nvcr.io#nvidia/pytorch:25.04-py3");
  EXPECT_EQ(slurm::imageOf("docker://nvcr.io#nvidia/pytorch:25.04-py3"),
            "nvcr.io#nvidia/pytorch:25.04-py3");
  EXPECT_EQ(slurm::imageOf("docker://ubuntu"), "ubuntu");
  EXPECT_EQ(slurm::imageOf("dockerd://my.image/it:1"), "dockerd://my.image/it:1");
  EXPECT_EQ(slurm::imageOf("/images/pytorch.sqsh"), "/images/pytorch.sqsh");
}

} // namespace
