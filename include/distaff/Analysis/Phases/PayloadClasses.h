//===- PayloadClasses.h - Equivalence classes of payload fields -*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A handle carries values from phase to phase. Control flow passes one handle
// into another, so the fields that it connects must get the same distributed
// type: they form one class (6.1 of the pcf specification). Members of a class
// may have different values, and two fields of one handle are in different
// classes unless control flow mixes them.
//
// Members of classes are the fields of handles, the body arguments that phases
// bind them to, and the operands that phases yield for them.
//
// Example: with `%t0 = run_cluster ... -> {f32}` and
// `%t1 = scf.for ... iter_args(%it = %t0)`, whose body yields `%nx`, one class
// is {t0.0, it.0, nx.0, t1.0}, the arguments of the phases on `%it` and `%t1`,
// and what the phases that make `%t0` and `%nx` yield. See
// unittests/Analysis/PayloadClassesTest.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_PHASES_PAYLOADCLASSES_H
#define DISTAFF_ANALYSIS_PHASES_PAYLOADCLASSES_H

#include "distaff/Dialect/PCF/PCF.h"

namespace distaff::pcf {

struct PayloadField {
  Value handle;
  unsigned index;

  bool operator==(const PayloadField &) const = default;
};

class PayloadClasses {
public:
  /// Computes the classes in the body of a shared_executor. Errors:
  /// `unsupported use of a PCF handle in <op>`, `PCF handles cannot cross
  /// function boundaries`.
  static FailureOr<PayloadClasses> compute(Operation *root);

  unsigned numClasses() const { return classes.size(); }

  /// \pre the field, argument or yield is in the root that was analysed
  unsigned of(PayloadField field) const;
  unsigned of(BlockArgument bodyArg) const;
  unsigned of(OpOperand &yieldOperand) const;

  ArrayRef<PayloadField> fields(unsigned cls) const {
    return classes[cls].fields;
  }
  ArrayRef<BlockArgument> bodyArgs(unsigned cls) const {
    return classes[cls].bodyArgs;
  }
  ArrayRef<OpOperand *> yields(unsigned cls) const {
    return classes[cls].yields;
  }

  /// Returns the type of every member: before distribution they agree.
  Type sharedType(unsigned cls) const { return classes[cls].type; }

private:
  struct Class {
    SmallVector<PayloadField> fields;
    SmallVector<BlockArgument> bodyArgs;
    SmallVector<OpOperand *> yields;
    Type type;
  };

  friend class PayloadClassBuilder;

  std::vector<Class> classes;
  llvm::DenseMap<std::pair<Value, unsigned>, unsigned> fieldClass;
  llvm::DenseMap<Value, unsigned> argumentClass;
  llvm::DenseMap<OpOperand *, unsigned> yieldClass;
};

} // namespace distaff::pcf

#endif // DISTAFF_ANALYSIS_PHASES_PAYLOADCLASSES_H
