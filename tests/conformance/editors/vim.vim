" A user of Vim, set up as editors/README.md says: vim -S vim.vim PLAN. What was checked, or what failed, is written to the
" file $DPL_LOG. Every file of $DPL_FILES is indented again.
let s:log = []

function s:Check(condition, message) abort
  if !a:condition
    throw a:message
  endif
endfunction

function s:Syntax(part) abort
  call cursor(1, 1)
  call s:Check(search('\V' . a:part, 'cW') > 0, a:part . ' is not there')
  return synIDattr(synID(line('.'), col('.'), 1), 'name')
endfunction

function s:Highlight() abort
  call s:Check(&filetype ==# 'dpl' && &shiftwidth == 2 && &expandtab, 'filetype ' . &filetype)
  for [part, group] in [['import std', 'dplImport'], ['layout dense3d', 'dplKind'], ['for llama70b', 'dplKeyword'],
        \ ['heads = 64', 'dplField'], ['// x 8', 'dplComment'], ['/// A 70B', 'dplDocComment'], ['400Gbps', 'dplNumber'],
        \ ['"leave', 'dplString'], ['assert llama', 'dplStatement']]
    call s:Check(s:Syntax(part) ==# group, part . ' is ' . s:Syntax(part))
  endfor
  call setline(1, 'let x = a.import')
  call s:Check(s:Syntax('import') ==# 'dplMember', 'a keyword after a dot is ' . s:Syntax('import'))
  edit!
  call add(s:log, 'ok words are highlighted')
endfunction

function s:Make() abort
  %s/context = 8192tok/context = 8192 tok/
  write
  silent make!
  let found = filter(getqflist(), 'v:val.valid')
  call s:Check(len(found) == 1 && found[0].nr == 22 && found[0].type ==# 'E', string(found))
  call s:Check(getline(found[0].lnum)[found[0].col - 1 :] =~# '^tok', string(found))
  call add(s:log, 'ok :make lists the messages')
endfunction

function s:Indent() abort
  let lines = 0
  for file in split($DPL_FILES, "\n")
    execute 'edit' fnameescape(file)
    let wanted = getline(1, '$')
    silent %substitute/^ \+//e
    silent normal! gg=G
    for at in range(len(wanted))
      call s:Check(getline(at + 1) ==# wanted[at], file . ':' . (at + 1) . ': ' . getline(at + 1))
    endfor
    let lines += len(wanted)
    edit!
  endfor
  call s:Check(lines > 1000, lines . ' lines')
  call add(s:log, 'ok lines are indented as dplc fmt does')
endfunction

let s:code = 'qall!'
try
  call s:Highlight()
  call s:Make()
  call s:Indent()
catch
  call add(s:log, v:exception . ' at ' . v:throwpoint)
  let s:code = 'cquit 1'
endtry
call writefile(s:log, $DPL_LOG)
execute s:code
