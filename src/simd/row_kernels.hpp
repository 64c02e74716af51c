#pragma once

#include "simd/float_conversion.hpp"
#include "simd/kernels.hpp"
#include "simd/row_geometry.hpp"
#include "simd/row_schedule.hpp"
#include "simd/tile_kernels.hpp"

namespace onefold::impl::simd {

inline constexpr size_t no_output = SIZE_MAX;
inline constexpr size_t not_cached = SIZE_MAX;

/// How the tile of an instruction's values, or its results, are made.
struct row_kernel {
    enum class way {
        in_place,  // an input's elements where they are
        converted, // an input's elements as f32
        cast,      // likewise, of a type that is no float: a tile of them, always
        repeated,  // one of them for each row of the tile
        unary,
        root,
        round, // to the type of `convert` and back
        tile,
        quotient, // a tile: `kernel` where reciprocals are exact, else `division`
        constant,
        reduction
    };
    way by = way::constant;
    bool is_alike = false; // one value for each row of a tile
    size_t operand = 0;    // of a load
    float_conversion convert;
    unary_kernel unary = nullptr;
    root_kernel root = nullptr;
    tile_kernel kernel = nullptr;
    tile_kernel division = nullptr;
    binary_kernel binary = nullptr; // of results
    float alpha = 0;
    float beta = 0;
    int64_t inner_stride = 0;         // of a load: along a tile's rows, in elements
    size_t direct_output = no_output; // where its tiles are made if they can be
    size_t cache = not_cached;        // the number of its tiles' cache
    size_t argument_count = 1;
    std::array<size_t, 3> arguments{};
    std::array<size_t, 3> divided{}; // the arguments of `division`
    bool is_divisor = false;         // some quotient's
};

/// Of each reduction: its kernels, and where its source is read from.
struct row_reduction {
    reduction kernels;
    size_t source = 0;         // instruction
    bool reads_memory = false; // the source is a load, whose elements are read as they are
    op_kind op = onefold_op_wildcard;
    bool squares = false;
    size_t totals = 0; // offset in bytes for each result of a piece, before it
};

/// Of each output that varies along reduced dims, or not.
struct row_store {
    float_conversion convert;
    int64_t inner_stride = 0; // along a tile's rows, in elements
    int64_t size = 0;         // of an element in bytes
};

/// The kernels that a row program's instructions run on.
class row_kernels {
public:
    row_kernels(const row_program &p, const isa &on, const row_geometry &g, const row_schedule &s);

    const row_kernel &of(size_t instruction) const { return kernels_[instruction]; }
    const row_reduction &reduction_of(size_t instruction) const { return reductions_[instruction]; }
    /// Makes the reduction one of f32, whatever the type of what is read: code brings that to f32 itself.
    void reduce_floats(size_t instruction, const isa &on);
    const row_store &store_of(size_t output) const { return stores_[output]; }
    reciprocal_check are_reciprocals_exact() const { return check_; }
    /// Repeats, or copies, f32.
    const conversion &floats() const { return floats_; }
    /// Bytes of the totals of all reductions, for each result.
    size_t total_size() const { return total_size_; }

private:
    row_kernel make(const row_program &p, const isa &on, const row_instruction &i, const row_geometry &g) const;
    void set_load(row_kernel &k, const row_program &p, const isa &on, const row_instruction &i, const row_geometry &g) const;
    void set_tile(row_kernel &k, const row_instruction &i, const isa &on) const;
    row_reduction make_reduction(const row_program &p, const isa &on, const row_instruction &i) const;
    static void set_kernels(row_reduction &r, data_type type, const isa &on);
    void add_stores(const row_program &p, const isa &on, const row_geometry &g);

    std::vector<row_kernel> kernels_;
    std::vector<row_reduction> reductions_;
    std::vector<row_store> stores_;
    reciprocal_check check_;
    conversion floats_;
    size_t total_size_ = 0;
};

} // namespace onefold::impl::simd
