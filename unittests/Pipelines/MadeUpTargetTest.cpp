//===- MadeUpTargetTest.cpp - Targets are data ----------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Machines that nobody builds, each another in every fact that a stage reads:
// lanes, registers, memories, banks, widths, alignments and rates. Kernels go
// the whole pipeline for them, run lane by lane, and compute what they should;
// the code keeps within what the machine has.
//
//===----------------------------------------------------------------------===//
#include "Journey.h"
#include "distaff/Analysis/Layout/LayoutChoice.h"
#include "distaff/Analysis/Registers/LiveRegisters.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Kernel/Kernel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "gtest/gtest.h"

using namespace distaff;
using journey_test::Journey;

namespace {

//===----------------------------------------------------------------------===//
// Machines
//===----------------------------------------------------------------------===//

constexpr Family madeUp = {"made-up"};

/// 16 lanes, few registers, accesses of 8 bytes although arrays begin on
/// multiples of 16: the width alone holds them down.
Target narrow() {
  return {
      .name = "narrow",
      .family = madeUp,
      .triple = "",
      .chip = "",
      .features = "",
      .capability = {0, 0, /*exact=*/true},
      .subgroupSize = 16,
      .maxWorkgroupSize = 128,
      .registersPerLane = 96,
      .accumulationRegisters = 0,
      .registersPerUnit = 6144,
      .registerGranule = 4,
      .overheadRegisters = 10,
      .spillableRegisters = 4096,
      .instructionCacheBytes = 16 * 1024,
      .computeUnits = 6,
      .residency = {.workgroups = 8,
                    .lanes = 256,
                    .sharedBytes = 12 * 1024,
                    .sharedGranule = 64,
                    .sharedReserved = 100},
      .sharedMemoryBytes = 6 * 1024,
      .dynamicSharedMemoryBytes = 10 * 1024,
      .asyncCopyBytes = {},
      .maxGrid = {4000, 16, 8},
      .mma = {},
      .narrowConversions = {},
      .costs = {.move = 0,
                .bytePermute = 3,
                .select = 1,
                .shuffle = 6,
                .sharedWavefront = 5,
                .barrier = 30,
                .addressOp = 1},
      .banks = {.banks = 16,
                .bankBytes = 4,
                .phaseBytes = 64,
                .maxAccessBytes = 8},
      .barriers = {},
      .globalMemory = {.sectorBytes = 16,
                       .lineBytes = 64,
                       .maxAccessBits = 64,
                       .baseAlignmentBytes = 16,
                       .issueCost = 3,
                       .sectorCost = 5,
                       .latency = 150},
      .issue = {.issuers = 2,
                .multiplyAdd = 1,
                .division = 12,
                .function = 9,
                .shuffleLatency = 11,
                .meetingLatency = 100,
                .handOut = 2,
                .start = 20},
      .laneReductionCost = 0,
      .mirrorsHalfRows = false,
  };
}

/// 64 lanes, accesses of 16 bytes, but arrays that begin on multiples of 8: the
/// alignment alone holds them down.
Target unaligned() {
  Target target = narrow();
  target.name = "unaligned";
  target.subgroupSize = 64;
  target.maxWorkgroupSize = 256;
  target.registersPerLane = 128;
  target.registersPerUnit = 32768;
  target.sharedMemoryBytes = target.dynamicSharedMemoryBytes = 20 * 1024;
  target.residency.sharedBytes = 24 * 1024;
  target.banks = {64, 4, 256, 16};
  target.globalMemory.maxAccessBits = 128;
  target.globalMemory.baseAlignmentBytes = 8;
  return target;
}

/// 8 lanes, accesses of one word.
Target wordwise() {
  Target target = narrow();
  target.name = "wordwise";
  target.subgroupSize = 8;
  target.maxWorkgroupSize = 64;
  target.banks = {8, 4, 32, 4};
  target.globalMemory.maxAccessBits = 32;
  return target;
}

/// 32 lanes and the instructions of mma.sync, accesses of 8 bytes.
Target multiplying() {
  Target target = narrow();
  target.name = "multiplying";
  target.subgroupSize = 32;
  target.maxWorkgroupSize = 256;
  target.registersPerUnit = 24576;
  target.sharedMemoryBytes = target.dynamicSharedMemoryBytes = 24 * 1024;
  target.residency.sharedBytes = 28 * 1024;
  target.banks = {32, 4, 128, 8};
  target.mma = lookupTarget("sm_80")->mma;
  return target;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

std::string elementwise(const std::string &shape, const std::string &type) {
  std::string tensor = "tensor<" + shape + "x" + type + ">";
  return "#id = affine_map<(i, j) -> (i, j)>\n"
         "func.func @elementwise(%a: " +
         tensor + ", %b: " + tensor + ") -> " + tensor +
         " {\n"
         "  %e = tensor.empty() : " +
         tensor +
         "\n"
         "  %r = linalg.generic {indexing_maps = [#id, #id, #id], "
         "iterator_types = [\"parallel\", \"parallel\"]} ins(%a, %b : " +
         tensor + ", " + tensor + ") outs(%e : " + tensor +
         ") {\n"
         "  ^bb0(%x: " +
         type + ", %y: " + type + ", %o: " + type +
         "):\n"
         "    %p = arith.mulf %x, %y : " +
         type + "\n    %s = arith.addf %p, %x : " + type +
         "\n    linalg.yield %s : " + type + "\n  } -> " + tensor +
         "\n  return %r : " + tensor + "\n}\n";
}

std::string rowSum(int64_t rows, int64_t columns) {
  std::string input = "tensor<" + std::to_string(rows) + "x" +
                      std::to_string(columns) + "xf32>";
  std::string result = "tensor<" + std::to_string(rows) + "xf32>";
  return "func.func @row_sum(%x: " + input + ") -> " + result +
         " {\n  %z = arith.constant 0.0 : f32\n  %e = tensor.empty() : " +
         result + "\n  %i = linalg.fill ins(%z : f32) outs(%e : " + result +
         ") -> " + result +
         "\n  %r = linalg.reduce { arith.addf } ins(%x : " + input +
         ") outs(%i : " + result +
         ") dimensions = [1]\n  return %r : " + result + "\n}\n";
}

std::string softmax(const std::string &shape) {
  std::string tensor = "tensor<" + shape + "xf32>";
  return "func.func @softmax(%x: " + tensor + ") -> " + tensor +
         " {\n  %e = tensor.empty() : " + tensor +
         "\n  %y = linalg.softmax dimension(1) ins(%x : " + tensor +
         ") outs(%e : " + tensor + ") -> " + tensor +
         "\n  return %y : " + tensor + "\n}\n";
}

std::string matmul(int64_t m, int64_t n, int64_t k, const std::string &type) {
  auto tensor = [](int64_t rows, int64_t columns, const std::string &element) {
    return "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) +
           "x" + element + ">";
  };
  std::string a = tensor(m, k, type), b = tensor(k, n, type);
  std::string c = tensor(m, n, "f32");
  return "func.func @matmul(%a: " + a + ", %b: " + b + ") -> " + c +
         " {\n  %z = arith.constant 0.0 : f32\n  %e = tensor.empty() : " + c +
         "\n  %i = linalg.fill ins(%z : f32) outs(%e : " + c + ") -> " + c +
         "\n  %r = linalg.matmul ins(%a, %b : " + a + ", " + b +
         ") outs(%i : " + c + ") -> " + c + "\n  return %r : " + c + "\n}\n";
}

/// Rows on lanes become columns on lanes, of two subgroups, through workgroup
/// memory.
std::string conversion(const Target &target) {
  int64_t lanes = target.subgroupSize;
  auto number = [](int64_t value) { return std::to_string(value); };
  std::string shape = number(2 * lanes) + "x16xf32";
  return "#info = #iree_codegen.translation_info<workgroup_size = [" +
         number(2 * lanes) + ", 1, 1] subgroup_size = " + number(lanes) +
         ">\n"
         "#rows = #iree_vector_ext.nested_layout<subgroup_tile = [2, 1], "
         "batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [" +
         number(lanes) +
         ", 1], element_tile = [1, 16], subgroup_strides = [1, 0], "
         "thread_strides = [1, 0]>\n"
         "#columns = #iree_vector_ext.nested_layout<subgroup_tile = [1, 2], "
         "batch_tile = [16, 1], outer_tile = [1, 1], thread_tile = [" +
         number(lanes / 8) +
         ", 8], element_tile = [1, 1], subgroup_strides = [0, 1], "
         "thread_strides = [8, 1]>\n"
         "func.func @conversion(%m: memref<" +
         shape + ">, %o: memref<" + shape +
         ">) attributes {translation_info = #info} {\n"
         "  %c0 = arith.constant 0 : index\n  %z = arith.constant 0.0 : f32\n"
         "  %0 = vector.transfer_read %m[%c0, %c0], %z {in_bounds = [true, "
         "true]} : memref<" +
         shape + ">, vector<" + shape +
         ">\n"
         "  %x = iree_vector_ext.to_layout %0 to layout(#rows) : vector<" +
         shape + ">\n  %d = arith.addf %x, %x : vector<" + shape +
         ">\n"
         "  %y = iree_vector_ext.to_layout %d to layout(#columns) : vector<" +
         shape +
         ">\n"
         "  vector.transfer_write %y, %o[%c0, %c0] {in_bounds = [true, true]} "
         ": vector<" +
         shape + ">, memref<" + shape + ">\n  return\n}\n";
}

//===----------------------------------------------------------------------===//
// What the code takes
//===----------------------------------------------------------------------===//

/// Bits of the widest access of each memory, and what the code allocates.
struct Usage {
  int64_t globalBits = 0, workgroupBits = 0;
  int64_t globalAlignment = 0, workgroupAlignment = 0;
  int64_t workgroupBytes = 0, instructions = 0, barriers = 0;

  void count(MemRefType memory, VectorType vector, Operation *op) {
    bool isShared = gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(memory);
    int64_t bits = vector.getNumElements() * vector.getElementTypeBitWidth();
    int64_t &widest = isShared ? workgroupBits : globalBits;
    int64_t &alignment = isShared ? workgroupAlignment : globalAlignment;
    widest = std::max(widest, bits);
    if (auto claimed = op->getAttrOfType<IntegerAttr>("alignment"))
      alignment = std::max(alignment, claimed.getInt());
  }

  static Usage of(ModuleOp module) {
    Usage usage;
    module.walk([&](Operation *op) {
      if (auto load = dyn_cast<vector::LoadOp>(op))
        usage.count(load.getMemRefType(), load.getVectorType(), op);
      if (auto store = dyn_cast<vector::StoreOp>(op))
        usage.count(store.getMemRefType(), store.getVectorType(), op);
      if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
        MemRefType type = alloc.getType();
        usage.workgroupBytes +=
            type.getNumElements() * type.getElementTypeBitWidth() / 8;
      }
      usage.instructions += isa<iree::InnerTiledOp>(op);
      usage.barriers += isa<gpu::BarrierOp>(op);
    });
    return usage;
  }
};

class MadeUpTarget : public testing::TestWithParam<Target (*)()> {
protected:
  MadeUpTarget() : target(GetParam()()), known(target) {}

  void expectLaunchFits(Operation *kernel) {
    auto info = kernel->getAttrOfType<iree::TranslationInfoAttr>(
        iree::TranslationInfoAttr::attributeName);
    ASSERT_TRUE(info);
    EXPECT_EQ(info.getSubgroupSize(), target.subgroupSize);
    EXPECT_LE(info.getNumThreads(), target.maxWorkgroupSize);
    EXPECT_EQ(info.getNumThreads() % target.subgroupSize, 0);
  }

  /// Registers as the layouts need them, before they are scalars.
  void expectRegistersFit(const std::string &text) {
    auto module = journey.parse(text);
    ASSERT_TRUE(journey.take(*module, target, "assign-layouts"))
        << journey.messages;
    auto kernel = *module->getOps<func::FuncOp>().begin();
    FailureOr<LayoutMap> layouts = propagateLayouts(kernel);
    ASSERT_TRUE(succeeded(layouts));
    FailureOr<HardwareShape> hardware = hardwareShapeOf(kernel);
    ASSERT_TRUE(succeeded(hardware));
    EXPECT_LE(mostLiveRegisters(kernel, *layouts, *hardware).vectors,
              target.registersFor(hardware->subgroups * hardware->lanes));
    expectLaunchFits(kernel);
  }

  /// Down the pipeline, onto the machine, and within what the target has.
  Usage expectRuns(const std::string &text) {
    SCOPED_TRACE(target.name.str() + ": " + text);
    expectRegistersFit(text);
    auto source = journey.parse(text), compiled = journey.parse(text);
    if (!source || !journey.take(*compiled, target)) {
      ADD_FAILURE() << journey.messages;
      return {};
    }
    EXPECT_EQ(journey.compare(*source, *compiled, target), "");
    Usage usage = Usage::of(*compiled);
    EXPECT_LE(usage.globalBits, target.globalMemory.maxAccessBits);
    EXPECT_LE(usage.workgroupBits, 8 * target.banks.maxAccessBytes);
    EXPECT_LE(usage.globalAlignment, target.globalMemory.baseAlignmentBytes);
    EXPECT_LE(usage.workgroupAlignment, target.workgroupAlignment());
    EXPECT_LE(usage.workgroupBytes, target.dynamicSharedMemoryBytes);
    return usage;
  }

  Target target;
  TargetRegistration known;
  Journey journey;
};

TEST_P(MadeUpTarget, ElementwiseTakesTheWidestAccessThereIs) {
  int64_t widest = std::min(target.globalMemory.maxAccessBits,
                            8 * target.globalMemory.baseAlignmentBytes);
  // One word is no vector.
  int64_t ofFloats = widest == 32 ? 0 : widest;
  EXPECT_EQ(expectRuns(elementwise("64x128", "f32")).globalBits, ofFloats);
  EXPECT_EQ(expectRuns(elementwise("64x128", "f16")).globalBits, widest);
}

TEST_P(MadeUpTarget, RaggedExtentsComputeWhatTheyShould) {
  expectRuns(elementwise("37x53", "f32"));
  expectRuns(elementwise("30x42", "f16"));
  expectRuns(rowSum(37, 100));
  expectRuns(softmax("10x51"));
  expectRuns(matmul(30, 42, 18, "f32"));
}

TEST_P(MadeUpTarget, ReductionsMeetAcrossLanesAndSubgroups) {
  expectRuns(rowSum(64, 128));
  expectRuns(rowSum(2, 2048));
  expectRuns(softmax("32x96"));
}

TEST_P(MadeUpTarget, ProductsUseWhatInstructionsThereAre) {
  expectRuns(matmul(48, 32, 24, "f32"));
  Usage usage = expectRuns(matmul(64, 64, 32, "f16"));
  EXPECT_EQ(usage.instructions > 0, !target.mma.empty());
}

TEST_P(MadeUpTarget, ConversionsGoThroughItsWorkgroupMemory) {
  Usage usage = expectRuns(conversion(target));
  EXPECT_GT(usage.barriers, 0);
  EXPECT_GT(usage.workgroupBytes, 0);
  EXPECT_EQ(journey.bankConflicts, 0);
}

/// Written for one lane: rows of four numbers through workgroup memory.
std::string staged(const Target &target) {
  std::string lanes = std::to_string(target.subgroupSize);
  std::string rows = "memref<" + lanes + "x4xf32";
  std::string shared = rows + ", #gpu.address_space<workgroup>>";
  return "gpu.module @kernels { gpu.func @staged(%i: " + rows +
         ">, %o: " + rows +
         ">) kernel attributes {known_block_size = array<i32: " + lanes +
         ", 1, 1>} {\n  %c0 = arith.constant 0 : index\n"
         "  %t = gpu.thread_id x\n  %m = memref.alloc() : " +
         shared + "\n  %v = vector.load %i[%t, %c0] : " + rows +
         ">, vector<4xf32>\n  vector.store %v, %m[%t, %c0] : " + shared +
         ", vector<4xf32>\n  gpu.barrier\n"
         "  %w = vector.load %m[%t, %c0] : " +
         shared + ", vector<4xf32>\n  vector.store %w, %o[%t, %c0] : " + rows +
         ">, vector<4xf32>\n  gpu.return\n} }\n";
}

TEST_P(MadeUpTarget, WorkgroupMemoryIsAccessedAsWideAsItsBanksAllow) {
  auto module = journey.parse(staged(target));
  ASSERT_TRUE(module && journey.take(*module, target)) << journey.messages;
  int64_t widest =
      std::min<int64_t>({128, 8 * target.banks.maxAccessBytes,
                         8 * target.globalMemory.baseAlignmentBytes});
  EXPECT_EQ(Usage::of(*module).workgroupBits, widest == 32 ? 0 : widest);
}

/// An array of which a workgroup has four numbers.
std::string manyWorkgroups(const std::string &shape, const Target &target) {
  std::string lanes = std::to_string(target.subgroupSize);
  std::string tensor = "tensor<" + shape + "xf32>";
  return "#id = affine_map<(i, j, k) -> (i, j, k)>\n"
         "func.func @many(%a: " +
         tensor + ") -> " + tensor +
         " attributes {translation_info = #iree_codegen.translation_info<"
         "workgroup_size = [" +
         lanes + ", 1, 1] subgroup_size = " + lanes +
         ">} {\n  %e = tensor.empty() : " + tensor +
         "\n  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types "
         "= [\"parallel\", \"parallel\", \"parallel\"], lowering_config = "
         "#iree_gpu.lowering_config<{workgroup = [1, 1, 4]}>} ins(%a : " +
         tensor + ") outs(%e : " + tensor +
         ") {\n  ^bb0(%x: f32, %o: f32):\n    %n = arith.negf %x : f32\n"
         "    linalg.yield %n : f32\n  } -> " +
         tensor + "\n  return %r : " + tensor + "\n}\n";
}

// z and y that are too long are walked by the loop inside them, x by none.
TEST_P(MadeUpTarget, GridsAreThoseThatItLaunches) {
  using Grid = std::array<int64_t, 3>;
  for (auto [shape, grid] :
       {std::pair("8x16x64", Grid{16, 16, 8}), // at the limits
        std::pair("9x16x64", Grid{2304, 1, 1}),
        std::pair("8x17x64", Grid{2176, 1, 1}),
        std::pair("17x1x64", Grid{272, 1, 1}),
        std::pair("1x9x64", Grid{16, 9, 1}),
        std::pair("16x1x8", Grid{2, 16, 1}),
        std::pair("1x1x16000", Grid{4000, 1, 1})}) {
    auto module = journey.parse(manyWorkgroups(shape, target));
    ASSERT_TRUE(module && journey.take(*module, target, "tile", "tile"))
        << shape << journey.messages;
    EXPECT_EQ(fixedGridOf(findKernels(*module).front()), grid) << shape;
  }
  auto module = journey.parse(manyWorkgroups("9x16x128", target));
  EXPECT_FALSE(journey.take(*module, target, "tile", "tile"));
  EXPECT_NE(journey.messages.find("has 4608 workgroups along x, " +
                                  target.name.str() + " launches up to 4000"),
            std::string::npos)
      << journey.messages;
}

INSTANTIATE_TEST_SUITE_P(All, MadeUpTarget,
                         testing::Values(narrow, unaligned, wordwise,
                                         multiplying),
                         [](const auto &info) {
                           return info.param().name.str();
                         });

} // namespace
