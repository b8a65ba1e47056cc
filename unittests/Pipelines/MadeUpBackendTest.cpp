//===- MadeUpBackendTest.cpp - Backends are rows --------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A family that no table has, with a backend of its own: another conversion,
// passes and a last step of its own, and kinds of code that it alone has. What
// it emits as PTX runs on the PTX machine and computes what it should.
//
//===----------------------------------------------------------------------===//
#include "distaff/Conversion/Passes.h"
#include "distaff/Driver/Compile.h"
#include "distaff/Driver/KernelInput.h"
#include "distaff/Driver/Run.h"
#include "distaff/Pipelines/Backend.h"
#include "distaff/Runtime/Package.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "llvm/IR/Module.h"
#include "gtest/gtest.h"
#include <cstring>

using namespace distaff;
using runtime::HostArray;
using runtime::ScalarType;

namespace {

//===----------------------------------------------------------------------===//
// The backend
//===----------------------------------------------------------------------===//

int numFinished = 0, numInitialized = 0;

FailureOr<std::string> makeListing(Location loc, StringRef assembly,
                                   const Target &target) {
  if (assembly.contains("never"))
    return emitError(loc, "the lister refuses");
  return ("listing for " + target.name + "\n" + assembly).str();
}

std::optional<std::string> whySealed() {
  return "a sealed box needs wax, which there is not";
}

const CodeKind kinds[] = {
    {.name = "ptx",
     .form = CodeKind::Form::Assembly,
     .inPackage = CodeKind::InPackage::Yes,
     .runsOnLater = true},
    {.name = "ir", .form = CodeKind::Form::IR},
    {.name = "cubin",
     .form = CodeKind::Form::Assembly,
     .finish = makeListing,
     .inPackage = CodeKind::InPackage::WhereFound},
    {.name = "listing",
     .form = CodeKind::Form::Assembly,
     .finish = makeListing},
    {.name = "sealed",
     .form = CodeKind::Form::Assembly,
     .finish = makeListing,
     .whyMissing = whySealed,
     .inPackage = CodeKind::InPackage::WhereFound},
};

/// NVIDIA's conversion for sm_80, on whose code generator it builds.
Backend madeUpBackend() {
  Backend backend = *lookupBackend(*lookupTarget("sm_80"));
  static auto initializeNvptx = backend.initialize;
  backend.family = {"made-up"};
  backend.initialize = [] {
    ++numInitialized;
    initializeNvptx();
  };
  backend.addConversion = [](OpPassManager &passes, const Target &) {
    passes.addPass(createConvertGPUToNVVM({.target = "sm_80"}));
  };
  backend.modulePasses = "function(instnamer)";
  backend.finish = [](llvm::Module &module) {
    ++numFinished;
    module.setSourceFileName("made-up");
  };
  backend.comment = "//!";
  backend.kinds = kinds;
  return backend;
}

Target madeUpTarget() {
  Target target = *lookupTarget("sm_80");
  target.name = "made-up-1";
  target.family = {"made-up"};
  target.capability = {8, 0, /*exact=*/false};
  return target;
}

//===----------------------------------------------------------------------===//
// A program
//===----------------------------------------------------------------------===//

constexpr int64_t rows = 16, columns = 300;

std::string rowSum(StringRef name = "row_sum") {
  return (R"(
    func.func @)" +
          name + R"((%x: tensor<16x300xf32>) -> tensor<16xf32> {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<16xf32>
      %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
      %y = linalg.reduce { arith.addf } ins(%x : tensor<16x300xf32>) outs(%f : tensor<16xf32>) dimensions = [1]
      return %y : tensor<16xf32>
    })")
      .str();
}

class MadeUpBackend : public testing::Test {
protected:
  explicit MadeUpBackend(StringRef text = "")
      : handler(input.getContext(),
                [this](Diagnostic &diagnostic) {
                  said += diagnostic.str() + "\n";
                }),
        target(madeUpTarget()), named(target), known(named),
        backend(madeUpBackend()) {
    numFinished = numInitialized = 0;
    EXPECT_TRUE(succeeded(input.parse(rowSum(), "program.mlir")));
  }

  Compiled emit(StringRef kind) {
    return compile(input.getModule(),
                   {.target = &target, .product = AsCode{kind.str()}});
  }

  KernelInput input;
  std::string said;
  ScopedDiagnosticHandler handler;
  Target target, named;
  TargetRegistration known;
  Backend backend;
};

TEST_F(MadeUpBackend, WithoutItTheFamilyHasNoCode) {
  EXPECT_EQ(emit("ptx").answer, Answer::Refused);
  EXPECT_NE(said.find("no backend emits code for made-up-1, which is of the "
                      "family made-up; there are backends for nvptx, amdgpu"),
            std::string::npos)
      << said;
  EXPECT_FALSE(isKindOf(target, "ptx"));
  EXPECT_FALSE(isKindKnown("listing"));
  {
    BackendRegistration mine(backend);
    EXPECT_TRUE(isKindOf(target, "ptx"));
    EXPECT_TRUE(isKindKnown("listing"));
    EXPECT_EQ(listAllKinds(),
              "ptx, llvm, cubin, gcn, hsaco, asm, obj, ir, listing, "
              "sealed");
    EXPECT_EQ(emit("ptx").answer, Answer::Yes) << said;
  }
  EXPECT_FALSE(isKindOf(target, "ptx"));
}

TEST_F(MadeUpBackend, WhatItEmitsComputes) {
  BackendRegistration mine(backend);
  HostArray x = HostArray::zeros(ScalarType::F32, {rows, columns});
  std::vector<float> sums(rows);
  for (int64_t i = 0; i < rows * columns; ++i) {
    float value = float(i * i % 13) - 6;
    memcpy(x.bytes.data() + 4 * i, &value, 4);
    sums[i / columns] += value; // whole numbers: exact
  }
  RunOutcome outcome =
      run(input.getModule(),
          {.target = &target, .onPtxMachine = true, .check = true}, {x});
  ASSERT_EQ(outcome.answer, Answer::Yes) << said;
  ASSERT_EQ(outcome.arrays.size(), 2u);
  EXPECT_EQ(memcmp(outcome.arrays[1].bytes.data(), sums.data(), 4 * rows), 0);
  EXPECT_EQ(outcome.checks.front().stage, "ptx");
  EXPECT_EQ(numFinished, 1);
  EXPECT_EQ(numInitialized, 1);
}

TEST_F(MadeUpBackend, ItsKindsAreMadeAsTheirRowsSay) {
  BackendRegistration mine(backend);
  Compiled ptx = emit("ptx");
  ASSERT_EQ(ptx.answer, Answer::Yes) << said;
  EXPECT_EQ(emit("listing").content, "listing for made-up-1\n" + ptx.content);
  Compiled ir = emit("ir");
  EXPECT_NE(ir.content.find("source_filename = \"made-up\""),
            std::string::npos);
  EXPECT_NE(ir.content.find("define ptx_kernel void @row_sum"),
            std::string::npos);
  EXPECT_NE(ir.content.find("%i = "), std::string::npos) << ir.content;
  EXPECT_EQ(said, "");
  EXPECT_EQ(emit("sealed").answer, Answer::Refused);
  EXPECT_EQ(said, "a sealed box needs wax, which there is not\n");
  said.clear();
  EXPECT_EQ(emit("llvm").answer, Answer::Refused);
  EXPECT_EQ(said, "there is no llvm code for made-up-1, but ptx, ir, cubin, "
                  "listing, sealed\n");
}

TEST_F(MadeUpBackend, PackagesHaveWhatTheRowsSay) {
  BackendRegistration mine(backend);
  // Of whom drivers know the name.
  target = *lookupTarget("sm_80");
  target.family = backend.family;
  AsPackage form{.assembled = false};
  Compiled compiled =
      compile(input.getModule(), {.target = &target, .product = form});
  ASSERT_EQ(compiled.answer, Answer::Yes) << said;
  runtime::Package package;
  ASSERT_EQ(runtime::parsePackage(compiled.content, package), "");
  ASSERT_EQ(package.codeObjects.size(), 1u);
  EXPECT_EQ(package.codeObjects[0].kind, "ptx");
  EXPECT_EQ(package.codeObjects[0].compatibility,
            runtime::Compatibility::Later);
  EXPECT_EQ(package.codeObjects[0].bytes, emit("ptx").content);

  // With what the outside program makes, which no driver would take, of the
  // same text.
  numFinished = 0;
  form.assembled = true;
  EXPECT_EQ(
      compile(input.getModule(), {.target = &target, .product = form}).answer,
      Answer::Refused);
  EXPECT_EQ(numFinished, 1);
  EXPECT_EQ(said, "no package of 'row_sum' can be launched: the cubin is no "
                  "object file for sm_80\n");
}

TEST_F(MadeUpBackend, AProgramThatFailsLeavesNothing) {
  ASSERT_TRUE(succeeded(input.parse(rowSum("never"), "program.mlir")));
  BackendRegistration mine(backend);
  Compiled compiled = emit("listing");
  EXPECT_EQ(compiled.answer, Answer::Refused);
  EXPECT_EQ(compiled.content, "");
  EXPECT_EQ(said, "the lister refuses\n");
}

} // namespace
