// Random numbers by Philox 4x32-10 (Salmon, Moraes, Dror and Shaw, Parallel Random Numbers: As Easy as 1, 2, 3, 2011): four
// words of 32 bits for each value of a counter of 128 bits, under a key of 64. Nothing is carried from one to the next,
// so element k is the same however elements are shared out.

struct Words {
  uint32 word[4];
};

__device__ __forceinline__ Words philox(Words counter, const uint64 key) {
  uint32 low = static_cast<uint32>(key), high = static_cast<uint32>(key >> 32);
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const uint64 first = uint64(0xD2511F53u) * counter.word[0], second = uint64(0xCD9E8D57u) * counter.word[2];
    counter = Words{{static_cast<uint32>(second >> 32) ^ counter.word[1] ^ low, static_cast<uint32>(second),
                     static_cast<uint32>(first >> 32) ^ counter.word[3] ^ high, static_cast<uint32>(first)}};
    low += 0x9E3779B9u;
    high += 0xBB67AE85u;
  }
  return counter;
}
__device__ __forceinline__ Words random_words(const uint64 seed, const uint64 number) {
  return philox(Words{{static_cast<uint32>(number), static_cast<uint32>(number >> 32), 0, 0}}, seed);
}

// Equally spaced numbers in [0, 1): as many bits as the fraction holds.
__device__ __forceinline__ float uniform(const uint32 word) { return static_cast<float>(word >> 8) * 5.9604644775390625e-8f; }
__device__ __forceinline__ double uniform(const uint32 low, const uint32 high) {
  return static_cast<double>((uint64(high) << 32 | low) >> 11) * 1.1102230246251565e-16;
}
// Two independent standard normal numbers of two uniform ones (Box and Muller); the radius never sees zero.
__device__ __forceinline__ void normal_pair(const uint32 x, const uint32 y, float& first, float& second) {
  const float radius = sqrtf(-2.0f * logf((static_cast<float>(x) + 0.5f) * 2.3283064365386963e-10f));
  const float turn = 2.0f * uniform(y);
  first = radius * cospif(turn);
  second = radius * sinpif(turn);
}
__device__ __forceinline__ void normal_pair(const Words words, double& first, double& second) {
  const double radius = sqrt(-2.0 * log1p(-uniform(words.word[0], words.word[1])));
  const double turn = 2.0 * uniform(words.word[2], words.word[3]);
  first = radius * cospi(turn);
  second = radius * sinpi(turn);
}

// What elements are made of words: as many elements as one counter gives.
struct Bits {
  static constexpr int each = 4;
  __device__ __forceinline__ void of(const Words words, uint32 (&out)[4]) const {
#pragma unroll
    for (int k = 0; k < 4; ++k) out[k] = words.word[k];
  }
};
struct Uniform {
  static constexpr int each = 4;
  __device__ __forceinline__ void of(const Words words, float (&out)[4]) const {
#pragma unroll
    for (int k = 0; k < 4; ++k) out[k] = uniform(words.word[k]);
  }
};
struct UniformDouble {
  static constexpr int each = 2;
  __device__ __forceinline__ void of(const Words words, double (&out)[2]) const {
#pragma unroll
    for (int k = 0; k < 2; ++k) out[k] = uniform(words.word[2 * k], words.word[2 * k + 1]);
  }
};
struct Normal {
  static constexpr int each = 4;
  __device__ __forceinline__ void of(const Words words, float (&out)[4]) const {
    normal_pair(words.word[0], words.word[1], out[0], out[1]);
    normal_pair(words.word[2], words.word[3], out[2], out[3]);
  }
};
struct NormalDouble {
  static constexpr int each = 2;
  __device__ __forceinline__ void of(const Words words, double (&out)[2]) const { normal_pair(words, out[0], out[1]); }
};
struct Bernoulli {  // true with probability bound / 2^32
  static constexpr int each = 4;
  uint64 bound;
  __device__ __forceinline__ void of(const Words words, bool (&out)[4]) const {
#pragma unroll
    for (int k = 0; k < 4; ++k) out[k] = words.word[k] < bound;
  }
};

// An array of random numbers, and the state behind them. A state holds the seed and the number of the next counter.
template <class Made, class T, class Index>
__device__ __forceinline__ void draw(const Made made, const uint64* state, T* out, uint64* behind, const Index size) {
  const uint64 seed = state[0], next = state[1];
  const Index counters = (size + Made::each - 1) / Made::each;
  const bool whole = aligned<Made::each>(out);
  each_element(counters, [&](const Index counter) {
    T own[Made::each];
    made.of(random_words(seed, next + counter), own);
    const Index begin = counter * Made::each;
    if (whole && begin + Made::each <= size) {
      Pack<T, Made::each> pack;
#pragma unroll
      for (int k = 0; k < Made::each; ++k) pack[k] = own[k];
      store_pack(out + begin, pack);
    } else {
#pragma unroll
      for (int k = 0; k < Made::each; ++k)
        if (begin + k < size) out[begin + k] = own[k];
    }
  });
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    behind[0] = seed;
    behind[1] = next + counters;
  }
}
