// Every decision but two looks at one token (a trailing comma, the reason of an assert), and no rule
// is left-recursive: `binary` is flat, and frontend/parse/Precedence.h gives it its tree. That keeps
// a cold start cheap and prediction free of conflicts; tests hold both.
//
// The end of a statement is demanded inside the rule of the statement (`end`), so an error cannot
// leave the block that holds it.
parser grammar DplParser;
options { tokenVocab = DplLexer; }
@members {
  /// An action and not a predicate, because a predicate would cost every decision before it the
  /// one-token look.
  void end(std::initializer_list<size_t> stops) {
    for (size_t stop : stops)
      if (_input->LA(1) == stop)
        return;
    throw antlr4::InputMismatchException(this);
  }

  class TopLineContext;
  /// Set it to have each declaration when it is parsed, and its tree dropped behind it.
  std::function<void(TopLineContext &)> takeLine;

private:
  struct Nodes : antlr4::tree::ParseTreeTracker {
    ~Nodes() { reset(); }
  } above; // of the rule `file` alone while there is `takeLine`
  void beginFile() {
    if (takeLine)
      std::swap(static_cast<antlr4::tree::ParseTreeTracker &>(above), _tracker);
  }
  void endLine(TopLineContext *line) {
    if (!takeLine)
      return;
    if (line)
      takeLine(*line);
    _ctx->children.clear();
    _tracker.reset();
  }

public:
}

file @init { beginFile(); } : (NL {endLine(nullptr);} | topLine {endLine($topLine.ctx);})* EOF ;
// The text of `--set path=value`.
setting : field EOF ;
topLine : item {end({NL, EOF});} ;
item : importDecl | paramDecl | letStmt | schemaDecl | blockDecl | assertStmt ;

importDecl : IMPORT (qname | STRING) (AS IDENT)? ;
paramDecl : PARAM IDENT COLON type (IN expr)? (ASSIGN value)? ;
// [search] kind name (from base) (with fragments) (for what) (on where) { … }
blockDecl : SEARCH? IDENT IDENT fromClause? withClause? forClause? onClause? block? ;
fromClause : FROM qname ;
withClause : WITH qname (COMMA qname)* ;
forClause : FOR qname ;
onClause : ON qname ;

// ---- schemas --------------------------------------------------------------------------------
schemaDecl : SCHEMA IDENT fromClause? (FOR IDENT (OR IDENT)*)? (ON IDENT)? schemaBlock ;
schemaBlock : LBRACE (sep | schemaLine)* RBRACE ;
schemaLine : schemaStmt {end({NL, COMMA, RBRACE});} ;
schemaStmt : schemaField | letStmt | assertStmt | choiceStmt ;
// `name: type` declares a field, `name = value` sets the default of a base's field again.
schemaField : IDENT (COLON type (ASSIGN value | block)? | ASSIGN value) ;
choiceStmt : CHOICE IDENT (PIPE IDENT)* choiceBlock? ;
choiceBlock : LBRACE (sep | choiceLine)* RBRACE ;
choiceLine : (choiceField | assertStmt) {end({NL, COMMA, RBRACE});} ;
choiceField : IDENT COLON type (ASSIGN value | block)? ;
type : (qname (LBRACK qname RBRACK)? | LBRACK type RBRACK) (PER IDENT)? QUESTION? ;

// ---- blocks ---------------------------------------------------------------------------------
block : LBRACE (sep | line)* RBRACE ;
line : stmt {end({NL, COMMA, RBRACE});} ;
sep : NL | COMMA ;
stmt : field | forStmt | ifStmt | assertStmt | requireStmt | objective | letStmt ;
field : path ((ASSIGN value | IN expr) placement* | block) ;
placement : (WITHIN | ACROSS) qname ;
path : IDENT (DOT name | LBRACK expr RBRACK)* ;
forStmt : FOR IDENT (COMMA IDENT)? IN expr block ;
ifStmt : IF expr block elseClause? ;
elseClause : ELSE (ifStmt | block) ;
letStmt : LET IDENT ASSIGN value ;
assertStmt : ASSERT expr (COMMA STRING)? ;
requireStmt : REQUIRE expr (COMMA STRING)? ;
objective : (MINIMIZE | MAXIMIZE) expr ;

// ---- names and values -----------------------------------------------------------------------
qname : IDENT (DOT name)* ;
// After a dot a keyword is an ordinary name.
name
  : IDENT | IMPORT | AS | PARAM | LET | SCHEMA | CHOICE | SEARCH | FROM | WITH | FOR | ON | IN | IF
  | THEN | ELSE | ASSERT | REQUIRE | MINIMIZE | MAXIMIZE | WHERE | WITHIN | ACROSS | PER | AND | OR
  | NOT | TRUE | FALSE
  ;
// Only a name can be amended; the parser's client says so where it is something else.
value : IF expr THEN value ELSE value | expr block? ;
expr : operand (binary operand)* ;
binary
  : STAR | SLASH | PERCENT | PLUS | MINUS | RANGE | RANGE_EX | EQ | NE | LE | GE | LT | GT | IN
  | AND | OR
  ;
operand : (MINUS | NOT)* primary postfix* ;
postfix : DOT name | LBRACK expr RBRACK | LPAREN arguments? RPAREN | PER IDENT ;
arguments : argument (COMMA argument)* COMMA? ;
argument : value (COLON value | WHERE value)? ;
primary
  : NUMBER | QUANTITY | STRING | TRUE | FALSE | IDENT
  | PARAM DOT name // a parameter that a field of that name hides
  | LPAREN value RPAREN
  | LBRACK (comprehension | values)? RBRACK
  ;
comprehension : FOR IDENT IN expr (IF expr)? COLON value ;
values : value (COMMA value)* COMMA? ;
