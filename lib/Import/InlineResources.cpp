//===- InlineResources.cpp - Constants from resource blobs ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exporters write weights as blobs after the module:
//
//   arith.constant dense_resource<w> : tensor<4xf32>
//   {-# dialect_resources: { builtin: { w: "0x040000000000803F..." } } #-}
//
// Folds of upstream, later passes and the machines support only dense
// constants, and a blob does not show that it is a splat, so each is made dense
// once, when a kernel is read.
//
//===----------------------------------------------------------------------===//
#include "distaff/Import/InlineResources.h"
#include "distaff/CheckedSize.h"
#include "distaff/Import/Passes.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/DialectResourceBlobManager.h"

namespace distaff {
#define GEN_PASS_DEF_INLINERESOURCES
#include "distaff/Import/Passes.h.inc"
} // namespace distaff

using namespace distaff;

namespace {
/// Describes how the elements of a type lie in memory.
struct ElementStorage {
  int64_t bits;  // width of a number
  int64_t count; // numbers of an element: two for a complex one

  int64_t bytes() const { return count * llvm::divideCeil(bits, 8); }
};
} // namespace

static std::optional<ElementStorage> storageOf(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element)) {
    std::optional<ElementStorage> part = storageOf(complex.getElementType());
    return part ? std::optional(ElementStorage{part->bits, 2}) : std::nullopt;
  }
  if (element.isIndex())
    return ElementStorage{64, 1};
  if (element.isIntOrFloat())
    return ElementStorage{element.getIntOrFloatBitWidth(), 1};
  return std::nullopt;
}

/// Unpacks numbers of 1, 2 or 4 bits, several to a byte with the low bits
/// first, to one byte each.
static std::vector<char> unpack(ArrayRef<char> packed, int64_t count,
                                int64_t bits) {
  std::vector<char> bytes(count);
  int64_t perByte = 8 / bits;
  for (int64_t i = 0; i < count; ++i)
    bytes[i] = (uint8_t(packed[i / perByte]) >> (i % perByte * bits)) &
               ((1 << bits) - 1);
  return bytes;
}

/// Clears the bits beyond a number's own in its last byte, which a blob may
/// set.
static void clearPadding(std::vector<char> &bytes, ElementStorage storage) {
  if (storage.bits == 1)
    for (char &byte : bytes)
      byte = byte != 0;
  int64_t each = llvm::divideCeil(storage.bits, 8);
  if (storage.bits % 8 != 0 && storage.bits != 1)
    for (size_t last = each - 1; last < bytes.size(); last += each)
      bytes[last] &= (1 << storage.bits % 8) - 1;
}

static DenseElementsAttr makeDense(ShapedType type, ElementStorage storage,
                                   std::vector<char> bytes) {
  clearPadding(bytes, storage);
  if (bytes.empty())
    return DenseElementsAttr::get(type, ArrayRef<Attribute>());
  ArrayRef<char> all(bytes);
  int64_t size = storage.bytes();
  // All elements are equal if each equals the one before it.
  bool isSplat = all.drop_front(size) == all.drop_back(size);
  ArrayRef<char> data = isSplat ? all.take_front(size) : all;
  if (storage.bits != 1)
    return DenseElementsAttr::getFromRawBuffer(type, data);
  auto numbers = llvm::map_to_vector(data, [](char byte) { return byte != 0; });
  return DenseElementsAttr::get(type, ArrayRef<bool>(numbers));
}

/// Reads the elements of a resource; returns the reason if they do not fit its
/// type.
static std::string read(DenseResourceElementsAttr resource,
                        DenseElementsAttr &result) {
  ShapedType type = resource.getType();
  std::string text = "'" + resource.getRawHandle().getKey().str() + "'";
  llvm::raw_string_ostream os(text);
  const AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  if (!blob) {
    os << " has no data: its entry under dialect_resources is missing, so "
          "print the module with its resources (an exporter may elide large "
          "ones)";
    return text;
  }
  std::optional<ElementStorage> storage = storageOf(type.getElementType());
  std::optional<int64_t> bytes;
  if (storage)
    bytes = checkedBytes(type.getShape(), storage->bytes());
  if (!bytes) {
    os << " is of type " << type
       << "; constants are arrays of integers and floats that fit in memory";
    return text;
  }
  ArrayRef<char> data = blob->getData();
  int64_t given = data.size(), count = *bytes / storage->bytes();
  bool mayBePacked =
      storage->bits == 1 || storage->bits == 2 || storage->bits == 4;
  int64_t packed = llvm::divideCeil(count * storage->bits, 8);
  if (given == *bytes) {
    result = makeDense(type, *storage, std::vector<char>(data));
    return "";
  }
  if (mayBePacked && given == packed) {
    result = makeDense(type, *storage, unpack(data, count, storage->bits));
    return "";
  }
  os << " has " << given << " bytes of data, " << type << " takes " << *bytes;
  if (mayBePacked)
    os << ", or packed " << packed;
  os << "; the file is damaged or cut, so export it again";
  return text;
}

LogicalResult distaff::inlineResources(ModuleOp module) {
  DenseMap<Attribute, DenseElementsAttr> known;
  WalkResult walked = module.walk([&](Operation *op) {
    WalkResult ofOp =
        op->getAttrDictionary().walk([&](DenseResourceElementsAttr resource) {
          auto [at, isNew] = known.try_emplace(resource);
          if (!isNew)
            return WalkResult::advance();
          std::string why = read(resource, at->second);
          if (why.empty())
            return WalkResult::advance();
          op->emitOpError("resource ") << why;
          return WalkResult::interrupt();
        });
    return ofOp;
  });
  if (walked.wasInterrupted())
    return failure();
  if (known.empty())
    return success();
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [&](DenseResourceElementsAttr resource) -> std::optional<Attribute> {
        return known.lookup(resource);
      });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true);
  return success();
}

namespace {
struct InlineResourcesPass final
    : distaff::impl::InlineResourcesBase<InlineResourcesPass> {
  void runOnOperation() override {
    if (failed(inlineResources(getOperation())))
      signalPassFailure();
  }
};
} // namespace
