//===- PtxRun.h - Running PTX text of any origin ----------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements `distaff run k.ptx` without files and flags: text and arrays in
// memory go in, the outcome of the PTX machine (distaff/Ptx/Ptx.h) comes out.
//
//   llvm::Expected<PtxKernel> kernel = PtxKernel::load(text, "sm_80", "add");
//   std::vector<float> x(100, 1.5f);
//   ptx::Launch launch;
//   launch.grid = {2, 1, 1};
//   launch.workgroup = {64, 1, 1};
//   launch.arguments = {ptx::Argument::buffer(x.data(), 400),
//                       *kernel->scalar(1, "100")};
//   llvm::Expected<ptx::Outcome> outcome = kernel->run(std::move(launch));
//
// An error is a sentence for the user about the text or the launch. A fault of
// the kernel is not an error here: the outcome holds its faults.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DRIVER_PTXRUN_H
#define DISTAFF_DRIVER_PTXRUN_H

#include "distaff/Driver/Answer.h"
#include "distaff/LLVM.h"
#include "distaff/Ptx/Ptx.h"
#include "llvm/Support/Error.h"

namespace distaff {

/// A PtxKernel is one entry of a PTX module, for one target.
class PtxKernel {
public:
  /// Reads a module and finds an entry; without a name it is the only one. Text
  /// for a later GPU than the target is refused.
  static llvm::Expected<PtxKernel> load(StringRef text, StringRef target,
                                        StringRef entry);

  const ptx::Entry &entry() const { return *module.find(name); }

  /// Returns "arg2 (.u32 n)" or "arg0 (.b8 view[32])", for messages.
  std::string describe(size_t parameter) const;

  /// Returns whether a parameter may hold an address.
  bool takesArray(size_t parameter) const;

  /// Returns the bits of a number for a parameter that is one: an integer has
  /// to be whole and within its type. A `.b32` does not specify its kind, so
  /// the number's spelling does: 3 is an integer and 3.0 a float.
  llvm::Expected<ptx::Argument> scalar(size_t parameter,
                                       StringRef number) const;

  /// Returns whether a parameter is a struct that is passed by value: `.b8
  /// view[32]`.
  bool isAggregate(size_t parameter) const;

  /// A field is a pointer or a number within an aggregate, at an offset in
  /// bytes. A number has as many bytes as its type, a buffer and null have 8.
  struct Field {
    uint64_t offset = 0;
    ptx::Argument value;
  };

  /// Returns an aggregate of `fields`, which lie at multiples of their sizes
  /// within it and do not overlap. Its other bytes are those of `rest`, or 0 if
  /// `rest` is empty.
  llvm::Expected<ptx::Argument> aggregate(size_t parameter,
                                          std::vector<Field> fields,
                                          std::vector<uint8_t> rest) const;

  /// Returns the bits of "100:i32" or "0.5:f16", a number with its type.
  static llvm::Expected<ptx::Argument> typedNumber(StringRef text);

  /// Runs the kernel on the arguments of `launch`, whose `entry` is set here.
  /// Refuses a launch that the target or the kernel does not allow.
  llvm::Expected<ptx::Outcome> run(ptx::Launch launch) const;

private:
  PtxKernel(ptx::Module module, StringRef target, StringRef name)
      : module(std::move(module)), target(target), name(name) {}

  ptx::Module module;
  std::string target, name;
};

/// Returns why a run did not complete, a sentence per fault with the line of
/// the text: "line 12: race: ...". Empty after a run that completed.
std::vector<std::string> describeFailure(const ptx::Outcome &outcome);

/// Returns the counters of the machine, by name.
SmallVector<std::pair<StringRef, int64_t>>
counterRows(const ptx::Counters &counters);

/// Returns Yes, Fault (also for an endless kernel) or NotModelled.
Answer answerOf(const ptx::Outcome &outcome);

} // namespace distaff

#endif // DISTAFF_DRIVER_PTXRUN_H
