// The words of the language. Lexing works on bytes, so every offset is a byte offset; text outside
// ASCII is legal in comments and strings only. docs/internals/syntax.md says what happens between the lexer
// and the parser: the line joiner drops newlines inside ( and [ and after operators.
lexer grammar DplLexer;

IMPORT : 'import' ;
AS : 'as' ;
PARAM : 'param' ;
LET : 'let' ;
SCHEMA : 'schema' ;
CHOICE : 'choice' ;
SEARCH : 'search' ;
FROM : 'from' ;
WITH : 'with' ;
FOR : 'for' ;
ON : 'on' ;
IN : 'in' ;
IF : 'if' ;
THEN : 'then' ;
ELSE : 'else' ;
ASSERT : 'assert' ;
REQUIRE : 'require' ;
MINIMIZE : 'minimize' ;
MAXIMIZE : 'maximize' ;
WHERE : 'where' ;
WITHIN : 'within' ;
ACROSS : 'across' ;
PER : 'per' ;
AND : 'and' ;
OR : 'or' ;
NOT : 'not' ;
TRUE : 'true' ;
FALSE : 'false' ;

LBRACE : '{' ;
RBRACE : '}' ;
LBRACK : '[' ;
RBRACK : ']' ;
LPAREN : '(' ;
RPAREN : ')' ;
RANGE_EX : '..<' ;
RANGE : '..' ;
DOT : '.' ;
COMMA : ',' ;
COLON : ':' ;
PIPE : '|' ;
EQ : '==' ;
NE : '!=' ;
LE : '<=' ;
GE : '>=' ;
LT : '<' ;
GT : '>' ;
ASSIGN : '=' ;
PLUS : '+' ;
MINUS : '-' ;
STAR : '*' ;
SLASH : '/' ;
PERCENT : '%' ;
QUESTION : '?' ;

fragment DIGITS : [0-9] ('_'? [0-9])* ;
// A '.' belongs to a number only before a digit, so that 1..8 is 1 .. 8.
fragment NUM : DIGITS ('.' DIGITS)? ([eE] [+-]? [0-9]+)? ;
// A unit touches its number and a denominator its unit: 80GiB, 3.35TB/s, 0.08usd/kWh.
QUANTITY : NUM [A-Za-z]+ ('/' [A-Za-z]+)? ;
NUMBER : NUM ;
STRING : '"' (~["\\\r\n] | '\\' ~[\r\n])* '"' ;
// The longest match wins, so this is only what no quote ends on its line.
UNTERMINATED : '"' (~["\\\r\n] | '\\' ~[\r\n])* '\\'? ;
// 1f1b is what the field calls its best-known pipeline schedule.
IDENT : [A-Za-z_] [A-Za-z0-9_]* | '1f1b' ;
NL : ('\r'? '\n')+ ;
WS : [ \t]+ -> channel(HIDDEN) ;
DOC : '///' ~[\r\n]* -> channel(HIDDEN) ;
COMMENT : '//' ~[\r\n]* -> channel(HIDDEN) ;
UNKNOWN : . ;
