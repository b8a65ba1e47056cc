//===- distaff_runtime.h - Launch kernel packages, C ABI --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads kernel packages and runs them on a CUDA device. No MLIR, no LLVM, no
// CUDA toolkit: the driver library is opened with dlopen on the first use of a
// device, so a program that links this runs on machines without a GPU.
//
//   distaff_package *package;
//   distaff_device *device;
//   distaff_kernel *kernel;
//   if (distaff_package_open("softmax.package", &package) ||
//       distaff_device_open(0, &device) ||
//       distaff_kernel_load(device, package, &kernel))
//     fail(distaff_last_error());
//   float x[1024 * 768], y[1024 * 768];
//   void *data[] = {x, y};              // arguments, then results
//   distaff_kernel_run(kernel, data, /*extents=*/NULL);
//
// Every function that can fail returns a distaff_status; the text of a thread's
// last failure is distaff_last_error(). Objects are not locked: one thread at a
// time per object.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_RUNTIME_DISTAFF_RUNTIME_H
#define DISTAFF_RUNTIME_DISTAFF_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The values are the exit codes of the command line tools.
typedef enum distaff_status {
  DISTAFF_OK = 0,
  DISTAFF_FAILED = 1, ///< no driver, no fitting device, a failed driver call
  DISTAFF_INVALID = 2 ///< a damaged package, a wrong argument of the caller
} distaff_status;

typedef struct distaff_package distaff_package;
typedef struct distaff_device distaff_device;
typedef struct distaff_kernel distaff_kernel;

/// Returns the message of the last failed call of this thread; never NULL.
const char *distaff_last_error(void);

/// Reads and checks a whole package file. Opens no device.
distaff_status distaff_package_open(const char *path,
                                    distaff_package **package);
/// Reads and checks the bytes of such a file, which are not kept.
distaff_status distaff_package_read(const void *bytes, size_t size,
                                    distaff_package **package);
void distaff_package_close(distaff_package *package);
const char *distaff_package_name(const distaff_package *package);

/// Arguments and results, in this order, are the parameters 0, 1, ...
size_t distaff_package_argument_count(const distaff_package *package);
size_t distaff_package_result_count(const distaff_package *package);
const char *distaff_package_parameter_name(const distaff_package *package,
                                           size_t parameter);
/// Returns "f32", "bf16", "i64", ... as MLIR spells types.
const char *distaff_package_parameter_type(const distaff_package *package,
                                           size_t parameter);
/// Returns 1 for a scalar, which is passed by value.
int distaff_package_parameter_is_scalar(const distaff_package *package,
                                        size_t parameter);
/// Returns the bits that an element of an array takes in memory, or a scalar:
/// for an i4 4 where two share a byte, the first in its lower half, and 8 where
/// each has its own, of which the upper half is zeros.
size_t distaff_package_parameter_bits(const distaff_package *package,
                                      size_t parameter);
size_t distaff_package_parameter_rank(const distaff_package *package,
                                      size_t parameter);
/// Returns the number of dynamic extents, counted over the arguments'
/// dimensions.
size_t distaff_package_extent_count(const distaff_package *package);
/// Returns the number of the dynamic extent of an argument's dimension, or -1
/// for a static one.
int64_t distaff_package_parameter_extent(const distaff_package *package,
                                         size_t parameter, size_t dimension);
/// Writes the shape for the given dynamic extents.
distaff_status distaff_package_parameter_shape(const distaff_package *package,
                                               size_t parameter,
                                               const int64_t *extents,
                                               int64_t *shape);
/// Checks that every shape, workspace and grid has a value within the target's
/// limits for the given dynamic extents. Opens no device.
distaff_status distaff_package_check(const distaff_package *package,
                                     const int64_t *extents);

/// Opens the CUDA driver and the device's primary context. The driver library
/// is libcuda.so.1, or the value of the environment variable
/// DISTAFF_CUDA_DRIVER.
distaff_status distaff_device_open(int number, distaff_device **device);
void distaff_device_close(distaff_device *device);
const char *distaff_device_name(const distaff_device *device);

/// Picks the first code object that runs on the device and loads it. The
/// package and the device must outlive the kernel.
distaff_status distaff_kernel_load(distaff_device *device,
                                   const distaff_package *package,
                                   distaff_kernel **kernel);
void distaff_kernel_unload(distaff_kernel *kernel);

/// Manage device memory, for callers that keep their data there.
distaff_status distaff_device_allocate(distaff_device *device, size_t bytes,
                                       uint64_t *address);
distaff_status distaff_device_free(distaff_device *device, uint64_t address);
distaff_status distaff_device_upload(distaff_device *device, uint64_t address,
                                     const void *data, size_t bytes);
distaff_status distaff_device_download(distaff_device *device, void *data,
                                       uint64_t address, size_t bytes);

/// Launches every kernel of the package in order, without waiting for the end.
/// parameters[i] points to a device address (uint64_t) for an array and to the
/// value itself for a scalar; extents may be NULL when there are none.
distaff_status distaff_kernel_launch(distaff_kernel *kernel,
                                     const void *const *parameters,
                                     const int64_t *extents);
distaff_status distaff_device_wait(distaff_device *device);

/// Copies every array to the device, launches, waits, and copies every array
/// back (an array argument may be written by the kernel). data[i] is the host
/// memory of parameter i.
distaff_status distaff_kernel_run(distaff_kernel *kernel, void *const *data,
                                  const int64_t *extents);

/// Measures the median, minimum and maximum of `repeats` launches in
/// microseconds with events on the device; one unmeasured launch goes first.
distaff_status distaff_kernel_time(distaff_kernel *kernel,
                                   const void *const *parameters,
                                   const int64_t *extents, int repeats,
                                   double *median, double *minimum,
                                   double *maximum);

#ifdef __cplusplus
}
#endif

#endif // DISTAFF_RUNTIME_DISTAFF_RUNTIME_H
