autocmd BufNewFile,BufRead *.dpl setfiletype dpl
