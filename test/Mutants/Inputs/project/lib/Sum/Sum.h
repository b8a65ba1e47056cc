#pragma once
#include <vector>

int sum(const std::vector<int> &values);
int largest(const std::vector<int> &values);
bool isSmall(int x);
int twice(int x);
int count(int most);

/// Has no default, so what returns one cannot return an empty one.
struct map {
  explicit map(int size) : size(size) {}
  int size;
};
map makeMap(int size);
