// Launches the package of examples/softmax.mlir on the first CUDA device.
#include "distaff/Runtime/distaff_runtime.h"
#include <stdio.h>

static float x[1024][768], y[1024][768];

int main(int argc, char **argv) {
  distaff_package *package;
  distaff_device *device;
  distaff_kernel *kernel;
  void *data[] = {x, y}; // arguments, then results
  if (argc != 2 || distaff_package_open(argv[1], &package) ||
      distaff_device_open(0, &device) ||
      distaff_kernel_load(device, package, &kernel) ||
      distaff_kernel_run(kernel, data, /*extents=*/NULL)) {
    fprintf(stderr, "%s\n", distaff_last_error());
    return 1;
  }
  printf("ran %s on %s\n", distaff_package_name(package),
         distaff_device_name(device));
  distaff_kernel_unload(kernel);
  distaff_device_close(device);
  distaff_package_close(package);
  return 0;
}
