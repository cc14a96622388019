[
  (block)
  (schema_block)
  (choice_block)
  (list)
] @fold
