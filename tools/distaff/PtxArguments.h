//===- PtxArguments.h - What the flags give a PTX kernel --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Flags and files around Driver/PtxRun.h. What a parameter gets follows from
// its flags: with a .npy file or a --shape it is an array, with `null` no
// pointer, and else a number.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_TOOLS_DISTAFF_PTXARGUMENTS_H
#define DISTAFF_TOOLS_DISTAFF_PTXARGUMENTS_H

#include "distaff/Driver/PtxRun.h"
#include "distaff/Runtime/Npy.h"

#include <map>
#include <set>

namespace distaff {

/// A mistake of the flags or of a file.
llvm::Error refuse(const Twine &message);

/// What a flag names: "arg1", or "arg0@8" for bytes within an aggregate.
struct PtxSlot {
  size_t parameter = 0;
  std::optional<uint64_t> offset;

  auto operator<=>(const PtxSlot &) const = default;
  std::string name() const;
};
using PtxAssignments = std::map<PtxSlot, std::string>;

/// The arguments of a launch, and the arrays behind their pointers.
class PtxArguments {
public:
  /// Reads --input, --shape and --output; every parameter must be given.
  llvm::Error parse(const PtxKernel &kernel,
                    const std::vector<std::string> &inputFlags,
                    const std::vector<std::string> &shapeFlags,
                    const std::vector<std::string> &outputFlags);
  /// Reads and fills the arrays, which stay here.
  llvm::Expected<std::vector<ptx::Argument>> make(const PtxKernel &kernel);
  /// What is written to which file after the run.
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
  std::set<PtxSlot> slots; ///< that an input or a shape gives
  std::map<PtxSlot, runtime::HostArray> arrays; ///< behind pointers
};

} // namespace distaff

#endif // DISTAFF_TOOLS_DISTAFF_PTXARGUMENTS_H
