#pragma once
//===- Kubernetes.h - A job as TrainJob, PyTorchJob or JobSet ---------------------------------===//
#include "backends/launcher/Job.h"

namespace dpl::kubernetes {

/// The job's metadata.name: the name set in the file, otherwise the name of the launch block with
/// `-` for `_`.
std::string jobName(const launcher::Job& job);
/// The longest name of a pod of the job, with the suffix that its controller appends.
std::string longestPodName(const launcher::Job& job);
/// Whether a text is a label of a host name, with at most 63 characters. DNS-1035 labels begin with
/// a letter.
bool isLabel(llvm::StringRef text, bool beginsWithLetter);
/// Escapes `$(NAME)` and `$$`, which Kubernetes would expand in commands, arguments and variables.
std::string unexpanded(llvm::StringRef text);

/// The text of `job.yaml`.
std::string jobFile(const launcher::Job& job);
/// The text of `apply.sh`, which copies the framework's folder to the cluster and submits the job.
std::string applyFile(const launcher::Job& job);

constexpr const char* claimPrefix = "claim:";
/// Path of the framework's folder in the pods.
constexpr const char* filesPlace = "/opt/dplc";

} // namespace dpl::kubernetes
