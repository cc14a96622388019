-- The language server of DPL in Neovim 0.7 and newer.
local M = {}

local client_id

-- What newer versions of Neovim set by themselves.
local function on_attach(_, buffer)
  local set = function(name, value)
    if vim.api.nvim_buf_get_option(buffer, name) == '' then vim.api.nvim_buf_set_option(buffer, name, value) end
  end
  set('omnifunc', 'v:lua.vim.lsp.omnifunc')
  set('tagfunc', 'v:lua.vim.lsp.tagfunc')
  if vim.fn.maparg('K', 'n') == '' then
    vim.keymap.set('n', 'K', vim.lsp.buf.hover, { buffer = buffer, desc = 'Show what a name means' })
  end
  if vim.lsp.inlay_hint then pcall(vim.lsp.inlay_hint.enable, true, { bufnr = buffer }) end
end

function M.start(buffer)
  pcall(function() vim.treesitter.start(buffer, 'dpl') end) -- if its parser is installed
  local program = vim.g.dpl_path or 'dplc'
  if vim.fn.executable(program) == 0 then
    vim.notify_once('`' .. program .. '` was not found: set vim.g.dpl_path', vim.log.levels.WARN)
    return
  end
  local config = { name = 'dplc', cmd = { program, 'lsp' }, on_attach = on_attach }
  if vim.lsp.start then
    local same = function(client) return client.name == config.name end -- one server, also for files of the library
    vim.lsp.start(config, { bufnr = buffer, reuse_client = same })
    return
  end
  -- Neovim 0.7
  if not (client_id and vim.lsp.get_client_by_id(client_id)) then client_id = vim.lsp.start_client(config) end
  if client_id then vim.lsp.buf_attach_client(buffer, client_id) end
end

return M
