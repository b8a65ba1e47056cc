//===- InMemoryTest.cpp - The Driver without files and printing -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a program does that compiles, runs and explains kernels: modules from
// strings, packages and arrays in memory, diagnostics taken by a handler. While
// it does, no file can be opened, the working directory is gone, and what
// reaches stdout or stderr is caught: there must be nothing.
//
//===----------------------------------------------------------------------===//
#include "distaff/Driver/Compile.h"
#include "distaff/Driver/Explain.h"
#include "distaff/Driver/KernelInput.h"
#include "distaff/Driver/Run.h"
#include "distaff/Pipelines/BuildPipeline.h"
#include "distaff/Runtime/Package.h"
#include "distaff/Runtime/distaff_runtime.h"
#include "distaff/Target/Target.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace distaff;
using runtime::HostArray;
using runtime::ScalarType;

namespace {

//===----------------------------------------------------------------------===//
// A process that is watched
//===----------------------------------------------------------------------===//

/// Takes the working directory away, catches both streams, and lets no
/// descriptor be opened, for as long as it lives.
class Sealed {
public:
  Sealed() {
    SmallString<128> folder;
    EXPECT_FALSE(
        llvm::sys::fs::createUniqueDirectory("distaff-sealed", folder));
    home = open(".", O_RDONLY | O_DIRECTORY);
    EXPECT_TRUE(chdir(folder.c_str()) == 0 && rmdir(folder.c_str()) == 0);
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    getrlimit(RLIMIT_NOFILE, &files);
    rlimit none = files;
    none.rlim_cur = 0;
    setrlimit(RLIMIT_NOFILE, &none);
    EXPECT_LT(open("/dev/null", O_RDONLY), 0) << "the seal leaks";
  }
  ~Sealed() {
    setrlimit(RLIMIT_NOFILE, &files);
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(fchdir(home), 0);
    close(home);
  }

private:
  int home;
  rlimit files;
};

//===----------------------------------------------------------------------===//
// A program that uses the Driver
//===----------------------------------------------------------------------===//

/// A parsed module, and what was said about it.
class Program {
public:
  explicit Program(StringRef text)
      : handler(input.getContext(), [this](Diagnostic &diagnostic) {
          said += diagnostic.str() + "\n";
        }) {
    parsed = succeeded(input.parse(text, "program.mlir"));
  }

  ModuleOp module() { return input.getModule(); }

  KernelInput input;
  std::string said;
  ScopedDiagnosticHandler handler;
  bool parsed;
};

template <typename T> HostArray arrayOf(ScalarType type, ArrayRef<T> values) {
  HostArray array = HostArray::zeros(type, {int64_t(values.size())});
  memcpy(array.bytes.data(), values.data(), array.bytes.size());
  return array;
}

template <typename T> std::vector<T> valuesOf(const HostArray &array) {
  std::vector<T> values(array.bytes.size() / sizeof(T));
  memcpy(values.data(), array.bytes.data(), array.bytes.size());
  return values;
}

const Target *const sm80 = lookupTarget("sm_80");

constexpr int numScaled = 65536;

constexpr StringLiteral scaled = R"(
#map = affine_map<(d0) -> (d0)>
func.func @scaled(%x: tensor<65536xf32>, %s: f32) -> tensor<65536xf32> {
  %e = tensor.empty() : tensor<65536xf32>
  %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : tensor<65536xf32>) outs(%e : tensor<65536xf32>) {
    ^bb0(%in: f32, %out: f32):
      %p = arith.mulf %in, %s : f32
      linalg.yield %p : f32
  } -> tensor<65536xf32>
  return %y : tensor<65536xf32>
}
)";

/// @scaled of 0, 1, ... 65535 and 3.
std::vector<HostArray> scaledInputs() {
  std::vector<float> x(numScaled);
  for (int i = 0; i < numScaled; ++i)
    x[i] = i;
  HostArray scale = HostArray::zeros(ScalarType::F32, {});
  float three = 3;
  memcpy(scale.bytes.data(), &three, sizeof(three));
  return {arrayOf<float>(ScalarType::F32, x), scale};
}

std::vector<float> scaledResults() {
  std::vector<float> y(numScaled);
  for (int i = 0; i < numScaled; ++i)
    y[i] = 3.0f * i;
  return y;
}

constexpr StringLiteral rowSum = R"(
func.func @row_sum(%x: tensor<16x256xf32>) -> tensor<16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %y = linalg.reduce { arith.addf } ins(%x : tensor<16x256xf32>) outs(%f : tensor<16xf32>) dimensions = [1]
  return %y : tensor<16xf32>
}
)";

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

TEST(InMemory, AModuleBecomesAPackageThatTheRuntimeReads) {
  Sealed sealed;
  Program program(scaled);
  ASSERT_TRUE(program.parsed);
  Compiled compiled =
      compile(program.module(),
              {.target = sm80, .product = AsPackage{.assembled = false}});
  ASSERT_EQ(compiled.answer, Answer::Yes) << program.said;
  runtime::Package package;
  EXPECT_EQ(runtime::parsePackage(compiled.content, package), "");
  EXPECT_EQ(package.name, "scaled");
  ASSERT_EQ(package.codeObjects.size(), 1u);
  EXPECT_EQ(package.codeObjects[0].kind, "ptx");
  EXPECT_NE(package.codeObjects[0].bytes.find(".entry scaled"),
            std::string::npos);

  // And through the C functions, as another language would.
  distaff_package *opened = nullptr;
  ASSERT_EQ(distaff_package_read(compiled.content.data(),
                                 compiled.content.size(), &opened),
            DISTAFF_OK);
  EXPECT_STREQ(distaff_package_name(opened), "scaled");
  EXPECT_EQ(distaff_package_argument_count(opened), 2u);
  EXPECT_EQ(distaff_package_parameter_is_scalar(opened, 1), 1);
  EXPECT_EQ(distaff_package_result_count(opened), 1u);
  distaff_package_close(opened);
  EXPECT_EQ(distaff_package_read("no package", 10, &opened), DISTAFF_INVALID);
  EXPECT_NE(StringRef(distaff_last_error()).find("no kernel package"),
            StringRef::npos);
  EXPECT_EQ(program.said, "");
}

TEST(InMemory, CompilingLeavesTheModuleAsItIs) {
  Sealed sealed;
  Program program((scaled + rowSum).str());
  ASSERT_TRUE(program.parsed);
  auto print = [&] {
    std::string text;
    llvm::raw_string_ostream(text) << program.module();
    return text;
  };
  std::string before = print();
  Compiled tiled =
      compile(program.module(), {.target = sm80,
                                 .function = "scaled",
                                 .product = AsMlir{.last = "tile"}});
  EXPECT_EQ(tiled.answer, Answer::Yes) << program.said;
  EXPECT_NE(tiled.content.find("@scaled__grid"), std::string::npos);
  EXPECT_EQ(tiled.content.find("@row_sum"), std::string::npos);
  Compiled ptx =
      compile(program.module(), {.target = sm80, .product = AsCode{"ptx"}});
  EXPECT_EQ(ptx.answer, Answer::Yes) << program.said;
  EXPECT_NE(ptx.content.find(".entry row_sum"), std::string::npos);
  RunOutcome outcome =
      run(program.module(),
          {.target = sm80, .function = "scaled", .threads = 1}, scaledInputs());
  EXPECT_EQ(outcome.answer, Answer::Yes) << program.said;
  EXPECT_EQ(
      explain(program.module(), {.target = sm80, .function = "row_sum"}).answer,
      Answer::Yes);
  EXPECT_EQ(print(), before);
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

TEST(InMemory, ARunReturnsArraysChecksAndCounters) {
  Sealed sealed;
  Program program(scaled);
  std::vector<std::string> seen;
  RunOptions options{.target = sm80, .everyStage = true, .threads = 1};
  options.onCheck = [&](const StageCheck &check) {
    seen.push_back(check.stage);
  };
  RunOutcome outcome = run(program.module(), options, scaledInputs());
  ASSERT_EQ(outcome.answer, Answer::Yes) << program.said;
  ASSERT_EQ(outcome.arrays.size(), 3u);
  EXPECT_EQ(valuesOf<float>(outcome.arrays[2]), scaledResults());
  EXPECT_EQ(outcome.arrays[2].shape, std::vector<int64_t>{numScaled});
  EXPECT_EQ(outcome.arrays[0].bytes, scaledInputs()[0].bytes);

  std::vector<std::string> stagesRun = {"input"};
  for (const Stage *stage : lookupPipeline("vector-distribute")->stages)
    stagesRun.push_back(stage->name.str());
  EXPECT_EQ(seen, stagesRun);
  ASSERT_EQ(outcome.checks.size(), stagesRun.size());
  for (auto [check, stage] : llvm::zip(outcome.checks, stagesRun)) {
    EXPECT_EQ(check.stage, stage);
    EXPECT_EQ(check.outputs.verdict, Comparison::Verdict::Agrees) << stage;
    EXPECT_EQ(check.outputs.largestError, 0) << stage; // whole numbers
    EXPECT_EQ(check.outputs.elements, numScaled) << stage;
  }
  // Numbers of 4 bytes each way, in sectors of 32.
  EXPECT_EQ(outcome.counters.globalBytesRead, 4 * numScaled);
  EXPECT_EQ(outcome.counters.globalBytesWritten, 4 * numScaled);
  EXPECT_EQ(outcome.counters.sectors, 2 * numScaled / 8);
  EXPECT_EQ(program.said, "");
}

TEST(InMemory, ASumHasTheValueThatItsFormulaGives) {
  Sealed sealed;
  Program program(rowSum);
  HostArray x = HostArray::zeros(ScalarType::F32, {16, 256});
  for (int i = 0; i < 16 * 256; ++i) {
    float value = float(i / 256 + i % 256); // row + column
    memcpy(&x.bytes[4 * i], &value, 4);
  }
  RunOutcome outcome =
      run(program.module(), {.target = sm80, .check = true, .threads = 1}, {x});
  ASSERT_EQ(outcome.answer, Answer::Yes) << program.said;
  std::vector<float> sums = valuesOf<float>(outcome.arrays[1]);
  for (int row = 0; row < 16; ++row)
    EXPECT_EQ(sums[row], 256 * row + 255 * 256 / 2) << row;
  ASSERT_EQ(outcome.checks.size(), 1u);
  EXPECT_EQ(outcome.checks[0].stage, "lower");
  EXPECT_GT(outcome.counters.shuffles, 0);
}

TEST(InMemory, AMemRefIsInputAndOutput) {
  Sealed sealed;
  Program program(R"(
func.func @twice(%m: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0 : i32
  %v = vector.transfer_read %m[%c0], %pad {in_bounds = [true]} : memref<4xi32>, vector<4xi32>
  %w = arith.addi %v, %v : vector<4xi32>
  vector.transfer_write %w, %m[%c0] {in_bounds = [true]} : vector<4xi32>, memref<4xi32>
  return
})");
  RunOutcome outcome =
      run(program.module(), {.target = sm80, .threads = 1},
          {arrayOf<int32_t>(ScalarType::I32, {1, -2, 3, 1 << 30})});
  ASSERT_EQ(outcome.answer, Answer::Yes) << program.said;
  EXPECT_EQ(
      valuesOf<int32_t>(outcome.arrays[0]),
      (std::vector<int32_t>{2, -4, 6, std::numeric_limits<int32_t>::min()}));
}

//===----------------------------------------------------------------------===//
// Explaining
//===----------------------------------------------------------------------===//

TEST(InMemory, AnExplanationIsAStruct) {
  Sealed sealed;
  Program program(rowSum);
  Explained explained = explain(program.module(), {.target = sm80});
  ASSERT_EQ(explained.answer, Answer::Yes) << program.said;
  ASSERT_NE(explained.explanation.kernel(), nullptr);
  EXPECT_EQ(explained.explanation.kernel()->function, "row_sum");
  EXPECT_EQ(explained.explanation.kernel()->target, "sm_80");
  EXPECT_EQ(explained.explanation.log.reductions.size(), 1u);
  std::string text;
  llvm::raw_string_ostream stream(text);
  printText(explained.explanation, stream);
  EXPECT_NE(text.find("row_sum"), std::string::npos);
}

static constexpr StringLiteral inPhases = R"(
#sg = #iree_gpu.subgroup_scope
!M = !pcf.sref<4x8xi32, #sg>
func.func @phases(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  pcf.shared_executor scope(#sg)
    initialize { %a = pcf.alloc() : !M  pcf.yield %a : !M } -> (%m: !M)
    execute[%all: !pcf.threadgroup<#sg>] {
    scf.for %i = %c0 to %n step %c1 {
      %slot = arith.remui %i, %c4 : index
      pcf.shared_executor.run_cluster(%all)[] () {
        %v = arith.constant dense<1> : tensor<1x8xi32>
        pcf.write_slice %v into %m[%slot, 0] [1, 8] [1, 1] : tensor<1x8xi32> into !M
        pcf.cluster_yield
      } : (!pcf.threadgroup<#sg>)
      pcf.barrier(#sg)
    }
    pcf.return
  }
  return
})";

// Without the text values have no names of their own.
TEST(InMemory, PhasesAreStructs) {
  Sealed sealed;
  Program program(inPhases);
  Explained explained = explain(program.module(), {.target = sm80});
  ASSERT_EQ(explained.answer, Answer::Yes) << program.said;
  ASSERT_EQ(explained.explanation.phases.size(), 1u);
  const PhaseProgram &phases = explained.explanation.phases.front();
  EXPECT_EQ(barriersIn(phases.steps), "v0");
  ASSERT_EQ(phases.memories.size(), 1u);
  EXPECT_EQ(phases.memories[0].name, "panel0");
  EXPECT_EQ(phases.memories[0].slots, 4);
  EXPECT_EQ(phases.memories[0].bytes, 128);

  Explained named = explain(
      program.module(), {.target = sm80, .names = {inPhases, "program.mlir"}});
  const PhaseProgram &theirs = named.explanation.phases.front();
  EXPECT_EQ(barriersIn(theirs.steps), "n");
  EXPECT_EQ(theirs.memories[0].name, "m");
}

// Few ops, and a text of 2^60 names if they were all written out.
TEST(InMemory, ArithmeticThatDoublesIsCalledByName) {
  Sealed sealed;
  std::string sums = "  %s0 = arith.addi %n, %n : index\n";
  for (int i = 1; i <= 60; ++i)
    sums +=
        llvm::formatv("  %s{0} = arith.addi %s{1}, %s{1} : index\n", i, i - 1)
            .str();
  std::string text = StringRef(inPhases).str();
  size_t at = text.find("  pcf.shared_executor scope");
  text.insert(at, sums);
  text.replace(text.find("%c0 to %n"), 9, "%c0 to %s60");
  Program program(text);
  Explained explained = explain(program.module(), {.target = sm80});
  ASSERT_EQ(explained.answer, Answer::Yes) << program.said;
  EXPECT_LE(barriersIn(explained.explanation.phases.front().steps).size(), 60u);
}

//===----------------------------------------------------------------------===//
// Requests that come to nothing
//===----------------------------------------------------------------------===//

TEST(InMemory, TextThatIsNoModuleIsRefused) {
  Sealed sealed;
  Program program("func.func @f( {");
  EXPECT_FALSE(program.parsed);
  EXPECT_NE(program.said, "");
  // Brackets that would exhaust the parser's stack, and sizes of no machine.
  Program nested("func.func @f() {" + std::string(100000, '(') + "}");
  EXPECT_FALSE(nested.parsed);
  EXPECT_NE(nested.said.find("nested deeper"), std::string::npos)
      << nested.said;
  Program huge("func.func @f(%m: memref<4611686018427387904xf32>) { return }");
  EXPECT_FALSE(huge.parsed);
  EXPECT_NE(huge.said, "");
}

TEST(InMemory, AKernelThatIsNotThereIsABadRequest) {
  Sealed sealed;
  Program program((scaled + rowSum).str());
  EXPECT_EQ(
      compile(program.module(), {.target = sm80, .function = "other"}).answer,
      Answer::BadRequest);
  EXPECT_NE(program.said.find("@scaled @row_sum"), std::string::npos);
  program.said.clear();
  // Which of both?
  EXPECT_EQ(explain(program.module(), {.target = sm80}).answer,
            Answer::BadRequest);
  EXPECT_EQ(describeKernel(program.module(), {.target = sm80}).answer,
            Answer::BadRequest);
  EXPECT_EQ(run(program.module(), {.target = sm80}, {}).answer,
            Answer::BadRequest);
  EXPECT_EQ(StringRef(program.said).count("several kernels"), 3u);
  Program empty("module {}");
  EXPECT_EQ(compile(empty.module(), {.target = sm80}).answer, Answer::Refused);
}

// Before anybody makes arrays for it.
TEST(InMemory, AKernelThatTheTargetCannotLaunchIsNotDescribed) {
  Sealed sealed;
  for (auto [size, subgroup, says] :
       {std::tuple("32, 33, 1", 32, "1056 lanes, sm_80 has up to 1024"),
        std::tuple("64, 1, 1", 64, "subgroups of 64 lanes"),
        std::tuple("32, 32, 1", 32, "")}) {
    Program program(R"(
gpu.module @kernels {
  gpu.func @f(%m: memref<64xf64>) kernel attributes {known_block_size = array<i32: )" +
                    std::string(size) + R"(>,
      translation_info = #iree_codegen.translation_info<subgroup_size = )" +
                    std::to_string(subgroup) + R"(>} {
    gpu.return
  }
})");
    ASSERT_TRUE(program.parsed) << program.said;
    KernelDescription description =
        describeKernel(program.module(), {.target = sm80});
    bool isRight = StringRef(says).empty();
    EXPECT_EQ(description.answer, isRight ? Answer::Yes : Answer::Refused);
    EXPECT_EQ(description.parameters.size(), isRight ? 1u : 0u);
    EXPECT_NE(program.said.find(says), std::string::npos) << program.said;
  }
}

TEST(InMemory, AKernelWithoutACompilationIsRefused) {
  Sealed sealed;
  Program program(R"(
func.func @f(%x: tensor<1x6x6x5xf32>, %y: tensor<6x6x1x1x1x5xf32>) -> tensor<6x6x1x1x1x5xf32> {
  %r = linalg.winograd_input_transform fmr(F_4_3) ins(%x : tensor<1x6x6x5xf32>) outs(%y : tensor<6x6x1x1x1x5xf32>) -> tensor<6x6x1x1x1x5xf32>
  return %r : tensor<6x6x1x1x1x5xf32>
})");
  ASSERT_TRUE(program.parsed) << program.said;
  Compiled compiled =
      compile(program.module(), {.target = sm80, .product = AsCode{"ptx"}});
  EXPECT_EQ(compiled.answer, Answer::Refused);
  EXPECT_EQ(compiled.content, "");
  EXPECT_NE(program.said.find("winograd_input_transform"), std::string::npos)
      << program.said;
}

TEST(InMemory, CodeOfAnotherVendorIsRefused) {
  Sealed sealed;
  Program program(scaled);
  EXPECT_EQ(
      compile(program.module(), {.target = sm80, .product = AsCode{"hsaco"}})
          .answer,
      Answer::Refused);
  EXPECT_NE(program.said.find("sm_80"), std::string::npos) << program.said;
}

TEST(InMemory, ArraysMustFitTheKernel) {
  Sealed sealed;
  Program program(scaled);
  auto expectBad = [&](std::vector<HostArray> inputs, StringRef says) {
    RunOutcome outcome =
        run(program.module(), {.target = sm80, .threads = 1}, inputs);
    EXPECT_EQ(outcome.answer, Answer::BadRequest);
    EXPECT_NE(program.said.find(says), std::string::npos) << program.said;
    program.said.clear();
  };
  expectBad({scaledInputs()[0]}, "takes 2 arrays, 1 are given");
  std::vector<HostArray> inputs = scaledInputs();
  inputs[0].type = ScalarType::I32;
  expectBad(inputs, "'arg0' is given numbers of type i32, it takes f32");
  inputs = scaledInputs();
  inputs[0].shape = {256, 256};
  expectBad(inputs, "'arg0' is given an array of shape");
  inputs = scaledInputs();
  inputs[0].bytes.pop_back();
  expectBad(inputs, "'arg0' is given 262143 bytes");
  inputs = scaledInputs();
  inputs[1].shape = {1};
  expectBad(inputs, "'arg1' is given an array of shape");
}

TEST(InMemory, FaultsAndWhatIsNotModelledAreAnswers) {
  Sealed sealed;
  auto load = [](StringRef position, StringRef op) {
    return ("func.func @f(%m: memref<4xi32>) {\n"
            "  %i = arith.constant " +
            position +
            " : index\n  %zero = arith.constant 0 : index\n"
            "  %x = memref.load %m[%i] : memref<4xi32>\n  %y = " +
            op +
            " %x, %x : i32\n"
            "  memref.store %y, %m[%zero] : memref<4xi32>\n  return\n}")
        .str();
  };
  RunOptions options{.target = sm80, .check = true, .threads = 1};
  HostArray m = arrayOf<int32_t>(ScalarType::I32, {1, 2, 3, 4});
  Program known(load("0", "arith.muli"));
  RunOutcome outcome = run(known.module(), options, {m});
  EXPECT_EQ(outcome.answer, Answer::Yes) << known.said;

  // A stage that refuses it is not asked.
  RunOptions asItIs = options;
  asItIs.last = "input";
  Program unknown(R"(
func.func @f(%m: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %x = memref.load %m[%c0] : memref<4xf32>
  %h = arith.truncf %x downward : f32 to f16
  %y = arith.extf %h : f16 to f32
  memref.store %y, %m[%c0] : memref<4xf32>
  return
})");
  HostArray floats = arrayOf<float>(ScalarType::F32, {1, 2, 3, 4});
  EXPECT_EQ(run(unknown.module(), asItIs, {floats}).answer,
            Answer::NotModelled);
  EXPECT_NE(unknown.said.find("arith.truncf"), std::string::npos);

  Program outside(load("9", "arith.muli"));
  outcome = run(outside.module(), options, {m});
  EXPECT_EQ(outcome.answer, Answer::Fault) << outside.said;
  EXPECT_NE(outside.said.find("out of bounds"), std::string::npos);
  ASSERT_EQ(outcome.faults.size(), 1u);
  EXPECT_EQ(outcome.faults[0].kind, simt::FaultKind::OutOfBounds);
  EXPECT_EQ(outcome.faults[0].stage, "input");
  EXPECT_EQ(outcome.faults[0].place.array, "arg0");
  auto location = dyn_cast<FileLineColLoc>(outcome.faults[0].location);
  ASSERT_TRUE(location);
  EXPECT_EQ(location.getFilename(), "program.mlir");
  EXPECT_EQ(location.getLine(), 4u);
}

TEST(InMemory, ABoundThatIsTooWideIsUndecided) {
  Sealed sealed;
  Program program(R"(
func.func @f(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<64x64xf16>
  %c = linalg.fill ins(%zero : f16) outs(%e : tensor<64x64xf16>) -> tensor<64x64xf16>
  %d = linalg.matmul ins(%a, %b : tensor<64x64xf16>, tensor<64x64xf16>) outs(%c : tensor<64x64xf16>) -> tensor<64x64xf16>
  return %d : tensor<64x64xf16>
})");
  HostArray a = HostArray::zeros(ScalarType::F16, {64, 64});
  for (int i = 0; i < 64 * 64; ++i) // no sum of them is exact
    runtime::storeDouble(ScalarType::F16, (i * 37 % 101) / 50.5 - 1,
                         &a.bytes[2 * i]);
  RunOutcome outcome = run(
      program.module(), {.target = sm80, .check = true, .threads = 1}, {a, a});
  EXPECT_EQ(outcome.answer, Answer::Undecided) << program.said;
  ASSERT_EQ(outcome.checks.size(), 1u);
  EXPECT_TRUE(outcome.checks[0].exactSumsMayDecide);
}

} // namespace
