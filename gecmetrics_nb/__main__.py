"python -m gecmetrics_nb is gecnb"
import sys

from gecmetrics_nb.cli import main

sys.exit(main())
