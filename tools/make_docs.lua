-- What `quarto render` says at the root: _quarto.yml
io.stderr:write("`nbdev-docs` makes the site; `quarto preview nbs` shows its pages without what nbdev adds\n")
os.exit(1)
