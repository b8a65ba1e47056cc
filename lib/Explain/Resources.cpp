//===- Resources.cpp - Text of a kernel's resource usage ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Explain/Explain.h"
#include "llvm/Support/FormatVariadic.h"

using namespace distaff;

static std::string describeRegisters(const KernelResources &x) {
  std::string text =
      llvm::formatv("registers per lane: about {0} estimated", x.registers);
  if (x.assembled)
    text +=
        llvm::formatv(", {0} by {1}", x.assembled->registers, x.assembled->by);
  return text + llvm::formatv(", of {0}", x.available).str();
}

static std::string describeSpills(const KernelResources &x) {
  std::string text = "spills: ";
  if (x.spilledBytes)
    text += llvm::formatv("predicted, about {0} B per lane", x.spilledBytes);
  else if (x.mayBeFull)
    text += "minor spilling possible under early load scheduling";
  else
    text += "none predicted";
  if (x.assembled)
    text += llvm::formatv(", {0} B by {1}", x.assembled->spilledBytes,
                          x.assembled->by);
  if (x.assembled && x.assembled->spilledScalars)
    text += llvm::formatv(", and {0} scalar registers into vector registers",
                          x.assembled->spilledScalars);
  return text;
}

/// Describes shared memory; `allocated` is -1 where it is not known.
static std::string describeShared(const KernelResources &x, int64_t allocated) {
  std::string text = "shared memory: ";
  text += allocated < 0 ? "not known" : llvm::formatv("{0} B", allocated).str();
  if (x.launchBytes)
    text +=
        llvm::formatv(", of which the launch allocates {0} B", x.launchBytes);
  if (x.assembled)
    text += llvm::formatv(", {0} B declared by {1}", x.assembled->sharedBytes,
                          x.assembled->by);
  return text;
}

std::vector<std::string> distaff::describeResources(const Explanation &x) {
  if (!x.resources && x.whyNoResources.empty())
    return {};
  if (!x.resources)
    return {"not known, for there is no code: " + x.whyNoResources};
  int64_t allocated = x.kernel() ? x.kernel()->allocatedBytes : -1;
  std::vector<std::string> lines = {describeRegisters(*x.resources),
                                    describeSpills(*x.resources),
                                    describeShared(*x.resources, allocated)};
  for (const WorkgroupArgument &argument : x.resources->workgroupArguments)
    lines.push_back(llvm::formatv(
        "arg{0} is not passed: {1} B of shared memory at {2} + {3}, aligned to "
        "{4}{5}",
        argument.number, argument.bytes, argument.symbol, argument.offset,
        argument.alignment, argument.describeRows()));
  if (!x.resources->whyNotAssembled.empty())
    lines.push_back("no figures of an assembler: " +
                    x.resources->whyNotAssembled);
  return lines;
}
