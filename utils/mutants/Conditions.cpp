//===- Conditions.cpp - Mutants of conditions and loops -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A condition keeps being evaluated: what it does besides saying yes or no is
// not part of these mutants.
//
//===----------------------------------------------------------------------===//
#include "Operators.h"

#include "clang/AST/DeclCXX.h"

using namespace clang;
using namespace distaff::mutants;

/// Returns `condition` as a prvalue of bool, before and behind it.
static std::pair<std::string, std::string> asBool(const Expr *condition) {
  QualType type = condition->getType();
  if (!type.isNull() && type->isBooleanType())
    return {"(", ")"};
  return {"static_cast<bool>(", ")"};
}

static void negate(Collector &out, const Expr *condition) {
  const Expr *inner = condition->IgnoreUnlessSpelledInSource();
  if (isEquality(inner->IgnoreParens()) || isa<CXXBoolLiteralExpr>(inner) ||
      !out.rangeOf(inner))
    return;
  auto [before, after] = asBool(inner);
  out.wrap("negate-condition", inner, "!(" + out.textOf(inner) + ")",
           "(" + before, (after + " != " + selectedMark + ")").str());
}

static void makeFalse(Collector &out, StringRef op, const Expr *condition) {
  const Expr *inner = condition->IgnoreUnlessSpelledInSource();
  if (isa<CXXBoolLiteralExpr>(inner))
    return;
  auto [before, after] = asBool(inner);
  out.wrap(op, inner, "false", "(" + before,
           (after + " && !" + selectedMark + ")").str());
}

static void makeTrue(Collector &out, StringRef op, const Expr *condition) {
  const Expr *inner = condition->IgnoreUnlessSpelledInSource();
  if (isa<CXXBoolLiteralExpr>(inner))
    return;
  auto [before, after] = asBool(inner);
  out.wrap(op, inner, "true", "(" + before,
           (after + " || " + selectedMark + ")").str());
}

/// Whether a statement ends by leaving what it is in.
static bool leaves(const Stmt *node) {
  if (const auto *block = dyn_cast<CompoundStmt>(node))
    return !block->body_empty() && leaves(block->body_back());
  return isa<ReturnStmt, ContinueStmt, BreakStmt>(node);
}

/// `if (T *x = f())` becomes `if (T *x = f(); x && !selected)`.
static void ignoreDeclared(Collector &out, const IfStmt *node) {
  const VarDecl *variable = node->getConditionVariable();
  std::optional<Range> range = out.rangeOf(variable->getSourceRange());
  if (node->getInit() || !range)
    return;
  std::string rest = "; static_cast<bool>(" + variable->getName().str() +
                     ") && !" + selectedMark.str();
  out.add("condition-false", variable->getSourceRange(), "false",
          {{{range->end, range->end}, rest, ""}});
}

void distaff::mutants::mutateIf(Collector &out, const IfStmt *node) {
  if (node->getConditionVariable())
    return ignoreDeclared(out, node);
  if (node->getElse() || !leaves(node->getThen()))
    return negate(out, node->getCond());
  makeFalse(out, "condition-false", node->getCond());
  makeTrue(out, "condition-true", node->getCond());
}

void distaff::mutants::mutateChoice(Collector &out,
                                    const ConditionalOperator *node) {
  negate(out, node->getCond());
}

void distaff::mutants::mutateLoop(Collector &out, const Expr *condition) {
  if (condition)
    makeFalse(out, "skip-loop", condition);
}

void distaff::mutants::mutateRangeLoop(Collector &out,
                                       const CXXForRangeStmt *node) {
  const auto *body = dyn_cast<CompoundStmt>(node->getBody());
  SourceRange head(node->getForLoc(), node->getRParenLoc());
  std::optional<Range> range =
      body ? out.rangeOf(SourceRange(body->getLBracLoc()))
           : out.rangeOf(node->getBody());
  if (!range)
    return;
  unsigned at = body ? range->end : range->begin;
  Wrap wrap = {{at, at}, (" if (" + selectedMark + ") break; ").str(), ""};
  if (!body)
    wrap = {*range, ("if (!" + selectedMark + ") ").str(), ""};
  out.add("skip-loop", head, "for (nothing)", {std::move(wrap)});
}

void distaff::mutants::mutateConnective(Collector &out,
                                        const BinaryOperator *node) {
  bool isAnd = node->getOpcode() == BO_LAnd;
  if (!isAnd && node->getOpcode() != BO_LOr)
    return;
  auto drop = [&](StringRef op, const Expr *dropped, const Expr *kept) {
    const Expr *side = dropped->IgnoreImpCasts();
    if (!out.rangeOf(side) || !out.rangeOf(kept))
      return;
    StringRef before = isAnd ? " || " : " && ";
    out.add(
        op, node->getSourceRange(), out.textOf(kept),
        {{*out.rangeOf(side),
          ((isAnd ? "(" : "(!") + selectedMark + before + "static_cast<bool>(")
              .str(),
          "))"}});
  };
  // Of `a && b && c` each is dropped once: the left side as a right one.
  const auto *left = dyn_cast<BinaryOperator>(node->getLHS()->IgnoreImpCasts());
  if (!left || left->getOpcode() != node->getOpcode())
    drop("drop-left", node->getLHS(), node->getRHS());
  drop("drop-right", node->getRHS(), node->getLHS());
}
