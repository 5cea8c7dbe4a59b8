"python -m gecmetrics_nb is gecnb"
import sys

from gecmetrics_nb.cli.parser import main

if __name__ == "__main__": sys.exit(main())
