//===- ArrayFlags.h - --input, --output and --shape -------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The flags that specify the files of a kernel's arrays:
//
//   --input arg0=x.npy --input arg1=random:3 --shape arg1=33x17
//   --output res0=y.npy
//
// An argument without an --input is random:0; Runtime/Inputs.h lists the values
// of --input. Random arrays that the kernel uses as positions stay within the
// extents of the indexed arrays.
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

/// The inputs and outputs that the flags select for a kernel.
struct ArrayFiles {
  std::vector<runtime::HostArray> inputs;     ///< one per argument
  std::map<std::string, std::string> outputs; ///< file by parameter's name
};

/// Creates the inputs; reports errors on stderr.
ExitCode readArrays(const KernelDescription &kernel, const ArrayFlags &flags,
                    ArrayFiles &files);

/// Writes the arrays that --output names. \pre arrays are those of a run
ExitCode writeArrays(const KernelDescription &kernel, const ArrayFiles &files,
                     ArrayRef<runtime::HostArray> arrays);

} // namespace distaff

#endif // DISTAFF_TOOLS_COMMANDLINE_ARRAYFLAGS_H
