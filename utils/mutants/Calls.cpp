//===- Calls.cpp - Mutants of calls and assignments -----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Operators.h"

#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/StringSet.h"

using namespace clang;
using namespace distaff::mutants;

//===----------------------------------------------------------------------===//
// Dropped effects
//===----------------------------------------------------------------------===//

bool distaff::mutants::onlySpeeds(const FunctionDecl *callee) {
  static const llvm::StringSet<> names = {"reserve", "shrink_to_fit"};
  return callee && callee->getIdentifier() && names.contains(callee->getName());
}

void distaff::mutants::mutateEffect(Collector &out, const Expr *node) {
  const Expr *inner = node->IgnoreUnlessSpelledInSource();
  StringRef op;
  if (const auto *binary = dyn_cast<BinaryOperator>(inner)) {
    if (binary->getOpcode() != BO_Assign)
      return;
    op = "drop-assignment";
  } else if (const auto *call = dyn_cast<CallExpr>(inner)) {
    const FunctionDecl *callee = call->getDirectCallee();
    if (onlySpeeds(callee) || (callee && callee->isNoReturn()))
      return;
    const auto *overloaded = dyn_cast<CXXOperatorCallExpr>(call);
    bool assigns = overloaded && overloaded->isAssignmentOp();
    op = assigns ? "drop-assignment" : "drop-call";
  } else {
    return;
  }
  out.wrap(op, inner, "",
           ("(" + selectedMark + " ? static_cast<void>(0) : static_cast<void>(")
               .str(),
           "))");
}

//===----------------------------------------------------------------------===//
// Exchanged arguments
//===----------------------------------------------------------------------===//

/// Whether a function is known to say the same of `(a, b)` and `(b, a)`.
static bool isSymmetric(const FunctionDecl *callee) {
  static const llvm::StringSet<> names = {"max", "min",  "gcd",
                                          "lcm", "swap", "equal"};
  return callee && callee->getIdentifier() && names.contains(callee->getName());
}

/// Whether each of two arguments may stand where the other one stands.
static bool areAlike(Collector &out, const Expr *one, const Expr *other) {
  for (const Expr *argument : {one, other})
    if (argument->isInstantiationDependent() || argument->isDefaultArgument() ||
        isa<InitListExpr, LambdaExpr, PackExpansionExpr>(argument) ||
        !out.rangeOf(argument))
      return false;
  return one->getType().getCanonicalType() ==
             other->getType().getCanonicalType() &&
         one->getValueKind() == other->getValueKind() &&
         one->getObjectKind() == OK_Ordinary &&
         other->getObjectKind() == OK_Ordinary &&
         out.textOf(one) != out.textOf(other);
}

void distaff::mutants::mutateArguments(Collector &out, const Expr *call,
                                       const FunctionDecl *callee,
                                       ArrayRef<const Expr *> arguments) {
  if (isSymmetric(callee) || !out.rangeOf(call))
    return;
  for (size_t i = 0; i + 1 < arguments.size(); ++i) {
    if (isa<CXXDefaultArgExpr>(arguments[i]) ||
        isa<CXXDefaultArgExpr>(arguments[i + 1]))
      return;
    const Expr *one = arguments[i]->IgnoreUnlessSpelledInSource();
    const Expr *other = arguments[i + 1]->IgnoreUnlessSpelledInSource();
    if (!areAlike(out, one, other))
      continue;
    auto choose = [&](const Expr *original, const Expr *put) {
      return Wrap{
          *out.rangeOf(original),
          ("(" + selectedMark + " ? (" + out.textOf(put) + ") : (").str(),
          "))"};
    };
    out.add("swap-arguments",
            SourceRange(one->getBeginLoc(), other->getEndLoc()),
            out.textOf(other) + ", " + out.textOf(one),
            {choose(one, other), choose(other, one)});
  }
}
