//===- Inputs.h - Input specifications of arguments -------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The input specifications of `distaff run` and `distaff-launch`: a .npy file,
// `random:SEED`, `random:SEED:LOW:HIGH`, `whole:SEED:LOW:HIGH`, `iota`,
// `zeros`, or a number. `whole` gives whole numbers to floats too: sums of few
// of them are exact in every order, so that a check admits no difference at
// all.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_RUNTIME_INPUTS_H
#define DISTAFF_RUNTIME_INPUTS_H

#include "distaff/Runtime/Npy.h"

#include <map>

namespace distaff::runtime {

/// Describes an error of an input, and whether the file or the flag is at fault
/// (exit code 2 in both cases; the wording differs).
struct InputError {
  std::string message;
  explicit operator bool() const { return !message.empty(); }
};

/// Fills `array`, whose type and shape are set, by `specification`. `random`
/// draws floats uniformly from [-1, 1] rounded to the type and integers from
/// their full range, from a generator seeded by SEED and `position` (the
/// argument's number), so that two arguments of one seed differ.
InputError fillInput(const std::string &specification, unsigned position,
                     HostArray &array);

/// Returns whether a specification is the name of a file, and not a generator
/// or a number.
bool namesFile(const std::string &specification);

/// Splits "NAME=VALUE" flags into a map; a flag without either part or a
/// repeated name is an error.
InputError parseAssignments(const std::vector<std::string> &flags,
                            std::map<std::string, std::string> &values);

/// Checks that every name is one of `known`; else the error lists those.
InputError checkNames(const std::map<std::string, std::string> &values,
                      const std::vector<std::string> &known);

/// Checks that each file can be written, and that no two names are to be
/// written to one file, in any spelling.
InputError checkFiles(const std::map<std::string, std::string> &files);

} // namespace distaff::runtime

#endif // DISTAFF_RUNTIME_INPUTS_H
