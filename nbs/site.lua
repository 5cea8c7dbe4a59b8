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

function CodeBlock(block) -- a command that a lesson calls in Python is shown as a shell has it; other code around it is folded
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
