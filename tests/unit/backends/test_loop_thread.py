"""The thread with the loop."""

from __future__ import annotations

import asyncio
import threading

import pytest

from tavern_desktop.backends.loop_thread import LoopThread


async def _name() -> str:
    return threading.current_thread().name


def test_work_runs_on_one_thread_that_starts_when_it_is_needed() -> None:
    thread = LoopThread()
    before = threading.active_count()
    names = {thread.submit(_name()).result(30) for _ in range(3)}
    assert names == {"model-servers"}
    assert threading.active_count() == before + 1
    thread.close()
    assert threading.active_count() == before


def test_at_the_end_what_still_runs_is_cancelled_and_may_clean_up() -> None:
    thread = LoopThread()
    has_begun, has_cleaned = threading.Event(), threading.Event()

    async def work() -> None:
        try:
            has_begun.set()
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            has_cleaned.set()

    future = thread.submit(work())
    assert has_begun.wait(30)
    thread.close()
    assert has_cleaned.is_set()
    assert future.cancelled()
    with pytest.raises(RuntimeError):
        thread.submit(_name())
    thread.close()


def test_cancelling_the_future_cancels_the_work() -> None:
    thread = LoopThread()
    has_begun, was_cancelled = threading.Event(), threading.Event()

    async def work() -> None:
        try:
            has_begun.set()
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            was_cancelled.set()
            raise

    future = thread.submit(work())
    assert has_begun.wait(30)
    future.cancel()
    assert was_cancelled.wait(30)
    thread.close()


def test_a_thread_that_never_ran_can_be_closed() -> None:
    LoopThread().close()


def test_what_is_last_comes_after_all_that_was_cancelled() -> None:
    thread = LoopThread()
    has_begun, order = threading.Event(), []

    async def work() -> None:
        try:
            has_begun.set()
            await asyncio.Event().wait()
        finally:
            order.append("work")

    async def last() -> None:
        order.append("last")

    thread.submit(work())
    assert has_begun.wait(30)
    thread.close(last)
    assert order == ["work", "last"]
