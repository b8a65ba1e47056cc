//===- Operators.h - The mutation operators ---------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function makes the mutants that its operators have for one node of the
// syntax tree. The walk (Walk.cpp) calls them for code that runs, and never for
// what the compiler computes. report.py describes the operators.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_UTILS_MUTANTS_OPERATORS_H
#define DISTAFF_UTILS_MUTANTS_OPERATORS_H

#include "Collector.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

namespace distaff::mutants {

// Conditions.cpp
void mutateIf(Collector &out, const clang::IfStmt *node);
void mutateChoice(Collector &out, const clang::ConditionalOperator *node);
/// Loops with a condition of their own; null where there is none.
void mutateLoop(Collector &out, const clang::Expr *condition);
void mutateRangeLoop(Collector &out, const clang::CXXForRangeStmt *node);
void mutateConnective(Collector &out, const clang::BinaryOperator *node);

// Arithmetic.cpp
void mutateRelation(Collector &out, const clang::BinaryOperator *node);
/// `==` and `!=` of classes.
void mutateEquality(Collector &out, const clang::Expr *node,
                    clang::OverloadedOperatorKind kind);
void mutateArithmetic(Collector &out, const clang::BinaryOperator *node);
void mutateOverloaded(Collector &out, const clang::CXXOperatorCallExpr *node);
void mutateStep(Collector &out, const clang::UnaryOperator *node);

// Constants.cpp
/// `type` is what the literal is converted to, or null.
void mutateInteger(Collector &out, const clang::IntegerLiteral *node,
                   clang::QualType type);
void mutateBool(Collector &out, const clang::CXXBoolLiteralExpr *node);

// Calls.cpp
/// A statement that is an expression.
void mutateEffect(Collector &out, const clang::Expr *node);
void mutateArguments(Collector &out, const clang::Expr *call,
                     const clang::FunctionDecl *callee,
                     llvm::ArrayRef<const clang::Expr *> arguments);

/// Whether a call only says how much memory will be needed.
bool onlySpeeds(const clang::FunctionDecl *callee);

// Returns.cpp
void mutateReturn(Collector &out, const clang::ReturnStmt *node);

/// Whether a node compares by `==` or `!=`, which has a mutant of its own that
/// negates it.
bool isEquality(const clang::Expr *node);

} // namespace distaff::mutants

#endif // DISTAFF_UTILS_MUTANTS_OPERATORS_H
