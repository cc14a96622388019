" `:make` checks the file and lists the messages.
if exists('current_compiler')
  finish
endif
let current_compiler = 'dplc'

if exists(':CompilerSet') != 2
  command -nargs=* CompilerSet setlocal <args>
endif
CompilerSet makeprg=dplc\ check\ %:S
CompilerSet errorformat=%Eerror[DPL%n]:\ %m,%Wwarning[DPL%n]:\ %m,%Inote:\ %m,%C\ %#-->\ %f:%l:%c,%Z\ %#=%.%#,%-C%.%#,%-G%.%#
