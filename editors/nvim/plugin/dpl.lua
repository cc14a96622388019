-- Starts `dplc lsp` for each file of DPL. `vim.g.dpl_path` is the program if it is not in PATH.
vim.api.nvim_create_autocmd('FileType', {
  pattern = 'dpl',
  callback = function(event) require('dpl').start(event.buf) end,
})
