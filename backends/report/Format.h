#pragma once
//===- Format.h - Formats figures for people --------------------------------------------------===//
#include "cost/step/HostMemory.h"
#include "figures/Figures.h"
#include <optional>
#include <string>
#include <vector>

namespace dpl::report {

/// A size in memory, in binary units, in which drivers report it: "51.2GiB".
std::string memory(double bytes);
std::string duration(double seconds);
/// The confidence interval, as text after the mean: " ± 4.939ms, 95 % confidence".
std::string within(std::optional<double> halfWidth);
std::string fromPicoseconds(std::uint64_t ps);
/// A size of traffic, in decimal units, as those of link rates: "7.29GB".
std::string traffic(double bytes);
/// A number without a unit: "8192", "70.55e9".
std::string count(double n);
std::string flop(double n);
/// A rate of tokens, or of samples if `samples` is set: "425.1ktok/s".
std::string rate(double perSecond, bool samples);
/// The peak FLOP/s to which MFU and HFU refer: " of 989.4TFLOPS bf16". Empty if there is none.
std::string peakText(const ir::Plan& plan, const figures::Figures& figures);
/// Formats a fraction: "42.1%".
std::string percent(double fraction);
/// The value of a figure, in a unit that fits its dimension.
std::string show(const figures::Figure& figure);

/// The mesh as a line "mesh { pipeline = 8, data = 8, tensor = 8 within domain }", without axes of
/// size 1. A mesh that `mesh = auto` found has several lines, with the other fields that it chose,
/// which can be pasted into a layout.
std::vector<std::string> meshLines(const ir::Plan& plan);
/// Wraps a comma-separated list of fields to `width` without breaking a field. Continuation lines
/// begin in `column`.
std::string wrappedFields(const std::string& text, unsigned width, unsigned column);
/// Wraps a source line to `width`. Continuation lines begin in `column` and keep the indentation.
/// Every line of a comment begins with `//`, so that the result can be pasted.
std::string sourceLine(const std::string& text, unsigned width, unsigned column);
/// The schedule in words: "interleaved_1f1b, 2 chunks …".
std::string scheduleText(const ir::Plan& plan);
/// The schedule. If `schedule = auto` chose it, it is a line that can be pasted into a layout.
std::string scheduleLine(const ir::Plan& plan);
/// A sentence that says whether the order of actions can deadlock, with buffered and with blocking
/// sends. Empty without a pipeline.
std::string orderText(const ir::Plan& plan);
/// The splits of layers that `split = balanced` compared.
std::string splitText(const ir::Plan& plan, const ir::SplitChoice& choice);
std::string recomputeText(const ir::Plan& plan);
std::string shardText(const ir::Plan& plan);
std::string precisionText(const ir::Plan& plan);
/// The batch in words: "512 sequences of 8192 tokens, 64 micro-batches of 1 …".
std::string batchText(const ir::Plan& plan);
std::string modelText(const ir::Plan& plan, const figures::Figures& figures);
std::string clusterText(const ir::Plan& plan);
/// The defaults that the framework sets: "megatron 0.19 fills in overlap.gradients = false".
/// Kernels of experts are left out. Empty if the layout names no framework.
std::string frameworkText(const ir::Plan& plan);
/// The default kernels and token dispatcher of experts, with the fields that would set them. Empty
/// without experts, and if the layout sets all of them.
std::string assumedText(const ir::Plan& plan);
/// The host memory of offloaded tensors on a node: "host memory 621GiB of 559GiB of node 0, 62.4GiB
/// too much".
std::string hostText(const ir::Cluster& cluster, const cost::FullestNode& node);
/// The node types of a pipeline rank: "nominal, old".
std::string nodeTypesText(const ir::Plan& plan, std::uint64_t pipelineRank);
/// The contents of a collective's buffer in words, for a table.
const char* contents(ir::CollectivePurpose p);

} // namespace dpl::report
