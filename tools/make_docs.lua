-- What Quarto says where nothing is prepared for it: nbs/_quarto.yml
io.stderr:write("`make docs` makes the pages: it prepares the notebooks for Quarto, and calls it where it is installed\n")
os.exit(1)
