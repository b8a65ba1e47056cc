//===- Arithmetic.cpp - Mutants of operators ------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Operators.h"

#include "clang/AST/DeclCXX.h"
#include "clang/Lex/Lexer.h"

using namespace clang;
using namespace distaff::mutants;

static bool isScalar(QualType type) {
  return !type->isDependentType() &&
         (type->isArithmeticType() || type->isPointerType() ||
          type->isEnumeralType());
}

/// Returns the text of a binary operator's node with another operator in it;
/// empty where its text is not all there.
static std::string withOperator(Collector &out, const Expr *node,
                                SourceLocation at, StringRef op) {
  std::optional<Range> whole = out.rangeOf(node);
  std::optional<Range> old = out.rangeOf(SourceRange(at));
  if (!whole || !old)
    return "";
  std::string text = out.textOf(node);
  return text.replace(old->begin - whole->begin, old->end - old->begin,
                      op.str());
}

static void exchange(Collector &out, StringRef name, const Expr *node,
                     SourceLocation at, StringRef op) {
  std::string text = withOperator(out, node, at, op);
  if (!text.empty())
    out.replace(name, node, text);
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

bool distaff::mutants::isEquality(const Expr *node) {
  if (const auto *binary = dyn_cast<BinaryOperator>(node))
    return binary->isEqualityOp();
  if (const auto *call = dyn_cast<CXXOperatorCallExpr>(node))
    return call->getOperator() == OO_EqualEqual ||
           call->getOperator() == OO_ExclaimEqual;
  if (const auto *rewritten = dyn_cast<CXXRewrittenBinaryOperator>(node))
    return rewritten->getOperator() == BO_EQ ||
           rewritten->getOperator() == BO_NE;
  return false;
}

void distaff::mutants::mutateEquality(Collector &out, const Expr *node,
                                      OverloadedOperatorKind kind) {
  if (!node->getType()->isBooleanType() && !node->isTypeDependent())
    return;
  SourceLocation at = node->getExprLoc();
  std::string text =
      withOperator(out, node, at, kind == OO_EqualEqual ? "!=" : "==");
  if (!text.empty())
    out.wrap("equality", node, text, "((",
             (") != " + selectedMark + ")").str());
}

void distaff::mutants::mutateRelation(Collector &out,
                                      const BinaryOperator *node) {
  if (node->isEqualityOp())
    return mutateEquality(
        out, node, BinaryOperator::getOverloadedOperator(node->getOpcode()));
  if (!isScalar(node->getLHS()->getType()) ||
      !isScalar(node->getRHS()->getType()))
    return;
  auto op = [&]() -> StringRef {
    switch (node->getOpcode()) {
    case BO_LT:
      return "<=";
    case BO_LE:
      return "<";
    case BO_GT:
      return ">=";
    case BO_GE:
      return ">";
    default:
      return "";
    }
  }();
  if (!op.empty())
    exchange(out, "relation", node, node->getOperatorLoc(), op);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

static StringRef otherOperator(BinaryOperatorKind kind) {
  switch (kind) {
  case BO_Add:
    return "-";
  case BO_Sub:
    return "+";
  case BO_Mul:
    return "/";
  case BO_Div:
    return "*";
  case BO_Rem:
    return "/";
  case BO_Shl:
    return ">>";
  case BO_Shr:
    return "<<";
  case BO_And:
    return "|";
  case BO_Or:
    return "&";
  case BO_AddAssign:
    return "-=";
  case BO_SubAssign:
    return "+=";
  case BO_MulAssign:
    return "/=";
  case BO_DivAssign:
    return "*=";
  case BO_RemAssign:
    return "/=";
  case BO_ShlAssign:
    return ">>=";
  case BO_ShrAssign:
    return "<<=";
  case BO_AndAssign:
    return "|=";
  case BO_OrAssign:
    return "&=";
  default:
    return "";
  }
}

void distaff::mutants::mutateArithmetic(Collector &out,
                                        const BinaryOperator *node) {
  StringRef op = otherOperator(node->getOpcode());
  QualType left = node->getLHS()->getType(), right = node->getRHS()->getType();
  if (op.empty() || !isScalar(left) || !isScalar(right))
    return;
  // The distance of two pointers has no other operator, nor has `3 + pointer`.
  if (right->isPointerType())
    return;
  exchange(out, "arithmetic", node, node->getOperatorLoc(), op);
}

/// Whether a function takes and returns what another one does.
static bool isLike(const FunctionDecl *one, const FunctionDecl *other) {
  if (one->getNumParams() != other->getNumParams() ||
      one->getReturnType().getCanonicalType() !=
          other->getReturnType().getCanonicalType())
    return false;
  for (unsigned i = 0; i < one->getNumParams(); ++i)
    if (one->getParamDecl(i)->getType().getCanonicalType() !=
        other->getParamDecl(i)->getType().getCanonicalType())
      return false;
  return true;
}

/// Operators of classes, where the class or namespace of the operator declares
/// the other one for the same types.
void distaff::mutants::mutateOverloaded(Collector &out,
                                        const CXXOperatorCallExpr *node) {
  OverloadedOperatorKind kind = node->getOperator();
  if (kind == OO_EqualEqual || kind == OO_ExclaimEqual)
    return mutateEquality(out, node, kind);
  const FunctionDecl *callee = node->getDirectCallee();
  if (!node->isInfixBinaryOp() || !callee || kind == OO_LessLess ||
      kind == OO_GreaterGreater)
    return;
  StringRef op = otherOperator(BinaryOperator::getOverloadedOpcode(kind));
  if (op.empty())
    return;
  for (OverloadedOperatorKind other :
       {OO_Plus, OO_Minus, OO_Star, OO_Slash, OO_Amp, OO_Pipe, OO_PlusEqual,
        OO_MinusEqual, OO_StarEqual, OO_SlashEqual, OO_AmpEqual,
        OO_PipeEqual}) {
    if (getOperatorSpelling(other) != op)
      continue;
    DeclarationName name =
        out.context.DeclarationNames.getCXXOperatorName(other);
    for (const NamedDecl *found : callee->getDeclContext()->lookup(name))
      if (const auto *function = dyn_cast<FunctionDecl>(found))
        if (isLike(function, callee))
          return exchange(out, "arithmetic", node, node->getOperatorLoc(), op);
  }
}

void distaff::mutants::mutateStep(Collector &out, const UnaryOperator *node) {
  if (!node->isIncrementDecrementOp() ||
      !isScalar(node->getSubExpr()->getType()))
    return;
  exchange(out, "step", node, node->getOperatorLoc(),
           node->isIncrementOp() ? "--" : "++");
}
