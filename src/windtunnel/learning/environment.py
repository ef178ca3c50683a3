"""The Gymnasium environment: an agent chooses the next job; each episode is a simulation.

The scheduler defines what a choice means (:mod:`windtunnel.schedulers.learned.rules`), so that an agent decides here
exactly as its policy will in any run.
"""

from collections.abc import Callable, Mapping
from functools import partial
from operator import index
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from windtunnel.diagnostics import MissingExtraError, UsageError, did_you_mean
from windtunnel.formats.registry import read_platform
from windtunnel.inputs import read_workloads
from windtunnel.learning.episode import Episode, Sequences
from windtunnel.learning.observations import VIEWS, EnvironmentView, observation_for, sight_for
from windtunnel.learning.rewards import REWARDS, Reward, RewardName, make_reward
from windtunnel.model import Platform, Workload
from windtunnel.options import checked_options
from windtunnel.schedulers.learned.choosing import Choosing
from windtunnel.schedulers.learned.rules import RulesName
from windtunnel.schedulers.learned.sights import Choice

if TYPE_CHECKING:
    import numpy as np
    from gymnasium import spaces

    class _Env:
        """What is used of gymnasium.Env."""

        np_random: np.random.Generator

        def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
            """Seed the random numbers."""
else:
    try:
        import numpy as np
        from gymnasium import Env as _Env
        from gymnasium import spaces
    except ImportError:  # the module can be looked at all the same
        _Env, np, spaces = object, None, None

__all__ = ["SchedulingEnv"]

_NONE: Final[Mapping[str, Any]] = {}


_SPACE: Final = "the action space says what it may be"


class SchedulingEnv(_Env):
    """Choose the next job of a window, or give each a priority; an episode is a sequence of jobs of a workload.

    Actions, by ``rules``: ``chosen-stays`` and ``chosen-anew``: the place of a job, ``Discrete(window)``;
    ``may-wait``: the same, and ``window`` for waiting, ``Discrete(window + 1)``; ``ordered``: a priority for each
    place, ``Box(-1, 1, (window,))``, the largest first. Valid actions are in ``info["action_mask"]`` and
    :meth:`action_masks`; an invalid one counts as the first job (under ``may-wait`` as waiting), and
    ``info["invalid"]`` says so.

    An observation is a row of numbers for each place, all from 0 to 1, by ``view``; with ``view="cqgym"`` two rows
    for each job and one for each host, in processors and seconds. All are ``float32``. At the end of an
    episode ``info`` holds ``mean_wait`` (s), ``mean_bounded_slowdown`` and ``utilisation``.

    Args:
        workload: a file, a description such as ``lublin:10000?hosts=256``, or a workload.
        platform: a file, a description such as ``hosts:256``, or a platform; default: as many hosts as the workload
            says.
        length: the number of jobs in an episode. ``reset(options={"start": RANK})`` sets the first one, which is
            otherwise drawn at random.
        rules: when there is a choice, and what it means.
        view: what is observed of jobs (and of hosts).
        window: the number of jobs to choose from.
        backfill: whether other jobs may overtake a chosen job that does not fit.
        reward: ``slowdown`` (minus the mean bounded slowdown), ``wait`` (minus the mean, s), ``utilisation``, as
            ``cqgym`` or ``schedgym`` pay, or a function that returns a :class:`~windtunnel.learning.rewards.Reward`.
        dense: pay the reward with each choice rather than at the end; the sum is the same.
        longest: the longest requested time (s), by which observed times are scaled; default: the longest run time.
        operations: operations to apply to the workload first, as strings.

    Raises:
        MissingExtraError: gymnasium is not installed.
        UsageError: the value of an option is invalid, or the workload is too short or has no run times.
        InputError: a file is invalid.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": []}
    render_mode = None

    def __init__(
        self,
        workload: str | Path | Workload,
        platform: str | Path | Platform = "",
        *,
        length: int = 256,
        rules: RulesName = "chosen-stays",
        view: EnvironmentView = "windtunnel",
        window: int = 128,
        backfill: bool = False,
        reward: RewardName | Callable[[], Reward] = "slowdown",
        dense: bool = False,
        longest: float = 0.0,
        operations: tuple[str, ...] = (),
    ) -> None:
        if spaces is None:
            raise MissingExtraError("gymnasium", "rl")
        if isinstance(length, bool) or not isinstance(length, int) or length < 1:
            raise UsageError(f"an episode must have at least one job, not {length!r}", "length is an int")
        if view not in VIEWS:
            raise UsageError(f"there is no view {view!r}", ", ".join(VIEWS))
        if not callable(reward) and reward not in {"slowdown", "wait", "utilisation", *REWARDS}:
            raise UsageError(f"there is no reward {reward!r}", "slowdown, wait, utilisation, cqgym, schedgym")
        self.platform, source = _site(workload, platform, operations)
        self.sequences = Sequences(source, length)
        self.sequences.check_sizes(len(self.platform.hosts))
        given: dict[str, Any] = {"rules": rules, "view": sight_for(view), "window": window, "backfill": backfill}
        given["longest"] = longest or self.sequences.longest()
        self.options = checked_options("the environment", Choosing, given)
        """Options of :class:`~windtunnel.schedulers.learned.choosing.Choosing`, the same as for a scheduler."""
        self._reward: Callable[[], Reward] = reward if callable(reward) else partial(make_reward, reward, dense=dense)
        self._seen = observation_for(view, window, len(self.platform.hosts))
        self.observation_space: Any = spaces.Box(0.0, self._seen.most, self._seen.shape, dtype=np.float32)
        self.action_space: Any = spaces.Discrete(window + (rules == "may-wait"))
        if rules == "ordered":
            self.action_space = spaces.Box(-1.0, 1.0, (window,), dtype=np.float32)
        self._episode: Episode | None = None
        self._choice: Choice | None = None
        self._pays: Reward | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start an episode: a sequence drawn at random, or the one that starts with job ``options["start"]``.

        Raises:
            UsageError: there is another option, or no such job.
        """
        super().reset(seed=seed)
        start = _start(options or _NONE)
        if start is None:
            start = int(self.np_random.integers(self.sequences.count))
        if self._episode is not None:
            self._episode.close()
        self._episode = Episode(self.platform, self.sequences.sequence(start), Choosing(**self.options))
        self._pays = self._reward()
        self._choice = self._episode.go_on()
        return self._observation(), self._info() | {"start": start}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Make a choice and simulate until the next one.

        Raises:
            UsageError: there is no choice to make, since the episode is over or has not begun; or the action is of
                another form than the rules want.
        """
        episode, choice, pays = self._episode, self._choice, self._pays
        if episode is None or choice is None or pays is None:
            raise UsageError("there is nothing to choose: the episode is over, or has not begun", "call reset()")
        places, valid = self._places(choice, action)
        episode.answer(places)
        self._choice = episode.go_on()
        reward = float(pays.pay(episode))
        over = self._choice is None
        info = self._info()
        if not valid:
            info["invalid"] = True
        if over:
            info |= episode.figures()
        return self._observation(), reward, over, False, info

    def _places(self, choice: Choice, action: Any) -> tuple[list[int], bool]:
        """The places of jobs that an action prefers, and whether it was valid."""
        there = len(choice.jobs)
        if self.options["rules"] == "ordered":
            return np.argsort(-self._priorities(action)[:there], kind="stable").tolist(), True
        place = _index(action)
        mask = self.action_masks()
        if 0 <= place < len(mask) and mask[place]:
            return ([] if place == self.options["window"] else [place]), True
        return ([] if self.options["rules"] == "may-wait" else [0]), False

    def _priorities(self, action: Any) -> Any:
        """One finite number for each place: others, as a policy gives that has diverged, would order nothing."""
        given, window = np.asarray(action), self.options["window"]
        if given.shape != (window,) or given.dtype.kind not in "fiu" or not np.isfinite(given).all():
            raise UsageError(f"an action is a priority for each of {window} places, not {action!r:.60}", _SPACE)
        return given.astype(float)

    def action_masks(self) -> Any:
        """For each action (for ``ordered``: for each place) whether it is valid, as booleans."""
        choice, window = self._choice, self.options["window"]
        waits = self.options["rules"] == "may-wait"
        mask = np.zeros(window + waits, dtype=bool)
        if choice is None:
            return mask
        if not waits:
            mask[: len(choice.jobs)] = True
            return mask
        mask[: len(choice.jobs)] = choice.fits
        assert self._episode is not None
        mask[window] = bool(self._episode.chooser.holding())
        return mask

    def _observation(self) -> Any:
        assert self._episode is not None
        return self._seen.of(self._choice, self._episode.chooser, self._episode.now)

    def _info(self) -> dict[str, Any]:
        assert self._episode is not None
        jobs = () if self._choice is None else self._choice.jobs
        return {
            "action_mask": self.action_masks().astype(np.int8),
            "now": self._episode.now,
            "jobs": tuple(job.id for job in jobs),
        }

    def render(self) -> None:
        """Does nothing: there are no render modes."""

    def close(self) -> None:
        """Abandon the current episode."""
        if self._episode is not None:
            self._episode.close()
        self._episode = self._choice = None


def _start(options: Mapping[str, Any]) -> int | None:
    """The rank of the job to start with, if one is given.

    Raises:
        UsageError: it is no whole number, or another option is given.
    """
    for name in options:
        if name != "start":
            raise UsageError(f"reset has no option {name!r}", did_you_mean(name, ["start"]))
    start = options.get("start")
    if start is None:
        return None
    try:
        return index(start)
    except TypeError:
        raise UsageError(f"the option start is the rank of a job, not {start!r}") from None


def _site(
    workload: str | Path | Workload, platform: str | Path | Platform, operations: tuple[str, ...]
) -> tuple[Platform, Workload]:
    """The platform, and the workload sized for it."""
    if isinstance(platform, Platform):
        return platform, read_workloads(workload, platform, operations)[0]
    if platform:
        site = read_platform(platform)
        return site, read_workloads(workload, site, operations)[0]
    (alone,) = read_workloads(workload, Platform.uniform(1), operations)
    if not alone.hosts:
        raise UsageError("the workload does not say for how many hosts it is made", "give platform='hosts:NUMBER'")
    return Platform.uniform(alone.hosts), alone


def _index(action: Any) -> int:
    """The index that an action is, which may stand in an array."""
    given = np.asarray(action)
    if given.size != 1 or given.dtype.kind not in "fiu" or (number := given.item()) != number // 1:
        raise UsageError(f"an action is the index of a job, not {action!r:.60}", _SPACE)
    return int(number)
