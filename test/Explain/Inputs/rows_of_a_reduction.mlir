func.func @columns(%x: vector<8x8xf32>, %acc: vector<8xf32>) -> vector<8xf32> {
  %r = vector.multi_reduction <add>, %x, %acc [1] : vector<8x8xf32> to vector<8xf32>
  return %r : vector<8xf32>
}
