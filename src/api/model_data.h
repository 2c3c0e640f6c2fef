// What stands behind a hyla::Model.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/hyla.h"
#include "diag/source.h"
#include "model/model.h"

namespace hyla {

struct Model::Data {
  std::string path;
  diag::Sources sources;  ///< each simulation has a copy: looking up places is not made for threads
  std::shared_ptr<const model::Model> model;
  std::vector<Message> warnings;
};

}  // namespace hyla
