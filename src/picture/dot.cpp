#include "picture/dot.h"

namespace hyla::picture {
namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

}  // namespace

std::string quoted(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) {
    if (c == '"' || c == '\\') text += '\\';
    text += is_control(c) ? ' ' : c;
  }
  return text + '"';
}

std::string escaped(std::string_view text) {
  std::string all;
  for (const char c : text) {
    switch (c) {
      case '&':
        all += "&amp;";
        break;
      case '<':
        all += "&lt;";
        break;
      case '>':
        all += "&gt;";
        break;
      case '"':
        all += "&quot;";
        break;
      case '\'':
        all += "&#39;";
        break;
      default:
        all += is_control(c) ? ' ' : c;
    }
  }
  return all;
}

std::string small(std::string_view markup, std::string_view colour) {
  if (markup.empty()) return "";
  std::string text = "<FONT POINT-SIZE=\"9\"";
  if (!colour.empty()) text += " COLOR=\"" + std::string(colour) + '"';
  return text + '>' + std::string(markup) + "</FONT>";
}

std::string code(std::string_view markup) {
  if (markup.empty()) return "";
  return "<FONT POINT-SIZE=\"8\" FACE=\"" + std::string(kCodeFont) + "\">" + std::string(markup) + "</FONT>";
}

void Dot::line(std::string_view text) {
  text_.append(2 * depth_, ' ');
  text_ += text;
  text_ += '\n';
}

void Dot::open(std::string_view head) {
  line(std::string(head) + " {");
  ++depth_;
}

void Dot::close() {
  --depth_;
  line("}");
}

}  // namespace hyla::picture
