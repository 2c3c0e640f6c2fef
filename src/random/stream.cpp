// Making streams: the hash of a name, and jumps through the sequence.
//
// A step of the generator multiplies each half of the state by a fixed 3x3 matrix, so a jump multiplies it by a power
// of that matrix. Tables hold the powers for each hexadecimal digit of the number of streams or substreams: 36 kB,
// built at the first use in about 0.1 ms. A jump costs one product of matrix and vector for each digit that is not 0.
#include "random/stream.h"

namespace hyla::random {
namespace {

using Vector = std::array<std::uint64_t, 3>;

/// Arithmetic modulo 2^32 - Gap.
template <std::uint64_t Gap>
struct Field {
  using Matrix = std::array<std::array<std::uint32_t, 3>, 3>;
  static constexpr std::uint64_t kModulus = (std::uint64_t{1} << 32) - Gap;

  /// Any 64-bit value folded once: congruent, and below 2^48.
  static constexpr std::uint64_t fold(std::uint64_t value) { return (value >> 32) * Gap + (value & 0xFFFFFFFF); }

  static Vector times(const Matrix& a, const Vector& v) {
    Vector result{};
    for (std::size_t i = 0; i < 3; ++i)
      result[i] = fold(fold(fold(a[i][0] * v[0]) + fold(a[i][1] * v[1]) + fold(a[i][2] * v[2]))) % kModulus;
    return result;
  }

  static Matrix times(const Matrix& a, const Matrix& b) {
    Matrix result{};
    for (std::size_t column = 0; column < 3; ++column) {
      const Vector product = times(a, Vector{b[0][column], b[1][column], b[2][column]});
      for (std::size_t row = 0; row < 3; ++row) result[row][column] = static_cast<std::uint32_t>(product[row]);
    }
    return result;
  }

  static Matrix squared(Matrix a, int times_squared) {
    for (int i = 0; i < times_squared; ++i) a = times(a, a);
    return a;
  }
};

using Field1 = Field<209>;
using Field2 = Field<22853>;
static_assert(Field1::kModulus == kModulus1 && Field2::kModulus == kModulus2);

constexpr Field1::Matrix kStep1 = {{{0, 1, 0}, {0, 0, 1}, {kModulus1 - 810728, 1403580, 0}}};
constexpr Field2::Matrix kStep2 = {{{0, 1, 0}, {0, 0, 1}, {kModulus2 - 1370589, 0, 527612}}};

/// powers[place][digit] is the matrix of digit * 16^place jumps.
template <class F>
class JumpTable {
 public:
  JumpTable(const typename F::Matrix& step, int log2_of_jump) {
    typename F::Matrix unit = F::squared(step, log2_of_jump);
    for (auto& digits : powers_) {
      digits[1] = unit;
      for (std::size_t digit = 2; digit < 16; ++digit) digits[digit] = F::times(digits[digit - 1], unit);
      unit = F::times(digits[15], unit);
    }
  }

  void jump(Vector& half, std::uint64_t count) const {
    for (std::size_t place = 0; count != 0; ++place, count >>= 4)
      if (const std::size_t digit = count & 15; digit != 0) half = F::times(powers_[place][digit], half);
  }

 private:
  std::array<std::array<typename F::Matrix, 16>, 16> powers_{};
};

struct Jumps {
  JumpTable<Field1> streams1{kStep1, 127};
  JumpTable<Field2> streams2{kStep2, 127};
  JumpTable<Field1> substreams1{kStep1, 76};
  JumpTable<Field2> substreams2{kStep2, 76};
};

const Jumps& jumps() {
  static const Jumps kJumps;
  return kJumps;
}

constexpr std::uint64_t kFnvStart = 0xCBF29CE484222325;
constexpr std::uint64_t kFnvPrime = 0x00000100000001B3;

std::uint64_t with_byte(std::uint64_t hash, unsigned char byte) { return (hash ^ byte) * kFnvPrime; }

std::uint64_t with_number(std::uint64_t hash, std::uint64_t number) {
  for (int shift = 0; shift < 64; shift += 8) hash = with_byte(hash, static_cast<unsigned char>(number >> shift));
  return hash;
}

std::uint64_t with_text(std::uint64_t hash, std::string_view text) {
  for (const char c : text) hash = with_byte(hash, static_cast<unsigned char>(c));
  return hash;
}

/// The finaliser of SplitMix64 (Steele, Lea, Flood, 2014): every bit of the hash reaches every bit of the key.
std::uint64_t mixed(std::uint64_t hash) {
  hash = (hash ^ (hash >> 30)) * 0xBF58476D1CE4E5B9;
  hash = (hash ^ (hash >> 27)) * 0x94D049BB133111EB;
  return hash ^ (hash >> 31);
}

}  // namespace

Stream Stream::numbered(std::uint64_t number) { return Stream().skipped(number, 0); }

Stream Stream::skipped(std::uint64_t streams, std::uint64_t substreams) const {
  Vector half1 = {state_[0], state_[1], state_[2]};
  Vector half2 = {state_[3], state_[4], state_[5]};
  jumps().streams1.jump(half1, streams);
  jumps().streams2.jump(half2, streams);
  jumps().substreams1.jump(half1, substreams);
  jumps().substreams2.jump(half2, substreams);
  State state{};
  for (std::size_t i = 0; i < 3; ++i) {
    state[i] = static_cast<std::uint32_t>(half1[i]);
    state[i + 3] = static_cast<std::uint32_t>(half2[i]);
  }
  return Stream(state);
}

StreamKey::StreamKey(std::uint64_t seed, std::string_view path)
    : hash_(with_text(with_number(with_number(kFnvStart, seed), path.size()), path)) {}

std::uint64_t StreamKey::for_purpose(std::string_view purpose) const {
  return mixed(with_text(with_byte(hash_, 's'), purpose));
}

std::uint64_t StreamKey::for_purpose(std::uint64_t purpose) const {
  return mixed(with_number(with_byte(hash_, 'n'), purpose));
}

std::uint64_t stream_key(std::uint64_t seed, std::string_view path, std::string_view purpose) {
  return StreamKey(seed, path).for_purpose(purpose);
}

Stream make_stream(std::uint64_t key, std::uint64_t substream) { return Stream().skipped(key, substream); }

Stream make_stream(std::uint64_t seed, std::string_view path, std::string_view purpose, std::uint64_t substream) {
  return make_stream(stream_key(seed, path, purpose), substream);
}

}  // namespace hyla::random
