; No two patterns capture one node, so that the order of patterns does not matter.

(comment) @comment
(doc_comment) @comment.documentation
(string) @string
(escape_sequence) @string.escape
(number) @number
(quantity) @number
(boolean) @boolean

["import" "as"] @keyword.import
["param" "let" "schema" "choice" "search" "from" "with" "on" "within" "across" "per" "where"] @keyword
["if" "then" "else"] @keyword.conditional
["for"] @keyword
["assert" "require" "minimize" "maximize"] @keyword
["and" "or" "not" "in"] @keyword.operator

["=" "==" "!=" "<" "<=" ">" ">=" "+" "-" "*" "/" "%" ".." "..<" "|" "?"] @operator
["{" "}" "[" "]" "(" ")"] @punctuation.bracket
["," ":" "."] @punctuation.delimiter

(import module: (qualified_name (identifier) @module))
(import alias: (identifier) @module)

(declaration kind: (identifier) @type)
(declaration name: (identifier) @constant)
(schema_declaration name: (identifier) @type)
(schema_declaration base: (qualified_name (identifier) @type))
(schema_declaration for: (identifier) @type)
(schema_declaration on: (identifier) @type)
(type (qualified_name (identifier) @type))
(choice name: (identifier) @constant)
(placement level: (qualified_name (identifier) @constant))
(per scope: (identifier) @constant)
(type scope: (identifier) @constant)

(path (identifier) @property)
(field_declaration name: (identifier) @property)
(default_value name: (identifier) @property)
(member name: (identifier) @property)
(parameter name: (identifier) @property)

(let_statement name: (identifier) @variable)
(parameter_declaration name: (identifier) @variable.parameter)
(for_statement variable: (identifier) @variable)
(comprehension variable: (identifier) @variable)
(argument label: (identifier) @variable.parameter)
(call function: (identifier) @function)
