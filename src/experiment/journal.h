// Finished members as lines of text: what is kept in a file so that an experiment can go on, exchanged between
// processes, and merged.
//
// A line ends with a checksum. Lines that are cut off or damaged are left out on reading; so the file of a killed
// process can be used as it is.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "experiment/member.h"

namespace hyla::experiment {

/// Results by key_of() of their members.
using Results = std::map<std::string, MemberResult, std::less<>>;

/// The first line: name of the experiment, and a text that changes with everything that results depend on.
std::string journal_header(const std::string& name, const std::string& fingerprint);
std::string journal_line(const std::string& key, const MemberResult& result);

struct Journal {
  std::string name, fingerprint;
  Results results;
  std::size_t damaged = 0;  ///< lines that were left out
};

/// The failure if the text does not begin with a header.
base::Result<Journal> read_journal(std::string_view text);
/// Adds the results of lines without a header. Gives the number of damaged ones.
std::size_t read_results(std::string_view lines, Results& results);

/// 64 bits that change with the text.
std::string hash_text(std::string_view text);

}  // namespace hyla::experiment
