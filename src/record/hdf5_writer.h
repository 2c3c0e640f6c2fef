// Results as HDF5, which is chunked, compressed, of any size, and readable while the run goes on:
//
//     /                   attributes: format, format_version, model, version, seed, start_time, stop_time, time_unit
//     /time               the time of each row
//     /variables/NAME     values by row; attributes: unit, description; first_row if the variable came later. Two names
//                         of one thing are two links to one dataset
//     /negated/NAME       links to datasets whose negated values the variable has
//     /parameters/NAME    a number; attributes: unit, description
//     /events             the bytes of the events file (docs/events-file.md)
//     /model_text         all files of the model
//
// A dataset is shorter than /time if its variable has gone, and holds record::kAbsent, a NaN, while it was not there.
#pragma once

#include <memory>

#include "record/result_writer.h"
#include "record/store.h"

namespace hyla::record {

/// `store` is empty and outlives the writer. Everything happens in the thread that calls.
std::unique_ptr<ResultWriter> make_hdf5_writer(Store& store, ResultHeader header);

}  // namespace hyla::record
