"python -m gecmetrics_nb is gecnb"
from gecmetrics_nb.cli.parser import process

if __name__ == "__main__": process()
