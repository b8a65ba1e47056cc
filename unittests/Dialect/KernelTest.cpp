//===- KernelTest.cpp - What a kernel is, at every stage ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One kernel in the forms that it takes on its pipeline, and what is asked of
// each: the answers about arguments, results and launch must not depend on the
// form.
//
//===----------------------------------------------------------------------===//
#include "distaff/Kernel/Kernel.h"
#include "distaff/Dialect/IREE/IREE.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace distaff;
using Role = KernelParameter::Role;

namespace {

constexpr llvm::StringLiteral asWritten = R"mlir(
  func.func @k(%a: tensor<?x8xf32>, %s: f32, %b: vector<4xi32>)
      -> (tensor<2x8xf32>, vector<4xi32>, f32) {
    %z = arith.constant 0.0 : f32
    %r = tensor.empty() : tensor<2x8xf32>
    return %r, %b, %z : tensor<2x8xf32>, vector<4xi32>, f32
  }
)mlir";

constexpr llvm::StringLiteral launch =
    "#iree_codegen.translation_info<pipeline = VectorDistribute "
    "workgroup_size = [32, 2] subgroup_size = 16>";

/// Vectors and scalars go through memory; a loop over workgroups stands.
const std::string tiled = R"mlir(
  func.func @k(%a: tensor<?x8xf32>, %s: f32, %b: memref<4xi32>,
               %v: memref<4xi32> {iree.abi.output = 1 : index},
               %z: memref<f32> {iree.abi.output = 2 : index})
      -> tensor<2x8xf32> attributes {translation_info = )mlir" +
                          launch.str() + R"mlir(} {
    %e = tensor.empty() : tensor<2x8xf32>
    %r = scf.forall (%i, %j) = (0, 2) to (2, 8) step (1, 4)
        shared_outs(%o = %e) -> tensor<2x8xf32> {
      scf.forall.in_parallel {}
    } {mapping = [#gpu.block<y>, #gpu.block<x>]}
    return %r : tensor<2x8xf32>
  }
  func.func @k__grid(%m: index) -> (index, index, index) attributes {host} {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    return %c2, %c2, %c1 : index, index, index
  }
)mlir";

constexpr llvm::StringLiteral ofOneLane = R"mlir(
  gpu.module @kernels {
    gpu.func @k(%a: memref<?x8xf32>, %s: f32, %b: memref<4xi32>,
                %v: memref<4xi32> {iree.abi.output = 1 : index},
                %z: memref<f32> {iree.abi.output = 2 : index},
                %r: memref<2x8xf32> {iree.abi.output = 0 : index},
                %w: memref<16xf32> {iree.abi.workspace}) kernel
        attributes {known_block_size = array<i32: 32, 2, 1>,
                    translation_info = #iree_codegen.translation_info<
                        subgroup_size = 16>} {
      gpu.return
    }
    gpu.func @helper() {
      gpu.return
    }
  }
  func.func @k__grid(%m: index) -> (index, index, index) attributes {host} {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    return %c2, %c2, %c1 : index, index, index
  }
)mlir";

class Kernel : public ::testing::Test {
protected:
  Kernel() {
    DialectRegistry registry;
    iree::registerIREE(registry);
    registry.insert<arith::ArithDialect, func::FuncDialect, gpu::GPUDialect,
                    memref::MemRefDialect, scf::SCFDialect,
                    tensor::TensorDialect>();
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    context.getDiagEngine().registerHandler(
        [this](Diagnostic &diagnostic) { message = diagnostic.str(); });
  }

  FunctionOpInterface parse(StringRef text) {
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module) << message;
    return module ? findKernel(*module) : nullptr;
  }

  std::string refusal(StringRef text) {
    FunctionOpInterface kernel = parse(text);
    EXPECT_TRUE(failed(KernelSignature::get(kernel))) << text.str();
    return message;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::string message;
};

std::string describe(ArrayRef<KernelParameter> parameters) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (const KernelParameter &parameter : parameters)
    stream << (text.empty() ? "" : " ")
           << (parameter.role == Role::Argument ? "arg"
               : parameter.role == Role::Result ? "res"
                                                : "work")
           << parameter.number << "@" << (parameter.isReturned ? "ret" : "")
           << parameter.position;
  return text;
}

TEST_F(Kernel, SignatureIsTheAuthorsAtEveryStage) {
  for (StringRef text :
       {StringRef(asWritten), StringRef(tiled), StringRef(ofOneLane)}) {
    FunctionOpInterface kernel = parse(text);
    ASSERT_TRUE(kernel);
    FailureOr<KernelSignature> signature = KernelSignature::get(kernel);
    ASSERT_TRUE(succeeded(signature)) << message;
    EXPECT_EQ(describe(signature->arguments), "arg0@0 arg1@1 arg2@2");
    ASSERT_EQ(signature->results.size(), 3u);
    for (auto [number, result] : llvm::enumerate(signature->results))
      EXPECT_EQ(result.number, number);
    ASSERT_EQ(signature->dynamicExtents().size(), 1u);
    EXPECT_EQ(signature->dynamicExtents()[0], std::pair(0u, 0u));
  }
}

TEST_F(Kernel, ResultsAreReturnedOrPassed) {
  EXPECT_EQ(describe(KernelSignature::get(parse(asWritten))->results),
            "res0@ret0 res1@ret1 res2@ret2");
  EXPECT_EQ(describe(KernelSignature::get(parse(tiled))->results),
            "res0@ret0 res1@3 res2@4");
  EXPECT_EQ(describe(KernelSignature::get(parse(ofOneLane))->results),
            "res0@5 res1@3 res2@4");
  EXPECT_EQ(describe(KernelSignature::get(parse(tiled))->passed()),
            "arg0@0 arg1@1 arg2@2 res1@3 res2@4");
}

TEST_F(Kernel, PointersComeBeforeScalarsAndWorkspacesLast) {
  FailureOr<KernelSignature> signature = KernelSignature::get(parse(ofOneLane));
  ASSERT_TRUE(succeeded(signature)) << message;
  EXPECT_EQ(describe(signature->pointers()),
            "arg0@0 arg2@2 res0@5 res1@3 res2@4 work0@6");
  EXPECT_EQ(describe(signature->scalars()), "arg1@1");
}

TEST_F(Kernel, MarksNameTheResultsThatWereReturned) {
  FunctionOpInterface kernel = parse(R"mlir(
    func.func @k(%a: memref<4xf32>, %r: memref<4xf32>, %t: memref<4xf32>) {
      return
    })mlir");
  markResults(kernel, 1, {1, 0});
  EXPECT_EQ(describe(KernelSignature::get(kernel)->results), "res0@2 res1@1");
}

TEST_F(Kernel, BadMarksAreRefused) {
  auto function = [](StringRef arguments) {
    return ("func.func @k(" + arguments + ") { return }").str();
  };
  EXPECT_EQ(
      refusal(function("%a: memref<4xf32> {iree.abi.output = 1.0 : f32}")),
      "argument 0 has `iree.abi.output` = 1.000000e+00 : f32, needed the "
      "number of a result");
  EXPECT_EQ(
      refusal(function("%a: memref<4xf32> {iree.abi.output = -1 : index}")),
      "argument 0 has `iree.abi.output` = -1 : index, needed the number "
      "of a result");
  EXPECT_EQ(
      refusal(function("%a: f32 {iree.abi.output = 0 : index}")),
      "argument 0 of type 'f32' is marked as a result, which is a memref");
  EXPECT_EQ(refusal(function("%a: f32 {iree.abi.workspace}")),
            "argument 0 of type 'f32' is marked as a workspace, which is a "
            "memref");
  EXPECT_EQ(refusal(function("%a: memref<4xf32> {iree.abi.output = 0 : index, "
                             "iree.abi.workspace}")),
            "argument 0 is marked as a result and as a workspace");
  EXPECT_EQ(
      refusal(function("%a: memref<4xf32> {iree.abi.output = 0 : index}, "
                       "%b: memref<4xf32> {iree.abi.output = 0 : index}")),
      "arguments 0 and 1 are both marked as result 0");
  EXPECT_EQ(
      refusal(function("%a: memref<4xf32> {iree.abi.output = 1 : index}")),
      "argument 0 is marked as result 1, and there is no result 0");
}

TEST_F(Kernel, LevelIsThatOfTheForm) {
  EXPECT_EQ(levelOf(parse(asWritten)), Level::Grid);
  EXPECT_EQ(levelOf(parse(tiled)), Level::Grid);
  EXPECT_EQ(levelOf(parse(ofOneLane)), Level::Lane);
  EXPECT_EQ(levelOf(parse(R"mlir(
    func.func @k(%a: memref<4xf32>) {
      %i = gpu.block_id x
      return
    })mlir")),
            Level::Workgroup);
  EXPECT_EQ(levelOf(parse(R"mlir(
    func.func @k(%a: memref<4xf32>) {
      scf.forall (%i) in (4) {} {mapping = [#gpu.block<x>]}
      return
    })mlir")),
            Level::Grid);
  // A loop over lanes is none over workgroups.
  EXPECT_EQ(levelOf(parse(R"mlir(
    func.func @k(%a: memref<4xf32>) {
      scf.forall (%i) in (4) {} {mapping = [#gpu.thread<x>]}
      return
    })mlir")),
            Level::Workgroup);
}

TEST_F(Kernel, OpsOfOneLaneAreFound) {
  for (StringRef op :
       {"gpu.barrier", "%0 = gpu.thread_id x", "%0 = gpu.lane_id",
        "%0 = gpu.subgroup_id : index", "%0 = gpu.global_id y",
        "%0, %1 = gpu.shuffle xor %x, %x, %x : i32",
        "%0, %1 = gpu.rotate %x, 1, 16 : i32",
        "%0 = gpu.subgroup_broadcast %x, first_active_lane : i32",
        "%0 = gpu.subgroup_reduce add %x : (i32) -> i32",
        "%0 = gpu.all_reduce add %x {} : (i32) -> i32"}) {
    FunctionOpInterface kernel =
        parse(("func.func @k(%x: i32) { " + op + " return }").str());
    ASSERT_TRUE(kernel);
    EXPECT_TRUE(findLaneOp(kernel)) << op.str();
    EXPECT_TRUE(failed(verifyLevel(kernel, Level::Workgroup))) << op.str();
    EXPECT_NE(message.find("op is run by one lane, and a func.func is"),
              std::string::npos)
        << message;
  }
  // The same for all lanes of a workgroup.
  for (StringRef op :
       {"%0 = gpu.block_id x", "%0 = gpu.block_dim x", "%0 = gpu.grid_dim x",
        "%0 = gpu.num_subgroups : index", "%0 = gpu.subgroup_size : index"}) {
    FunctionOpInterface kernel =
        parse(("func.func @k(%x: i32) { " + op + " return }").str());
    EXPECT_TRUE(succeeded(verifyLevel(kernel, Level::Workgroup))) << op.str();
  }
}

TEST_F(Kernel, AWorkgroupsProgramIsAGridsOfOne) {
  EXPECT_TRUE(
      succeeded(verifyLevel(parse("func.func @k() { return }"), Level::Grid)));
  EXPECT_TRUE(failed(verifyLevel(parse(tiled), Level::Workgroup)));
  EXPECT_TRUE(failed(verifyLevel(parse(tiled), Level::Lane)));
  EXPECT_TRUE(succeeded(verifyLevel(parse(ofOneLane), Level::Lane)));
  EXPECT_TRUE(failed(verifyLevel(parse(ofOneLane), Level::Grid)));
  EXPECT_EQ(message, "'gpu.func' op is the program of one lane, needed that of "
                     "one grid");
}

TEST_F(Kernel, OthersAreNoKernels) {
  parse(ofOneLane);
  SmallVector<FunctionOpInterface> kernels = findKernels(*module);
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].getName(), "k");
  func::FuncOp grid = findGridFunction(kernels[0]);
  ASSERT_TRUE(grid);
  EXPECT_TRUE(isGridFunction(grid));
  EXPECT_FALSE(isKernel(grid));
}

TEST_F(Kernel, NamesThatAreNotFoundAreAnsweredByThoseThatAre) {
  parse(R"mlir(
    func.func private @declared(memref<4xf32>)
    func.func @one(%a: memref<4xf32>) { return }
    gpu.module @kernels {
      gpu.func @two(%a: memref<4xf32>) kernel { gpu.return }
    })mlir");
  EXPECT_EQ(message, "has several kernels, name one with --func: @one @two");
  EXPECT_EQ(findKernel(*module, "two").getName(), "two");
  EXPECT_FALSE(findKernel(*module, "declared"));
  EXPECT_EQ(message, "has no kernel @declared, it has @one @two");
  EXPECT_FALSE(parse("func.func private @declared(memref<4xf32>)"));
  EXPECT_EQ(message, "has no kernel: a kernel is a func.func with a body, or "
                     "for one lane a gpu.func kernel in a gpu.module");
}

TEST_F(Kernel, LaunchSizesAreTheSameAtEveryLevel) {
  using Sizes = std::array<int64_t, 3>;
  LaunchSizes none = launchSizesOf(parse(asWritten));
  EXPECT_FALSE(none.workgroup);
  EXPECT_FALSE(none.subgroup);
  EXPECT_EQ(none.numLanes(), 0);
  for (StringRef text : {StringRef(tiled), StringRef(ofOneLane)}) {
    LaunchSizes sizes = launchSizesOf(parse(text));
    EXPECT_EQ(sizes.workgroup, Sizes({32, 2, 1}));
    EXPECT_EQ(sizes.subgroup, 16);
    EXPECT_EQ(sizes.numLanes(), 64);
  }
}

/// The ids that a lane of such a workgroup reads, the number's value for one
/// that has 3, 5 and 7 as x, y and z.
struct ReadIds {
  std::string dimensions;
  int64_t number;
};

ReadIds linearIdOf(MLIRContext &context, std::array<int64_t, 3> workgroup) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  OpBuilder builder(module->getBodyRegion());
  Value id = linearLaneId(builder, builder.getUnknownLoc(), workgroup);
  ReadIds read;
  std::function<int64_t(Value)> valueOf = [&](Value value) -> int64_t {
    Operation *op = value.getDefiningOp();
    if (auto constant = dyn_cast<arith::ConstantIndexOp>(op))
      return constant.value();
    if (auto thread = dyn_cast<gpu::ThreadIdOp>(op)) {
      read.dimensions += "xyz"[size_t(thread.getDimension())];
      return std::array{3, 5, 7}[size_t(thread.getDimension())];
    }
    int64_t left = valueOf(op->getOperand(0));
    int64_t right = valueOf(op->getOperand(1));
    return isa<arith::MulIOp>(op) ? left * right : left + right;
  };
  read.number = valueOf(id);
  return read;
}

TEST_F(Kernel, LanesAreNumberedByTheIdsOfTheDimensionsThatThereAre) {
  context.loadDialect<arith::ArithDialect, gpu::GPUDialect>();
  struct Case {
    std::array<int64_t, 3> workgroup;
    std::string dimensions;
    int64_t number;
  } cases[] = {{{16, 8, 8}, "zyx", 3 + 16 * (5 + 8 * 7)},
               {{16, 8, 1}, "yx", 3 + 16 * 5},
               {{16, 1, 8}, "zx", 3 + 16 * 7},
               {{1, 8, 8}, "zy", 5 + 8 * 7},
               {{1, 8, 1}, "y", 5},
               {{1, 1, 8}, "z", 7},
               {{16, 1, 1}, "x", 3},
               {{1, 1, 1}, "x", 3}};
  for (const Case &each : cases) {
    ReadIds read = linearIdOf(context, each.workgroup);
    EXPECT_EQ(read.number, each.number) << each.dimensions;
    // In any order, and each once.
    EXPECT_TRUE(
        std::is_permutation(read.dimensions.begin(), read.dimensions.end(),
                            each.dimensions.begin(), each.dimensions.end()))
        << read.dimensions << " for " << each.dimensions;
  }
}

TEST_F(Kernel, FixedGridsAreKnownFromAnyForm) {
  using Sizes = std::array<int64_t, 3>;
  EXPECT_EQ(fixedGridOf(parse(tiled)), Sizes({2, 2, 1}));
  EXPECT_EQ(fixedGridOf(parse(R"mlir(
    func.func @k(%a: memref<4xf32>) {
      scf.forall (%i, %j) = (0, 1) to (2, 8) step (1, 4) {
      } {mapping = [#gpu.block<y>, #gpu.block<x>]}
      return
    })mlir")),
            Sizes({2, 2, 1}));
  EXPECT_EQ(fixedGridOf(parse(R"mlir(
    gpu.module @kernels {
      gpu.func @k() kernel
          attributes {known_grid_size = array<i32: 5, 1, 7>} {
        gpu.return
      }
    })mlir")),
            Sizes({5, 1, 7}));
  EXPECT_EQ(fixedGridOf(parse("func.func @k() { return }")), Sizes({1, 1, 1}));
  // Workgroups that depend on an extent, and a loop mapped to one number.
  EXPECT_EQ(fixedGridOf(parse(R"mlir(
    func.func @k(%a: memref<?xf32>) { return }
    func.func @k__grid(%m: index) -> (index, index, index) attributes {host} {
      %c1 = arith.constant 1 : index
      return %m, %c1, %c1 : index, index, index
    })mlir")),
            std::nullopt);
  EXPECT_EQ(fixedGridOf(parse(R"mlir(
    func.func @k(%a: memref<4xf32>) {
      scf.forall (%i) in (4) {} {mapping = [#gpu.block<linear_dim_0>]}
      return
    })mlir")),
            std::nullopt);
}

} // namespace
