//===- MmaElements.h - Element types of MMA operands ------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_OPS_MMAELEMENTS_H
#define DISTAFF_LIB_SIMT_OPS_MMAELEMENTS_H

#include "FragmentMaps.h"

/// The element types that the instructions of FragmentMaps*.cpp use.
namespace distaff::simt::mma {

inline constexpr MmaElement f16 = {true, FloatFormat::F16, 16};
inline constexpr MmaElement bf16 = {true, FloatFormat::BF16, 16};
inline constexpr MmaElement f32 = {true, FloatFormat::F32, 32};
inline constexpr MmaElement f64 = {true, FloatFormat::F64, 64};
inline constexpr MmaElement tf32 = {true, FloatFormat::TF32, 32};
inline constexpr MmaElement e4m3 = {true, FloatFormat::F8E4M3FN, 8};
inline constexpr MmaElement e5m2 = {true, FloatFormat::F8E5M2, 8};
inline constexpr MmaElement s8 = {false, FloatFormat::F32, 8};
inline constexpr MmaElement u8 = {false, FloatFormat::F32, 8, false};
inline constexpr MmaElement s4 = {false, FloatFormat::F32, 4};
inline constexpr MmaElement u4 = {false, FloatFormat::F32, 4, false};
inline constexpr MmaElement s32 = {false, FloatFormat::F32, 32};
inline constexpr MmaElement e4m3fnuz = {true, FloatFormat::F8E4M3FNUZ, 8};
inline constexpr MmaElement e5m2fnuz = {true, FloatFormat::F8E5M2FNUZ, 8};
inline constexpr MmaElement i32 = {false, FloatFormat::F32, 32};
// XF32 reads as many bits of an f32 as TF32.
inline constexpr MmaElement xf32 = {true, FloatFormat::TF32, 32};

} // namespace distaff::simt::mma

#endif // DISTAFF_LIB_SIMT_OPS_MMAELEMENTS_H
