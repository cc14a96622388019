lexer grammar DplLexer;
IDENT : [A-Za-z_]+ ;
NL : ('\r'? '\n')+ ;
