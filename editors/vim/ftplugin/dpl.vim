" Comments, indentation, and `:make` with dplc.
if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1

setlocal comments=:///,:// commentstring=//\ %s
setlocal expandtab shiftwidth=2 softtabstop=2
setlocal formatoptions-=t formatoptions+=croql
setlocal suffixesadd=.dpl
let b:match_words = '{:},\[:\],(:)'
let b:undo_ftplugin = 'setlocal comments< commentstring< expandtab< shiftwidth< softtabstop< formatoptions< suffixesadd<'
      \ . ' makeprg< errorformat< | unlet! b:match_words'

compiler dplc
