#include "Sum/Sum.h"
#include <cstdio>
#include <cstdlib>

int main(int argc, char **argv) {
  std::vector<int> values;
  for (int i = 1; i < argc; ++i)
    values.push_back(atoi(argv[i]));
  std::printf("%d\n", sum(values));
}
