//===- PtxArguments.h - Arguments of a PTX kernel from flags ----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This file has the flags and files around Driver/PtxRun.h. The flags of a
// parameter select its kind: with a .npy file or a --shape it is an array, with
// `null` a null pointer, and else a number.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_TOOLS_DISTAFF_PTXARGUMENTS_H
#define DISTAFF_TOOLS_DISTAFF_PTXARGUMENTS_H

#include "distaff/Driver/PtxRun.h"
#include "distaff/Runtime/Npy.h"

#include <map>
#include <set>

namespace distaff {

/// Returns an error for a mistake in the flags or in a file.
llvm::Error refuse(const Twine &message);

/// The target of a flag: "arg1", or "arg0@8" for bytes within an aggregate.
struct PtxSlot {
  size_t parameter = 0;
  std::optional<uint64_t> offset;

  auto operator<=>(const PtxSlot &) const = default;
  std::string name() const;
};
using PtxAssignments = std::map<PtxSlot, std::string>;

/// The arguments of a launch, and the arrays that their pointers point to.
class PtxArguments {
public:
  /// Reads --input, --shape and --output; every parameter must have a value.
  llvm::Error parse(const PtxKernel &kernel,
                    const std::vector<std::string> &inputFlags,
                    const std::vector<std::string> &shapeFlags,
                    const std::vector<std::string> &outputFlags);
  /// Creates the arguments and fills the arrays, which this object owns.
  llvm::Expected<std::vector<ptx::Argument>> make(const PtxKernel &kernel);
  /// Returns the arrays to write after the run, with their files.
  std::vector<std::pair<std::string, const runtime::HostArray *>>
  written() const;

private:
  llvm::Error checkNull(const PtxSlot &slot) const;
  bool isArray(const PtxSlot &slot) const;
  llvm::Expected<ptx::Argument> makeArgument(const PtxKernel &kernel,
                                             size_t number);
  llvm::Expected<ptx::Argument> makeAggregate(const PtxKernel &kernel,
                                              size_t number);
  llvm::Expected<std::vector<uint8_t>> makeBytes(const PtxKernel &kernel,
                                                 const PtxSlot &slot);
  llvm::Expected<ptx::Argument> makeField(const PtxSlot &slot);
  llvm::Expected<ptx::Argument> makePointer(const PtxSlot &slot);
  llvm::Expected<runtime::HostArray> makeArray(const PtxSlot &slot);

  PtxAssignments inputs, outputs, shapes;
  std::set<PtxSlot> slots;                      ///< with an input or a shape
  std::map<PtxSlot, runtime::HostArray> arrays; ///< targets of pointers
};

} // namespace distaff

#endif // DISTAFF_TOOLS_DISTAFF_PTXARGUMENTS_H
