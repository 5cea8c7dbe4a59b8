-- What pandoc and Quarto do not do of themselves: nbs/_quarto.yml

function Table(one) -- a column is as wide as its words, not as the dashes of its rule
  for i, column in ipairs(one.colspecs) do one.colspecs[i] = { column[1], nil } end
  return one:walk { Code = function(code) code.text = code.text:gsub("\\|", "|"); return code end } -- pandoc leaves the backslash of a bar
end

function Math(formula) -- MathML has brackets that grow, under this name; a long formula scrolls in a box of its own
  formula.text = formula.text:gsub("\\[bB]igg?([lr])%f[%A]", { l = "\\left", r = "\\right" })
  if formula.mathtype == "DisplayMath" then return pandoc.Span(formula, { class = "formula" }) end
  return formula
end

function Inlines(inlines) -- what follows a formula, such as a full stop, begins no line
  for i = #inlines - 1, 1, -1 do
    local formula, after = inlines[i], inlines[i + 1]
    if formula.t == "Math" and after.t == "Str" and after.text:find("^%p") then
      inlines[i] = pandoc.Span({ formula, inlines:remove(i + 1) }, { class = "glued" })
    end
  end
  return inlines
end

local function is_row(line) return line:find("%S  +%S") or line:find("\t") or line:find("^ *[+|]") end

local function printed(block) -- the rows of a table are marked: on a phone they keep their columns, and other lines wrap
  local lines = pandoc.List {}
  for line in (block.text .. "\n"):gmatch("(.-)\n") do
    local text = line:gsub("[&<>]", { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;" })
    lines:insert(is_row(line) and '<span class="table-row">' .. text .. "</span>" or text)
  end
  return pandoc.RawBlock("html", "<pre><code>" .. table.concat(lines, "\n") .. "</code></pre>")
end

function CodeBlock(block) -- a command that a lesson calls in Python is shown as a shell has it; other code around it is folded
  if #block.classes == 0 then return printed(block) end
  if not block.classes:includes("cell-code") then return end
  local shown, others = pandoc.Blocks {}, false
  for line in block.text:gmatch("[^\n]+") do
    local command = line:match('^gecnb%("([^"]*)"%)$')
    if command then shown:insert(pandoc.Div(pandoc.CodeBlock("gecnb " .. command, { class = "bash" }), { class = "shell" }))
    elseif line:find("gecnb(", 1, true) then return
    else others = true end
  end
  if #shown == 0 then return end
  if others then
    block.attributes["code-fold"], block.attributes["code-summary"] = "true", "The same in Python, with its files"
    shown:insert(block)
  end
  return shown
end

local function is_folded(block) return block.t == "CodeBlock" and block.attributes["code-fold"] == "true" end

local function fold(code) -- one for all of it, under the name of the last
  local name = code[#code].attributes["code-summary"] or "Code"
  for _, block in ipairs(code) do block.attributes["code-fold"], block.attributes["code-summary"] = nil, nil end
  return pandoc.Blocks { pandoc.RawBlock("html", '<details class="code-fold"><summary>' .. name .. "</summary>") } .. code .. { pandoc.RawBlock("html", "</details>") }
end

function Blocks(blocks) -- folded code stands below what it shows, with that of the cells before it that show nothing; imports wait for it
  local made, holder, code = pandoc.Blocks {}, nil, pandoc.Blocks {}
  local function close()
    if holder then holder.content = holder.content .. fold(code); made:insert(holder) end
    holder, code = nil, pandoc.Blocks {}
  end
  local function is_code(block) return block.t == "CodeBlock" end
  local function only_imports() return not code:find_if(function(one) return not one.text:find("^import ") and not one.text:find("^from ") end) end
  for _, block in ipairs(blocks) do
    local is_cell = block.t == "Div" and block.classes:includes("cell")
    local folded = is_cell and block.content:filter(is_folded) or {}
    if #folded > 0 then
      code:extend(folded)
      holder = block
      holder.content = block.content:filter(function(each) return not is_folded(each) end)
      if #holder.content > 0 then close() end
    else
      if is_cell and block.content:find_if(is_code) or not only_imports() then close() end
      made:insert(block)
    end
  end
  close()
  return made
end

function Pandoc(page) -- a name that is documented has its id alone; no level of headings is left out
  local named, above = {}, 1
  page.blocks:walk { Header = function(h) if h.classes:includes("defined") then named[h.identifier] = true end end }
  page.blocks = page.blocks:walk { Header = function(h)
    if named[h.identifier] and not h.classes:includes("defined") then h.identifier = "on-" .. h.identifier end
    h.level = math.min(h.level, above + 1)
    above = h.level
    return h
  end }
  return page
end
