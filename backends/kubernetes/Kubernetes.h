#pragma once
//===- Kubernetes.h - A job as TrainJob, PyTorchJob or JobSet ---------------------------------===//
#include "backends/launcher/Job.h"

namespace dpl::kubernetes {

/// metadata.name: what the user gave, or the block's name with `_` as `-`.
std::string jobName(const launcher::Job& job);
/// The longest name of a pod that the job makes, with the suffix of its controller.
std::string longestPodName(const launcher::Job& job);
/// One label of a host name, at most 63 characters; DNS-1035 begins with a letter.
bool isLabel(llvm::StringRef text, bool beginsWithLetter);
/// A text that Kubernetes expands, so that what arrives in the pod is `text`: `$(NAME)` and `$$`
/// have a meaning in commands, arguments and variables.
std::string unexpanded(llvm::StringRef text);

/// `job.yaml`.
std::string jobFile(const launcher::Job& job);
/// `apply.sh`, which brings the framework's folder and the job to the cluster.
std::string applyFile(const launcher::Job& job);

constexpr const char* claimPrefix = "claim:";
/// Where the framework's folder is in the pods.
constexpr const char* filesPlace = "/opt/dplc";

} // namespace dpl::kubernetes
