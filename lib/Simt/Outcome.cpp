//===- Outcome.cpp - Verdicts and diagnostics of faults -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Simt/Outcome.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace distaff;
using namespace distaff::simt;

StringRef distaff::simt::nameOf(FaultKind kind) {
  switch (kind) {
  case FaultKind::Race:
    return "race";
  case FaultKind::DivergentBarrier:
    return "divergent barrier";
  case FaultKind::OutOfBounds:
    return "out of bounds";
  case FaultKind::Unwritten:
    return "unwritten";
  case FaultKind::Misaligned:
    return "misaligned";
  case FaultKind::Deadlock:
    return "deadlock";
  case FaultKind::Misuse:
    return "misuse";
  case FaultKind::Undefined:
    return "undefined";
  case FaultKind::Assertion:
    return "assertion";
  case FaultKind::Endless:
    return "endless";
  case FaultKind::OutOfMemory:
    return "out of memory";
  case FaultKind::NotModelled:
    return "not modelled";
  case FaultKind::Unfit:
    return "";
  }
  llvm_unreachable("all kinds are listed");
}

Counters &Counters::operator+=(const Counters &other) {
  instructions += other.instructions;
  shuffles += other.shuffles;
  barriers += other.barriers;
  mma += other.mma;
  globalRequests += other.globalRequests;
  sectors += other.sectors;
  sharedRequests += other.sharedRequests;
  bankConflicts += other.bankConflicts;
  globalBytesRead += other.globalBytesRead;
  globalBytesWritten += other.globalBytesWritten;
  sharedBytesRead += other.sharedBytesRead;
  sharedBytesWritten += other.sharedBytesWritten;
  return *this;
}

Verdict Outcome::verdict() const {
  if (faults.empty())
    return Verdict::Fine;
  switch (faults.front().kind) {
  case FaultKind::NotModelled:
    return Verdict::NotModelled;
  case FaultKind::Unfit:
    return Verdict::Unfit;
  default:
    return Verdict::Faulty;
  }
}

/// Returns an error at the op, or at the function if it is about the function's
/// type.
static InFlightDiagnostic errorAt(const Fault &fault) {
  bool isOfType =
      fault.kind == FaultKind::NotModelled || fault.kind == FaultKind::Unfit;
  return isOfType && isa<FunctionOpInterface>(fault.op)
             ? fault.op->emitError()
             : fault.op->emitOpError();
}

LogicalResult distaff::simt::report(const Outcome &outcome) {
  for (const Fault &fault : outcome.faults) {
    InFlightDiagnostic diagnostic = errorAt(fault);
    if (StringRef name = nameOf(fault.kind); !name.empty())
      diagnostic << name << ": ";
    diagnostic << fault.message;
    for (const Fault::Note &note : fault.notes)
      diagnostic.attachNote(note.op->getLoc()) << note.text;
  }
  return success(outcome.isFine());
}
