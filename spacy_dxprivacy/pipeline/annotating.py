"""Write a sanitised text as annotations of its original, for pipelines that must keep `doc.text`.

The Doc stays the original, so it is no release: its receipt says so, and assert_sanitized raises.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from spacy.tokens import Doc, Span
from spacy.util import filter_spans

from ..surrogates.replacements import Replacement
from ..text.normal import normalised
from .receipt import ANNOTATIONS, RECEIPT_KEY, SPANS_KEY, get_receipt

IN_PLAINTEXT = "the whole text: this Doc is the original, and its replacements are annotations"


def annotate_original(
    original: Doc, normal: Doc, output: Doc, replacements: Sequence[Replacement], attribute: str
) -> Doc:
    """Write the replacements and the receipt of a new Doc into the original, and return that.

    Args:
        original: The input of the component.
        normal: It in normal form, whose tokens the replacements count.
        output: The new Doc.
        replacements: The surrogates of its mentions.
        attribute: Name of the extension attributes: doc._.dx_text, span._.dx_replacement.
    """
    spans = list[Span]()
    text, places = normalised(original.text, range(len(original.text) + 1))
    # Of a text with redacted passages, whose places are not known, only the new text is written.
    for item in replacements if text == normal.text else ():
        if item.text is None:
            continue
        mention = normal[item.start : item.end]
        start = bisect_right(places, mention.start_char) - 1
        end = bisect_left(places, mention.end_char)
        label = item.mention.label
        span = original.char_span(start, end, label=label, alignment_mode="expand")
        if span is not None:
            span._.set(f"{attribute}_replacement", item.text)
            spans.append(span)
    original.spans[SPANS_KEY] = filter_spans(spans)
    original._.set(f"{attribute}_text", output.text)
    receipt = get_receipt(output)
    if receipt is not None:
        release = receipt.stage("release")
        release |= {"write": ANNOTATIONS, "in_clear": [IN_PLAINTEXT, *release["in_clear"]]}
        original.user_data[RECEIPT_KEY] = dict(receipt)
    return original
