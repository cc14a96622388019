-- A user of Neovim 0.7 or newer, set up as editors/README.md says: nvim --headless PLAN -c 'luafile neovim.lua'. Each check
-- prints a line; the first that fails ends the test.
local buffer = vim.api.nvim_get_current_buf()
local text = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, true), '\n')

local function finish(code)
  io.stdout:flush()
  vim.cmd(code == 0 and 'qall!' or 'cquit 1')
end

local function check(condition, message)
  if not condition then error(message, 0) end
  return condition
end

local function done(name) io.stdout:write('ok ' .. name .. '\n') end

local function wait(what, condition) check(vim.wait(20000, condition, 20), 'no ' .. what .. ' after 20 s') end

local function lines() return vim.api.nvim_buf_get_lines(buffer, 0, -1, true) end
local function now() return table.concat(lines(), '\n') end

-- The line, counted from 0, and the byte of the only place of a text.
local function find(part)
  for row, line in ipairs(lines()) do
    local at = line:find(part, 1, true)
    if at then return row - 1, at - 1 end
  end
  error('`' .. part .. '` is not there', 0)
end

local function go(part, more)
  local row, column = find(part)
  vim.api.nvim_set_current_buf(buffer)
  vim.api.nvim_win_set_cursor(0, { row + 1, column + (more or 0) })
end

local function replace(from, to)
  local row, column = find(from)
  vim.api.nvim_buf_set_text(buffer, row, column, row, column + #from, { to })
end

local function errors() return vim.diagnostic.get(buffer, { severity = vim.diagnostic.severity.ERROR }) end

local function clients()
  local get = vim.lsp.get_clients or vim.lsp.get_active_clients
  return vim.tbl_filter(function(client) return client.name == 'dplc' end, get())
end

local function syntax(part)
  local row, column = find(part)
  return vim.fn.synIDattr(vim.fn.synID(row + 1, column + 1, 1), 'name')
end

local function highlight_and_start()
  check(vim.bo.filetype == 'dpl', 'filetype ' .. vim.bo.filetype)
  check(vim.bo.shiftwidth == 2 and vim.bo.expandtab, 'no two spaces')
  if os.getenv('DPL_TREE_SITTER') then
    check(vim.treesitter.highlighter.active[buffer], 'the parser is not used')
    local row, column = find('layout dense3d')
    local captures = vim.tbl_map(function(c) return c.capture end, vim.treesitter.get_captures_at_pos(buffer, row, column))
    check(vim.tbl_contains(captures, 'type'), vim.inspect(captures))
  else
    local wanted = { ['layout dense3d'] = 'dplKind', ['for llama70b'] = 'dplKeyword', ['heads = 64'] = 'dplField', ['// 512'] = 'dplComment' }
    for part, group in pairs(wanted) do check(syntax(part) == group, part .. ' is ' .. syntax(part)) end
  end
  wait('client', function() return #clients() == 1 and clients()[1].initialized ~= false end)
  done('a file of DPL starts the server')
end

local function message_and_fix()
  replace('context = 8192tok', 'context = 8192 tok')
  wait('message', function() return #errors() == 1 end)
  local message = errors()[1]
  check(message.code == 'DPL0022' and message.source == 'dplc', vim.inspect(message))
  check(message.lnum == find('8192 tok'), 'at line ' .. message.lnum)
  done('a message appears at its place')
  vim.ui.select = function(items, _, choose) choose(items[1], 1) end
  go('8192 tok', #'8192 ')
  vim.lsp.buf.code_action()
  wait('repair', function() return now() == text end)
  wait('end of the message', function() return #errors() == 0 end)
  done('a code action repairs it, and the message goes')
end

-- The text of the window that floats above the others.
local function floating()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= '' then
      return table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, true), '\n'), window
    end
  end
end

local function hover()
  go('heads = 64')
  vim.lsp.buf.hover()
  wait('window', floating)
  local shown, window = floating()
  check(shown:find('Number of query heads', 1, true), shown)
  vim.api.nvim_win_close(window, true)
  done('hover says what a field is')
end

local function definition()
  go('dgx_h100 {')
  vim.lsp.buf.definition()
  wait('jump', function() return vim.api.nvim_get_current_buf() ~= buffer end)
  local name = vim.api.nvim_buf_get_name(0)
  check(name:find('clusters%.dpl$'), name)
  check(vim.api.nvim_get_current_line():find('dgx_h100', 1, true), vim.api.nvim_get_current_line())
  check(vim.bo.readonly, 'the library can be written')
  check(#clients() == 1, #clients() .. ' servers')
  vim.api.nvim_set_current_buf(buffer)
  done('definition leads into the library, which is read-only')
end

local function format()
  replace('  heads = 64, kv_heads = 8', 'heads=64,kv_heads =8')
  if vim.lsp.buf.format then vim.lsp.buf.format({ timeout_ms = 20000 }) else vim.lsp.buf.formatting_sync(nil, 20000) end
  check(now() == text, now())
  done('the document is formatted')
end

local function rename()
  go('pod from')
  vim.lsp.buf.rename('machines')
  wait('new name', function() return now():find('machines', 1, true) end)
  local wanted = text:gsub('%f[%w]pod%f[^%w]', 'machines')
  check(now() == wanted, now())
  go('machines from')
  vim.lsp.buf.rename('pod')
  wait('old name', function() return now() == text end)
  done('rename changes every use')
end

local function hints()
  if not vim.lsp.inlay_hint then return end -- Neovim 0.10
  wait('hint', function()
    for _, hint in ipairs(vim.lsp.inlay_hint.get({ bufnr = buffer })) do
      if vim.inspect(hint.inlay_hint.label):find('MFU', 1, true) then return true end
    end
  end)
  done('inlay hints show figures')
end

-- The list appears when the editor reads keys again, so it is looked at later.
local function completion()
  replace('schedule = interleaved_1f1b { chunks = 2 }', 'schedule = ')
  go('schedule = ')
  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes('A<C-x><C-o>', true, false, true), 'n', false)
  local tries = 0
  local function look()
    tries = tries + 1
    local words = vim.tbl_map(function(item) return item.word:match('^[%w_]+') end, vim.fn.complete_info({ 'items' }).items)
    if vim.tbl_contains(words, 'interleaved_1f1b') and vim.tbl_contains(words, '1f1b') then
      done('completion lists the schedules')
      finish(0)
    elseif tries > 400 then
      io.stderr:write('completion lists ' .. vim.inspect(words) .. '\n')
      finish(1)
    else
      vim.defer_fn(look, 50)
    end
  end
  vim.defer_fn(look, 50)
end

-- Each with the member of the server's capabilities that says it can; the last one ends the test.
local steps = {
  { 'codeActionProvider', message_and_fix }, { 'hoverProvider', hover }, { 'definitionProvider', definition },
  { 'documentFormattingProvider', format }, { 'renameProvider', rename }, { 'inlayHintProvider', hints },
  { 'completionProvider', completion },
}
local offered = vim.split(os.getenv('DPL_OFFERED'), ' ')

local good, why = pcall(function()
  highlight_and_start()
  for _, step in ipairs(steps) do
    if vim.tbl_contains(offered, step[1]) then step[2]() end
  end
end)
if not good then
  io.stderr:write(tostring(why) .. '\n')
  finish(1)
elseif not vim.tbl_contains(offered, 'completionProvider') then
  finish(0)
end
