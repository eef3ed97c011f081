"""Losses and counts of units add up, over threads, processes and restarts, up to a limit."""

import json
import math
import multiprocessing
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from spacy_dxprivacy import DxError, Guarantee
from spacy_dxprivacy.io.account import Account, OverLimit
from spacy_dxprivacy.pipeline.count import Count, Persons
from spacy_dxprivacy.privacy.loss import Loss

PATH = Guarantee("metric-dp", 0.5, metric="path", status="proven")
STEP = Loss.of_words(PATH, 1)
LIMIT, ASKED = 10.0, 60  # their plain sum is below the epsilon of their rho
FITS = 20


def spend(account, unit="ann", asked=ASKED):
    """Charge until all is asked for; return how many charges were made."""
    charges = 0
    for _ in range(asked):
        try:
            account.charge(unit, STEP, Count(documents=1, draws=1))
            charges += 1
        except OverLimit:
            pass
    return charges


def spend_in_a_process(path, queue):
    with closing(Account(path, limit=LIMIT)) as account:
        queue.put(spend(account))


def check_spent(account, charges):
    """No more was granted than the limit holds, and no less; the sums are those of the charges."""
    loss, count = account.get("ann")
    assert charges == FITS == count.documents == count.draws
    assert loss.plain == pytest.approx(LIMIT) and loss.epsilon() <= LIMIT
    assert loss.rho == pytest.approx(FITS * STEP.rho)
    with pytest.raises(OverLimit):
        account.check("ann")


@pytest.mark.parametrize("in_file", [False, True])
def test_threads_reach_the_limit_and_never_exceed_it(tmp_path, in_file):
    with closing(Account(tmp_path / "a.db" if in_file else None, limit=LIMIT)) as account:
        with ThreadPoolExecutor(8) as threads:
            charges = [threads.submit(spend, account) for _ in range(8)]
        check_spent(account, sum(made.result() for made in charges))


def test_processes_reach_the_limit_of_one_file_and_never_exceed_it(tmp_path):
    path, context = tmp_path / "a.db", multiprocessing.get_context("spawn")
    queue = context.Queue()
    workers = [context.Process(target=spend_in_a_process, args=(path, queue)) for _ in range(3)]
    for worker in workers:
        worker.start()
    charges = [queue.get(timeout=120) for _ in workers]
    for worker in workers:
        worker.join()
    with closing(Account(path, limit=LIMIT)) as account:
        check_spent(account, sum(charges))


def test_units_are_apart_and_are_listed():
    account = Account(limit=LIMIT)
    assert spend(account, "ann", 3) == 3 and spend(account, "bob") == FITS
    assert account.get("nobody") == (Loss(), Count())
    units = account.items()
    assert list(units) == ["ann", "bob"] and units["ann"][1].documents == 3
    with pytest.raises(OverLimit):  # also as the first charge, and nothing of it is counted
        account.charge("eve", STEP * 1000)
    assert account.get("eve") == (Loss(), Count())
    account.check("ann")


@pytest.mark.parametrize("before", [0, 3, FITS])
def test_a_capped_charge_adds_what_is_left(before):
    account = Account(limit=LIMIT)
    spend(account, "ann", before)
    account.charge("ann", STEP * 1000, Count(draws=1000), capped=True)
    loss, count = account.get("ann")
    assert loss.epsilon() <= LIMIT and loss.epsilon() == pytest.approx(LIMIT, rel=1e-9)
    assert count.draws == before + 1000
    with pytest.raises(OverLimit):
        account.check("ann")


def test_a_loss_without_bound_is_kept_and_refused_by_any_limit(tmp_path):
    lost = Loss(math.inf, math.inf)
    with closing(Account(tmp_path / "a.db")) as account:
        account.charge("ann", lost)
    with closing(Account(tmp_path / "a.db")) as account:
        assert account.get("ann")[0] == lost
    with pytest.raises(OverLimit):
        Account(limit=1e300).charge("ann", lost)


@pytest.mark.posix
def test_a_file_of_another_basis_or_of_none_is_refused(tmp_path):
    path = tmp_path / "a.db"
    Account(path, basis="metric-dp, path").close()
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(DxError, match="DX145"):
        Account(path, basis="approx-dp")
    for mode in (0o640, 0o620, 0o604, 0o602):
        path.chmod(mode)
        with pytest.raises(DxError, match=r"DX144.*other users"):
            Account(path, basis="metric-dp, path")


ROW = {"mentions": 2, **STEP.to_dict()}
FIRST = Count(
    1, 9, 4, 1, 1, 1, draws=4, number_draws=1, most_draws=4, uncovered=1,
    mentions={"PERSON": {"found": 1, "replaced": 1, "kept": 0}},
    persons=Persons(1, 12.5, (ROW,), STEP), dropped={"images": 2}, failed=((3,),),
)  # fmt: skip
SECOND = Count(
    1, 5, 2, draws=2, most_draws=2,
    mentions={"PERSON": {"found": 1, "replaced": 0, "kept": 1},
              "DATE": {"found": 2, "replaced": 2, "kept": 0}},
    persons=Persons(12, 12.5, ({**ROW, "mentions": 5},) * 10, STEP * 2), failed=((),),
)  # fmt: skip


def test_counts_add_up_and_the_persons_with_most_mentions_come_first():
    both = FIRST + SECOND
    assert (both.documents, both.tokens, both.kept, both.draws) == (2, 14, 5, 6)
    assert both.most_draws == 4 and both.failed == ((3,), ())
    assert both.mentions["PERSON"] == {"found": 2, "replaced": 1, "kept": 1}
    assert both.mentions["DATE"]["found"] == 2 and both.dropped == {"images": 2}
    assert both.persons.number == 13 and both.persons.largest == STEP * 2
    assert [row["mentions"] for row in both.persons.listed] == [5] * 10
    assert FIRST + Count() == FIRST == Count() + FIRST


@pytest.mark.parametrize("count", [Count(), FIRST, SECOND, FIRST + SECOND])
def test_a_count_is_read_as_it_was_written(count):
    assert Count.from_dict(json.loads(json.dumps(count.to_dict()))) == count
