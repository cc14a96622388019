; The captures of Neovim, then those of Helix.
[
  (block)
  (schema_block)
  (choice_block)
  (list)
  (call)
  (parenthesized)
] @indent.begin @indent

["}" "]" ")"] @indent.branch @indent.end @outdent
