//===- Host.cpp - Code generation for CPUs --------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../EmitSteps.h"
#include "Backends.h"
#include "distaff/Cpu/Passes.h"
#include "distaff/Kernel/HostTask.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/ArmNeon/ArmNeonToLLVMIRTranslation.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/TargetSelect.h"
#include <mutex>

using namespace distaff;

static void initializeHost() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
  });
}

static void addConversionToHost(OpPassManager &passes, const Target &target) {
  passes.addPass(createConvertToHost({.target = target.name.str()}));
}

/// Returns whether a name is a function of C's math library (ISO C, 7.12), in
/// double or in float, or of its heap (7.22.3).
static bool isInLibraryOfC(StringRef name) {
  static const llvm::StringSet<> names = {
      "acos",  "acosh", "asin",      "asinh", "atan",  "atan2", "atanh",
      "cbrt",  "ceil",  "copysign",  "cos",   "cosh",  "erf",   "erfc",
      "exp",   "exp2",  "expm1",     "fabs",  "floor", "fma",   "fmax",
      "fmin",  "fmod",  "log",       "log10", "log1p", "log2",  "pow",
      "round", "rint",  "roundeven", "sin",   "sinh",  "sqrt",  "tan",
      "tanh",  "trunc"};
  // The function that a failed assertion calls, and those that it calls itself.
  if (name == hostAssertionSymbol || name == "abort" || name == "dprintf")
    return true;
  if (name == "aligned_alloc" || name == "free")
    return true;
  return names.contains(name) ||
         (name.ends_with("f") && names.contains(name.drop_back()));
}

static const CodeKind kindsOfHost[] = {
    {.name = "asm", .form = CodeKind::Form::Assembly},
    {.name = "llvm", .form = CodeKind::Form::IR},
    {.name = "obj", .form = CodeKind::Form::Object},
};

const Backend distaff::hostBackend = {
    .family = Family::Host,
    .initialize = initializeHost,
    .addConversion = addConversionToHost,
    .registerTranslation = registerArmNeonDialectTranslation,
    // Lowers an author's own matrices whose memory is not an argument's.
    .modulePasses = "function(lower-matrix-intrinsics)",
    .isInLibrary = isInLibraryOfC,
    .comment = "#",
    .kinds = kindsOfHost,
};
