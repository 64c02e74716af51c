#pragma once

#include <memory>

#include "onednn/primitive_step.hpp"
#include "onednn/row_patterns.hpp"

namespace onefold::impl::onednn {

/// The step that computes a layer normalization whose operands are dense, or as oneDNN describes them. `careful` computes the
/// program in all cases: it runs behind the primitive where a row's mean or variance has left the range of f32 on the way,
/// which onefold's rules do not allow. nullptr where oneDNN has no implementation but its reference. Throws dnnl::error.
std::unique_ptr<step> make_layer_norm(const row_program &p, const layer_norm &norm, std::unique_ptr<step> careful);

} // namespace onefold::impl::onednn
