//===- DetachConstants.cpp - Detaching large constants from code ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   llvm.mlir.global internal constant @w(dense<...>) : !llvm.array<1048576 x
//   f32>
//   => llvm.mlir.global external constant @w(#llvm.zero)
//   {externally_initialized}
//
// The variable stays a constant, so that reads of it are those of constants,
// but the optimizer does not see its value.
//
//===----------------------------------------------------------------------===//
#include "EmitSteps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace distaff;

/// The least size in bytes of a detached constant. As text each byte takes up
/// to five.
static constexpr int64_t leastDetached = 4096;

/// Returns the bytes of a constant in memory; none if its elements are padded
/// there.
static std::optional<std::string> bytesOf(DenseElementsAttr data) {
  Type element = data.getElementType();
  if (!element.isIntOrIndexOrFloat())
    return std::nullopt;
  unsigned bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  std::string bytes;
  if (bits == 1) {
    for (bool each : data.getValues<bool>())
      bytes += char(each);
    return bytes;
  }
  if (bits % 8 != 0 || !llvm::isPowerOf2_32(bits))
    return std::nullopt;
  ArrayRef<char> raw = data.getRawData();
  int64_t times = data.isSplat() ? data.getNumElements() : 1;
  bytes.reserve(times * raw.size());
  while (times-- > 0)
    bytes.append(raw.data(), raw.size());
  return bytes;
}

void distaff::detachConstants(ModuleOp converted,
                              std::vector<runtime::Constant> *constants) {
  converted.walk([&](LLVM::GlobalOp global) {
    auto data = dyn_cast_if_present<DenseElementsAttr>(global.getValueOrNull());
    if (!data || !global.getConstant())
      return;
    std::optional<std::string> bytes = bytesOf(data);
    if (!bytes || int64_t(bytes->size()) < leastDetached)
      return;
    global.setValueAttr(LLVM::ZeroAttr::get(global.getContext()));
    global.setLinkage(LLVM::Linkage::External);
    global.setExternallyInitialized(true);
    if (constants)
      constants->push_back({global.getSymName().str(), std::move(*bytes)});
  });
}
