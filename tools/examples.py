"Examples for the pages of the API: a call of each name that the package exports, run when the site is made"
import re

TEXTS = {
    "sources": 'sources    = ["He go home .", "I likes tea ."]',
    "hypotheses": 'hypotheses = ["He goes home .", "I likes tea ."]',
    "references": 'references = [["He goes home .", "I like tea ."], ["He went home .", "I like tea ."]]',
    "gold": '''gold = parse_m2("""S He go home .
A 1 2|||SVA|||goes|||REQUIRED|||-NONE-|||0

S I likes tea .
A 1 2|||SVA|||like|||REQUIRED|||-NONE-|||0""".splitlines())''',
    "corpus": 'corpus = Corpus(sources, references, [hypotheses, sources], system_names=["A", "INPUT"])',
}
EXAMPLES = { # the last line is shown; what is above it comes from TEXTS where it is named
    "GLEU": "GLEU().corpus_score(sources=sources, hypotheses=hypotheses, references=references)",
    "GREEN": "GREEN(beta=0.5).sentence_scores(sources=sources, hypotheses=hypotheses, references=references).round(4)",
    "GoogleGLEU": "GoogleGLEU().corpus_score(hypotheses=hypotheses, references=references)",
    "BLEU": 'BLEU(smoothing="exp").sentence_scores(hypotheses=hypotheses, references=references).round(4)',
    "METEOR": "METEOR().sentence_scores(hypotheses=hypotheses, references=references).round(4)",
    "M2": "M2().corpus_score(hypotheses=hypotheses, gold=gold)",
    "IMeasure": "IMeasure().corpus_score(hypotheses=hypotheses, gold=gold)",
    "CLEME": "CLEME(weights=\"none\").corpus_score(hypotheses=gold, gold=gold)",
    "CLEME2": "CLEME2().corpus_score(hypotheses={\"perfect\": gold}, gold=gold)",
    "ERRANT": "ERRANT(types=\"SVA\").corpus_score(hypotheses={\"perfect\": gold}, gold=gold)",
    "EditCorpus": "EditCorpus(gold, {\"perfect\": gold}).system_names",
    "Metric": "issubclass(GLEU, Metric), GLEU(order=2).signature_fields()",
    "NgramMetric": "issubclass(GREEN, NgramMetric), issubclass(M2, NgramMetric)",
    "Score": "score = GLEU().corpus_score(sources=sources, hypotheses=hypotheses, references=references)\n"
             "round(score.percent, 2), score.sentences, score.references, score.signature",
    "Corpus": "len(corpus), corpus.system_names, corpus.references[1]",
    "read_corpus": 'from gecmetrics_nb.corpora import fetch\n'
                   'read_corpus(fetch("example/INPUT"), [fetch("example/REF0")], [fetch("example/A")]).systems',
    "compare_systems": 'compare_systems([GLEU(), GREEN(beta=1)], corpus, baseline="INPUT")',
    "rank_systems": 'rank_systems(GREEN(beta=1), corpus, draws=200)',
    "compare_edits": "compare_edits(gold, gold).rates",
    "align": 'align("the cat sat".split(), "sat the cat".split())',
    "parse_m2": "gold[0].tokens, gold[0].edits",
    "references_from_m2": "references_from_m2(gold)",
}


def example_of(name, symbol):
    "Source and output of the example of a name that the package exports; None of others"
    import gecmetrics_nb
    if getattr(gecmetrics_nb, name, None) is not symbol: return None
    code = EXAMPLES[name]
    for text, lines in reversed(TEXTS.items()):
        if re.search(rf"\b{text}\b", code): code = f"{lines}\n{code}"
    used = sorted((each for each in gecmetrics_nb.__all__ if re.search(rf"\b{each}\b", code)), key=str.lower)
    code = f"from gecmetrics_nb import {', '.join(used)}\n\n{code}"
    *before, last = code.split("\n")
    exec("\n".join(before), names := {})
    return code, repr(eval(last, names))
