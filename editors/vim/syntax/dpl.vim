" Highlighting of training layouts.
if exists('b:current_syntax')
  finish
endif

syntax keyword dplImport import as
syntax keyword dplDeclare param let schema choice search
syntax keyword dplConditional if then else
syntax keyword dplStatement assert require minimize maximize
syntax keyword dplKeyword from with for on where within across per
syntax keyword dplOperatorWord and or not in
syntax keyword dplBoolean true false
syntax keyword dplConstant rest auto

syntax match dplOperator "[=<>!+\-*/%|?]\|\.\.<\?"
syntax match dplNumber "\<\d\%(_\?\d\)*\%(\.\d\%(_\?\d\)*\)\?\%([eE][+-]\?\d\+\)\?\%(\a\+\%(/\a\+\)\?\)\?"
syntax match dplName "\<1f1b\>"
syntax match dplType "\<\u\w*\>"
syntax match dplFunction "\<\l\w*\ze("
syntax match dplField "\<\h\w*\%(\.\w\+\|\[[^]]*\]\)*\ze\s*\%(=[^=]\|=$\|:\)"
syntax match dplKind "^\s*\%(search\s\+\)\?\zs\%(\%(import\|param\|let\|schema\|choice\|search\|for\|if\|assert\|require\|minimize\|maximize\|else\)\>\)\@!\h\w*\ze\s\+\h\w*\s*\%(\%(from\|with\|for\|on\)\>\|{\)"
" After a dot, every keyword is a name.
syntax match dplMember "\.\h\w*"

syntax match dplEscape contained "\\[\"\\nt]"
syntax region dplString start=+"+ skip=+\\.+ end=+"\|$+ contains=dplEscape oneline
syntax keyword dplTodo contained TODO FIXME
syntax match dplComment "//.*" contains=dplTodo,@Spell
syntax match dplDocComment "///.*" contains=dplTodo,@Spell
syntax region dplBlock start="{" end="}" transparent fold

highlight default link dplImport Include
highlight default link dplDeclare Keyword
highlight default link dplConditional Conditional
highlight default link dplStatement Statement
highlight default link dplKeyword Keyword
highlight default link dplOperatorWord Operator
highlight default link dplOperator Operator
highlight default link dplBoolean Boolean
highlight default link dplConstant Constant
highlight default link dplNumber Number
highlight default link dplType Type
highlight default link dplKind Type
highlight default link dplFunction Function
highlight default link dplField Identifier
highlight default link dplEscape SpecialChar
highlight default link dplString String
highlight default link dplTodo Todo
highlight default link dplComment Comment
highlight default link dplDocComment SpecialComment

let b:current_syntax = 'dpl'
