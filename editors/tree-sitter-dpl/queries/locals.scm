[
  (source_file)
  (block)
  (schema_block)
  (comprehension)
] @local.scope

(let_statement name: (identifier) @local.definition)
(parameter_declaration name: (identifier) @local.definition)
(for_statement variable: (identifier) @local.definition)
(comprehension variable: (identifier) @local.definition)
(declaration name: (identifier) @local.definition)

(identifier) @local.reference
