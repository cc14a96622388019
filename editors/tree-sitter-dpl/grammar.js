// The grammar of DPL for editors; grammar/DplParser.g4 is the one of the compiler. Both accept the same files, but for
// a few limits that only the compiler checks. `tree-sitter generate` writes src/parser.c from this file.

/** One or more of a rule between commas, with an optional comma at the end. */
const listOf = rule => seq(rule, repeat(seq(',', rule)), optional(','));

/** The inside of a block: statements between newlines and commas. */
const linesOf = ($, statement) =>
  seq(
    '{',
    repeat($._separator),
    optional(seq(statement, repeat(seq(repeat1($._separator), statement)), repeat($._separator))),
    '}',
  );

/** From loosest to tightest; all operators are left-associative, and comparisons are not chained. */
const PRECEDENCE = {or: 1, and: 2, not: 3, compare: 4, range: 5, add: 6, multiply: 7, sign: 8, postfix: 9};

const DIGITS = '[0-9](_?[0-9])*';
const NUMBER = `${DIGITS}(\\.${DIGITS})?([eE][+-]?[0-9]+)?`;

module.exports = grammar({
  name: 'dpl',

  word: $ => $.identifier,
  extras: $ => [/[ \t]|\r?\n/, $.comment, $.doc_comment],
  // src/scanner.c: the newline that ends a statement, the end of the file in its place, an empty token that demands a
  // value on the line of its `=`, and a token that is valid in the recovery from errors alone.
  externals: $ => [$._newline, $._end_of_file, $._same_line, $._error_sentinel],
  supertypes: $ => [$._statement, $._expression],
  // The comma after the condition of an assert begins its reason or ends the statement.
  conflicts: $ => [[$.assert_statement], [$.require_statement]],

  rules: {
    source_file: $ =>
      seq(repeat($._newline), repeat(seq($._item, choice(repeat1($._newline), $._end_of_file)))),

    _item: $ =>
      choice($.import, $.parameter_declaration, $.let_statement, $.schema_declaration, $.declaration, $.assert_statement),

    import: $ =>
      seq(
        'import',
        field('module', choice($.qualified_name, $.string)),
        optional(seq('as', field('alias', $.identifier))),
      ),

    parameter_declaration: $ =>
      seq(
        'param',
        field('name', $.identifier),
        ':',
        field('type', $.type),
        optional(seq('in', field('range', $._expression))),
        optional(seq($._equals, field('default', $._value))),
      ),

    declaration: $ =>
      seq(
        optional('search'),
        field('kind', $.identifier),
        field('name', $.identifier),
        choice(
          seq('from', field('base', $.qualified_name), optional($._clauses), optional(field('body', $.block))),
          seq(optional($._clauses), field('body', $.block)),
        ),
      ),

    _clauses: $ => {
      const fragments = seq('with', field('fragment', $.qualified_name), repeat(seq(',', field('fragment', $.qualified_name))));
      const purpose = seq('for', field('for', $.qualified_name));
      const place = seq('on', field('on', $.qualified_name));
      return choice(seq(fragments, optional(purpose), optional(place)), seq(purpose, optional(place)), place);
    },

    // ---- schemas

    schema_declaration: $ =>
      seq(
        'schema',
        field('name', $.identifier),
        optional(seq('from', field('base', $.qualified_name))),
        optional(seq('for', field('for', $.identifier), repeat(seq('or', field('for', $.identifier))))),
        optional(seq('on', field('on', $.identifier))),
        field('body', $.schema_block),
      ),

    schema_block: $ =>
      linesOf($, choice($.field_declaration, $.default_value, $.let_statement, $.assert_statement, $.choice)),

    field_declaration: $ =>
      seq(
        field('name', $.identifier),
        ':',
        field('type', $.type),
        optional(choice(seq($._equals, field('default', $._value)), field('default', $.block))),
      ),

    default_value: $ => seq(field('name', $.identifier), $._equals, field('default', $._value)),

    choice: $ =>
      seq(
        'choice',
        field('name', $.identifier),
        repeat(seq('|', field('name', $.identifier))),
        optional(field('body', $.choice_block)),
      ),

    choice_block: $ => linesOf($, choice($.field_declaration, $.assert_statement)),

    type: $ =>
      seq(
        choice(seq($.qualified_name, optional(seq('[', $.qualified_name, ']'))), seq('[', $.type, ']')),
        optional(seq('per', field('scope', $.identifier))),
        optional('?'),
      ),

    // ---- blocks

    block: $ => linesOf($, $._statement),
    _separator: $ => choice($._newline, ','),

    _statement: $ =>
      choice(
        $.field,
        $.for_statement,
        $.if_statement,
        $.assert_statement,
        $.require_statement,
        $.objective,
        $.let_statement,
      ),

    field: $ =>
      seq(
        field('path', $.path),
        choice(
          seq(
            choice(seq($._equals, field('value', $._value)), seq('in', field('candidates', $._expression))),
            repeat($.placement),
          ),
          field('value', $.block),
        ),
      ),

    path: $ => seq($.identifier, repeat(choice(seq('.', $.identifier), seq('[', $._expression, ']')))),
    placement: $ => seq(choice('within', 'across'), field('level', $.qualified_name)),

    for_statement: $ =>
      seq(
        'for',
        field('variable', $.identifier),
        optional(seq(',', field('variable', $.identifier))),
        'in',
        field('values', $._expression),
        field('body', $.block),
      ),

    if_statement: $ =>
      seq(
        'if',
        field('condition', $._expression),
        field('body', $.block),
        optional(seq('else', field('alternative', choice($.if_statement, $.block)))),
      ),

    let_statement: $ => seq('let', field('name', $.identifier), $._equals, field('value', $._value)),
    assert_statement: $ => seq('assert', field('condition', $._expression), optional(seq(',', field('reason', $.string)))),
    require_statement: $ =>
      seq('require', field('condition', $._expression), optional(seq(',', field('reason', $.string)))),
    objective: $ => seq(choice('minimize', 'maximize'), field('figure', $._expression)),

    // A value on another line than its `=` is an error, so that a half-typed line ends at its end.
    _equals: $ => seq('=', $._same_line),

    // ---- values

    qualified_name: $ => seq($.identifier, repeat(seq('.', $.identifier))),

    _value: $ => choice($.conditional, $.amended, $._expression),
    amended: $ => seq(field('base', choice($.identifier, $.member)), field('body', $.block)),
    conditional: $ =>
      seq('if', field('condition', $._expression), 'then', field('then', $._value), 'else', field('else', $._value)),

    _expression: $ => choice($.logical, $.comparison, $._operand),

    logical: $ =>
      choice(
        prec.left(PRECEDENCE.or, seq($._expression, 'or', $._expression)),
        prec.left(PRECEDENCE.and, seq($._expression, 'and', $._expression)),
      ),

    comparison: $ =>
      prec.left(PRECEDENCE.compare, seq($._operand, choice('==', '!=', '<', '<=', '>', '>=', 'in'), $._operand)),

    _operand: $ =>
      choice(
        $.binary,
        $.unary,
        $.member,
        $.index,
        $.call,
        $.per,
        $.number,
        $.quantity,
        $.string,
        $.boolean,
        $.identifier,
        $.parameter,
        $.parenthesized,
        $.list,
      ),

    binary: $ =>
      choice(
        prec.left(PRECEDENCE.range, seq($._operand, choice('..', '..<'), $._operand)),
        prec.left(PRECEDENCE.add, seq($._operand, choice('+', '-'), $._operand)),
        prec.left(PRECEDENCE.multiply, seq($._operand, choice('*', '/', '%'), $._operand)),
      ),

    unary: $ =>
      choice(prec(PRECEDENCE.sign, seq('-', $._operand)), prec(PRECEDENCE.not, seq('not', $._expression))),

    member: $ => prec(PRECEDENCE.postfix, seq(field('object', $._operand), '.', field('name', $.identifier))),
    index: $ => prec(PRECEDENCE.postfix, seq(field('object', $._operand), '[', field('key', $._expression), ']')),
    call: $ =>
      prec(PRECEDENCE.postfix, seq(field('function', $._operand), '(', optional(listOf($.argument)), ')')),
    per: $ => prec(PRECEDENCE.postfix, seq($._operand, 'per', field('scope', $.identifier))),

    argument: $ =>
      choice(
        seq(optional(seq(field('label', $.identifier), ':')), field('value', $._value)),
        seq(field('value', $._value), 'where', field('filter', $._value)),
      ),

    // A parameter that a field of that name hides.
    parameter: $ => seq('param', '.', field('name', $.identifier)),
    parenthesized: $ => seq('(', $._value, ')'),
    list: $ => seq('[', optional(choice($.comprehension, listOf($._value))), ']'),
    comprehension: $ =>
      seq(
        'for',
        field('variable', $.identifier),
        'in',
        field('values', $._expression),
        optional(seq('if', field('condition', $._expression))),
        ':',
        field('value', $._value),
      ),

    // ---- words

    boolean: _ => choice('true', 'false'),
    number: _ => new RegExp(NUMBER),
    // A unit touches its number and a denominator its unit: 80GiB, 3.35TB/s.
    quantity: _ => new RegExp(`${NUMBER}[A-Za-z]+(/[A-Za-z]+)?`),
    string: $ => seq('"', repeat(choice(token.immediate(prec(1, /[^"\\\r\n]+/)), $.escape_sequence)), token.immediate('"')),
    escape_sequence: _ => token.immediate(prec(1, /\\[^\r\n]/)),
    // 1f1b is the name of the best-known pipeline schedule.
    identifier: _ => /[A-Za-z_][A-Za-z0-9_]*|1f1b/,
    doc_comment: _ => token(prec(1, /\/\/\/[^\r\n]*/)),
    comment: _ => token(/\/\/[^\r\n]*/),
  },
});
