//===- VectorKernelTest.cpp - Kernels written in --------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernels of docs/VectorKernels.md and others (VX-155), run on this CPU and
// on the machine of a GPU, against loops of C++.
//
//===----------------------------------------------------------------------===//
#include "distaff/Driver/VectorKernel.h"
#include "distaff/Driver/Run.h"
#include "distaff/Target/Target.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace distaff;
using runtime::HostArray;
using runtime::ScalarType;
using vector::CombiningKind;

namespace {

HostArray arrayOf(std::vector<int64_t> shape, ArrayRef<float> values) {
  HostArray array = HostArray::zeros(ScalarType::F32, std::move(shape));
  memcpy(array.bytes.data(), values.data(), array.bytes.size());
  return array;
}

/// Small whole numbers, whose sums of products are exact.
std::vector<float> wholeNumbers(int64_t count, unsigned seed) {
  std::vector<float> values(count);
  for (float &value : values) {
    seed = seed * 1664525 + 1013904223;
    value = float(seed >> 24) / 16 - 8;
    value = std::floor(value);
  }
  return values;
}

/// What a kernel leaves in its last array, on this CPU and on two GPUs'
/// machine.
void expectResult(ModuleOp module, const std::vector<HostArray> &inputs,
                  ArrayRef<float> expected) {
  for (StringRef target : {"host", "sm_80", "gfx942"}) {
    RunOptions options{.target = lookupTarget(target), .check = true};
    options.onHost = options.target->isHost();
    RunOutcome outcome = run(module, options, inputs);
    ASSERT_EQ(outcome.answer, Answer::Yes) << target.str();
    const HostArray &result = outcome.arrays.back();
    ASSERT_EQ(result.bytes.size(), expected.size() * sizeof(float));
    std::vector<float> seen(expected.size());
    memcpy(seen.data(), result.bytes.data(), result.bytes.size());
    for (size_t i = 0; i < expected.size(); ++i)
      ASSERT_EQ(seen[i], expected[i]) << target.str() << ", element " << i;
  }
}

TEST(VectorKernel, ProductInTiles) {
  constexpr int64_t m = 20, n = 40, k = 48;
  VectorKernel kernel("product");
  Array a = kernel.array({m, k}, kernel.f32());
  Array b = kernel.array({k, n}, kernel.f32());
  Array c = kernel.array({m, n}, kernel.f32());
  kernel.loop(0, m, 8, [&](Index i) {
    kernel.loop(0, n, 16, [&](Index j) {
      Vector sums = kernel.constant({8, 16}, kernel.f32(), 0);
      sums = kernel
                 .loop(0, k, 16, {sums},
                       [&](Index l, ArrayRef<Vector> sums) {
                         Vector x = a.load({i, l}, {8, 16}, /*isInside=*/false);
                         Vector y = b.load({l, j}, {16, 16}, false);
                         return SmallVector<Vector>{
                             kernel.contract("mk,kn->mn", x, y, sums[0])};
                       })
                 .front();
      c.store(sums, {i, j}, /*isInside=*/false);
    });
  });
  FailureOr<ModuleOp> module = kernel.finish();
  ASSERT_TRUE(succeeded(module));

  std::vector<float> x = wholeNumbers(m * k, 1), y = wholeNumbers(k * n, 2),
                     expected(m * n);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      for (int64_t l = 0; l < k; ++l)
        expected[i * n + j] += x[i * k + l] * y[l * n + j];
  expectResult(*module,
               {arrayOf({m, k}, x), arrayOf({k, n}, y),
                arrayOf({m, n}, std::vector<float>(m * n))},
               expected);
}

TEST(VectorKernel, ElementsRowsAndMasks) {
  constexpr int64_t m = 6, n = 37;
  VectorKernel kernel("rows");
  Array a = kernel.array({m, n}, kernel.f32());
  Array out = kernel.array({m}, kernel.f32());
  Vector mask = kernel.below({m, n - 5}, {m, n});
  Vector x = a.load({0, 0}, {m, n}, true, mask);
  Vector half = (x * 2.0 + 1.0 - 0.5) / 2.0;
  Vector zero = half.splat(0);
  Vector chosen = half.isAbove(zero).select(half, zero - half);
  Vector first = a.load({0, 0}, {n}).broadcast({m, n});
  Vector larger = chosen.maximum(first).transpose({1, 0});
  Vector most = larger.reduce(CombiningKind::MAXIMUMF, {0});
  Vector sums = larger.minimum(larger.splat(5)).reduce(CombiningKind::ADD, {0});
  out.store(most + sums, {0});
  FailureOr<ModuleOp> module = kernel.finish();
  ASSERT_TRUE(succeeded(module));

  std::vector<float> values = wholeNumbers(m * n, 3), expected(m);
  for (int64_t i = 0; i < m; ++i) {
    float largest = -INFINITY, sum = 0;
    for (int64_t j = 0; j < n; ++j) {
      float read = j < n - 5 ? values[i * n + j] : 0;
      float each = std::fmax(std::fabs(read + 0.25f), values[j]);
      largest = std::fmax(largest, each);
      sum += std::fmin(each, 5.0f);
    }
    expected[i] = largest + sum;
  }
  expectResult(*module,
               {arrayOf({m, n}, values), arrayOf({m}, std::vector<float>(m))},
               expected);
}

TEST(VectorKernel, OneElementAndIndices) {
  VectorKernel kernel("shifted");
  Array a = kernel.array({9}, kernel.f32());
  Array out = kernel.array({9}, kernel.f32());
  kernel.loop(0, 4, 1,
              [&](Index i) { out.store(a.load({i + 1}, {1}), {i * 2 + 1}); });
  out.store(a.load({Index(2) * 4}, {1}).map<math::AbsFOp>(), {0});
  FailureOr<ModuleOp> module = kernel.finish();
  ASSERT_TRUE(succeeded(module));
  std::vector<float> values = {0, 1, 2, 3, 4, 5, 6, 7, -8};
  std::vector<float> old = {-1, -1, -2, -1, -4, -1, -6, -1, -9};
  expectResult(*module, {arrayOf({9}, values), arrayOf({9}, old)},
               {8, 1, -2, 2, -4, 3, -6, 4, -9});
}

TEST(VectorKernel, WrongKernelsAreTold) {
  VectorKernel kernel("wrong");
  Array a = kernel.array({4, 4}, kernel.f32());
  Vector x = a.load({0, 0}, {4, 4});
  a.store(x + a.load({0, 0}, {4}), {0, 0});
  std::string said;
  ScopedDiagnosticHandler handler(
      kernel.getContext(),
      [&](Diagnostic &diagnostic) { said += diagnostic.str(); });
  EXPECT_TRUE(failed(kernel.finish()));
  EXPECT_NE(
      said.find("'arith.addf' op requires the same type for all operands"),
      std::string::npos)
      << said;
}

} // namespace
