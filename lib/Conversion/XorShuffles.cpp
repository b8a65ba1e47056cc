//===- XorShuffles.cpp - Butterfly shuffles on AMD ------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A round of a butterfly reduction reads lane `l xor d`, d the same for all.
// Any permutation goes through the crossbar of workgroup memory (ds_bpermute),
// for which a lane computes an address and waits; most d have a cheaper
// instruction:
//
//   d             gfx9                       gfx10 and later
//   1, 2, 3       DPP quad_perm              DPP quad_perm
//   7, 8, 15      DPP row_half_mirror,       DPP row_xmask
//                 row_ror:8, row_mirror
//   others < 16   ds_swizzle                 DPP row_xmask
//   16 .. 31      ds_swizzle (gfx950, 16:    v_permlanex16
//                 v_permlane16_swap)
//   32            gfx950: v_permlane32_swap  (there are 32 lanes)
//
// A reduction uses 7 instead of 4 if both are equivalent
// (Target::partnerAmongAlike).
//
// DPP and permlane are operations on registers alone; after a swap of both
// halves of one value, the lower lanes find the partner's value in one result,
// the upper lanes in the other. ds_swizzle uses the crossbar without an
// address.
//
// Sources: AMD's "CDNA3 ISA", "CDNA4 ISA" and "RDNA3 ISA", data parallel
// processing, and V_PERMLANE* and DS_SWIZZLE_B32 of their instruction lists.
//
//===----------------------------------------------------------------------===//
#include "ConvertToLLVM.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/IR/Matchers.h"

using namespace distaff;

namespace {

constexpr unsigned kXorShuffleBenefit = 20; // over any permutation's

// Control words of DPP.
constexpr int64_t kRowRor = 0x120, kRowMirror = 0x140, kRowHalfMirror = 0x141,
                  kRowXmask = 0x160;
constexpr int64_t kAllRows = 0xF, kAllBanks = 0xF;

/// Returns the control word by which each of four lanes reads the one that
/// differs by `distance`.
constexpr int64_t quadPermutation(int64_t distance) {
  int64_t control = 0;
  for (int64_t lane = 0; lane < 4; ++lane)
    control |= (lane ^ distance) << (2 * lane);
  return control;
}

/// Returns the control word by which a lane of a row reads the one at
/// `distance`.
std::optional<int64_t> dppControl(int64_t distance, unsigned generation) {
  if (distance < 4)
    return quadPermutation(distance);
  if (generation >= 10)
    return distance < 16 ? std::optional(kRowXmask + distance) : std::nullopt;
  switch (distance) {
  case 7:
    return kRowHalfMirror;
  case 8:
    return kRowRor + 8;
  case 15:
    return kRowMirror;
  default:
    return std::nullopt;
  }
}

class PartnerEmitter {
public:
  PartnerEmitter(OpBuilder &b, Location loc, amdgpu::Chipset chip)
      : b(b), loc(loc), chip(chip) {}

  static bool swapsHalves(amdgpu::Chipset chip) {
    return chip.majorVersion == 9 && chip >= amdgpu::Chipset(9, 5, 0);
  }
  /// Returns whether an instruction cheaper than a permutation reaches this
  /// distance.
  static bool canEmit(amdgpu::Chipset chip, int64_t distance) {
    return distance > 0 &&
           (distance < 32 || (distance == 32 && swapsHalves(chip)));
  }

  /// Returns the word of lane `l xor distance`.
  Value emit(Value word, int64_t distance) {
    if (auto control = dppControl(distance, chip.majorVersion))
      return ROCDL::DPPUpdateOp::create(b, loc, word.getType(), word, word,
                                        *control, kAllRows, kAllBanks,
                                        /*boundControl=*/true);
    if (chip.majorVersion >= 10)
      return otherRow(word, distance);
    if (swapsHalves(chip) && (distance == 16 || distance == 32))
      return swapped(word, distance);
    return swizzled(word, distance);
  }

private:
  Value constant(int64_t value) {
    return LLVM::ConstantOp::create(b, loc, b.getI32Type(), value);
  }

  /// Reads from the other row: four bits per lane select the lane that it
  /// reads.
  Value otherRow(Value word, int64_t distance) {
    uint32_t selectors[2] = {0, 0};
    for (int64_t lane = 0; lane < 16; ++lane)
      selectors[lane / 8] |= uint32_t(lane ^ (distance & 15)) << 4 * (lane % 8);
    return ROCDL::PermlaneX16Op::create(
        b, loc, word.getType(), word, word, constant(int32_t(selectors[0])),
        constant(int32_t(selectors[1])), /*fi=*/false, /*boundControl=*/true);
  }

  Value swizzled(Value word, int64_t distance) {
    return ROCDL::DsSwizzleOp::create(b, loc, word.getType(), word,
                                      constant(distance << 10 | 0x1F));
  }

  Value swapped(Value word, int64_t width) {
    auto pair = LLVM::LLVMStructType::getLiteral(
        b.getContext(), {word.getType(), word.getType()});
    Value both = width == 16
                     ? ROCDL::Permlane16SwapOp::create(b, loc, pair, word, word,
                                                       /*fi=*/false,
                                                       /*boundControl=*/false)
                           .getRes()
                     : ROCDL::Permlane32SwapOp::create(b, loc, pair, word, word,
                                                       /*fi=*/false,
                                                       /*boundControl=*/false)
                           .getRes();
    Value bit = LLVM::AndOp::create(b, loc, laneId(), constant(width));
    Value isUpper =
        LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ne, bit, constant(0));
    return LLVM::SelectOp::create(
        b, loc, isUpper, LLVM::ExtractValueOp::create(b, loc, both, 0),
        LLVM::ExtractValueOp::create(b, loc, both, 1));
  }

  Value laneId() {
    Type i32 = b.getI32Type();
    Value low =
        ROCDL::MbcntLoOp::create(b, loc, i32, constant(-1), constant(0),
                                 /*arg_attrs=*/nullptr, /*res_attrs=*/nullptr);
    return ROCDL::MbcntHiOp::create(b, loc, i32, constant(-1), low,
                                    /*arg_attrs=*/nullptr,
                                    /*res_attrs=*/nullptr);
  }

  OpBuilder &b;
  Location loc;
  amdgpu::Chipset chip;
};

struct LowerXorShuffle final : ConvertOpToLLVMPattern<gpu::ShuffleOp> {
  LowerXorShuffle(const LLVMTypeConverter &converter, amdgpu::Chipset chip,
                  int64_t lanes)
      : ConvertOpToLLVMPattern<gpu::ShuffleOp>(converter, kXorShuffleBenefit),
        chip(chip), lanes(lanes) {}

  LogicalResult
  matchAndRewrite(gpu::ShuffleOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    APInt width, distance;
    if (op.getMode() != gpu::ShuffleMode::XOR ||
        !matchPattern(op.getOffset(), m_ConstantInt(&distance)) ||
        !matchPattern(op.getWidth(), m_ConstantInt(&width)) || width != lanes)
      return rewriter.notifyMatchFailure(op, "has no partner known here");
    int64_t by = distance.getSExtValue();
    if (by >= lanes || !PartnerEmitter::canEmit(chip, by))
      return rewriter.notifyMatchFailure(op, "is any permutation");
    Location loc = op.getLoc();
    Type type = adaptor.getValue().getType(), i32 = rewriter.getI32Type();
    if (type != i32 && !type.isF32())
      return rewriter.notifyMatchFailure(op, "moves no word of 32 bits");
    Value word = adaptor.getValue();
    if (type != i32)
      word = LLVM::BitcastOp::create(rewriter, loc, i32, word);
    Value moved = PartnerEmitter(rewriter, loc, chip).emit(word, by);
    if (type != i32)
      moved = LLVM::BitcastOp::create(rewriter, loc, type, moved);
    Value valid = LLVM::ConstantOp::create(rewriter, loc, rewriter.getI1Type(),
                                           rewriter.getBoolAttr(true));
    rewriter.replaceOp(op, {moved, valid});
    return success();
  }

private:
  amdgpu::Chipset chip;
  int64_t lanes;
};

} // namespace

void distaff::populateXorShufflePatterns(const LLVMTypeConverter &converter,
                                         RewritePatternSet &patterns,
                                         amdgpu::Chipset chip, int64_t lanes) {
  patterns.add<LowerXorShuffle>(converter, chip, lanes);
}
