"""What a project may use: requests per minute as a token bucket, and how many memories it has."""

import math
from dataclasses import dataclass, replace

from recollect.errors import NotPermittedError, RefusedError


@dataclass(frozen=True, slots=True)
class ProjectLimits:
    """The limits of a project; 0 is none. `burst` is how many requests may come at once."""

    requests_per_minute: int = 0
    burst: int = 0
    memories: int = 0

    def __post_init__(self) -> None:
        for name in self.__slots__:
            if getattr(self, name) < 0:
                raise RefusedError(f"{name} cannot be below 0; 0 means no limit.")

    @property
    def capacity(self) -> int:
        """How many requests a full bucket has."""
        return self.burst or self.requests_per_minute


NO_LIMITS = ProjectLimits()


class RateLimitedError(NotPermittedError):
    """Too many requests of one project; `seconds` until the next one is accepted."""

    def __init__(self, project: str, per_minute: int, seconds: float) -> None:
        self.seconds = max(1, math.ceil(seconds))
        super().__init__(
            f"the project {project!r} may make {per_minute:,} requests per minute; "
            f"try again in {self.seconds} s."
        )


@dataclass(frozen=True, slots=True)
class Bucket:
    """A token bucket: it fills with time up to a capacity, and each request takes one out."""

    level: float
    at: float  # seconds of a clock that only grows

    def taken(self, limits: ProjectLimits, now: float) -> "tuple[Bucket, float]":
        """The bucket after one request, and the seconds to wait: 0 for a request that is accepted.

        A clock that went backwards fills nothing.
        """
        per_second = limits.requests_per_minute / 60
        level = min(limits.capacity, self.level + max(0.0, now - self.at) * per_second)
        filled = replace(self, level=level, at=max(now, self.at))
        if level >= 1:
            return replace(filled, level=level - 1), 0.0
        return filled, (1 - level) / per_second


def full_bucket(limits: ProjectLimits, now: float) -> Bucket:
    """The bucket of a project that has made no request yet."""
    return Bucket(float(limits.capacity), now)
