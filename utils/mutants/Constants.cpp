//===- Constants.cpp - Mutants of literals --------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Operators.h"
#include "clang/AST/ParentMapContext.h"

using namespace clang;
using namespace distaff::mutants;

/// Whether something is divided by the number. Who may divide by 0 may do
/// anything: the compiler takes it that the mutant is never selected.
static bool isDivisor(ASTContext &context, const Expr *number) {
  const Expr *node = number;
  while (true) {
    DynTypedNodeList parents = context.getParents(*node);
    if (parents.size() != 1)
      return false;
    if (const auto *binary = parents[0].get<BinaryOperator>()) {
      BinaryOperatorKind kind = binary->getOpcode();
      return binary->getRHS() == node &&
             (kind == BO_Div || kind == BO_Rem || kind == BO_DivAssign ||
              kind == BO_RemAssign);
    }
    node = parents[0].get<Expr>();
    if (!isa_and_nonnull<ImplicitCastExpr, ParenExpr>(node))
      return false;
  }
}

void distaff::mutants::mutateInteger(Collector &out, const IntegerLiteral *node,
                                     QualType type) {
  if (!out.rangeOf(node))
    return;
  // In braces a literal may be narrowed to what it is converted to, which no
  // other expression may.
  std::string cast;
  if (!type.isNull()) {
    if (!type->isBuiltinType() || type->isBooleanType())
      return;
    cast = "static_cast<" +
           type.getUnqualifiedType().getCanonicalType().getAsString(
               out.context.getPrintingPolicy()) +
           ">";
  }
  std::string text = out.textOf(node);
  auto put = [&](StringRef op, std::string other) {
    out.wrap(op, node, other,
             (cast + "(" + selectedMark + " ? (" + other + ") : (").str(),
             "))");
  };
  put("constant-plus-one", text + " + 1");
  if (node->getValue() != 0 && !isDivisor(out.context, node))
    put("constant-zero", "0");
}

void distaff::mutants::mutateBool(Collector &out,
                                  const CXXBoolLiteralExpr *node) {
  out.wrap("flip-bool", node, node->getValue() ? "false" : "true", "(",
           (" != " + selectedMark + ")").str());
}
