"Figures of Matplotlib as SVG: what they show, in notebooks and on pages, and the colours of the page around them"
from html import escape
import re

from gecmetrics_nb.viz.plot import COLOURS

CAPTION = re.compile(r'^#\| fig-alt: "?(.*?)"?\n', re.MULTILINE)


def caption_of(source):
    "What a cell says that its figures show, and its source without that line"
    found = CAPTION.search(source)
    return (found[1].replace('\\"', '"'), source.replace(found[0], "", 1)) if found else ("", source)


OPENED = re.compile(r"(<svg\b[^>]*>)(?:\s*<title>.*?</title>)?", re.DOTALL)


def titled(svg, alt):
    "A figure whose title says what it shows: what reads SVG aloud reads that, also in a notebook or a file"
    return OPENED.sub(lambda m: f"{m[1]}\n <title>{escape(alt, quote=False)}</title>", svg, count=1)


def shorter(tag):
    "A tag whose places have two decimals: nobody sees a thousandth of a point"
    return re.sub(r'(?<=\d\.\d\d)\d+(?=[ )"\n])', "", tag[0])


BACKGROUND = re.compile(r'(<g id="(?:figure|axes)_\d+">\s*<g id="patch_\d+">\s*<path d="[^"]*" style="fill: )#ffffff(?="/>)')


def figure(svg, alt, owner):
    """An SVG of Matplotlib for a page, in a box that scrolls where letters would get too small to read: named, its ids its own,
    black, white and the colours of roles left to the page"""
    width, least = re.search(r'width="([\d.]+)pt"', svg), least_width(svg)
    svg = re.sub(r"\s*<title>.*?</title>|<metadata>.*?</metadata>|<!--.*?-->", "", svg[svg.index("<svg"):], flags=re.DOTALL)
    svg = re.sub(r"<[^>]*>", shorter, svg) # tags alone: letters between them keep their digits
    svg = BACKGROUND.sub(r"\1none", svg) # the shade of a box that scrolls is seen through it
    used = set(re.findall(r'(?:href="|url\()#([^")]+)', svg))
    svg = re.sub(r' id="([^"]+)"', lambda m: f' id="{owner}{m[1]}"' if m[1] in used else "", svg)
    svg = re.sub(r'(href="|url\()#', rf"\g<1>#{owner}", svg)
    svg = re.sub(r'(<path [^>]*?style=")fill: #ffffff("/>)', r"\1fill: var(--bs-body-bg, #ffffff)\2", svg)
    svg = re.sub(r"(fill|stroke): #000000", r"\1: currentColor", svg)
    for role, colour in COLOURS.items(): svg = svg.replace(colour, f"var(--{role}, {colour})")
    svg = svg.replace("<svg ", f'<svg class="figure-ink" role="img" aria-label="{escape(alt, quote=True)}" ', 1)
    size = f' style="--width: {float(width[1]) / .75:.0f}px{least}"' if width else ""
    return f'<figure class="picture"{size}><div class="picture-box">{svg}</div></figure>'


LETTERS = re.compile(r"<text\b[^>]*?font(?:-size)?: (?:[a-z]+ )*([\d.]+)px")
SMALLEST = 8 # pixels of the smallest letters in a figure


def least_width(svg):
    "The width below which a figure's letters are too small to read, where it says what size they have"
    sizes = list(map(float, LETTERS.findall(svg)))
    box = re.search(r'viewBox="0 0 ([\d.]+)', svg)
    return f"; --least: {float(box[1]) * SMALLEST / min(sizes):.0f}px" if sizes and box else ""
