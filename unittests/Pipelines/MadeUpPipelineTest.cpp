//===- MadeUpPipelineTest.cpp - Pipelines are rows ------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pipeline that no table has, for a machine of one lane: nothing is laid out
// and nothing is distributed, one lane does all of a workgroup's work. It
// shares stages with vector-distribute and has two of its own. Kernels go along
// it through the Driver, run after every stage, and compute what they should.
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Distribution/Passes.h"
#include "distaff/Driver/Compile.h"
#include "distaff/Driver/Explain.h"
#include "distaff/Driver/KernelInput.h"
#include "distaff/Driver/Run.h"
#include "distaff/PCF/Passes.h"
#include "distaff/Pipelines/Pipeline.h"
#include "distaff/Target/Target.h"
#include "distaff/Tiling/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"
#include <cstring>

using namespace distaff;
using runtime::HostArray;
using runtime::ScalarType;

namespace {

//===----------------------------------------------------------------------===//
// The pipeline
//===----------------------------------------------------------------------===//

bool mentionsTensors(ModuleOp module) {
  return llvm::any_of(findKernels(module), [](FunctionOpInterface kernel) {
    return distaff::mentionsTensors(kernel);
  });
}

const Stage bufferize = {
    .name = "bufferize",
    .contract = "no tensor is left",
    .before = Level::Grid,
    .after = Level::Grid,
    .add = [](OpPassManager &manager,
              const PipelineOptions &) { manager.addPass(createBufferize()); },
    .verify = [](ModuleOp module) -> LogicalResult {
      return mentionsTensors(module) ? module.emitError("has tensors")
                                     : success();
    },
    .isBehind =
        [](FunctionOpInterface kernel) {
          return findGridFunction(kernel) && !distaff::mentionsTensors(kernel);
        }};

const Stage oneLane = {.name = "one-lane",
                       .contract = "every kernel is the program of one lane",
                       .before = Level::Grid,
                       .after = Level::Lane,
                       .add =
                           [](OpPassManager &manager, const PipelineOptions &) {
                             manager.addNestedPass<func::FuncOp>(
                                 createMapForall());
                             manager.addPass(createWriteLaneKernels());
                           },
                       .verify = [](ModuleOp) { return success(); },
                       .isBehind =
                           [](FunctionOpInterface kernel) {
                             return levelOf(kernel) == Level::Lane;
                           }};

const Stage *shared(StringRef name) {
  return lookupPipeline("vector-distribute")->findStage(name);
}

/// A machine whose subgroups and workgroups have one lane.
Target scalarTarget() {
  Target target = *lookupTarget("sm_80");
  target.name = "scalar";
  target.family = {"made-up"};
  target.subgroupSize = 1;
  target.maxWorkgroupSize = 1;
  target.mma = {};
  return target;
}

/// A program that knows the pipeline.
class MadeUpPipeline : public testing::Test {
protected:
  MadeUpPipeline()
      : stages{shared("form-launches"), shared("configure"), shared("tile"),
               shared("vectorize"),     &bufferize,          &oneLane,
               shared("lower")},
        pipeline{.name = "serial", .attribute = "Serial", .stages = stages},
        known(pipeline), target(scalarTarget()), knownTarget(target) {}

  std::vector<const Stage *> stages;
  Pipeline pipeline;
  PipelineRegistration known;
  Target target;
  TargetRegistration knownTarget;
};

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// A parsed module, and what was said about it.
class Program {
public:
  explicit Program(StringRef text)
      : handler(input.getContext(), [this](Diagnostic &diagnostic) {
          said += diagnostic.str() + "\n";
          for (Diagnostic &note : diagnostic.getNotes())
            said += "note: " + note.str() + "\n";
        }) {
    EXPECT_TRUE(succeeded(input.parse(text, "program.mlir"))) << text.str();
  }

  ModuleOp module() { return input.getModule(); }
  bool says(StringRef words) const {
    return said.find(words.str()) != std::string::npos;
  }

  KernelInput input;
  std::string said;
  ScopedDiagnosticHandler handler;
};

/// y = x * x + x, on a workgroup's tile and beyond its edge.
std::string polynomial(StringRef attributes = "", StringRef name = "f") {
  return (R"(
    func.func @)" +
          name + R"((%x: tensor<37x53xf32>) -> tensor<37x53xf32> )" +
          attributes + R"( {
      %e = tensor.empty() : tensor<37x53xf32>
      %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                           iterator_types = ["parallel", "parallel"]}
          ins(%x : tensor<37x53xf32>) outs(%e : tensor<37x53xf32>) {
        ^bb0(%in: f32, %out: f32):
          %p = arith.mulf %in, %in : f32
          %s = arith.addf %p, %in : f32
          linalg.yield %s : f32
      } -> tensor<37x53xf32>
      return %y : tensor<37x53xf32>
    })")
      .str();
}

constexpr StringLiteral asksForSerial =
    "attributes {translation_info = #iree_codegen.translation_info<pipeline = "
    "Serial>}";

float inputAt(int64_t i) { return float(i % 97) - 48; }

std::vector<HostArray> polynomialInputs() {
  HostArray array = HostArray::zeros(ScalarType::F32, {37, 53});
  for (int64_t i = 0; i < 37 * 53; ++i) {
    float value = inputAt(i);
    memcpy(array.bytes.data() + 4 * i, &value, 4);
  }
  return {array};
}

void expectPolynomial(const RunOutcome &outcome) {
  ASSERT_EQ(outcome.arrays.size(), 2u);
  for (int64_t i = 0; i < 37 * 53; ++i) {
    float value;
    memcpy(&value, outcome.arrays[1].bytes.data() + 4 * i, 4);
    ASSERT_EQ(value, inputAt(i) * inputAt(i) + inputAt(i)) << i;
  }
}

std::vector<std::string> stagesOf(const RunOutcome &outcome) {
  std::vector<std::string> names;
  for (const StageCheck &check : outcome.checks)
    names.push_back(check.stage);
  return names;
}

//===----------------------------------------------------------------------===//
// Along the pipeline
//===----------------------------------------------------------------------===//

TEST_F(MadeUpPipeline, AKernelThatNamesItComputesAfterEveryStage) {
  Program program(polynomial(asksForSerial));
  RunOutcome outcome = run(
      program.module(), {.target = &target, .everyStage = true, .threads = 1},
      polynomialInputs());
  ASSERT_EQ(outcome.answer, Answer::Yes) << program.said;
  expectPolynomial(outcome);
  EXPECT_EQ(stagesOf(outcome),
            (std::vector<std::string>{"input", "form-launches", "configure",
                                      "tile", "vectorize", "bufferize",
                                      "one-lane", "lower"}));
  EXPECT_EQ(outcome.counters.globalBytesRead, 4 * 37 * 53);
  EXPECT_EQ(outcome.counters.shuffles, 0);
}

TEST_F(MadeUpPipeline, WhatIsAskedForIsTakenAndTakenUpAgain) {
  Program program(polynomial());
  Compiled stopped =
      compile(program.module(), {.target = &target,
                                 .product = AsMlir{.last = "bufferize"},
                                 .pipeline = &pipeline});
  ASSERT_EQ(stopped.answer, Answer::Yes) << program.said;
  EXPECT_NE(stopped.content.find("pipeline = Serial"), std::string::npos)
      << stopped.content;
  EXPECT_EQ(stopped.content.find("to_layout"), std::string::npos);
  EXPECT_EQ(stopped.content.find("gpu.func"), std::string::npos);

  // Nobody asks any more: the IR says so.
  Program again(stopped.content);
  RunOutcome outcome =
      run(again.module(), {.target = &target, .everyStage = true, .threads = 1},
          polynomialInputs());
  ASSERT_EQ(outcome.answer, Answer::Yes) << again.said;
  expectPolynomial(outcome);
  EXPECT_EQ(stagesOf(outcome),
            (std::vector<std::string>{"input", "one-lane", "lower"}));

  Compiled distributed =
      compile(again.module(),
              {.target = &target, .product = AsMlir{.last = "one-lane"}});
  Program lane(distributed.content);
  Compiled lowered = compile(lane.module(), {.target = &target});
  EXPECT_EQ(lowered.answer, Answer::Yes) << lane.said;
  EXPECT_NE(lowered.content.find("pipeline = Serial"), std::string::npos);
}

TEST_F(MadeUpPipeline, WhatIsAskedForWins) {
  const Target *sm80 = lookupTarget("sm_80");
  Program program(polynomial(asksForSerial));
  Compiled compiled = compile(
      program.module(), {.target = sm80,
                         .product = AsMlir{.last = "distribute"},
                         .pipeline = lookupPipeline("vector-distribute")});
  ASSERT_EQ(compiled.answer, Answer::Yes) << program.said;
  EXPECT_NE(compiled.content.find("pipeline = LLVMGPUVectorDistribute"),
            std::string::npos);
  Program unknown(polynomial("attributes {translation_info = "
                             "#iree_codegen.translation_info<pipeline = "
                             "TransposeSharedMem>}"));
  EXPECT_EQ(compile(unknown.module(), {.target = sm80}).answer,
            Answer::Refused);
  EXPECT_TRUE(unknown.says("asks for the pipeline `TransposeSharedMem`; there "
                           "is LLVMGPUVectorDistribute, "
                           "RunClusterDistribute, CPU, Serial"))
      << unknown.said;
  RunOutcome outcome =
      run(unknown.module(),
          {.target = &target, .threads = 1, .pipeline = &pipeline},
          polynomialInputs());
  EXPECT_EQ(outcome.answer, Answer::Yes) << unknown.said;
  expectPolynomial(outcome);
}

TEST_F(MadeUpPipeline, KernelsOfOneFileGoOneWay) {
  Program program(polynomial(asksForSerial) + polynomial("", "g"));
  EXPECT_EQ(compile(program.module(), {.target = &target}).answer,
            Answer::Refused);
  EXPECT_TRUE(program.says("takes another pipeline than the first kernel"))
      << program.said;
  EXPECT_EQ(compile(program.module(), {.target = &target,
                                       .product = AsMlir{.last = "one-lane"},
                                       .pipeline = &pipeline})
                .answer,
            Answer::Yes)
      << program.said;
}

TEST_F(MadeUpPipeline, AStageOfAnotherPipelineIsABadRequest) {
  Program program(polynomial(asksForSerial));
  EXPECT_EQ(compile(program.module(), {.target = &target,
                                       .product = AsMlir{.last = "distribute"}})
                .answer,
            Answer::BadRequest);
  EXPECT_TRUE(
      program.says("there is no stage 'distribute' on the pipeline serial, "
                   "which is form-launches, configure, tile, vectorize, "
                   "bufferize, one-lane, lower"))
      << program.said;
  RunOutcome outcome =
      run(program.module(),
          {.target = &target, .last = "assign-layouts", .threads = 1},
          polynomialInputs());
  EXPECT_EQ(outcome.answer, Answer::BadRequest);
}

TEST(Pipelines, EveryStageBeginsAtTheLevelThatTheOneBeforeLeaves) {
  for (const Pipeline *pipeline : allPipelines())
    for (auto [before, stage] :
         llvm::zip(pipeline->stages, pipeline->stages.drop_front()))
      EXPECT_EQ(before->after, stage->before)
          << pipeline->name.str() << ": " << stage->name.str();
}

TEST(Pipelines, ARegistrationEnds) {
  size_t before = allPipelines().size();
  {
    std::vector<const Stage *> stages = {shared("tile")};
    Pipeline pipeline{.name = "short", .attribute = "Short", .stages = stages};
    PipelineRegistration known(pipeline);
    EXPECT_EQ(lookupPipeline("short"), &pipeline);
    EXPECT_EQ(lookupPipeline("Short"), &pipeline);
    EXPECT_EQ(allPipelines().size(), before + 1);
  }
  EXPECT_EQ(lookupPipeline("short"), nullptr);
  EXPECT_EQ(allPipelines().size(), before);
  EXPECT_EQ(lookupPipeline("LLVMGPUVectorDistribute"), allPipelines().front());
}

//===----------------------------------------------------------------------===//
// Stages that do not do what they say
//===----------------------------------------------------------------------===//

TEST_F(MadeUpPipeline, AContractThatDoesNotHoldIsAnError) {
  Stage idle = bufferize;
  idle.add = [](OpPassManager &, const PipelineOptions &) {};
  std::vector<const Stage *> lazy = {stages[0], stages[1], stages[2],
                                     &idle,     &oneLane,  stages[5]};
  Pipeline lazyPipeline{.name = "lazy", .attribute = "Lazy", .stages = lazy};
  Program program(polynomial());
  EXPECT_EQ(
      compile(program.module(), {.target = &target, .pipeline = &lazyPipeline})
          .answer,
      Answer::Refused);
  EXPECT_TRUE(program.says("has tensors")) << program.said;
}

TEST_F(MadeUpPipeline, ALevelThatIsNotReachedIsAnError) {
  Stage idle = oneLane;
  idle.add = [](OpPassManager &, const PipelineOptions &) {};
  std::vector<const Stage *> lazy = {stages[0], stages[1], stages[2],
                                     stages[3], &idle,     stages[5]};
  Pipeline lazyPipeline{.name = "lazy", .attribute = "Lazy", .stages = lazy};
  Program program(polynomial());
  EXPECT_EQ(
      compile(program.module(), {.target = &target, .pipeline = &lazyPipeline})
          .answer,
      Answer::Refused);
  EXPECT_TRUE(program.says("lane")) << program.said;
}

} // namespace

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

namespace {

/// Makes every branch around phases unconditional by moving what is in it out.
struct HoistBranches : PassWrapper<HoistBranches, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(HoistBranches)
  void runOnOperation() override {
    getOperation().walk([](scf::IfOp branch) {
      Block *block = branch.thenBlock();
      block->getTerminator()->erase();
      branch->getBlock()->getOperations().splice(branch->getIterator(),
                                                 block->getOperations());
      branch.erase();
    });
  }
};

struct Refuse : PassWrapper<Refuse, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Refuse)
  void runOnOperation() override {
    getOperation().emitError("goes no further");
    signalPassFailure();
  }
};

void addSpecialize(OpPassManager &manager, const PipelineOptions &options) {
  manager.addPass(std::make_unique<HoistBranches>());
  if (options.log)
    manager.addPass(createRecordPhases(*options.log));
}

const Stage specialize = {.name = "specialize",
                          .contract = "no branch is left",
                          .before = Level::Grid,
                          .after = Level::Grid,
                          .add = addSpecialize,
                          .verify = [](ModuleOp) { return success(); }};
const Stage refuse = {.name = "refuse",
                      .contract = "there is no such kernel",
                      .before = Level::Grid,
                      .after = Level::Grid,
                      .add =
                          [](OpPassManager &manager, const PipelineOptions &) {
                            manager.addPass(std::make_unique<Refuse>());
                          },
                      .verify = [](ModuleOp) { return success(); }};

} // namespace

// What is explained are the phases that a pipeline records, also of a kernel
// that is refused later; without a pipeline, those that it enters with.
TEST(PhasesOfAPipeline, AreThoseThatItRecords) {
  const Stage *stages[] = {&specialize, &refuse};
  Pipeline pipeline = {
      .name = "phased", .attribute = "Phased", .stages = stages};
  PipelineRegistration known(pipeline);
  Program program(R"(
    #sg = #iree_gpu.subgroup_scope
    func.func @f(%maybe: i1) {
      pcf.shared_executor scope(#sg) execute[%all: !pcf.threadgroup<#sg>] {
        scf.if %maybe {
          pcf.barrier(#sg)
        }
        pcf.return
      }
      return
    })");
  Explained explained =
      explain(program.module(),
              {.target = lookupTarget("sm_80"), .pipeline = &pipeline});
  EXPECT_EQ(explained.answer, Answer::Refused);
  EXPECT_EQ(program.said, "goes no further\n");
  ASSERT_EQ(explained.explanation.phases.size(), 1u);
  EXPECT_EQ(barriersIn(explained.explanation.phases.front().steps), "1");

  // Without a pipeline they are what the kernel says.
  Explained entered =
      explain(program.module(), {.target = lookupTarget("sm_80")});
  EXPECT_EQ(entered.answer, Answer::Yes);
  EXPECT_EQ(barriersIn(entered.explanation.phases.front().steps), "(if v0: 1)");
}
