"Do two outputs of a cell say the same to a reader? Last digits, fonts and versions of Matplotlib apart, any change is a difference"
from math import cos, isclose, radians, sin
from xml.etree import ElementTree
import json
import re

import numpy as np

# Whole numbers and words are equal, or they differ. Numbers with a point or an exponent may differ by a millionth of
# themselves: that is more than processors, threads and versions do, and less than a change of the sixth digit, so no digit
# that a lesson means goes unseen.
# A number that stands on the edge between two roundings is not excused: the lesson prints more digits or another example.
RELATIVE, ABSOLUTE = 1e-6, 1e-12
NUMBER = re.compile(r"([-+\u2212]?(?:(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+)(?:e[-+]?\d+)?)", re.IGNORECASE)

# In points of 1/72 inch. Another font moves words, and with them the edges of picture and axes, but no mark in its axes.
MARK, WORD, EDGE = .2, 4, 8


def shown(cell):
    "What a reader sees under a code cell: streams as text, the others as {type: content}"
    parts = []
    for output in cell.outputs:
        if output.output_type == "error": part = f"{output.ename}: {output.evalue}"
        else: part = output.text if output.output_type == "stream" else dict(output.data)
        if parts and isinstance(part, str) and isinstance(parts[-1], str): parts[-1] += part # a stream may be cut anywhere
        else: parts.append(part)
    return parts


def difference(old, new):
    "What a reader would see change between two lists from `shown`; None if nothing"
    if len(old) != len(new): return f"{len(old)} outputs, now {len(new)}"
    return next(filter(None, map(_output, old, new)), None)


def keep(old, new):
    "Put the outputs of the notebook `old` into `new` where they say the same"
    before = {cell.id: cell for cell in old.cells if cell.cell_type == "code"}
    for cell in new.cells:
        if cell.cell_type != "code" or cell.id not in before: continue
        if difference(shown(before[cell.id]), shown(cell)) is None: cell.outputs = before[cell.id].outputs


def _output(old, new):
    if isinstance(old, str) or isinstance(new, str):
        return text(old, new) if isinstance(old, str) and isinstance(new, str) else "another kind of output"
    if old.keys() != new.keys(): return f"{', '.join(old)}; now {', '.join(new)}"
    return next(filter(None, (_content(kind, old[kind], new[kind]) for kind in old)), None)


def _content(kind, old, new):
    if kind == "image/svg+xml": return picture(old, new)
    if isinstance(old, str) and isinstance(new, str): return text(old, new)
    def plain(value): # of a widget, whose name is drawn anew in each run
        if isinstance(value, dict): value = {k: v for k, v in value.items() if k != "model_id"}
        return json.dumps(value, sort_keys=True)
    return text(plain(old), plain(new))


# ---- text, tables, HTML

def text(old, new):
    "The first difference between two texts; None if words are equal and numbers as near as said above"
    a, b = NUMBER.split(old), NUMBER.split(new)
    if list(map(len, a[1::2])) != list(map(len, b[1::2])): # a column may have moved
        a[::2], b[::2] = ([re.sub(r"\s+", " ", gap) for gap in parts[::2]] for parts in (a, b))
    for i, (x, y) in enumerate(zip(a, b, strict=False)):
        if x != y and not (i % 2 and _near(x, y)): return _changed(a, b, slice(max(i - 3, 0), i + 4))
    return None if len(a) == len(b) else _changed(a, b, slice(-6, None))


def _changed(a, b, where): return f"{''.join(a[where])!r}, now {''.join(b[where])!r}"


def _near(x, y):
    if not all(set(".eE") & set(n) for n in (x, y)): return False
    x, y = (float(n.replace(",", "").replace("\u2212", "-")) for n in (x, y))
    return isclose(x, y, rel_tol=RELATIVE, abs_tol=ABSOLUTE)


# ---- pictures

def picture(old, new):
    "The first difference between two SVGs: marks in their order, their words, where they stand"
    a, b = marks(old), marks(new)
    for (kind, words, points, _), (kind2, words2, points2, _) in zip(a, b, strict=False):
        changed = kind != kind2 or len(points) != len(points2) or text(words, words2)
        if changed: return f"in a picture: {kind} of {len(points)} points, {words}; now {kind2} of {len(points2)}, {words2}"
    if len(a) != len(b): return f"a picture of {len(a)} marks, now {len(b)}"
    old_frames, new_frames = _frames(a), _frames(b)
    for axes, (corner, size) in old_frames.items():
        far = abs(np.subtract(new_frames[axes], (corner, size))).max()
        if far > EDGE: return f"in a picture: {axes} moved by {far:.1f} points"
    for (kind, words, p, axes), (*_, q, _) in zip(a, b, strict=True):
        if kind == "paper": continue
        (corner, size), (corner2, size2) = old_frames.get(axes, NOWHERE), new_frames.get(axes, NOWHERE)
        far = abs((q - corner2) * (size / size2) + corner - p).max(initial=0)
        if far > (MARK if kind == "path" else WORD):
            return f"in a picture: {kind} at {p[0].round(1)}, {words}, moved by {far:.2f} points"
    return None


NOWHERE = np.zeros(2), np.ones(2)


def _frames(marks):
    "{axes: (corner, size)}, those of the first path in it: marks stand where they stand in their axes"
    first = {}
    for kind, _, points, axes in marks:
        if axes and kind == "path" and len(points): first.setdefault(axes, points)
    return {axes: (points.min(axis=0), np.maximum(np.ptp(points, axis=0), 1)) for axes, points in first.items()}


def marks(svg):
    "What an SVG shows, in the order of drawing: (kind, words and style, points, axes); definitions stand where they are used"
    root = ElementTree.fromstring(svg[svg.index("<svg"):])
    named = {e.get("id"): e for e in root.iter() if e.get("id")}
    found = []
    _walk(root, np.eye(3), {}, "path", "", named, found)
    return found


def _walk(element, place, style, kind, axes, named, found):
    tag = element.tag.rsplit("}")[-1]
    if tag in ("defs", "metadata", "style", "clipPath", "pattern", "title"): return # `notebooks.dress` writes the title
    name = element.get("id", "")
    if name.startswith(("legend_", "text_")): kind = "word" # what belongs to words stands as they do
    if name == "patch_1" and not axes: kind = "paper"
    if name.startswith("axes_"): axes = name
    place, style = place @ _affine(element.get("transform")), style | _style(element, named)
    at = np.array(_floats(f"{element.get('x', '0')} {element.get('y', '0')}")[:2])
    if tag in ("svg", "g"):
        for child in element: _walk(child, place, style, kind, axes, named, found)
    elif tag == "use":
        target = named[next(v for k, v in element.items() if k.endswith("href"))[1:]]
        _walk(target, place @ _shift(*at), style, kind, axes, named, found)
    else:
        line = element.get("d", "")
        attributes = {k: v for k, v in element.items() if k not in ("id", "x", "y", "transform")}
        if tag == "path": words, points = re.sub(r"[^A-Za-z]", "", line), np.reshape(_floats(line), (-1, 2))
        elif tag == "text": words, points = " ".join("".join(t.text or "" for t in element.iter()).split()), at[None]
        else: words, points = str(attributes), at[None]
        words = " ".join([words, *(f"{k}: {v}" for k, v in sorted(style.items()))])
        found.append((kind if tag == "path" else tag, words, points @ place[:2, :2].T + place[:2, 2], axes))


def _floats(text): return [float(x) for x in re.findall(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?", text)]
def _shift(x, y=0): return np.array([[1, 0, x], [0, 1, y], [0, 0, 1]])
def _turn(a): return np.array([[cos(a), -sin(a), 0], [sin(a), cos(a), 0], [0, 0, 1]])


def _affine(transform):
    "The map of an SVG transform, (3, 3)"
    out = np.eye(3)
    for name, numbers in re.findall(r"(\w+)\(([^)]*)\)", transform or ""):
        v = _floats(numbers)
        if name == "translate": out = out @ _shift(*v)
        elif name == "scale": out = out @ np.diag([v[0], v[-1], 1])
        elif name == "rotate":
            x, y = v[1:] or (0, 0)
            out = out @ _shift(x, y) @ _turn(radians(v[0])) @ _shift(-x, -y)
        elif name == "matrix": out = out @ np.array([v[::2], v[1::2], [0, 0, 1]])
        else: raise ValueError(f"unknown transform {name}")
    return out


def _style(element, named):
    "Colours, lines and the size of letters; fonts are left to the machine, and a pattern is the marks in it"
    pairs = dict(re.findall(r"([\w-]+): *([^;]+)", element.get("style", "")))
    letters = " ".join(pairs.pop(k) for k in list(pairs) if k.startswith("font"))
    size, heavy = re.search(r"([\d.]+)px", letters), re.search(r"\b(700|bold)\b", letters)
    if size: pairs["size"] = size[1]
    if heavy: pairs["weight"] = "bold"
    for key, value in pairs.items():
        if not value.startswith("url(#"): continue
        pairs[key] = " ".join(part.get("d", part.tag.rsplit("}")[-1]) for part in named[value[5:-1]])
    return pairs
