//===- Explain.h - Explanation of compiler decisions ------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints the log of decisions as text and as data. Stages record what they
// decide and emit (Analysis/Log/Decisions.h); this library orders the records
// and computes nothing new. The text answers the two questions of the
// specification's chapter 9.4:
//
//   Q1  does everything stay in registers, or does data pass through shared
//       memory?
//   Q2  how many lanes take part in each reduction, and how many of them do the
//       same work in what follows it?
//
// A kernel that a stage refused is explained up to that stage. For a kernel
// with pcf the phases are explained (Explain/Phases.h), whatever later stages
// do.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_EXPLAIN_EXPLAIN_H
#define DISTAFF_EXPLAIN_EXPLAIN_H

#include "distaff/Analysis/Log/Decisions.h"
#include "distaff/Analysis/Phases/PhaseProgram.h"
#include "distaff/Analysis/Registers/Resources.h"
#include "distaff/LLVM.h"

namespace distaff {

/// An explanation holds the records of a log that concern one kernel.
struct Explanation {
  DecisionLog log;
  std::string function;
  /// The phases of the kernel and their workers; empty for a kernel without
  /// pcf.
  std::vector<PhaseProgram> phases;
  /// The resources that the kernel's code takes; none where there is no code,
  /// for the reason `whyNoResources`.
  std::optional<KernelResources> resources;
  std::string whyNoResources = {};

  /// Returns how the kernel is launched; null where distribution has not begun.
  const KernelDecision *kernel() const;
  /// Returns whether there is something to print.
  bool saysSomething() const { return kernel() || !phases.empty(); }

  const SourceOp &op(int64_t source) const { return log.ops[source]; }
  /// Returns whether a record is of an op of this kernel.
  template <typename Record> bool isMine(const Record &record) const {
    return record.source >= 0 && op(record.source).function == function;
  }
  /// Returns whether the kernel's code is in the log.
  bool isLowered() const;
  /// Returns the instructions of one lane in one execution of an op.
  int64_t countFor(int64_t source, CodeRecord::Kind kind) const;
  /// Returns the requests to workgroup memory by all subgroups in one execution
  /// of an op; nothing where the number depends on data.
  std::optional<int64_t> requestsOf(int64_t source,
                                    CodeRecord::Kind kind) const;
  /// Returns the bytes of workgroup memory that an op's exchanges take.
  int64_t exchangedBytes(int64_t source) const;
  /// Returns the sum of the bytes of all conversions.
  int64_t conversionBytes() const;
  /// Returns the bytes of operands that are read from memory and pass through
  /// shared memory.
  int64_t operandBytes() const;
  int64_t reductionBytes() const;
  /// Returns the sum of the bytes of all panels.
  int64_t panelBytes() const;
  /// Returns whether no computed value passes through shared memory; operands
  /// that are read may come from there (9.4).
  bool registersOnly() const {
    return conversionBytes() == 0 && reductionBytes() == 0 && panelBytes() == 0;
  }
};

/// Returns one line each about registers, spills and shared memory of the code.
std::vector<std::string> describeResources(const Explanation &explanation);

/// \pre  explanation.saysSomething()
void printText(const Explanation &explanation, raw_ostream &stream);

/// Prints one object: `kernel` (null where distribution has not begun),
/// `resources` (null where there is no code) with `assembled` (null without an
/// assembler's result, for the reason `whyNotAssembled`), a list for each kind
/// of record, and `programs` (phasesToJson). Counts are those of the log.
/// \pre  explanation.saysSomething()
void printJson(const Explanation &explanation, raw_ostream &stream);

/// Prints a page with the resources of the code and the schedules of the
/// phases; nothing else is drawn.
/// \pre  a kernel with phases
void printHtml(const Explanation &explanation, raw_ostream &stream);

} // namespace distaff

#endif // DISTAFF_EXPLAIN_EXPLAIN_H
