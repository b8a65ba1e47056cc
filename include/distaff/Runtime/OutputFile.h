//===- OutputFile.h - Atomic writing of output files ------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes the path that a user gives for a command's output:
//
//   a regular file, or none yet   written beside it and renamed, so no reader
//                                 sees half of it; a failure leaves the old one
//   a symbolic link               what it points to is written, the link stays
//   a pipe, a device, /dev/stdout  written to as it is
//
// A signal that ends the process, as of Ctrl-C, removes what is half written.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_RUNTIME_OUTPUTFILE_H
#define DISTAFF_RUNTIME_OUTPUTFILE_H

#include <string>
#include <string_view>
#include <vector>

namespace distaff::runtime {

struct Output {
  std::string path;
  std::vector<std::string_view> parts; ///< in this order
};

/// The first output that could not be written, and the reason; empty if all
/// were.
struct Unwritten {
  std::string path, why;
};

/// Returns the reason why a file of this path could not be written, such as "No
/// such file or directory" if its folder does not exist, or an empty string. It
/// creates and opens nothing: commands call it before long computations.
std::string whyUnwritable(const std::string &path);

/// Writes all of them. Regular files are replaced when all that can fail has
/// been done, so that none is written where one cannot be.
Unwritten writeOutputFiles(const std::vector<Output> &outputs);

/// Writes the parts one after the other. Returns the reason of a failure, such
/// as "No space left on device", or an empty string. A file that is replaced
/// keeps its permissions.
std::string writeOutputFile(const std::string &path,
                            const std::vector<std::string_view> &parts);

} // namespace distaff::runtime

#endif // DISTAFF_RUNTIME_OUTPUTFILE_H
