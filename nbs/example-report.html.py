"""
---
---
"""
# A report of invented sentences, so that one sees the page before one installs anything: nbdev runs this, and keeps what it prints
from gecmetrics_nb import GLEU, GREEN, Corpus
from gecmetrics_nb.viz.report import report

NAMES = "source", "first annotator", "second annotator", "careful", "bold", "rewriter"
LINES = """
Yesterday I go to library and borrow two book about history of science .
Yesterday I went to the library and borrowed two books about the history of science .
Yesterday I went to a library and borrowed two books about the history of science .
Yesterday I went to library and borrowed two books about history of science .
Yesterday I went to the library and borrowed two books on the history of science .
I borrowed two books on the history of science from the library yesterday .

My grandmother have a small garden where she grow vegetable and flower .
My grandmother has a small garden where she grows vegetables and flowers .
My grandmother has a small garden in which she grows vegetables and flowers .
My grandmother has a small garden where she grows vegetable and flower .
My grandmother has a small garden where she grew vegetables and flowers .
In her small garden my grandmother grows vegetables and flowers .

The train was late , so we have missed the begin of the concert .
The train was late , so we missed the beginning of the concert .
The train was late , so we missed the start of the concert .
The train was late , so we missed the begin of the concert .
The train was late , so we missed the beginning of the concert .
We missed the start of the concert since the train was late .

She is interested on music and she plays piano since five years .
She is interested in music and has been playing the piano for five years .
She is interested in music , and she has played the piano for five years .
She is interested in music and she plays piano since five years .
She is interested in music and she plays the piano for five years .
She has been playing the piano for five years and loves music .

The weather was fine and we stayed in the park until the evening .
The weather was fine and we stayed in the park until the evening .
The weather was fine and we stayed in the park until the evening .
The weather was fine and we stayed in the park until the evening .
The weather was fine , and we stayed in the park until evening .
It was fine weather , so we spent the whole day in the park .

Many of people thinks that the winter in the north is very dark .
Many people think that the winter in the north is very dark .
Many people think that winter in the north is very dark .
Many people think that the winter in the north is very dark .
Many of people think that winter in north is very dark .
Many people believe that winters in the north are dark .

He told to me that he has lost his key in the bus .
He told me that he had lost his key on the bus .
He told me that he had lost his keys on the bus .
He told me that he has lost his key in the bus .
He told me that he had lost his key in a bus .
He said that his key was lost on the bus .

If I will have time , I will to visit you on next week .
If I have time , I will visit you next week .
If I have time , I will visit you next week .
If I will have time , I will visit you on next week .
If I have time , I will visit you next week .
I will visit you next week if I have the time .

Children needs to play outside , even when it rain a little .
Children need to play outside , even when it rains a little .
Children need to play outside even when it rains a little .
Children need to play outside , even when it rains a little .
The children need to play outside , even when it is raining a little .
Even in light rain children need to play outside .

This is the most cheap restaurant what I know in this city .
This is the cheapest restaurant that I know in this city .
This is the cheapest restaurant I know in this city .
This is the most cheap restaurant that I know in this city .
This is the cheapest restaurant I know in the city .
I know no cheaper restaurant in this city .

Our teacher explained us how is made the paper .
Our teacher explained to us how paper is made .
Our teacher explained to us how the paper is made .
Our teacher explained us how the paper is made .
Our teacher explained to us how paper was made .
Our teacher told us how paper is made .

They cooked dinner together and talked about their plans .
They cooked dinner together and talked about their plans .
They cooked dinner together and talked about their plans .
They cooked dinner together and talked about their plans .
They cooked a dinner together and talked about plans .
They cooked dinner together and talked about their plans .
"""


rows = [block.split("\n") for block in LINES.strip().split("\n\n")]
sources, *columns = map(list, zip(*rows, strict=True)) # a system that changes little, one that changes much, one that writes anew
corpus = Corpus(sources, columns[:2], columns[2:], "source", NAMES[1:3], NAMES[3:])
command = "gecnb report -s source -r first second -o careful bold rewriter --metrics green:beta=2 gleu:references=mean -O report.html"
title = "A report of invented systems: one is careful, one bold, one a rewriter"
page = report(corpus, [GREEN(beta=2), GLEU(references="mean")], title=title, command=command, draws=2000, top=12)
back = '<p class="note">Green changes raise the score, orange ones lower it. <a href="viz/report.html">How to make a report</a></p>'
print(page.replace("</h1>", f"</h1>\n{back}", 1), end="")
