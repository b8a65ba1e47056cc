//===- TestSync.cpp - What creates ops of other dialects ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dialect for tests alone, which distaff-opt loads as a plugin. The attribute
// `#test_sync.counters<N>` stands for N sizes; every write is followed by a
// `test_sync.wrote` that names them. `#test_sync.scope` is a scope of one
// worker with workgroup memory. Both create what is of dialects that nothing
// but the hooks here loads.
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/PCF/Scopes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Shape/IR/Shape.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"

using namespace distaff;

namespace distaff::test_sync {

static Value createSize(OpBuilder &builder, Location loc, int64_t value) {
  return shape::ConstSizeOp::create(builder, loc, value);
}

static Value createIndex(OpBuilder &builder, Location loc, int64_t value) {
  return shape::SizeToIndexOp::create(builder, loc,
                                      createSize(builder, loc, value));
}

struct CountersStorage : AttributeStorage {
  using KeyTy = unsigned;
  CountersStorage(unsigned count) : count(count) {}
  bool operator==(const KeyTy &key) const { return key == count; }
  static CountersStorage *construct(AttributeStorageAllocator &allocator,
                                    const KeyTy &key) {
    return new (allocator.allocate<CountersStorage>()) CountersStorage(key);
  }
  unsigned count;
};

class CountersAttr final
    : public Attribute::AttrBase<CountersAttr, Attribute, CountersStorage,
                                 pcf::SyncScopeAttrInterface::Trait> {
public:
  using Base::Base;
  static constexpr StringLiteral name = "test_sync.counters";

  SmallVector<Type> getConcreteTypes(MLIRContext *context) const {
    return SmallVector<Type>(getImpl()->count, shape::SizeType::get(context));
  }
  SmallVector<Value> allocate(OpBuilder &builder, Location loc) const {
    return llvm::map_to_vector(
        getConcreteTypes(builder.getContext()),
        [&](Type) -> Value { return createSize(builder, loc, 7); });
  }
  void enqueueWrite(OpBuilder &builder, ValueRange values,
                    Operation *write) const {
    OperationState state(write->getLoc(), "test_sync.wrote");
    state.addOperands(values);
    builder.create(state);
  }
  unsigned getCount() const { return getImpl()->count; }
};

class ScopeAttr final
    : public Attribute::AttrBase<ScopeAttr, Attribute, AttributeStorage,
                                 pcf::ScopeAttrInterface::Trait> {
public:
  using Base::Base;
  static constexpr StringLiteral name = "test_sync.scope";

  int64_t getNativeNumProcessorIds() const { return 1; }
  SmallVector<Value> getWorkerIDs(OpBuilder &builder, Location loc,
                                  int64_t n) const {
    Value id = createIndex(builder, loc, 0);
    return SmallVector<Value>(n, id);
  }
  SmallVector<Value> getWorkerCounts(OpBuilder &builder, Location loc,
                                     int64_t n) const {
    Value count = createIndex(builder, loc, 1);
    return SmallVector<Value>(n, count);
  }
  FailureOr<Attribute> getAllocMemSpace(MLIRContext *context) const {
    return Attribute(
        gpu::AddressSpaceAttr::get(context, gpu::AddressSpace::Workgroup));
  }
  int64_t getNestingLevel() const { return 0; }
};

class Hooks final : public pcf::PCFConversionDialectInterface {
public:
  using PCFConversionDialectInterface::PCFConversionDialectInterface;
  void loadTokenLoweringDependentDialects(MLIRContext *context) const override {
    context->loadDialect<shape::ShapeDialect>();
  }
  void loadSRefLoweringDependentDialects(MLIRContext *context) const override {
    context->loadDialect<gpu::GPUDialect>();
  }
  void
  loadStructuralLoweringDependentDialects(MLIRContext *context) const override {
    context->loadDialect<shape::ShapeDialect>();
  }
};

class TestSyncDialect final : public Dialect {
public:
  TestSyncDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context,
                TypeID::get<TestSyncDialect>()) {
    addAttributes<CountersAttr, ScopeAttr>();
    addInterfaces<Hooks>();
    allowUnknownOperations();
  }
  static StringRef getDialectNamespace() { return "test_sync"; }

  Attribute parseAttribute(DialectAsmParser &parser, Type) const override {
    if (succeeded(parser.parseOptionalKeyword("scope")))
      return ScopeAttr::get(parser.getContext());
    unsigned count;
    if (parser.parseKeyword("counters") || parser.parseLess() ||
        parser.parseInteger(count) || parser.parseGreater())
      return {};
    return CountersAttr::get(parser.getContext(), count);
  }
  void printAttribute(Attribute attribute,
                      DialectAsmPrinter &printer) const override {
    if (auto counters = dyn_cast<CountersAttr>(attribute))
      printer << "counters<" << counters.getCount() << '>';
    else
      printer << "scope";
  }
};

} // namespace distaff::test_sync

extern "C" LLVM_ATTRIBUTE_WEAK DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "TestSync", "1",
          [](DialectRegistry *registry) {
            registry->insert<test_sync::TestSyncDialect>();
          }};
}
