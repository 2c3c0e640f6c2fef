// An event tells the innermost states that were entered, such as `task.Running.Filling` in the chart `task`. Whether a
// part of such a path is a state or a chart with a name is not written there: a chart in which something has happened
// is known, the last part is always a state, and otherwise small letters begin charts.
#include "record/chart_strips.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace hyla::record {
namespace {

constexpr std::string_view kFinal = "final";

std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + separator.size());
  }
}

std::string joined(std::string_view front, std::string_view back) {
  return std::string(front) + (front.empty() || back.empty() ? "" : ".") + std::string(back);
}

/// A chart of an object while the events are read.
struct ChartTrack {
  PlotStrip strip;
  bool is_open = false;
  std::vector<std::size_t> inner;  ///< charts in its states
};

class StripReader {
 public:
  explicit StripReader(const Events& events) {
    for (const LogEntry& entry : events.entries) {
      if (!entry.chart.empty()) known_.emplace(entry.object, entry.chart);
    }
    for (const LogEntry& entry : events.entries) read(entry);
  }

  std::vector<PlotStrip> finish(double end) {
    std::vector<PlotStrip> strips;
    std::vector<bool> is_inner(tracks_.size());
    for (ChartTrack& track : tracks_) {
      if (track.is_open) track.strip.spells.back().end = std::max(end, track.strip.spells.back().begin);
      for (const std::size_t inner : track.inner) is_inner[inner] = true;
    }
    for (std::size_t i = 0; i < tracks_.size(); ++i) {
      if (!is_inner[i]) add(i, strips);
    }
    return strips;
  }

 private:
  void add(std::size_t index, std::vector<PlotStrip>& strips) {
    strips.push_back(std::move(tracks_[index].strip));
    for (const std::size_t inner : tracks_[index].inner) add(inner, strips);
  }

  void read(const LogEntry& entry) {
    if (entry.kind == "delete") {
      for (auto it = places_.lower_bound({entry.object, ""}); it != places_.end() && it->first.first == entry.object;
           ++it) {
        close(it->second, entry.time);
      }
    } else if ((entry.kind == "start" || entry.kind == "transition") && !entry.to.empty()) {
      const std::size_t chart = track(entry.object, std::string(entry.chart));
      close_inner(chart, entry.time);
      for (const std::string_view state : split(entry.to, ", ")) enter(entry, chart, state);
    }
  }

  /// Opens the states on the way to an innermost one.
  void enter(const LogEntry& entry, std::size_t chart, std::string_view path) {
    std::string place(entry.chart);
    if (!place.empty() && path.starts_with(place) && path.size() > place.size()) path.remove_prefix(place.size() + 1);
    const std::vector<std::string_view> parts = split(path, ".");
    constexpr std::size_t kDeepest = 64;  // a deeper path, or one with a hole, was written by somebody else
    if (parts.size() > kDeepest || std::find(parts.begin(), parts.end(), "") != parts.end()) return;
    for (std::size_t i = 0; i < parts.size();) {
      if (parts[i] == kFinal) return close(chart, entry.time);
      open(chart, parts[i], entry.time);
      place = joined(place, parts[i++]);
      if (i == parts.size()) return;
      if (is_chart(entry.object, place, parts, i)) place = joined(place, parts[i++]);
      const std::size_t inner = track(entry.object, place);
      std::vector<std::size_t>& all = tracks_[chart].inner;
      if (std::find(all.begin(), all.end(), inner) == all.end()) all.push_back(inner);
      chart = inner;
    }
  }

  /// Whether a part of a path behind a state is the name of a chart.
  bool is_chart(std::string_view object, const std::string& state, const std::vector<std::string_view>& parts,
                std::size_t i) const {
    if (i + 1 == parts.size()) return false;
    if (known_.contains(std::pair<std::string_view, std::string_view>(object, joined(state, parts[i])))) return true;
    if (known_.contains(std::pair<std::string_view, std::string_view>(object, state))) return false;
    return parts[i].front() >= 'a' && parts[i].front() <= 'z';
  }

  std::size_t track(std::string_view object, const std::string& chart) {
    const auto [it, is_new] = places_.try_emplace({object, chart}, tracks_.size());
    if (is_new) {
      ChartTrack& track = tracks_.emplace_back();
      track.strip.name = joined(path_below_top(object), chart);
      if (track.strip.name.empty()) track.strip.name = object;
    }
    return it->second;
  }

  void open(std::size_t chart, std::string_view state, double time) {
    ChartTrack& track = tracks_[chart];
    std::vector<PlotSpell>& spells = track.strip.spells;
    if (track.is_open && spells.back().state == state) return;
    close(chart, time);
    const bool goes_on = !spells.empty() && spells.back().end == time && spells.back().state == state;
    if (!goes_on) spells.push_back({time, time, std::string(state)});
    tracks_[chart].is_open = true;
  }

  void close(std::size_t chart, double time) {
    ChartTrack& track = tracks_[chart];
    if (track.is_open) track.strip.spells.back().end = time;
    track.is_open = false;
    close_inner(chart, time);
  }

  void close_inner(std::size_t chart, double time) {
    for (const std::size_t inner : tracks_[chart].inner) close(inner, time);
  }

  std::set<std::pair<std::string_view, std::string_view>> known_;           ///< objects and their charts
  std::map<std::pair<std::string_view, std::string>, std::size_t> places_;  ///< of objects and charts among the tracks
  std::vector<ChartTrack> tracks_;
};

}  // namespace

std::string_view path_below_top(std::string_view object) {
  const std::size_t dot = object.find('.');
  return dot == std::string_view::npos ? "" : object.substr(dot + 1);
}

std::vector<PlotStrip> strips_of(const Events& events, double end) {
  StripReader reader(events);
  return reader.finish(end);
}

void shorten_names(std::vector<PlotStrip>& strips) {
  std::vector<std::string> names;
  for (PlotStrip& strip : strips) {
    std::size_t longest = 0;
    for (const std::string& name : names) {
      const bool is_below = strip.name.starts_with(name + ".");
      if (is_below) longest = std::max(longest, name.size() + 1);
    }
    names.push_back(strip.name);
    strip.name.erase(0, longest);
  }
}

}  // namespace hyla::record
