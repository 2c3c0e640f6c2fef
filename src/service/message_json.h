// The fields of a message as a JSON object, for the event log.
#pragma once

#include <string>

#include "code/heap.h"
#include "model/model.h"
#include "service/run_names.h"

namespace hyla::service {

/// Appends `{"id":3,"size":0.5}`. Enumerations are words, objects their paths, arrays of several dimensions arrays of
/// arrays, `none` is null.
void append_message(std::string& out, const model::Model& model, RunNames& names, const code::Box& message);

}  // namespace hyla::service
