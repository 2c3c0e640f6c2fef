#include <map>
#include <utility>

#include "api/messages.h"
#include "api/model_data.h"
#include "service/files.h"
#include "service/read_model.h"

namespace hyla {
namespace {

std::shared_ptr<const Model::Data> read(const std::string& path, const std::vector<std::string>& library_paths,
                                        const service::FileSystem& files) {
  auto data = std::make_shared<Model::Data>();
  auto model = std::make_shared<model::Model>();
  service::ModelReport report;
  const bool good = service::read_model(path, library_paths, files, report, *model);
  if (!good) api::raise(report.failures, report.diagnostics, report.sources);
  data->path = path;
  data->warnings = api::messages_of(report.diagnostics, report.sources);
  data->sources = std::move(report.sources);
  data->model = std::move(model);
  return data;
}

}  // namespace

std::string version() { return HYLA_VERSION; }

Model Model::load(const std::string& path, const std::vector<std::string>& library_paths) {
  return Model(read(path, library_paths, service::Disk()));
}

Model Model::from_text(const std::string& text, const std::string& name) {
  return Model(read(name, {}, service::MemoryFiles(std::map<std::string, std::string>{{name, text}})));
}

const std::vector<Message>& Model::warnings() const { return data_->warnings; }

}  // namespace hyla
