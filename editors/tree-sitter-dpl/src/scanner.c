// The three tokens of the grammar that depend on lines. A newline is a token only where a statement may end; elsewhere
// it is white space. The scanner keeps no state.
#include "tree_sitter/parser.h"
#include <string.h>

enum Token { NEWLINE, END_OF_FILE, SAME_LINE, ERROR_SENTINEL };

void *tree_sitter_dpl_external_scanner_create(void) { return 0; }
void tree_sitter_dpl_external_scanner_destroy(void *payload) { (void)payload; }
unsigned tree_sitter_dpl_external_scanner_serialize(void *payload, char *buffer) {
  (void)payload, (void)buffer;
  return 0;
}
void tree_sitter_dpl_external_scanner_deserialize(void *payload, const char *buffer, unsigned length) {
  (void)payload, (void)buffer, (void)length;
}

static bool is_word(int32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static void skip_blanks(TSLexer *lexer) {
  while (lexer->lookahead == ' ' || lexer->lookahead == '\t')
    lexer->advance(lexer, true);
}

// Whether the next line, after blank lines and comments, begins with a word that continues a statement.
static bool continues(TSLexer *lexer) {
  for (;;) {
    const int32_t c = lexer->lookahead;
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
      lexer->advance(lexer, false);
    } else if (c == '/') {
      lexer->advance(lexer, false);
      if (lexer->lookahead != '/')
        return false;
      while (lexer->lookahead != '\n' && !lexer->eof(lexer))
        lexer->advance(lexer, false);
    } else {
      break;
    }
  }
  char word[6];
  size_t length = 0;
  for (; length < sizeof word - 1 && is_word(lexer->lookahead); ++length) {
    word[length] = (char)lexer->lookahead;
    lexer->advance(lexer, false);
  }
  word[length] = 0;
  if (is_word(lexer->lookahead))
    return false;
  return !strcmp(word, "then") || !strcmp(word, "else") || !strcmp(word, "from") || !strcmp(word, "with") ||
         !strcmp(word, "on");
}

bool tree_sitter_dpl_external_scanner_scan(void *payload, TSLexer *lexer, const bool *valid) {
  (void)payload;
  if (valid[ERROR_SENTINEL])
    return false;
  skip_blanks(lexer);
  const int32_t c = lexer->lookahead;
  if (valid[SAME_LINE]) {
    // No value begins with a slash, so it begins a comment.
    lexer->result_symbol = SAME_LINE;
    return c != '\r' && c != '\n' && c != '/' && !lexer->eof(lexer);
  }
  if (lexer->eof(lexer)) {
    lexer->result_symbol = END_OF_FILE;
    return valid[END_OF_FILE];
  }
  if (!valid[NEWLINE])
    return false;
  if (c == '\r')
    lexer->advance(lexer, false);
  if (lexer->lookahead != '\n')
    return false;
  lexer->advance(lexer, false);
  lexer->mark_end(lexer);
  lexer->result_symbol = NEWLINE;
  return !continues(lexer);
}
