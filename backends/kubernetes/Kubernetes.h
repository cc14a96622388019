#pragma once
//===- Kubernetes.h - A job as TrainJob, PyTorchJob or JobSet ---------------------------------===//
#include "backends/launcher/Job.h"

namespace dpl::kubernetes {

/// The job's metadata.name: the name set in the file, or the block's name with `-` for `_`.
std::string jobName(const launcher::Job& job);
/// The longest pod name of the job, with the suffix of its controller.
std::string longestPodName(const launcher::Job& job);
/// Whether a text is a label of a host name (63 characters); DNS-1035 begins with a letter.
bool isLabel(llvm::StringRef text, bool beginsWithLetter);
/// Escapes `$(NAME)` and `$$`, which Kubernetes expands in commands, arguments and variables, so
/// that the pod receives `text`.
std::string unexpanded(llvm::StringRef text);

/// `job.yaml`.
std::string jobFile(const launcher::Job& job);
/// `apply.sh`, which copies the framework's folder to the cluster and submits the job.
std::string applyFile(const launcher::Job& job);

constexpr const char* claimPrefix = "claim:";
/// The framework's folder in the pods.
constexpr const char* filesPlace = "/opt/dplc";

} // namespace dpl::kubernetes
