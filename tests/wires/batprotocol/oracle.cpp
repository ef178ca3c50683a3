// The judge of the codec tests: flatbuffers' own parser, verifier and JSON writer, driven over standard input.
// Usage: oracle SCHEMA. A request is a letter, a 4-byte length and a payload; so is the answer (+ or -).
//   v BUFFER  is it valid?    j BUFFER  to JSON (of a valid buffer)    b TEXT  from JSON
#include <flatbuffers/idl.h>
#include <flatbuffers/reflection.h>
#include <flatbuffers/util.h>

#include <cstdio>
#include <string>

static void answer(char letter, const std::string &payload) {
  uint32_t size = payload.size();
  std::fputc(letter, stdout);
  std::fwrite(&size, 4, 1, stdout);
  std::fwrite(payload.data(), 1, size, stdout);
  std::fflush(stdout);
}

int main(int, char **argv) {
  std::string source;
  flatbuffers::IDLOptions options;
  options.strict_json = true;
  options.indent_step = -1;
  options.output_default_scalars_in_json = true;
  flatbuffers::Parser parser(options);
  if (!flatbuffers::LoadFile(argv[1], false, &source) || !parser.Parse(source.c_str())) {
    std::fprintf(stderr, "%s\n", parser.error_.c_str());
    return 1;
  }
  flatbuffers::Parser writer(options);
  writer.Parse(source.c_str());
  parser.Serialize();
  std::string schema_bytes(reinterpret_cast<const char *>(parser.builder_.GetBufferPointer()), parser.builder_.GetSize());
  const reflection::Schema *schema = reflection::GetSchema(schema_bytes.data());

  int letter;
  while ((letter = std::fgetc(stdin)) != EOF) {
    uint32_t size = 0;
    if (std::fread(&size, 4, 1, stdin) != 1) return 1;
    std::string payload(size, '\0');
    if (size && std::fread(&payload[0], 1, size, stdin) != size) return 1;
    auto buffer = reinterpret_cast<const uint8_t *>(payload.data());
    if (letter == 'b') {
      if (writer.Parse(payload.c_str())) {
        answer('+', std::string(reinterpret_cast<const char *>(writer.builder_.GetBufferPointer()), writer.builder_.GetSize()));
      } else {
        answer('-', writer.error_);
      }
    } else if (!flatbuffers::Verify(*schema, *schema->root_table(), buffer, size)) {
      answer('-', "refused by the verifier");
    } else if (letter == 'v') {
      answer('+', "");
    } else {
      std::string text;
      bool made = flatbuffers::GenerateText(parser, buffer, &text);
      answer(made ? '+' : '-', text);
    }
  }
  return 0;
}
