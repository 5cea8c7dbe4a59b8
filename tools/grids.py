"Text that a lesson printed in columns, as HTML tables; all other text stays as it is"
from html import escape
import re

NUMBER = re.compile(r"[(+<≤-]*\.?\d.*|-?inf|nan|") # an amount, an interval, a share, or nothing
TORN = re.compile(r"[\d%)]  |\S  +(?![(+-]?\.?\d)") # two columns in one cell; blanks before a number only pad it
MARKS = re.compile(r".*?\b(equal|near|differs)( \(released\))?")
LONG = 30 # letters of a cell that may wrap
HEAD = re.compile(r"  (published|program|copy): ") # what `tables.table_lines` says above a table


def gaps(lines):
    "Where two or more blanks stand below one another in all lines: [(begin, end)]"
    width = max(map(len, lines))
    filled = [any(line[i:i + 1].strip() for line in lines) for i in range(width)]
    shape = "".join("x" if x else " " for x in filled)
    return [m.span() for m in re.finditer(r"(?<=x)  +(?=x)", shape)]


def columns(lines):
    "The cells of lines that stand in columns, each as (text, begin, end); None where they do not"
    edges = [0, *(end for _, end in gaps(lines)), max(map(len, lines))]
    spans = list(zip(edges, edges[1:], strict=False))
    rows = [[_cell(line, begin, end) for begin, end in spans] for line in lines]
    body = rows[1:]
    whole = not any(TORN.search(line[a:b].strip()) or _open(line[a:b]) for line in lines for a, b in spans)
    full = all(_full(row) or _heads(body[i:]) for i, row in enumerate(body))
    numeric = any(_numeric([row[k][0] for row in body]) for k in range(1, len(spans)))
    marked = all(MARKS.fullmatch(row[-1][0]) for row in body)
    return rows if len(spans) > 1 and whole and full and (numeric or marked) else None


def _full(row): return sum(bool(text) for text, *_ in row) > 1


def _heads(rows):
    "Is the first row a name alone, of the indented rows below it?"
    return bool(rows[0][0][0]) and len(rows) > 1 and _full(rows[1]) and rows[0][0][1] < rows[1][0][1]


def _open(text):
    "Does a bracket begin here that ends elsewhere, as in an array?"
    return any(text.count(a) != text.count(b) for a, b in ("()", "[]", "{}"))


def _cell(line, begin, end):
    text = line[begin:end]
    return " ".join(text.split()), begin + len(text) - len(text.lstrip()), begin + len(text.rstrip())


def _numeric(texts):
    "Are most cells of a column numbers, and one at least?"
    numbers = sum(bool(NUMBER.fullmatch(text)) for text in texts)
    return any(texts) and numbers > .6 * len(texts)


def blocks(lines):
    "The lines cut in runs: (rows of cells, lines) where they are a table, (None, lines) elsewhere"
    start, plain = 0, []
    while start < len(lines):
        found = _boxed(lines, start) or _aligned(lines, start)
        if not found:
            plain.append(lines[start])
            start += 1
            continue
        if plain: yield None, plain
        rows, end = found
        yield rows, lines[start:end]
        start, plain = end, []
    if plain: yield None, plain


def _boxed(lines, start):
    "A table with ruled borders that begins here: its rows, and where it ends"
    if not re.match(r"\+-[-+]+\+$", lines[start]): return None
    end = start
    while end < len(lines) and lines[end][:1] in ("+", "|") and lines[end]:
        if end > start and lines[end - 1][0] == lines[end][0] == "+": break # two rules: the next table
        end += 1
    edges = [m.start() for m in re.finditer(r"\+", lines[start])]
    spans = list(zip(edges, edges[1:], strict=False))
    inner = [line for line in lines[start:end] if line.startswith("|")]
    return [[_cell(line, a + 1, b) for a, b in spans] for line in inner], end


def _aligned(lines, start):
    "The longest run of lines in columns that begins here: its rows, and where it ends"
    if not lines[start].strip(): return None
    end = start
    while end < len(lines) and lines[end].strip() and "\t" not in lines[end]: end += 1
    begun = not start or not lines[start - 1].strip()
    for last in range(end, start + 2, -1):
        rows = columns(lines[start:last])
        if rows and (begun or headed(rows)): return rows, last
    rows = listed(lines[start:end]) if begun else None
    return (rows, end) if rows else None


def listed(lines):
    "Names and what is said of each, side by side, as cells; None where the lines are something else, such as code"
    found = gaps(lines) if len(lines) > 3 else []
    if len(found) != 1 or re.search(r"[][{}=|]", "".join(lines)): return None
    middle = found[0][1]
    rows = [[_cell(line, 0, middle), _cell(line, middle, len(line))] for line in lines]
    return rows if all(map(_full, rows)) and not any("  " in line[middle:].strip() for line in lines) else None


def headed(rows):
    "Is the first row a header: nothing in its corner, or words where others have numbers?"
    corner, *names = (text for text, *_ in rows[0])
    if len(rows[0]) == 2 and not any(_numeric([text]) for text, *_ in (row[1] for row in rows)): return not corner
    return not corner or not any(text and NUMBER.fullmatch(text) for text in names)


def html_table(rows, caption=""):
    "A table with its header, if it has one; numbers to the right"
    header, named = [text for text, *_ in rows[0]], headed(rows)
    body = rows[1:] if named else rows
    right = [_numeric([row[k][0] for row in body]) or _flush(body, k) for k in range(len(header))]
    side = lambda k: ' class="number"' if k and right[k] else ""
    above = f"<figcaption>{caption}</figcaption>" if caption else ""
    out = [f'<figure class="printing">{above}<div class="printed"><table class="table table-sm">']
    if named:
        cells = (f'<th scope="col"{side(k)}>{escape(text)}</th>' if text else "<td></td>" for k, text in enumerate(header))
        out.append(f"<thead><tr>{''.join(cells)}</tr></thead>")
    out.append("<tbody>")
    out += [f"<tr>{''.join(_td(cell, k, side(k)) for k, cell in enumerate(row))}</tr>" for row in body]
    return "".join([*out, "</tbody></table></div></figure>"])


def _flush(body, k):
    "Do the cells of a column end below one another, and not begin so?"
    cells = [row[k] for row in body if row[k][0]]
    return len({end for *_, end in cells}) == 1 < len({begin for _, begin, _ in cells})


def _td(cell, k, side):
    text, begin, _ = cell
    mark = MARKS.fullmatch(text) if k else None
    if mark: return f'<td class="mark-{mark[1]}">{escape(text)}</td>'
    if len(text) > LONG and not side: side = ' class="words"'
    inset = f' style="padding-left: {1 + begin // 2}em"' if not k and begin > 1 and not side else ""
    return f"<td{side or inset}>{escape(text)}</td>"


def as_html(text):
    "What a cell printed as HTML, or None where nothing of it stands in columns"
    lines = text.rstrip().split("\n")
    parts = list(blocks(lines))
    if not any(rows for rows, _ in parts): return None
    out = []
    for i, (rows, inner) in enumerate(parts):
        if rows:
            above = parts[i - 1][1] if i and not parts[i - 1][0] else []
            caption = _caption(above)
            out.append(html_table(_undented(rows), caption))
        else:
            below = i + 1 < len(parts) and _caption(inner)
            shown = inner[:-len(_head(inner))] if below else inner
            text = "\n".join(shown).strip("\n")
            if text.strip(): out.append(f"<pre><code>{escape(text)}</code></pre>")
    return "\n".join(out)


def _undented(rows):
    "First cells without the blanks that all of them begin with, and without any where they are centred"
    first = [row[0] for row in rows[1:] if row[0][0]]
    least = min((begin for _, begin, _ in first), default=0)
    middles = [begin + end for _, begin, end in first]
    centred = len(first) > 1 and max(middles) - min(middles) <= 1
    return [[(text, 0 if centred else begin - least, end), *row] for (text, begin, end), *row in rows]


def _head(lines):
    "The last lines of a text if they say what the table below is: a title, where it stands, its settings"
    starts = [k for k in range(len(lines) - 1) if HEAD.match(lines[k + 1]) and lines[k].endswith(")")]
    return lines[starts[-1]:] if starts else []


def _caption(lines):
    head = _head(lines)
    if not head: return ""
    return f"<b>{escape(head[0])}</b>" + "".join(f"<br><small>{escape(line.strip())}</small>" for line in head[1:])
