//===- ArrayFlags.h - --input, --output and --shape -------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The flags that say where a kernel's arrays come from and go to:
//
//   --input arg0=x.npy --input arg1=random:3 --shape arg1=33x17 --output
//   res0=y.npy
//
// An argument without an --input is random:0; what an --input may be is in
// Runtime/Inputs.h. Random arrays that the kernel uses as positions stay within
// what they index.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_TOOLS_COMMANDLINE_ARRAYFLAGS_H
#define DISTAFF_TOOLS_COMMANDLINE_ARRAYFLAGS_H

#include "CommandLine/ExitCode.h"
#include "distaff/Driver/Run.h"

#include <map>

namespace distaff {

/// The flags as given: "arg0=x.npy".
struct ArrayFlags {
  std::vector<std::string> inputs, outputs, shapes;
};

/// What they mean for a kernel.
struct ArrayFiles {
  std::vector<runtime::HostArray> inputs;     ///< one per argument
  std::map<std::string, std::string> outputs; ///< file by parameter's name
};

/// Makes the inputs; says on stderr what is wrong.
ExitCode readArrays(const KernelDescription &kernel, const ArrayFlags &flags,
                    ArrayFiles &files);

/// Writes the arrays that --output names. \pre arrays are those of a run
ExitCode writeArrays(const KernelDescription &kernel, const ArrayFiles &files,
                     ArrayRef<runtime::HostArray> arrays);

} // namespace distaff

#endif // DISTAFF_TOOLS_COMMANDLINE_ARRAYFLAGS_H
