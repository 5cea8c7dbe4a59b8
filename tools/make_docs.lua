-- What `quarto render` says at the root: _quarto.yml
io.stderr:write("`nbdev-docs` makes the site; `quarto preview nbs` shows its lessons\n")
os.exit(1)
