//===- AmdInstructionsTest.cpp - What LLVM chose for AMD GPUs -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nothing here runs code of AMD GPUs. The SIMT machine runs what is converted
// to the LLVM dialect; from there on it is LLVM's choice, which this test holds
// to: the floating point instructions of a kernel are those by which its ops
// are defined, in the format of their operands. A minimum for a select, a fused
// multiply-add for a product and a sum, a comparison that takes NaN for the
// other answer, and arithmetic in a narrower format are none of them. The table
// is from the "CDNA3" and "RDNA4" instruction set references, chapters VOP1,
// VOP2, VOP3 and VOPC.
//
//===----------------------------------------------------------------------===//
#include "../Depth.h"
#include "Devices.h"
#include "Random.h"
#include "distaff/Driver/Compile.h"
#include "distaff/Driver/KernelInput.h"
#include "distaff/Target/Target.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace distaff;
using namespace distaff::scalars;

namespace {

/// Those of ops that convert or compute with integers.
const char *instructionsOfRest(StringRef op) {
  // For an exact quotient of integers, an estimate is mended.
  constexpr const char *quotient =
      "cvt_f32_u32 cvt_f32_ubyte0 cvt_f32_ubyte1 cvt_f32_i32 rcp_iflag_f32 "
      "rcp_f32 mul_f32 "
      "trunc_f32 fma_f32 cvt_u32_f32 cvt_i32_f32 cmp_ge_f32 cvt_f16_u16 "
      "cvt_f16_i16 cvt_f32_f16 cvt_u16_f16 cvt_i16_f16 cvt_f64_u32 "
      "cvt_f64_i32";
  constexpr const char *toInteger =
      "cvt_i32 cvt_u32 cvt_i32_f32 cvt_u32_f32 cvt_i16_f16 cvt_u16_f16 "
      "cvt_f32_f16 trunc floor mul fma "
      "ldexp";
  constexpr const char *toFloat =
      "cvt_f32_i32 cvt_f32_u32 cvt_f64_i32 cvt_f64_u32 cvt_f16_i16 cvt_f16_u16 "
      "cvt_f16_f32 cvt_f32_f64 cvt_f64_f32 cvt_f32_ubyte0 cvt_f32_ubyte1 "
      "ldexp_f32 ldexp_f64 add_f64 cmp_gt_f64 cmp_lt_f64 cmp_lg_f64";
  return llvm::StringSwitch<const char *>(op)
      .Cases({"arith.extf", "arith.truncf"},
             "cvt_f32_f16 cvt_f64_f32 cvt_f32_f64 cvt_f16_f32 cmp_gt_f64 "
             "cmp_lt_f64 cmp_nlg_f64 cmp_lg_f64 cmp_u_f64 cmp_u_f32")
      .Cases({"arith.fptosi", "arith.fptoui"}, toInteger)
      .Cases({"arith.sitofp", "arith.uitofp"}, toFloat)
      .Cases({"arith.divsi", "arith.divui", "arith.remsi", "arith.remui"},
             quotient)
      .Cases({"arith.ceildivsi", "arith.ceildivui", "arith.floordivsi"},
             quotient)
      .Case("math.ipowi", quotient)
      .Cases({"arith.constant", "arith.select", "arith.bitcast"}, "")
      .Cases({"arith.addi", "arith.subi", "arith.muli", "arith.andi",
              "arith.ori", "arith.xori"},
             "")
      .Cases({"arith.shli", "arith.shrsi", "arith.shrui", "arith.trunci",
              "arith.extsi", "arith.extui"},
             "")
      .Cases({"arith.maxsi", "arith.maxui", "arith.minsi", "arith.minui"}, "")
      .Cases({"arith.addui_extended", "arith.mulsi_extended",
              "arith.mului_extended"},
             "")
      .Cases({"math.absi", "math.ctlz", "math.cttz", "math.ctpop"}, "")
      .Default(op.starts_with("arith.cmpi") ? "" : nullptr);
}

/// The instructions that an op may become, without the format: "add" stands for
/// v_add_f32 where it computes with f32. Others are written with their formats.
/// None for an op that moves bits or computes with integers; null for one that
/// the table lacks.
const char *instructionsOf(StringRef op) {
  return llvm::StringSwitch<const char *>(op)
      .Cases({"arith.addf", "arith.subf"}, "add sub subrev")
      .Case("arith.mulf", "mul add") // x + x for 2 x
      .Case("arith.divf", "div_scale div_fmas div_fixup rcp fma mul "
                          "fma_mix_f32 fma_f32 mul_f32 rcp_f32 add_f32 "
                          "cvt_f32_f16 cvt_f16_f32")
      .Case("arith.remf",
            "cmp_class cmp_eq cmp_neq cmp_ge cmp_le cmp_lg cmp_nlg cmp_le_f32 "
            "cmp_u cmp_o add_f32 ldexp trunc mul "
            "add fma rcp fma_mixlo_f16 cmp_class_f32 cmp_ge_f32 "
            "ldexp_f32 cvt_f16_f32 cvt_f64_u32 cmp_lt cmp_gt "
            "cvt_f32_u32 cvt_u32_f32 rcp_f32 rcp_iflag_f32 "
            "mul_f32 trunc_f32 fma_f32 cvt_f32_f16")
      .Cases({"arith.maximumf", "arith.maxnumf"},
             "max max_num maximum cmp_o cmp_u")
      .Cases({"arith.minimumf", "arith.minnumf"},
             "min min_num minimum cmp_o cmp_u max max_num") // max quiets NaN
      .Case("arith.cmpf oeq", "cmp_eq cmp_neq cmp_o cmp_u")
      .Case("arith.cmpf une", "cmp_eq cmp_neq cmp_o cmp_u")
      .Cases({"arith.cmpf one", "arith.cmpf ueq"}, "cmp_lg cmp_nlg cmp_o cmp_u")
      .Cases(
          {"arith.cmpf olt", "arith.cmpf ogt", "arith.cmpf uge",
           "arith.cmpf ule"},
          "cmp_lt cmp_gt cmp_nlt cmp_ngt cmp_o cmp_u cmp_lg cmp_nlg") // |x| > 0
      .Cases({"arith.cmpf ole", "arith.cmpf oge", "arith.cmpf ugt",
              "arith.cmpf ult"},
             "cmp_le cmp_ge cmp_nle cmp_nge cmp_o cmp_u cmp_eq cmp_neq")
      .Cases({"arith.cmpf ord", "arith.cmpf uno"}, "cmp_o cmp_u")
      .Cases({"arith.cmpf true", "arith.cmpf false"}, "")
      .Cases({"arith.negf", "math.absf", "math.copysign"}, "")
      .Case("math.clampf",
            "min min_num minimum max max_num maximum cmp_o cmp_u "
            "maximumminimum minimummaximum")
      .Case("math.floor", "floor")
      .Case("math.ceil", "ceil")
      .Case("math.trunc", "trunc")
      .Case("math.round", "trunc sub add cmp_ge")
      .Case("math.roundeven", "rndne")
      .Case("math.isnan", "cmp_u cmp_o")
      .Case("math.isinf", "cmp_class cmp_eq cmp_class_f32")
      .Case("math.isfinite", "sub add cmp_eq cmp_neq cmp_class")
      .Case("math.isnormal", "")
      .Case("math.fma", "fma add sub fma_mixlo_f16 mul_f64 add_f64 ldexp_f64 "
                        "fma_f64 cmp_gt_f64 cmp_lt_f64 "
                        "cmp_nlg_f64 cmp_lg_f64 cmp_u_f64 cvt_f32_f64 "
                        "cvt_f64_f32")
      .Case("math.sqrt", "sqrt rsq mul fma add ldexp cmp_class cmp_gt cmp_lt "
                         "cmp_ge cmp_gt_f32 mul_f32 fma_f32 rsq_f32 "
                         "cmp_class_f32")
      .Default(instructionsOfRest(op));
}

/// What a comparison and a select may become together. Two numbers of which one
/// is a constant and not 0 have a smallest one, whose sign is certain; with 0,
/// ScalarOps.cpp compares with the neighbour, with the other strictness.
StringRef selectionOf(StringRef body) {
  if (!body.contains("arith.select") || !body.contains("arith.cmpf"))
    return "";
  return llvm::Regex("constant 0x[08]0+ ").match(body)
             ? "cmp_lt cmp_gt cmp_nlt cmp_ngt cmp_le cmp_ge cmp_nle cmp_nge"
         : body.contains("arith.constant") ? "min max min_num max_num"
                                           : "";
}

/// What a type is computed with: its own format or the next wider one, and what
/// converts between these. A float of 8 bits is multiplied to widen it, and
/// added to to round it.
StringRef formatsOf(const Format &type) {
  if (type.isFloat() && type.bits == 8)
    return "f32 f16";
  return llvm::StringSwitch<StringRef>(type.name)
      .Cases({"bf16", "f32"}, "f32")
      .Case("f16", "f16")
      .Case("f64", "f64")
      .Default("");
}
StringRef conversionsOf(const Format &type) {
  if (type.isFloat() && type.bits == 8)
    return "cvt_pk_f32_fp8 cvt_pk_f32_bf8 cvt_pk_fp8_f32 cvt_pk_bf8_f32 "
           "mul_f32 mul_f16 add_f32 add_f64 cvt_f32_f16 cvt_f16_f32";
  return StringRef(type.name) == "bf16" ? "cmp_u_f32 cmp_o_f32" : "";
}

/// The ops of a body, each with its predicate.
std::vector<std::string> opsOf(StringRef body) {
  std::vector<std::string> ops;
  for (llvm::Regex next("((arith|math)\\.[a-z_]+)( [a-z]+,)?");;) {
    SmallVector<StringRef> found;
    if (!next.match(body, &found))
      return ops;
    bool isComparison = found[1].starts_with("arith.cmp");
    ops.push_back(found[1].str() +
                  (isComparison ? found[3].drop_back().str() : ""));
    body = body.substr(found[0].end() - body.begin());
  }
}

void insertWords(llvm::StringSet<> &set, StringRef words,
                 StringRef formats = "") {
  for (StringRef word : llvm::split(words, ' ')) {
    set.insert(word);
    for (StringRef format : llvm::split(formats, ' '))
      set.insert((word + "_" + format).str());
  }
}

/// All instructions that an op may become, "add_f32"; nothing where the table
/// lacks one of its ops.
std::optional<llvm::StringSet<>> allowedFor(const ScalarOp &op) {
  llvm::StringSet<> allowed;
  // A tree has values of other types inside, which its text names.
  SmallVector<const Format *> types;
  for (const Format &type : formats())
    if (llvm::is_contained(op.operands, &type) || op.result == &type ||
        llvm::Regex(std::string("[^a-z0-9]") + type.name + "([^A-Za-z0-9]|$)")
            .match(op.body))
      types.push_back(&type);
  for (const Format *type : types) {
    insertWords(allowed, conversionsOf(*type));
    insertWords(allowed, selectionOf(op.body), formatsOf(*type));
  }
  for (const std::string &name : opsOf(op.body)) {
    const char *instructions = instructionsOf(name);
    if (!instructions) {
      EXPECT_TRUE(StringRef(name).starts_with("math.")) << name;
      return std::nullopt;
    }
    for (const Format *type : types)
      insertWords(allowed, instructions, formatsOf(*type));
  }
  return allowed;
}

/// The name of an instruction, without its encoding, and of variants of one
/// operation the first: "v_fmac_f32_e32" is "fma_f32". Empty for other lines
/// than those of floating point instructions of the vector unit.
std::string operationOf(StringRef instruction) {
  StringRef name = instruction.trim().take_until(
      [](char c) { return c == ' ' || c == '\t'; });
  if (!name.consume_front("v_") || name.starts_with("cndmask") ||
      name.starts_with("mov"))
    return "";
  for (StringRef encoding : {"_e32", "_e64", "_sdwa", "_dpp"})
    name.consume_back(encoding);
  name.consume_front("dual_");
  name.consume_front("s_"); // the result is uniform
  bool isPair = name.starts_with("pk_");
  name.consume_front("pk_");
  for (StringRef variant : {"fmac_", "fmamk_", "fmaak_"})
    if (name.consume_front(variant))
      return ("fma_" + name).str();
  name.consume_front("cmpx_");
  if (!llvm::Regex("_(b?f16|f32|f64|[bf]p?8)$").match(name) &&
      !llvm::Regex("_(b?f16|f32|f64|[bf]p?8)_").match(name))
    return "";
  return isPair && llvm::Regex("^(fp8|bf8|f32)_").match(name)
             ? ("cvt_pk_" + name).str()
             : name.str();
}

/// What of an assembly text is not an instruction for an op: one line each.
std::string findOthers(StringRef text, const llvm::StringSet<> &allowed) {
  std::string others;
  SmallVector<StringRef> lines, parts;
  text.split(lines, '\n');
  for (StringRef line : lines)
    line.split(parts, "::"); // two at once
  for (StringRef part : parts) {
    std::string operation = operationOf(part);
    // Output modifiers: a clamp to [0, 1], which makes 0 of NaN, and products
    // by powers of two that flush subnormal numbers.
    bool isModified = llvm::Regex("( clamp| mul:[24]| div:2)").match(part);
    if (!operation.empty() && (isModified || !allowed.contains(operation)))
      others += part.trim().str() + "\n";
  }
  return others;
}

/// The modes in which a kernel asks to be run.
constexpr const char *modes[] = {
    ".amdhsa_float_round_mode_32 0", ".amdhsa_float_round_mode_16_64 0",
    ".amdhsa_float_denorm_mode_32 3", ".amdhsa_float_denorm_mode_16_64 3",
    ".amdhsa_fp16_overflow 0"};

std::string compileFor(StringRef target, const ScalarOp &op) {
  KernelInput input;
  std::string said;
  ScopedDiagnosticHandler handler(
      input.getContext(),
      [&](Diagnostic &diagnostic) { said += diagnostic.str() + "\n"; });
  if (failed(input.parse(kernelOf(op, 64))))
    return said;
  Compiled compiled =
      compile(input.getModule(), {.target = lookupTarget(target),
                                  .product = AsCode{"gcn"},
                                  .strictFp = true});
  return compiled.answer == Answer::Yes ? compiled.content : said;
}

void check(StringRef target, const ScalarOp &op,
           const llvm::StringSet<> &allowed) {
  std::string text = compileFor(target, op);
  for (const char *mode : modes)
    ASSERT_TRUE(StringRef(text).contains(std::string(mode) + "\n"))
        << op.title() << " for " << target.str() << " has no " << mode << "\n"
        << text;
  EXPECT_EQ(findOthers(text, allowed), "")
      << op.title() << " for " << target.str() << ":\n"
      << op.body;
}

/// Ops whose formulas are not in the table: those of functions are on the SIMT
/// machine as they are here, instruction by instruction.
TEST(AmdInstructions, AreThoseOfTheOps) {
  size_t kernels = 0, functions = 0;
  Random random(11);
  for (const ScalarOp &op : allScalarOps()) {
    if (!op.isChosen())
      continue;
    std::optional<llvm::StringSet<>> allowed = allowedFor(op);
    if (!allowed) {
      ++functions;
      continue;
    }
    for (StringRef target : {"gfx942", "gfx1201"}) {
      if (isQuick() && random.below(120) != 0)
        continue;
      ++kernels;
      check(target, op, *allowed);
    }
  }
  llvm::outs() << kernels << " kernels, " << functions
               << " ops of functions left out\n";
}

/// An op with the code of another one is found.
TEST(AmdInstructions, OthersAreFound) {
  const Format &f32 = format("f32");
  auto allowedForBody = [&](std::string body) {
    return *allowedFor({"op", std::move(body), {&f32, &f32}, &f32, nullptr});
  };
  auto select = allowedForBody("%n = arith.cmpf olt, %a, %b : f32\n"
                               "%v = arith.select %n, %a, %b : f32");
  EXPECT_EQ(findOthers("\tv_min_f32_e32 v0, v1, v2\n", select),
            "v_min_f32_e32 v0, v1, v2\n");
  EXPECT_EQ(findOthers("\tv_cmp_nge_f32_e32 vcc, v1, v2\n", select),
            "v_cmp_nge_f32_e32 vcc, v1, v2\n");
  EXPECT_EQ(findOthers("\tv_cmp_gt_f32_e64 s[0:1], v1, v2\n"
                       "\tv_cndmask_b32_e32 v0, v1, v2, vcc\n",
                       select),
            "");
  auto sum = allowedForBody("%n = arith.mulf %a, %b : f32\n"
                            "%v = arith.addf %n, %b : f32");
  EXPECT_EQ(findOthers("\tv_dual_mul_f32 v0, v1, v2 :: v_dual_fmac_f32 v3, "
                       "v4, v5\n",
                       sum),
            "v_dual_fmac_f32 v3, v4, v5\n");
  EXPECT_NE(findOthers("\tv_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[6:7]", sum),
            "");
  EXPECT_NE(findOthers("\tv_add_f16_e32 v0, v1, v2\n", sum), "");
  EXPECT_NE(findOthers("\tv_add_f32_e64 v0, v1, v2 clamp\n", sum), "");
  EXPECT_EQ(findOthers("\tv_pk_add_f32 v[0:1], v[2:3], v[4:5]\n", sum), "");
  auto other = allowedForBody("%v = arith.minnumf %a, %b : f32");
  ScalarOp minimum{"minnumf",
                   "%v = arith.minnumf %a, %b : f32",
                   {&f32, &f32},
                   &f32,
                   nullptr};
  for (StringRef target : {"gfx942", "gfx1201"}) {
    std::string text = compileFor(target, minimum);
    EXPECT_EQ(findOthers(text, other), "");
    EXPECT_NE(findOthers(text, select), "") << text;
  }
}

} // namespace
