"""Fair share in its three forms: classic, depth-oblivious and fair tree (§7.5 to §7.7)."""

from math import inf, log
from typing import Final

from mypy_extensions import mypyc_attr

from windtunnel.model.slurm import PARENT
from windtunnel.schedulers.slurm.shares.tree import AccountTree, Member

__all__ = ["ClassicShares", "FairTree"]

_FEW: Final = 4
"""So many users are looked up one by one before all are ranked."""
_UNSET: Final = 4294967294.0
"""What Slurm keeps where nothing was computed yet; it shows in sums of the depth-oblivious form (§7.6)."""


@mypyc_attr(allow_interpreted_subclasses=True)
class ClassicShares:
    """Classic and depth-oblivious fair share, as the daemon holds them.

    Accounts are computed at ticks, users when first asked for after a tick: an account lags one tick behind its users
    (§7.5).
    """

    def __init__(self, tree: AccountTree, dampening: float = 1.0, oblivious: bool = False) -> None:
        self.tree = tree
        self.dampening = dampening
        self.oblivious = oblivious
        for member in tree:
            member.norm_usage, member.effective = _UNSET, 0.0
        tree.root.effective = tree.root.norm_usage = 1.0

    def tick(self) -> None:
        """Recompute the accounts from the usage as it stands, and forget the users' values."""
        self._recompute(self.tree.root)

    def fair_share(self, member: Member) -> float:
        """The factor of a user or account, from 0 to 1 (§7.5)."""
        if member.effective == _UNSET:
            self._compute(member)
        holder = self._holder(member)
        if holder.effective == _UNSET:
            self._compute(holder)
        if holder.norm_shares <= 0.0:
            return 0.0
        result: float = 2.0 ** (-(holder.effective / holder.norm_shares) / self.dampening)
        return result

    @staticmethod
    def _holder(member: Member) -> Member:
        """Who has the share: of users that share as their account does the account."""
        return member.sharing if member.user and member.follows_parent and member.sharing is not None else member

    def _recompute(self, member: Member) -> None:
        for child in member.sharing_children:
            if child.user:
                child.effective = _UNSET
            else:
                self._compute(child)
                self._recompute(child)

    def _compute(self, member: Member) -> None:
        total = self.tree.root.usage
        member.norm_usage = min(1.0, member.usage / total) if total else 0.0
        above = member.sharing
        if above is None:
            return
        if above is self.tree.root:
            member.effective = member.norm_usage
        elif member.follows_parent:
            member.effective = above.effective
        elif self.oblivious:
            member.effective = self._oblivious(member, above)
        elif not member.level_shares:
            member.effective = above.effective
        else:
            missing = above.effective - member.norm_usage
            member.effective = member.norm_usage + missing * member.shares / member.level_shares

    @staticmethod
    def _oblivious(member: Member, above: Member) -> float:
        """§7.6; the sum over siblings holds what was not computed yet as Slurm does."""
        if not (member.norm_shares and above.norm_shares and above.effective and member.norm_usage):
            return member.norm_usage
        ratio_above = above.effective / above.norm_shares
        kin = sum(one.norm_usage for one in above.sharing_children if not one.follows_parent)
        ratio_kin = kin / above.norm_shares
        ratio_level = (member.norm_usage / member.norm_shares) / ratio_kin
        power = 1.0
        if ratio_above and ratio_level and log(ratio_above) * log(ratio_level) < 0:
            power = 1 / (1 + (5.0 * log(ratio_above)) ** 2)
        result: float = ratio_above * ratio_level**power * member.norm_shares
        return result


@mypyc_attr(allow_interpreted_subclasses=True)
class FairTree:
    """Fair tree (§7.7): users ranked by their accounts' level fair shares, from the top down.

    Ranks are those of the usage at the last tick. They are worked out when somebody asks, and so is what accounts
    have used: between most ticks nobody does.
    """

    def __init__(self, tree: AccountTree) -> None:
        self.tree = tree
        self._members = list(tree)
        self._summed = False
        """Whether accounts hold the sums of the last tick."""
        self._earlier: dict[int, float] = {}
        """What users whose usage has changed since the last tick had used then, while it still matters."""
        self._rank = self._free = 0
        self._stale = True
        """Whether usage has changed since all were ranked."""
        self._asked = 0
        """How many users' factors were asked for since."""
        self._level_values: dict[int, list[float]] = {}
        """The level fair shares of a level's members, where they were needed since."""
        self._users_below = self._count_users()
        self._levels = [(member, list(member.sharing_children)) for member in tree if member.sharing_children]

    def tick(self) -> None:
        """Usage has changed: ranks are those of the usage as it stands now."""
        self._stale = True
        self._summed = False
        self._asked = 0
        self._earlier.clear()
        self._level_values.clear()

    def keep(self, member: Member) -> None:
        """A user's usage will change before the next tick: until that, ranks are by what it is now."""
        if self._stale:
            self._earlier.setdefault(member.number, member.usage)

    def rank(self) -> None:
        """Rank all users."""
        if not self._stale:
            return
        self._turn_back()
        self._rank_all()
        self._turn_back()
        self._stale = False
        self._earlier.clear()

    def fair_share(self, member: Member) -> float:
        """The factor of a user, from 0 to 1."""
        if self._stale and member.user and self._asked < _FEW:
            self._asked += 1
            self._turn_back()
            place = self._place_of(member)
            self._turn_back()
            if place is not None:
                return (self.tree.user_count - place) / self.tree.user_count
        self.rank()
        return member.fair_share

    def _turn_back(self) -> None:
        """Users have the usage of the last tick, accounts the sums of it; done again, users have what they had."""
        for number, usage in list(self._earlier.items()):
            member = self._members[number]
            self._earlier[number] = member.usage
            member.usage = usage
        if not self._summed:
            self._summed = True
            self.tree.sum_usage()

    def _rank_all(self) -> None:
        total = self.tree.root.usage
        root = self.tree.root
        root.norm_usage, root.effective = (1.0 if total else 0.0), 1.0
        for above, level in self._levels:
            whole = above.usage
            for member in level:
                used = member.usage
                member.norm_usage = min(1.0, used / total) if used else 0.0
                member.effective = used / whole if used and whole else 0.0
                member.level_fair_share = self._level_fair_share(member, whole)
        self._rank = self._free = self.tree.user_count
        self._walk(root.sharing_children, tied_above=False)

    def _place_of(self, member: Member) -> int | None:
        """How many users go before one that nobody above is tied with; None: only the whole order tells."""
        place = 0
        one = member
        while one.sharing is not None:
            level = one.sharing.sharing_children
            values = self._values(one.sharing)
            mine = self._level_fair_share(one, one.sharing.usage)
            if mine == _UNSET:
                return None
            for other, value in zip(level, values, strict=True):
                if value > mine:
                    place += self._users_below[other.number]
                elif value == mine and not one.user and other is not one:
                    return None
            one = one.sharing
        return place

    def _values(self, above: Member) -> list[float]:
        found = self._level_values.get(above.number)
        if found is None:
            whole = above.usage
            found = [self._level_fair_share(one, whole) for one in above.sharing_children]
            self._level_values[above.number] = found
        return found

    def _count_users(self) -> dict[int, int]:
        """The users of each member's part of the tree."""
        found: dict[int, int] = {}
        for member in reversed(list(self.tree)):
            own = 1 if member.user else 0
            found[member.number] = own + sum(found[child.number] for child in member.sharing_children)
        return found

    @staticmethod
    def _level_fair_share(member: Member, whole: float) -> float:
        if member.shares == PARENT:
            return inf if member.user else _UNSET
        shares = member.norm_shares
        if shares == 0:
            return 0.0
        used = member.usage
        part = used / whole if used and whole else 0.0
        return shares / part if part else inf

    def _walk(self, siblings: list[Member], tied_above: bool) -> None:
        """Tied accounts are not merged in this version (§7.7)."""
        before = _UNSET
        for place, member in enumerate(sorted(siblings, key=_by_level)):
            tied = (place == 0 and tied_above) or before == member.level_fair_share
            if member.user:
                if not tied:
                    self._rank = self._free
                member.fair_share = self._rank / self.tree.user_count
                self._free -= 1
            else:
                self._walk(member.sharing_children, tied)
            before = member.level_fair_share


def _by_level(one: Member) -> tuple[float, bool]:
    """The highest first; of equal ones users before accounts."""
    return -one.level_fair_share, not one.user
