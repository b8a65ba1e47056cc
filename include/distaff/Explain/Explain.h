//===- Explain.h - What was chosen, and why ---------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the log of decisions to people and to programs. What stages decided and
// emitted they have written down themselves (Analysis/Log/Decisions.h); here it
// is put in order, and nothing is found out. The text answers the two questions
// of the specification's chapter 9.4:
//
//   Q1  does everything stay in registers, or does data pass through shared
//       memory?
//   Q2  how many lanes take part in each reduction, and how many of them do the
//       same work in what follows it?
//
// A kernel that a stage refused is explained as far as it came. Of one with pcf
// in it the phases are explained (Explain/Phases.h), whatever becomes of it
// later.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_EXPLAIN_EXPLAIN_H
#define DISTAFF_EXPLAIN_EXPLAIN_H

#include "distaff/Analysis/Log/Decisions.h"
#include "distaff/Analysis/Phases/PhaseProgram.h"
#include "distaff/Analysis/Registers/Resources.h"
#include "distaff/LLVM.h"

namespace distaff {

/// What a log says of one kernel.
struct Explanation {
  DecisionLog log;
  std::string function;
  /// Who does what in it; empty for a kernel without pcf.
  std::vector<PhaseProgram> phases;
  /// What its code takes; none where there is no code, and why.
  std::optional<KernelResources> resources;
  std::string whyNoResources = {};

  /// What the kernel runs as; null where distribution has not begun with it.
  const KernelDecision *kernel() const;
  /// Whether there is something to print.
  bool saysSomething() const { return kernel() || !phases.empty(); }

  const SourceOp &op(int64_t source) const { return log.ops[source]; }
  /// Whether a record is of an op that is this kernel's.
  template <typename Record> bool isMine(const Record &record) const {
    return record.source >= 0 && op(record.source).function == function;
  }
  /// Whether its code is in the log.
  bool isLowered() const;
  /// Instructions of one lane in one execution of an op.
  int64_t countFor(int64_t source, CodeRecord::Kind kind) const;
  /// Requests to workgroup memory by all subgroups in one execution of an op;
  /// nothing where that depends on data.
  std::optional<int64_t> requestsOf(int64_t source,
                                    CodeRecord::Kind kind) const;
  /// Workgroup memory of an op's exchanges.
  int64_t exchangedBytes(int64_t source) const;
  /// Of all ops, each by itself.
  int64_t conversionBytes() const;
  /// The same of operands that were read, and come back from there.
  int64_t operandBytes() const;
  int64_t reductionBytes() const;
  /// Of all panels.
  int64_t panelBytes() const;
  /// Nothing that is computed passes through shared memory; operands that are
  /// read may come from there (9.4).
  bool registersOnly() const {
    return conversionBytes() == 0 && reductionBytes() == 0 && panelBytes() == 0;
  }
};

/// What the code takes, a line each of registers, spills and shared memory.
std::vector<std::string> describeResources(const Explanation &explanation);

/// \pre  explanation.saysSomething()
void printText(const Explanation &explanation, raw_ostream &stream);

/// One object: `kernel` (null where distribution has not begun), `resources`
/// (null where there is no code) with `assembled` (null without an assembler's
/// word, and `whyNotAssembled` says why), a list for each kind of record, and
/// `programs` (phasesToJson). Counts are those of the log, as it has them.
/// \pre  explanation.saysSomething()
void printJson(const Explanation &explanation, raw_ostream &stream);

/// A page with what its code takes and the schedules of its phases, which are
/// all that is drawn yet.
/// \pre  a kernel with phases
void printHtml(const Explanation &explanation, raw_ostream &stream);

} // namespace distaff

#endif // DISTAFF_EXPLAIN_EXPLAIN_H
