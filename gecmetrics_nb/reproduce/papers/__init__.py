"One module a paper: its tables, and how ours are computed"
