//===- Constants.cpp - Mutants of literals --------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Operators.h"

using namespace clang;
using namespace distaff::mutants;

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
  if (node->getValue() != 0)
    put("constant-zero", "0");
}

void distaff::mutants::mutateBool(Collector &out,
                                  const CXXBoolLiteralExpr *node) {
  out.wrap("flip-bool", node, node->getValue() ? "false" : "true", "(",
           (" != " + selectedMark + ")").str());
}
