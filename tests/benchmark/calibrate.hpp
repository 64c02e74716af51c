#pragma once

namespace onefold::bench {

/// Prints what the cost functions of the lowerings are made from: how long an op takes in each lowering, over sizes.
/// Changes ONEFOLD_LOWERING.
void calibrate();

} // namespace onefold::bench
