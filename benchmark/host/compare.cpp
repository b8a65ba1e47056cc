//===- compare.cpp - What kernels on a CPU are compared with --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A template: host_benchmark.py adds the cases. Loops are blocked as one writes
// them by hand, with the number of threads that all have.
//
//===----------------------------------------------------------------------===//
#include <algorithm>
#include <cblas.h>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <omp.h>
#include <string_view>
#include <vector>

extern "C" void openblas_set_num_threads(int);

static int threads = 1, repeats = 1;
static float *x[3], *ours, *theirs;
static uint16_t *h[3];
static int8_t *c[3];

typedef void (*Task)(const void *, int64_t, int64_t);

static void parallel(Task task, const void *data, int64_t count) {
  int64_t share = std::max<int64_t>(1, count / (8 * threads));
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (int64_t begin = 0; begin < count; begin += share)
    task(data, begin, std::min(begin + share, count));
}

static void prepare(const long *sizes, int count, long result) {
  for (int i = 0; i < count; ++i) {
    x[i] = (float *)aligned_alloc(64, (4 * sizes[i] + 63) / 64 * 64);
    h[i] = (uint16_t *)aligned_alloc(64, (2 * sizes[i] + 63) / 64 * 64);
    c[i] = (int8_t *)aligned_alloc(64, (sizes[i] + 63) / 64 * 64);
    for (long j = 0; j < sizes[i]; ++j) {
      c[i][j] = int8_t(j * 2654435761u >> 16);
      x[i][j] = float((j * 2654435761u >> 16) % 2001) / 1000 - 1;
      _Float16 half = (_Float16)x[i][j];
      __builtin_memcpy(&h[i][j], &half, 2);
    }
  }
  ours = (float *)aligned_alloc(64, (4 * result + 63) / 64 * 64);
  theirs = (float *)aligned_alloc(64, (4 * result + 63) / 64 * 64);
}

static void compare(const char *name, long result, std::function<void()> mine,
                    std::function<void()> other) {
  auto seconds = [](const std::function<void()> &work) {
    auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         begin)
        .count();
  };
  mine();
  other();
  double worst = 0;
  if (std::string_view(name) == "bytes")
    worst = std::memcmp(ours, theirs, 4 * result) != 0;
  else
    for (long i = 0; i < result; ++i)
      worst = std::max(worst, std::abs(double(ours[i]) - theirs[i]) /
                                  (1 + std::abs(double(theirs[i]))));
  double best[2] = {1e9, 1e9};
  for (int i = 0; i < repeats; ++i) {
    best[0] = std::min(best[0], seconds(mine));
    best[1] = std::min(best[1], seconds(other));
  }
  std::printf("%-12s %9.3f ms %9.3f ms   ratio %.2f   difference %.1e\n", name,
              best[0] * 1e3, best[1] * 1e3, best[1] / best[0], worst);
}

[[maybe_unused]] static void blas(int m, int n, int k, const float *a,
                                  const float *b, float *c) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a, k, b, n,
              0, c, n);
}

template <int size, typename Element, typename Sum>
static void product_loops(const Element *a, const Element *b, Sum *sums) {
  constexpr int block = 64;
#pragma omp parallel for num_threads(threads)
  for (int i0 = 0; i0 < size; i0 += block) {
    for (int i = i0; i < i0 + block; ++i)
      for (int j = 0; j < size; ++j)
        sums[i * size + j] = 0;
    for (int k0 = 0; k0 < size; k0 += block)
      for (int i = i0; i < i0 + block; ++i)
        for (int k = k0; k < k0 + block; ++k) {
          Sum f = a[i * size + k];
          for (int j = 0; j < size; ++j)
            sums[i * size + j] += f * (Sum)b[k * size + j];
        }
  }
}

[[maybe_unused]] static void halves_loops(const uint16_t *a, const uint16_t *b,
                                          float *r) {
  product_loops<512>((const _Float16 *)a, (const _Float16 *)b, r);
}

[[maybe_unused]] static void bytes_loops(const int8_t *a, const int8_t *b,
                                         float *r) {
  product_loops<1024>(a, b, (int32_t *)r);
}

[[maybe_unused]] static void softmax_loops(const float *a, float *r) {
#pragma omp parallel for num_threads(threads)
  for (int i = 0; i < 1024; ++i) {
    const float *row = a + i * 768;
    float *out = r + i * 768, most = row[0], sum = 0;
    for (int j = 0; j < 768; ++j)
      most = std::max(most, row[j]);
    for (int j = 0; j < 768; ++j) {
      out[j] = std::exp(row[j] - most);
      sum += out[j];
    }
    for (int j = 0; j < 768; ++j)
      out[j] /= sum;
  }
}

[[maybe_unused]] static void layernorm_loops(const float *a, const float *gain,
                                             const float *bias, float *r) {
#pragma omp parallel for num_threads(threads)
  for (int i = 0; i < 1024; ++i) {
    const float *row = a + i * 768;
    float *out = r + i * 768, sum = 0, square = 0;
    for (int j = 0; j < 768; ++j)
      sum += row[j];
    float mean = sum / 768;
    for (int j = 0; j < 768; ++j)
      square += (row[j] - mean) * (row[j] - mean);
    float scale = 1 / std::sqrt(square / 768 + 1e-5f);
    for (int j = 0; j < 768; ++j)
      out[j] = (row[j] - mean) * scale * gain[j] + bias[j];
  }
}

[[maybe_unused]] static void filter_loops(const float *a, const float *w,
                                          float *r) {
#pragma omp parallel for num_threads(threads)
  for (int i = 0; i < 56; ++i)
    for (int j0 = 0; j0 < 56; j0 += 8) {
      float acc[8][64] = {};
      for (int u = 0; u < 3; ++u)
        for (int v = 0; v < 3; ++v)
          for (int c = 0; c < 64; ++c)
            for (int j = 0; j < 8; ++j) {
              float f = a[((i + u) * 58 + j0 + j + v) * 64 + c];
              for (int o = 0; o < 64; ++o)
                acc[j][o] += f * w[((u * 3 + v) * 64 + c) * 64 + o];
            }
      for (int j = 0; j < 8; ++j)
        for (int o = 0; o < 64; ++o)
          r[(i * 56 + j0 + j) * 64 + o] = acc[j][o];
    }
}

// CASES

int main(int count, char **arguments) {
  threads = count > 1 ? std::atoi(arguments[1]) : 1;
  repeats = count > 2 ? std::atoi(arguments[2]) : 15;
  openblas_set_num_threads(threads);
  // CALLS
}
