//===- EmitTest.cpp - Lowered kernels become code -------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels are written as `distribute` leaves them. Text is checked for what
// must be in it; PTX is also assembled, and without ptxas that is a skip.
//
//===----------------------------------------------------------------------===//
#include "distaff/Pipelines/Emit.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Pipelines/Backend.h"
#include "distaff/Pipelines/Lower.h"
#include "distaff/Pipelines/VectorDistribute.h"
#include "distaff/Target/Target.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringSwitch.h"
#include "gtest/gtest.h"

using namespace distaff;

namespace {

class Emit : public testing::Test {
protected:
  Emit() : context(registry()) {
    context.printOpOnDiagnostic(false);
    context.getDiagEngine().registerHandler(
        [this](Diagnostic &diagnostic) { messages += diagnostic.str(); });
  }

  /// What could not be checked is reported, and hides no failure.
  void TearDown() override {
    if (unassembled)
      GTEST_SKIP() << unassembled << " texts were not assembled: no ptxas";
  }

  static const DialectRegistry &registry() {
    static DialectRegistry registry = [] {
      DialectRegistry all;
      all.insert<affine::AffineDialect, arith::ArithDialect, func::FuncDialect,
                 gpu::GPUDialect, LLVM::LLVMDialect, math::MathDialect,
                 memref::MemRefDialect, NVVM::NVVMDialect, ROCDL::ROCDLDialect,
                 scf::SCFDialect, ub::UBDialect, vector::VectorDialect>();
      iree::registerIREE(all);
      return all;
    }();
    return registry;
  }

  /// A kernel of one subgroup of the target.
  static std::string kernel(const Target &target, StringRef arguments,
                            StringRef body, StringRef symbols = "") {
    std::string size = std::to_string(target.subgroupSize);
    return "gpu.module @kernels {\n" + symbols.str() + "gpu.func @k(" +
           arguments.str() +
           ") kernel attributes {known_block_size = array<i32: " + size +
           ", 1, 1>, translation_info = #iree_codegen.translation_info<"
           "subgroup_size = " +
           size + ">} {\n" + body.str() + "\ngpu.return\n}\n}\n";
  }

  FailureOr<std::string> emit(const Target &target, StringRef kind,
                              StringRef source) {
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(source, ParserConfig(&context));
    EXPECT_TRUE(module) << messages;
    PassManager passes(&context);
    addLowerStage(passes, {.target = target});
    EXPECT_TRUE(succeeded(passes.run(*module))) << messages;
    return emitCode(*module, target, kind);
  }

  /// Assembly text; for PTX, ptxas has accepted it, or the test is skipped.
  std::string assembly(const Target &target, StringRef source) {
    bool isNvidia = target.family == Family::NVPTX;
    FailureOr<std::string> text =
        emit(target, isNvidia ? "ptx" : "gcn", source);
    EXPECT_TRUE(succeeded(text)) << target.name.str() << ": " << messages;
    if (failed(text))
      return "";
    if (!isNvidia)
      return *text;
    const CodeKind &cubin = *lookupBackend(target)->findKind("cubin");
    if (cubin.whyMissing())
      ++unassembled;
    else
      EXPECT_TRUE(
          succeeded(cubin.finish(UnknownLoc::get(&context), *text, target)))
          << messages << *text;
    return *text;
  }

  MLIRContext context;
  std::string messages;
  int64_t unassembled = 0;
};

int64_t occurrences(StringRef text, StringRef what) { return text.count(what); }

/// One instruction of a row on operands loaded from memory.
std::string mmaBody(const MmaRow &row) {
  auto tile = [](const Fragment &fragment, ScalarKind kind) {
    return "1x1x" + std::to_string(fragment.shape[0]) + "x" +
           std::to_string(fragment.shape[1]) + "x" + elementNameOf(kind).str();
  };
  auto zero = [](ScalarKind kind) {
    return std::string(isInteger(kind) ? "0 : " : "0.0 : ") +
           elementNameOf(kind).str() + "\n";
  };
  std::string a = tile(row.fragmentA, row.a), b = tile(row.fragmentB, row.b);
  std::string c = tile(row.fragmentC, row.c);
  auto read = [](const std::string &name, const std::string &type,
                 StringRef zero) {
    return "%" + name + " = vector.transfer_read %m" + name +
           "[%0, %0, %0, %0], %" + zero.str() +
           " {in_bounds = [true, true, true, true]} : memref<" + type +
           ">, vector<" + type + ">\n";
  };
  return "%0 = arith.constant 0 : index\n%za = arith.constant " + zero(row.a) +
         "%zb = arith.constant " + zero(row.b) + "%zc = arith.constant " +
         zero(row.c) + read("a", a, "za") + read("b", b, "zb") +
         read("c", c, "zc") +
         "%d = iree_codegen.inner_tiled ins(%a, %b) outs(%c) {indexing_maps = "
         "[affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, "
         "affine_map<(m, n, k) -> (m, n)>], kind = #iree_gpu.mma_layout<" +
         row.name.str() + ">} : vector<" + a + ">, vector<" + b +
         "> into vector<" + c +
         ">\nvector.transfer_write %d, %mc[%0, %0, %0, "
         "%0] {in_bounds = [true, true, true, true]} : vector<" +
         c + ">, memref<" + c + ">";
}

std::string mmaArguments(const MmaRow &row) {
  auto memref = [](StringRef name, const Fragment &fragment, ScalarKind kind) {
    return "%" + name.str() + ": memref<1x1x" +
           std::to_string(fragment.shape[0]) + "x" +
           std::to_string(fragment.shape[1]) + "x" + elementNameOf(kind).str() +
           ">";
  };
  return memref("ma", row.fragmentA, row.a) + ", " +
         memref("mb", row.fragmentB, row.b) + ", " +
         memref("mc", row.fragmentC, row.c);
}

// VX-103 among others: every row of every target's table is one instruction.
TEST_F(Emit, EveryMmaRowIsOneInstruction) {
  for (const Target *target : gpuTargets())
    for (const MmaRow &row : target->mma) {
      if (bitWidthOf(row.a) < 8)
        continue; // There are no arrays of such.
      std::string text =
          assembly(*target, kernel(*target, mmaArguments(row), mmaBody(row)));
      StringRef mnemonic = target->family == Family::NVPTX
                               ? StringRef(row.instruction)
                           : row.name.starts_with("MFMA") ? "v_mfma_"
                                                          : "v_wmma_";
      EXPECT_EQ(occurrences(text, mnemonic), 1) << row.name.str() << "\n"
                                                << text;
    }
}

TEST_F(Emit, MathBecomesInstructionsOnEveryTarget) {
  for (const Target *target : gpuTargets()) {
    std::string body = "%0 = arith.constant 0 : index\n"
                       "%v0 = memref.load %m[%0] : memref<1xf32>\n";
    int64_t number = 0;
    for (StringRef name :
         {"exp",   "exp2",  "log",  "log2", "log10", "log1p", "expm1",
          "sin",   "cos",   "tanh", "erf",  "sqrt",  "rsqrt", "atan",
          "floor", "round", "sinh", "cosh", "cbrt",  "asin",  "acos"}) {
      body += "%v" + std::to_string(number + 1) + " = math." + name.str() +
              " %v" + std::to_string(number) + " : f32\n";
      ++number;
    }
    std::string last = "%v" + std::to_string(number);
    for (StringRef name : {"maximumf", "minimumf", "maxnumf", "minnumf"}) {
      std::string next = "%w" + name.str();
      body += next + " = arith." + name.str() + " " + last + ", %v0 : f32\n";
      last = next;
    }
    body += "memref.store " + last + ", %m[%0] : memref<1xf32>";
    std::string text =
        assembly(*target, kernel(*target, "%m: memref<1xf32>", body));
    EXPECT_EQ(occurrences(text, "call.uni"), 0);
    EXPECT_EQ(occurrences(text, "s_swappc"), 0);
  }
}

/// The PTX instruction that reduces a word over all lanes, or nothing.
static StringRef reductionOf(StringRef type, StringRef kind) {
  if (!llvm::is_contained({"i1", "i8", "i16", "i32"}, type))
    return "";
  return llvm::StringSwitch<StringRef>(kind)
      .Case("add", "redux.sync.add.")
      .Case("maxsi", "redux.sync.max.s32")
      .Case("maxui", "redux.sync.max.u32")
      .Case("minui", "redux.sync.min.u32")
      .Case("or", "redux.sync.or.b32")
      .Default("");
}

// Reductions over subgroups of elements of every width.
TEST_F(Emit, ReductionsOfEveryWidthAssemble) {
  for (const Target *target : gpuTargets())
    for (auto [type, kind] : {std::pair{"i8", "add"},
                              {"i16", "maxsi"},
                              {"i32", "minui"},
                              {"i32", "maxui"},
                              {"i64", "xor"},
                              {"f16", "maxnumf"},
                              {"bf16", "add"},
                              {"f32", "maximumf"},
                              {"f64", "add"},
                              {"i1", "or"}}) {
      std::string memref = std::string("memref<64x") + type + ">";
      std::string body =
          "%t = gpu.thread_id x\n%v = memref.load %m[%t] : " + memref +
          "\n%r = gpu.subgroup_reduce " + kind + " %v : (" + type + ") -> " +
          type + "\nmemref.store %r, %m[%t] : " + memref;
      std::string text =
          assembly(*target, kernel(*target, "%m: " + memref, body));
      // From sm_80 on one instruction reduces integers of up to 32 bits.
      bool isNvidia = target->family == Family::NVPTX;
      if (StringRef one = reductionOf(type, kind);
          isNvidia && target->capability.major >= 8 && !one.empty()) {
        EXPECT_EQ(occurrences(text, one), 1) << type << "\n" << text;
        EXPECT_EQ(occurrences(text, "shfl.sync"), 0) << type;
        continue;
      }
      int rounds = 0;
      for (StringRef exchange : {"shfl.sync.bfly", "ds_bpermute", "ds_swizzle",
                                 "_dpp", "v_permlane"})
        rounds += occurrences(text, exchange);
      EXPECT_GE(rounds, 5) << type;
    }
}

// Nothing is linked, so what LLVM or the conversion would call is refused.
TEST_F(Emit, CallsOfALibraryAreRefused) {
  for (const Target *target : gpuTargets()) {
    messages.clear();
    StringRef kind = target->family == Family::NVPTX ? "ptx" : "gcn";
    EXPECT_TRUE(
        failed(emit(*target, kind,
                    kernel(*target, "%x: i32",
                           "func.call @elsewhere(%x) : (i32) -> ()",
                           "func.func private @elsewhere(i32)\n"))) ||
        failed(emit(*target, kind,
                    kernel(*target, "%x: i32", "gpu.printf \"%d\", %x : i32"))))
        << target->name.str();
    EXPECT_NE(messages, "");
  }
}

TEST_F(Emit, PrintfIsRefused) {
  const Target &target = *lookupTarget("sm_80");
  EXPECT_TRUE(
      failed(emit(target, "ptx",
                  kernel(target, "%x: i32", "gpu.printf \"%d\", %x : i32"))));
  EXPECT_NE(
      messages.find("'gpu.printf' op has no code for sm_80: no launch prints"),
      std::string::npos)
      << messages;
}

// What upstream's patterns may do is not known of every op: a crash in them,
// here of whoever hears them complain, is an error.
TEST_F(Emit, CrashesOfTheConversionAreErrors) {
  bool isArmed = true;
  std::string after;
  context.getDiagEngine().registerHandler([&](Diagnostic &diagnostic) {
    if (!std::exchange(isArmed, false))
      after += diagnostic.str() + "\n";
    else
      __builtin_trap();
  });
  for (const Target *target : gpuTargets()) {
    bool isNvidia = target->family == Family::NVPTX;
    isArmed = true;
    after.clear();
    EXPECT_TRUE(failed(emit(*target, isNvidia ? "ptx" : "gcn",
                            kernel(*target, "%x: i32",
                                   "%r = gpu.all_reduce add %x {} : (i32) -> "
                                   "(i32)"))));
    EXPECT_NE(after.find("MLIR does not convert this for " +
                         target->name.str() + ": it crashed"),
              std::string::npos)
        << after;
  }
}

// Private memory and tables of constants are aligned for the widest access,
// and private memory has a space of its own.
TEST_F(Emit, MemoryIsAlignedAsPromised) {
  const char *body = R"(
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %p = memref.alloca() : memref<64xf32>
    %q = memref.get_global @table : memref<64xf32>
    %v = vector.load %q[%c0] {alignment = 16 : i64} : memref<64xf32>, vector<4xf32>
    vector.store %v, %m[%c0] {alignment = 16 : i64} : memref<64xf32>, vector<4xf32>
    %w = memref.load %m[%t] : memref<64xf32>
    memref.store %w, %p[%t] : memref<64xf32>
    %k32 = arith.fptosi %w : f32 to i32
    %k = arith.index_cast %k32 : i32 to index
    %r = memref.load %p[%k] : memref<64xf32>
    %s = memref.load %q[%k] : memref<64xf32>
    %u = arith.addf %r, %s : f32
    memref.store %u, %m[%t] : memref<64xf32>)";
  for (const Target *target : gpuTargets()) {
    std::string table;
    for (int i = 0; i < 64; ++i)
      table += (i ? ", " : "") + std::to_string(i * i) + ".0";
    std::string source = "memref.global \"private\" constant @table : "
                         "memref<64xf32> = dense<[" +
                         table + "]> {alignment = 4 : i64}\n";
    source = kernel(*target, "%m: memref<64xf32>", body, source);
    FailureOr<std::string> text = emit(*target, "llvm", source);
    ASSERT_TRUE(succeeded(text)) << messages;
    bool isNvidia = target->family == Family::NVPTX;
    EXPECT_EQ(occurrences(*text, "alloca [64 x float], i64 1, align 16") +
                  occurrences(*text, "alloca [64 x float], align 16"),
              1)
        << *text;
    EXPECT_EQ(occurrences(*text, "align 16, addrspace(5)"), isNvidia ? 0 : 1)
        << *text;
    StringRef rest = StringRef(*text).split("@table =").second;
    EXPECT_TRUE(rest.split('\n').first.ends_with("align 16")) << *text;
    // CDNA has scratch instructions since the third.
    bool isEarly = target->name == "gfx908" || target->name == "gfx90a";
    EXPECT_GE(occurrences(assembly(*target, source), isNvidia ? "ld.local"
                                                     : isEarly
                                                         ? "buffer_load_"
                                                         : "scratch_load"),
              1);
  }
}

// One access of 16 bytes is one instruction.
TEST_F(Emit, WideAccessesAreOneInstruction) {
  const char *body = R"(
    %t = gpu.thread_id x
    %c4 = arith.constant 4 : index
    %c256 = arith.constant 256 : index
    %i = arith.muli %t, %c4 : index
    %j = arith.addi %i, %c256 : index
    %v = vector.load %m[%i] {alignment = 16 : i64} : memref<512xf32>, vector<4xf32>
    vector.store %v, %m[%j] {alignment = 16 : i64} : memref<512xf32>, vector<4xf32>)";
  for (const Target *target : gpuTargets()) {
    std::string text =
        assembly(*target, kernel(*target, "%m: memref<512xf32>", body));
    // RDNA3 and RDNA4 count in bits, CDNA in words.
    bool isNvidia = target->family == Family::NVPTX;
    bool isRdna =
        target->name.starts_with("gfx11") || target->name.starts_with("gfx12");
    std::string width = isRdna ? "b128" : "dwordx4";
    EXPECT_EQ(occurrences(text, isNvidia ? "ld.global.v4.b32"
                                         : "global_load_" + width),
              1)
        << text;
    EXPECT_EQ(occurrences(text, isNvidia ? "st.global.v4.b32"
                                         : "global_store_" + width),
              1)
        << text;
  }
}

TEST_F(Emit, PtxNamesItsTarget) {
  for (const char *name : {"sm_80", "sm_90a"}) {
    const Target &target = *lookupTarget(name);
    std::string text = assembly(target, kernel(target, "", ""));
    EXPECT_EQ(occurrences(text, std::string(".target ") + name + "\n"), 1)
        << text;
    EXPECT_EQ(occurrences(text, ".reqntid 32, 1, 1"), 1) << text;
  }
}

TEST_F(Emit, CodeObjectsAreLinked) {
  const Target &target = *lookupTarget("gfx942");
  FailureOr<std::string> object = emit(target, "hsaco", kernel(target, "", ""));
  ASSERT_TRUE(succeeded(object)) << messages;
  EXPECT_EQ(object->substr(0, 4), "\x7f"
                                  "ELF");
}

TEST_F(Emit, KindsOfTheOtherVendorAreRefused) {
  const Target &target = *lookupTarget("gfx942");
  EXPECT_TRUE(failed(emit(target, "ptx", kernel(target, "", ""))));
  EXPECT_NE(messages.find("there is no ptx code for gfx942"), std::string::npos)
      << messages;
}

TEST_F(Emit, FamiliesWithoutABackendAreRefused) {
  Target target = *lookupTarget("sm_80");
  target.name = "made_up";
  target.family = {"made-up"};
  TargetRegistration known(target);
  for (const char *kind : {"llvm", "ptx", "hsaco"}) {
    messages.clear();
    EXPECT_TRUE(failed(emit(target, kind, kernel(target, "", ""))));
    for (const char *part : {"made_up", "made-up", "nvptx", "amdgpu"})
      EXPECT_NE(messages.find(part), std::string::npos) << messages;
  }
}

// Widths and promises are the target's, in the code of a vendor too.
TEST_F(Emit, AccessesAreAsWideAsTheTargetHasThem) {
  Target target = *lookupTarget("sm_80");
  target.name = "sm_80_narrow";
  target.globalMemory.maxAccessBits = 64;
  target.globalMemory.baseAlignmentBytes = 32;
  TargetRegistration known(target);
  const char *body = R"(
    %t = gpu.thread_id x
    %z = arith.constant 0.0 : f32
    %c4 = arith.constant 4 : index
    %c256 = arith.constant 256 : index
    %i = arith.muli %t, %c4 : index
    %j = arith.addi %i, %c256 : index
    %v = vector.transfer_read %m[%i], %z {in_bounds = [true]} : memref<512xf32>, vector<4xf32>
    vector.transfer_write %v, %m[%j] {in_bounds = [true]} : vector<4xf32>, memref<512xf32>)";
  std::string text =
      assembly(target, kernel(target, "%m: memref<512xf32>", body));
  EXPECT_EQ(occurrences(text, ".v4"), 0) << text;
  EXPECT_EQ(occurrences(text, "ld.global.v2.b32"), 2) << text;
  EXPECT_EQ(occurrences(text, "st.global.v2.b32"), 2) << text;
  EXPECT_EQ(occurrences(text, ".ptr .global .align 32 "), 1) << text;
}

// The kernel's first buffers: no launch passes them, and the text says where
// they lie.
TEST_F(Emit, ArgumentsInWorkgroupMemoryAreBuffers) {
  const char *arguments = "%m: memref<4xf32, #gpu.address_space<workgroup>>, "
                          "%x: memref<32xf32>, "
                          "%n: memref<8xf16, #gpu.address_space<workgroup>>";
  const char *body = R"(
    %t = gpu.thread_id x
    %c3 = arith.constant 3 : index
    %v = memref.load %x[%t] : memref<32xf32>
    %h = arith.truncf %v : f32 to f16
    memref.store %v, %m[%c3] : memref<4xf32, #gpu.address_space<workgroup>>
    memref.store %h, %n[%c3] : memref<8xf16, #gpu.address_space<workgroup>>)";
  for (const Target *target : gpuTargets()) {
    std::string text = assembly(*target, kernel(*target, arguments, body));
    if (target->family != Family::NVPTX) {
      EXPECT_EQ(occurrences(text, ".amdhsa_group_segment_fixed_size 32"), 1)
          << text;
      EXPECT_EQ(occurrences(text, ".amdhsa_kernarg_size 8"), 1) << text;
      continue;
    }
    for (StringRef part :
         {"k: argument 0 is not passed: 16 bytes of shared memory at "
          "k__workgroup_0 + 0, aligned to 16",
          "k: argument 2 is not passed: 16 bytes of shared memory at "
          "k__workgroup_1 + 0, aligned to 16",
          ".shared .align 16 .b8 k__workgroup_0[16];",
          ".shared .align 16 .b8 k__workgroup_1[16];", "[k__workgroup_0+12]",
          "[k__workgroup_1+6]"})
      EXPECT_EQ(occurrences(text, part), 1) << part.str() << "\n" << text;
    // One pointer is passed.
    EXPECT_EQ(occurrences(text, ".param"), 2) << text; // and loaded
    EXPECT_EQ(occurrences(text, "k_param_1"), 0) << text;
  }
}

// Emission works on a copy.
TEST_F(Emit, TheModuleIsLeftAsItWas) {
  const Target &target = *lookupTarget("sm_80");
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      kernel(target, "", ""), ParserConfig(&context));
  ASSERT_TRUE(succeeded(emitCode(*module, target, "llvm")));
  EXPECT_TRUE(succeeded(emitCode(*module, target, "llvm")));
  EXPECT_EQ(findKernels(*module).size(), 1u);
}

} // namespace
