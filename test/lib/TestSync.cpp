//===- TestSync.cpp - A synchronization attribute with values -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dialect for tests alone, which distaff-opt loads as a plugin: the attribute
// `#test_sync.counters<N>` stands for N values of type i32. They are made by
// `ub.poison`, of a dialect that only its hook loads, and every write is
// followed by a `test_sync.wrote` that names them.
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/PCF/Scopes.h"

#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"

using namespace distaff;

namespace distaff::test_sync {

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
    return SmallVector<Type>(getImpl()->count, IntegerType::get(context, 32));
  }
  SmallVector<Value> allocate(OpBuilder &builder, Location loc) const {
    return llvm::map_to_vector(
        getConcreteTypes(builder.getContext()), [&](Type type) -> Value {
          return ub::PoisonOp::create(builder, loc, type);
        });
  }
  void enqueueWrite(OpBuilder &builder, ValueRange values,
                    Operation *write) const {
    OperationState state(write->getLoc(), "test_sync.wrote");
    state.addOperands(values);
    builder.create(state);
  }
  unsigned getCount() const { return getImpl()->count; }
};

class LoadUB final : public pcf::PCFConversionDialectInterface {
public:
  using PCFConversionDialectInterface::PCFConversionDialectInterface;
  void loadTokenLoweringDependentDialects(MLIRContext *context) const override {
    context->loadDialect<ub::UBDialect>();
  }
};

class TestSyncDialect final : public Dialect {
public:
  TestSyncDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context,
                TypeID::get<TestSyncDialect>()) {
    addAttributes<CountersAttr>();
    addInterfaces<LoadUB>();
    allowUnknownOperations();
  }
  static StringRef getDialectNamespace() { return "test_sync"; }

  Attribute parseAttribute(DialectAsmParser &parser, Type) const override {
    unsigned count;
    if (parser.parseKeyword("counters") || parser.parseLess() ||
        parser.parseInteger(count) || parser.parseGreater())
      return {};
    return CountersAttr::get(parser.getContext(), count);
  }
  void printAttribute(Attribute attribute,
                      DialectAsmPrinter &printer) const override {
    printer << "counters<" << cast<CountersAttr>(attribute).getCount() << '>';
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
