from __future__ import annotations

import random
import time
from typing import Callable

from ._errors import DeadlineExceededError, QuotaExceededError, ServiceError, UnavailableError

FIRST_BACKOFF = 0.25
LONGEST_BACKOFF = 8.0


class Deadline:
    """A point in time by which a whole call must be over."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._clock = clock
        self._end = clock() + seconds

    def remaining(self) -> float:
        return self._end - self._clock()

    def require(self) -> float:
        """The seconds that are left; raises when there are none."""
        left = self.remaining()
        if left <= 0:
            raise self.exceeded()
        return left

    def exceeded(self) -> DeadlineExceededError:
        return DeadlineExceededError(
            f"no answer within {self._seconds:g} s, waiting and retries included; a longer deadline can be given"
        )


class Retries:
    """Decides after each refusal whether and when the same call is sent again.

    Only after 429 and 503: these say that nothing is wrong with the call and that another time may do. The wait is what the
    service asks for in ``Retry-After`` and a random part on top, which doubles its range each time, so that callers who were
    refused together do not come back together. A wait that would end after the deadline is not begun.
    """

    def __init__(self, max_retries: int, deadline: Deadline, uniform: Callable[[float, float], float] = random.uniform) -> None:
        self._left = max_retries
        self._deadline = deadline
        self._uniform = uniform
        self._range = FIRST_BACKOFF

    def pause(self, error: ServiceError) -> float:
        """Seconds to wait before the next try; raises the error when there is to be none."""
        if self._left == 0 or not isinstance(error, (QuotaExceededError, UnavailableError)):
            raise error
        pause = (error.retry_after or 0.0) + self._uniform(0.0, self._range)
        if pause >= self._deadline.remaining():
            raise error
        self._left -= 1
        self._range = min(2 * self._range, LONGEST_BACKOFF)
        return pause
