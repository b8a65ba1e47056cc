//===- OpRegistry.h - Registry of the translators of ops --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How to add an operation, or a family of them:
//
//  1. Write lib/Simt/Ops/FAMILY.cpp with one translator per op and a function
//     `void registerFamily(OpRegistry &registry)` that names them.
//  2. Declare that function at the end of this file, call it in OpRegistry.cpp,
//     and list the file in CMakeLists.txt.
//
// A translator runs once per op. It looks up registers, gets functions from the
// domain, decides everything static, and emits a closure that does the rest
// each time the op is executed:
//
//   static LogicalResult translateFma(math::FmaOp op, Translator &t) {
//     Reg a = t.reg(op.getA()), b = t.reg(op.getB()), c = t.reg(op.getC());
//     Reg r = t.reg(op.getResult());
//     Ternary fma = t.domain().ternary(FloatTernary::Fma, r.kind.format);
//     if (!fma)
//       return t.notModelled(op, "fma in this domain");
//     t.emit(op, [=](Agent &agent) {
//       fma(agent.numCells(r), agent.cells(a), agent.cells(b), agent.cells(c),
//           agent.cells(r));
//     });
//     return success();
//   }
//   void registerMath(OpRegistry &registry) { registry.add(translateFma); }
//
// Elementwise functions are simpler still: `t.elementwise(op, fma)` does the
// above and handles tensors too.
//
// Active lanes: `agent.mask()`. A pure op may compute all lanes, since no op
// reads its result in an inactive lane; an op that moves data between lanes,
// accesses memory, or may fail must use the mask.
// Registers of block arguments are written under the mask (`t.copy`).
//
// Waiting: an op that changes a synchronisation object (Machine/SyncTable.h),
// or blocks on one, is emitted by `t.emitSync`.
//
// Faults: `agent.fault(op, FaultKind::OutOfBounds, message)`; return right
// after it.
//
// Regions: translate the blocks in place and connect them:
//
//   BlockId body = t.newBlock(), after = t.newBlock();
//   t.branch(op, condition, body, after);
//   t.startBlock(body); ... t.translateBody(block) ...; t.jump(op, after);
//   t.startBlock(after);
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_TRANSLATE_OPREGISTRY_H
#define DISTAFF_LIB_SIMT_TRANSLATE_OPREGISTRY_H

#include "../Machine/Launch.h"
#include "Translator.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <type_traits>

namespace distaff::simt {

class OpRegistry {
public:
  using Translate = std::function<LogicalResult(Operation *, Translator &)>;

  /// Registers a translator under an op's name.
  void add(StringRef name, Translate translate) {
    table[name] = std::move(translate);
  }

  /// Registers a translator of all ops whose names have a prefix.
  void addFamily(StringRef prefix, Translate translate) {
    families.emplace_back(prefix.str(), std::move(translate));
  }

  /// Registers an op that changes only the schedule of a program, not its
  /// values.
  void addNothing(StringRef name) {
    add(name, [](Operation *, Translator &) { return success(); });
  }

  /// Registers a translator of one op class.
  template <typename Op>
  void add(LogicalResult (*translate)(Op, Translator &)) {
    add(Op::getOperationName(),
        Typed{reinterpret_cast<Erased>(translate),
              [](Erased erased, Operation *op, Translator &t) {
                auto *translate =
                    reinterpret_cast<LogicalResult (*)(Op, Translator &)>(
                        erased);
                return translate(cast<Op>(op), t);
              }});
  }

  /// Registers a translator that is built at run time for an op class, from the
  /// function that the class computes: its code is compiled once for all
  /// classes.
  template <typename Op> void add(Translate translate) {
    addByOperands(Op::getOperationName(), std::move(translate));
  }

  /// Registers a translator that reads only an op's operands and results.
  void addByOperands(StringRef name, Translate translate) {
    goByOperands.insert(name);
    add(name, std::move(translate));
  }

  /// Registers, under one more name, the function that `op` computes of its
  /// first operands; further operands are ignored.
  /// \pre the op has a translator that reads only its operands and results
  void addAlias(StringRef name, StringRef op) {
    assert(goByOperands.contains(op) && "an alias is of such an op");
    addByOperands(name, Translate(table[op]));
  }

  /// Returns the translator of an op that reads only its operands and results,
  /// so that another op with the same ones can use it; null for other ops.
  const Translate *lookupByOperands(StringRef name) const {
    return goByOperands.contains(name) ? lookup(name) : nullptr;
  }

  const Translate *lookup(StringRef name) const {
    if (auto it = table.find(name); it != table.end())
      return &it->second;
    for (const auto &[prefix, translate] : families)
      if (name.starts_with(prefix))
        return &translate;
    return nullptr;
  }

  /// Returns why an operation is not modelled, and what can run it.
  static StringRef whyUnknown(Operation *op);

  /// Returns the operations that the machine models.
  static const OpRegistry &get();

private:
  using Erased = void (*)();
  /// Calls the translator of one op class, without a separate std::function
  /// type per class.
  struct Typed {
    Erased erased;
    LogicalResult (*call)(Erased, Operation *, Translator &);
    LogicalResult operator()(Operation *op, Translator &t) const {
      return call(erased, op, t);
    }
  };

  llvm::StringMap<Translate> table;
  llvm::StringSet<> goByOperands;
  std::vector<std::pair<std::string, Translate>> families;
};

/// Returns the translator of an op that converts each element of its operand.
inline OpRegistry::Translate elementConversion(Conversion conversion) {
  return [=](Operation *op, Translator &t) {
    Kind from = t.reg(op->getOperand(0)).kind,
         to = t.reg(op->getResult(0)).kind;
    return t.elementwise(op, t.domain().convert(conversion, from, to));
  };
}

/// Lets registered ops of llvm take integers that are held in two registers.
void addWideProducts(OpRegistry &registry);

void registerAmx(OpRegistry &registry);
void registerArith(OpRegistry &registry);
void registerArmNeon(OpRegistry &registry);
void registerCf(OpRegistry &registry);
void registerScf(OpRegistry &registry);
void registerMath(OpRegistry &registry);
void registerIndex(OpRegistry &registry);
void registerAffine(OpRegistry &registry);
void registerMemRef(OpRegistry &registry);
void registerMemRefAccess(OpRegistry &registry);
void registerAtomics(OpRegistry &registry);
void registerGpu(OpRegistry &registry);
void registerBarriers(OpRegistry &registry);
void registerMBarriers(OpRegistry &registry);
void registerAsyncCopies(OpRegistry &registry);
void registerVectorMovement(OpRegistry &registry);
void registerVectorReduction(OpRegistry &registry);
void registerVectorMemory(OpRegistry &registry);
void registerVectorExt(OpRegistry &registry);
void registerDistaff(OpRegistry &registry);
void registerInnerTiled(OpRegistry &registry);
void registerLaneMma(OpRegistry &registry);
void registerMatrixLoads(OpRegistry &registry);
void registerTargetOps(OpRegistry &registry);
void registerTransposedLoads(OpRegistry &registry);
void registerPackedDots(OpRegistry &registry);
void registerTensor(OpRegistry &registry);
void registerTensorIndexed(OpRegistry &registry);
void registerTensorPack(OpRegistry &registry);
void registerLinalg(OpRegistry &registry);
void registerBufferization(OpRegistry &registry);
void registerPcfMemory(OpRegistry &registry);
void registerPcfOwners(OpRegistry &registry);
void registerPcfSync(OpRegistry &registry);
void registerPcfCollective(OpRegistry &registry);
void registerPcfCopies(OpRegistry &registry);
void registerLlvmArith(OpRegistry &registry);
void registerLlvmControlFlow(OpRegistry &registry);
void registerLlvmIntrinsics(OpRegistry &registry);
void registerLlvmAtomics(OpRegistry &registry);
void registerLlvmMatrix(OpRegistry &registry);
void registerLlvmMemory(OpRegistry &registry);
void registerLlvmPredicated(OpRegistry &registry);
void registerLlvmValues(OpRegistry &registry);
void registerNarrowFloats(OpRegistry &registry);
void registerNvvm(OpRegistry &registry);
void registerNvvmCopies(OpRegistry &registry);
void registerNvvmMma(OpRegistry &registry);
void registerRocdl(OpRegistry &registry);
void registerApproximateMath(OpRegistry &registry);
void registerRocdlMma(OpRegistry &registry);

/// Translates x^n, with an integer n per element or one for all.
LogicalResult translateIntegerPower(Operation *op, Reg base, Reg exponent,
                                    Reg r, Translator &t);
void registerPowers(OpRegistry &registry);

/// Translates movmatrix.sync.aligned.m8n8.trans.b16 of one word per lane.
LogicalResult translateMovMatrix(Operation *op, Reg word, Reg r, Translator &t);

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_TRANSLATE_OPREGISTRY_H
