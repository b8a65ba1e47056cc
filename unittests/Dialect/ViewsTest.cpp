//===- ViewsTest.cpp - Views show the same elements, composed or not ------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chains of views are generated at random, canonicalized, and asked where each
// of their elements is (PCF-28).
//
//===----------------------------------------------------------------------===//
#include "PCFTest.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include <random>

using namespace distaff;
using namespace distaff::pcf;

namespace {

using Coordinates = std::vector<int64_t>;

/// Where in the memory behind all views an element of a view is.
Coordinates locate(Value view, Coordinates at, Numbers leaf) {
  if (auto subview = view.getDefiningOp<SubviewOp>()) {
    llvm::SmallBitVector dropped = subview.getDroppedDims();
    Coordinates there;
    unsigned kept = 0;
    for (unsigned dim : llvm::seq<unsigned>(0, dropped.size())) {
      int64_t i = dropped.test(dim) ? 0 : at[kept++];
      there.push_back(evaluate(subview.getMixedOffsets()[dim], leaf) +
                      i * evaluate(subview.getMixedStrides()[dim], leaf));
    }
    return locate(subview.getSource(), there, leaf);
  }
  if (auto expand = view.getDefiningOp<ExpandShapeOp>()) {
    Coordinates there;
    for (const ReassociationIndices &group : expand.getReassociationIndices()) {
      int64_t linear = 0;
      for (int64_t dim : group)
        linear = linear * evaluate(expand.getMixedOutputShape()[dim], leaf) +
                 at[dim];
      there.push_back(linear);
    }
    return locate(expand.getSource(), there, leaf);
  }
  return at;
}

/// Calls `visit` with every element of a box.
void forEachElement(ArrayRef<int64_t> shape,
                    function_ref<void(const Coordinates &)> visit) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  for (int64_t i : llvm::seq(count)) {
    Coordinates at(shape.size());
    int64_t rest = i;
    for (size_t dim = shape.size(); dim-- > 0; rest /= shape[dim])
      at[dim] = rest % shape[dim];
    visit(at);
  }
}

/// A function that makes views of views, as text. Arguments of type index are
/// named by the number that they stand for.
class ChainWriter {
public:
  explicit ChainWriter(unsigned seed) : random(seed) {
    for (int i = 0; i < 3; ++i)
      shape.push_back(pick(4, 9));
    type = typeOf(shape, {});
    os << "  %v0 = \"test.ref\"() : () -> " << type << "\n";
  }

  std::string write(int views) {
    for (int i = 0; i < views; ++i) {
      if (pick(0, 3))
        addSubview();
      else
        addExpandShape();
    }
    std::string arguments;
    for (int64_t number : numbers)
      arguments += (arguments.empty() ? "%n" : ", %n") +
                   std::to_string(number + 100) + ": index";
    return "func.func @f(" + arguments + ") {\n" + text + "  \"test.use\"(%v" +
           std::to_string(count) + ") : (" + type + ") -> ()\n  return\n}\n";
  }

  /// Extents of the last view.
  const Coordinates &getShape() const { return shape; }

  /// The number that an argument of the function stands for.
  int64_t numberOf(Value argument) const {
    return *std::next(numbers.begin(),
                      cast<BlockArgument>(argument).getArgNumber());
  }

private:
  int64_t pick(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  }

  /// A number as text: itself, a constant's name, or an argument's.
  std::string entry(int64_t number, bool &isStatic) {
    isStatic = true;
    switch (pick(0, 2)) {
    case 0:
      return std::to_string(number);
    case 1: {
      isStatic = false;
      std::string name = "%c" + std::to_string(numConstants++);
      os << "  " << name << " = arith.constant " << number << " : index\n";
      return name;
    }
    default:
      isStatic = false;
      numbers.insert(number);
      return "%n" + std::to_string(number + 100);
    }
  }

  static std::string typeOf(ArrayRef<int64_t> shape, ArrayRef<bool> isDynamic) {
    std::string text = "!pcf.sref<";
    for (auto [dim, extent] : llvm::enumerate(shape))
      text += (!isDynamic.empty() && isDynamic[dim] ? "?"
                                                    : std::to_string(extent)) +
              "x";
    return text + "f32, #pcf.sequential>";
  }

  void addSubview() {
    std::string offsets, sizes, strides;
    Coordinates next;
    std::vector<bool> dynamic;
    for (int64_t extent : shape) {
      int64_t size = pick(1, extent), stride = pick(-3, 3);
      while (std::abs((size - 1) * stride) >= extent)
        stride = pick(-3, 3);
      int64_t span = (size - 1) * stride;
      int64_t offset = pick(std::max<int64_t>(0, -span),
                            extent - 1 - std::max<int64_t>(0, span));
      bool isStatic;
      std::string comma = offsets.empty() ? "" : ", ";
      offsets += comma + entry(offset, isStatic);
      strides += comma + entry(stride, isStatic);
      sizes += comma + entry(size, isStatic);
      // A unit dimension may go.
      if (size == 1 && isStatic && pick(0, 1))
        continue;
      next.push_back(size);
      dynamic.push_back(!isStatic);
    }
    std::string source = type;
    shape = next;
    type = typeOf(shape, SmallVector<bool>(dynamic.begin(), dynamic.end()));
    os << "  %v" << count + 1 << " = pcf.subview %v" << count << "[" << offsets
       << "] [" << sizes << "] [" << strides << "] : " << source << " to "
       << type << "\n";
    ++count;
    wasDynamic.assign(dynamic.begin(), dynamic.end());
  }

  void addExpandShape() {
    if (shape.empty() || llvm::is_contained(wasDynamic, true))
      return;
    std::string groups;
    Coordinates next;
    for (int64_t extent : shape) {
      int64_t factor = pick(1, 3);
      groups += groups.empty() ? "[" : ", [";
      groups += std::to_string(next.size());
      if (extent % factor == 0) {
        next.push_back(factor);
        groups += ", " + std::to_string(next.size());
      }
      groups += "]";
      next.push_back(extent % factor == 0 ? extent / factor : extent);
    }
    std::string source = type;
    shape = next;
    type = typeOf(shape, {});
    os << "  %v" << count + 1 << " = pcf.expand_shape %v" << count << " ["
       << groups << "] : " << source << " into " << type << "\n";
    ++count;
    wasDynamic.assign(shape.size(), false);
  }

  std::mt19937 random;
  std::string text, type;
  llvm::raw_string_ostream os{text};
  Coordinates shape;
  std::vector<bool> wasDynamic;
  std::set<int64_t> numbers;
  int count = 0, numConstants = 0;
};

class Views : public PCFTest {
protected:
  Value lastView() {
    Value last;
    module->walk([&](Operation *op) {
      if (op->getName().getStringRef() == "test.use")
        last = op->getOperand(0);
    });
    return last;
  }
};

TEST_F(Views, ComposedViewsShowTheSameElements) {
  for (unsigned seed : llvm::seq(300u)) {
    ChainWriter chain(seed);
    std::string text = chain.write(/*views=*/5);
    SCOPED_TRACE(text);
    parse(text);
    auto leaf = [&](Value value) { return chain.numberOf(value); };
    std::vector<Coordinates> before, after;
    auto elements = [&](std::vector<Coordinates> &list) {
      forEachElement(chain.getShape(), [&](const Coordinates &at) {
        list.push_back(locate(lastView(), at, leaf));
      });
    };
    elements(before);
    PassManager passes(&context);
    passes.addPass(createCanonicalizerPass());
    ASSERT_TRUE(succeeded(passes.run(*module)));
    elements(after);
    ASSERT_EQ(before, after);
    // No subview of a subview is left.
    module->walk([&](SubviewOp op) {
      EXPECT_FALSE(op.getSource().getDefiningOp<SubviewOp>());
    });
  }
}

// PCF-23, PCF-24: one fold does all that there is to do, and keeps the result.
TEST_F(Views, FoldsAreDoneAtOnce) {
  parse(R"mlir(
    func.func @f(%r: !pcf.sref<8x8xf32, #pcf.sequential>, %t: tensor<2x3xf32>) {
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %cast = tensor.cast %t : tensor<2x3xf32> to tensor<?x?xf32>
      pcf.write_slice %cast into %r[%c1, %c2] [%c2, %c3] [%c2, 1]
        : tensor<?x?xf32> into !pcf.sref<8x8xf32, #pcf.sequential>
      %v = pcf.read_slice %r[%c1, %c2] [%c2, %c3] [%c2, 1]
        : !pcf.sref<8x8xf32, #pcf.sequential> to vector<4x4xf32>
      return
    }
  )mlir");
  auto expectStatic = [&](auto op) {
    SmallVector<OpFoldResult> results;
    EXPECT_TRUE(succeeded(op->fold(results)));
    EXPECT_TRUE(results.empty()) << "the op was folded in place";
    EXPECT_EQ(op.getStaticOffsets(), ArrayRef<int64_t>({1, 2}));
    EXPECT_EQ(op.getStaticSizes(), ArrayRef<int64_t>({2, 3}));
    EXPECT_EQ(op.getStaticStrides(), ArrayRef<int64_t>({2, 1}));
    EXPECT_TRUE(op.getOffsets().empty() && op.getSizes().empty() &&
                op.getStrides().empty());
    EXPECT_TRUE(failed(op->fold(results))) << "there is no more to fold";
  };
  expectStatic(find<WriteSliceOp>());
  expectStatic(find<ReadSliceOp>());
  EXPECT_TRUE(isa<BlockArgument>(find<WriteSliceOp>().getSource()));
}

// An op is folded before it is verified: a slice that is wrong as it stands is
// left to the verifier.
TEST_F(Views, FoldsOfWrongSlicesEnd) {
  parse(R"mlir(
    func.func @f(%r: !pcf.sref<8xf32, #pcf.sequential>, %v: vector<4xf32>) {
      %c1 = arith.constant 1 : index
      pcf.write_slice %v into %r[0] [4] [%c1]
        : vector<4xf32> into !pcf.sref<8xf32, #pcf.sequential>
      return
    }
  )mlir");
  auto write = find<WriteSliceOp>();
  SmallVector<OpFoldResult> results;
  write.setStaticOffsets({6});
  EXPECT_TRUE(failed(write->fold(results)));
  write.setStaticSizes({5});
  EXPECT_TRUE(failed(write->fold(results)));
}

} // namespace
