"""Computations of the page, and the Streamlit server that shows it on this machine alone.

Nothing that is typed is kept: texts are read inside a memory zone, are in no cache, no log and no
address. They are in the memory of the process, until it ends at the latest.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from spacy.language import Language

from ...errors import UsageError
from ...io.build import the_sanitizer
from ...io.stream import zone
from ...machine.hosts import LOOPBACK
from ...pipeline.component import DxSanitizer
from ...pipeline.receipt import Receipt, assert_sanitized, get_receipt
from ...registries import registry
from ...space.sources import SpaceSource
from ...text.tokens import tokenized
from ..epsilons import SEARCH_WORDS, epsilons_for, running_text
from ..mechanisms import check_tunable, make_mechanism, unfitted
from ..report import Account, Pair, make_pair

# Their fit looks at all pairs of words for each epsilon: they are not on the page.
SLOW = {"dx.CusText.v1", "dx.Diffractor.v1", "dx.Jaccard.v1", "dx.NADP.v1"}
# Settings that a sanitizer on the page takes from that of the pipeline.
SHARED = ("selector", "unknown", "numbers", "editor", "surrogates", "scope", "casing", "carry",
          "max_epsilon_per_doc")  # fmt: skip


class Sanitized(NamedTuple):
    """A text before and after, its receipt, and the account that is put in words."""

    pair: Pair
    receipt: Receipt
    account: Account


class Workshop:
    """A pipeline whose sanitizer takes any mechanism at any epsilon; several threads may use it."""

    def __init__(self, nlp: Language) -> None:
        self.nlp = nlp
        self.own = the_sanitizer(nlp)
        self.space = self.own.space
        block = dict(nlp.get_pipe_config(self.own.name)["mechanism"])
        if "epsilon" not in block:
            raise UsageError(f"{block['@dx_mechanisms']} has no epsilon. Choose another mechanism.")
        self.start: float = block.pop("epsilon")
        self._settings = {block["@dx_mechanisms"]: block}
        for name in sorted({*registry.dx_mechanisms.get_all()} - SLOW):
            with suppress(UsageError):
                check_tunable(name)
                self._settings.setdefault(name, {"@dx_mechanisms": name})
        # A memory zone belongs to one thread at a time, and a mechanism may keep tables.
        self._lock = Lock()

    @property
    def names(self) -> list[str]:
        """Registered names of the mechanisms to try, the pipeline's own first."""
        return list(self._settings)

    def epsilons(self, name: str) -> list[float]:
        """Return epsilons from about 2 % to about 98 % unchanged words, and the pipeline's own."""
        probes = running_text(len(self.space), SEARCH_WORDS)
        make = partial(make_mechanism, self._settings[name], self.space)
        steps = epsilons_for(make, probes.rows, probes.counts, 24)
        return sorted({*steps, self.start}) if name == self.names[0] else steps

    def sanitizer(self, name: str, epsilon: float) -> DxSanitizer:
        """Return a fitted sanitizer like the pipeline's own, with this mechanism."""
        own = self.own
        spares, excluded = own.source.spares, own.source.excluded
        made = DxSanitizer(
            self.nlp,
            own.name,
            mechanism=unfitted(self._settings[name], epsilon),
            source=SpaceSource(lambda _: self.space, spares=spares, excluded=excluded),
            seed=own.rng.seed,
            **{setting: getattr(own, setting) for setting in SHARED},
        )
        with self._lock:
            made.warm_up()
        return made

    def sanitize(self, text: str, sanitizer: DxSanitizer) -> Sanitized:
        """Run the pipeline with this sanitizer instead of its own; the vocabulary forgets the text.

        What the pipeline raises may quote the text.
        """
        with self._lock, zone(self.nlp):
            doc = before = tokenized(self.nlp, text)
            for _, pipe in self.nlp.pipeline:
                if pipe is self.own:
                    before, doc = doc, sanitizer(doc)
                else:
                    doc = pipe(doc)
            assert_sanitized(doc)
            receipt = get_receipt(doc) or Receipt()
            account = Account.of(receipt)
            account.add(receipt)
            return Sanitized(make_pair(before, doc, tokens_are_given=True), receipt, account)


ADDRESS = "127.0.0.1"  # the page shows texts to all who can reach it
PAGE = Path(__file__).with_name("page.py")
# They override every config file and environment variable of Streamlit.
OPTIONS = {
    "browser.gatherUsageStats": "false",
    "client.showErrorDetails": "none",  # an exception may quote a text
    "client.toolbarMode": "minimal",
    "global.developmentMode": "false",
    "logger.enableRich": "false",
    "logger.hideWelcomeMessage": "true",
    "logger.level": "critical",
    "runner.magicEnabled": "false",
    "server.enableCORS": "true",  # pages of others may not talk to this one
    "server.enableXsrfProtection": "true",
    "server.fileWatcherType": "none",
    "server.headless": "true",  # or it asks for an e-mail address, and opens a browser
    "server.runOnSave": "false",
    # Words in Streamlit's own red have a contrast of 3.6 on a dark page.
    "theme.light.primaryColor": "#b3303e",
    "theme.dark.primaryColor": "#ff9aa2",
}
# Streamlit runs the page as a script without arguments, so its workshop stands here.
shown: Workshop | None = None


def serve(workshop: Workshop, port: int) -> None:
    """Serve the page until Ctrl-C, to requests that name this machine."""
    from starlette.middleware import Middleware
    from starlette.middleware.trustedhost import TrustedHostMiddleware
    from streamlit.web.cli import main
    from streamlit.web.server.starlette import starlette_app

    global shown
    shown = workshop
    # AttributeError for an unknown Streamlit, which would serve everybody.
    make = starlette_app.create_streamlit_middleware

    def guarded() -> list[Any]:
        return [Middleware(TrustedHostMiddleware, allowed_hosts=LOOPBACK), *make()]

    starlette_app.create_streamlit_middleware = guarded
    options = {**OPTIONS, "server.address": ADDRESS, "server.port": str(port)}
    arguments = [f"--{name}={value}" for name, value in options.items()]
    main(["run", str(PAGE), *arguments], standalone_mode=False)
