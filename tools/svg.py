"Figures of Matplotlib as SVG: what they show, in notebooks and on pages, and the colours of the page around them"
from html import escape, unescape
from math import inf
import re

from gecmetrics_nb.viz.plot import COLOURS

LETTERS = re.compile(r"<text\b[^>]*?font(?:-size)?: (?:[a-z]+ )*([\d.]+)px")
SMALLEST = 8 # pixels of the smallest letters in a figure
BACKGROUND = re.compile(r'(<g id="(?:figure|axes)_\d+">\s*<g id="patch_\d+">\s*<path d="[^"]*" style="fill: )#ffffff(?="/>)')


def title_of(svg):
    "What a figure says that it shows, where tools/notebooks.py has written that"
    return unescape("".join(re.findall(r"<title>(.*?)</title>", svg, re.DOTALL)[:1]))


def figure(svg, owner):
    """An SVG of Matplotlib for a page, in a box that scrolls where letters would get too small to read: named, its ids its own,
    black, white and the colours of roles left to the page"""
    width, box = (float(re.search(place, svg)[1]) for place in (r'width="([\d.]+)pt"', r'viewBox="0 0 ([\d.]+)'))
    least = box * SMALLEST / min(map(float, LETTERS.findall(svg)), default=inf)
    label = escape(title_of(svg))
    svg = re.sub(r"\s*<title>.*?</title>|<metadata>.*?</metadata>|<!--.*?-->", "", svg[svg.index("<svg"):], flags=re.DOTALL)
    short = lambda tag: re.sub(r'(?<=\d\.\d\d)\d+(?=[ )"\n])', "", tag[0]) # nobody sees a thousandth of a point
    svg = re.sub(r"<[^>]*>", short, svg) # tags alone: letters between them keep their digits
    svg = BACKGROUND.sub(r"\1none", svg) # the shade of a box that scrolls is seen through it
    used = set(re.findall(r'(?:href="|url\()#([^")]+)', svg))
    svg = re.sub(r' id="([^"]+)"', lambda m: f' id="{owner}{m[1]}"' if m[1] in used else "", svg)
    svg = re.sub(r'(href="|url\()#', rf"\g<1>#{owner}", svg)
    svg = re.sub(r'(<path [^>]*?style=")fill: #ffffff("/>)', r"\1fill: var(--bs-body-bg, #ffffff)\2", svg)
    svg = re.sub(r"(fill|stroke): #000000", r"\1: currentColor", svg)
    for role, colour in COLOURS.items(): svg = svg.replace(colour, f"var(--{role}, {colour})")
    svg = svg.replace("<svg ", f'<svg class="figure-ink" role="img" aria-label="{label}" ', 1)
    size = f"--width: {width / .75:.0f}px; --least: {least:.0f}px"
    return f'<figure class="picture" style="{size}"><div class="picture-box">{svg}</div></figure>'
