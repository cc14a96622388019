" The indentation of `dplc fmt`: two spaces for each line with open brackets, four for a continued line.
if exists('b:did_indent')
  finish
endif
let b:did_indent = 1

setlocal indentexpr=DplIndent(v:lnum) indentkeys=0},0],0),o,O,!^F,=then,=else
let b:undo_indent = 'setlocal indentexpr< indentkeys<'

if exists('*DplIndent')
  finish
endif

" A line without strings and comments.
function s:Code(lnum) abort
  let code = substitute(getline(a:lnum), '"\%([^"\\]\|\\.\)*"\?', '""', 'g')
  return trim(substitute(code, '//.*', '', ''))
endfunction

" The last line before a line that has code, or 0.
function s:Before(lnum) abort
  let at = prevnonblank(a:lnum - 1)
  while at > 0 && s:Code(at) ==# ''
    let at = prevnonblank(at - 1)
  endwhile
  return at
endfunction

" Whether a line goes on with the statement of the line before it.
function s:Continues(lnum, before) abort
  return a:before > 0 && (s:Code(a:lnum) =~# '^\%(then\|else\|from\|with\|on\)\>'
        \ || s:Code(a:before) =~# '\%([-+*/%|.<>]\|[=!]=\|[<>]=\|\<\%(and\|or\|not\|in\|per\|within\|across\)\)$')
endfunction

function DplIndent(lnum) abort
  let before = s:Before(a:lnum)
  if before == 0
    return 0
  endif
  let code = s:Code(before)
  let inner = substitute(code, '^[]})]\+', '', '')
  let open = len(substitute(inner, '[^[{(]', '', 'g')) - len(substitute(inner, '[^]})]', '', 'g'))
  let indent = indent(before)
  if s:Continues(before, s:Before(before))
    let indent -= 4
  endif
  if s:Continues(a:lnum, before)
    return indent + 4
  endif
  let indent += open > 0 ? 2 : open < 0 ? -2 : 0
  return getline(a:lnum) =~# '^\s*[]})]' ? indent - 2 : indent
endfunction
