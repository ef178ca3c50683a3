"""The tree of accounts and users: who shares with whom, and what each has used (§7.3, §7.4)."""

from collections.abc import Iterable, Iterator

from mypy_extensions import mypyc_attr

from windtunnel.model.slurm import PARENT, Association, JobAsk, Limits

__all__ = ["AccountTree", "Member"]


@mypyc_attr(allow_interpreted_subclasses=True)
class Member:
    """An account or a user in the tree, with its usage and what fair share makes of it."""

    __slots__ = (
        "account",
        "association",
        "children",
        "effective",
        "fair_share",
        "level_fair_share",
        "level_shares",
        "limits",
        "norm_shares",
        "norm_usage",
        "number",
        "parent",
        "priority",
        "shares",
        "sharing",
        "sharing_children",
        "tres_usage",
        "usage",
        "user",
        "wall_usage",
    )

    def __init__(self, association: Association, parent: "Member | None") -> None:
        self.association = association
        self.number = 0
        """Its place in the tree, by which it is known also where the tree is saved and read again."""
        self.account = association.account
        self.user = association.user
        self.parent = parent
        self.shares = association.shares
        self.limits: Limits = association.limits
        self.children: list[Member] = []
        self.sharing: Member | None = None
        """The nearest ancestor with shares of its own: the effective parent F of §7.4."""
        self.sharing_children: list[Member] = []
        """The siblings of one level: all whose effective parent this is."""
        self.level_shares = 0
        inherited: int = parent.priority if parent else 0
        self.priority: int = inherited if association.priority is None else association.priority
        self.usage = association.usage
        """Raw usage (TRES-seconds of billing); of accounts the sum below, as it was last worked out."""
        self.tres_usage: dict[str, float] = {}
        """Decayed TRES-seconds by name, for limits in minutes."""
        self.wall_usage = 0.0
        """Decayed seconds, for GrpWall."""
        self.norm_shares = 1.0
        self.norm_usage = 0.0
        self.effective = 0.0
        self.level_fair_share = 0.0
        self.fair_share = 0.0

    @property
    def follows_parent(self) -> bool:
        """Whether it has its parent's shares (``fairshare=parent``)."""
        return self.shares == PARENT

    @property
    def qos(self) -> tuple[str, ...] | None:
        """The QOS that it may use: its own, or those of the nearest account that says; None: nobody does."""
        for one in self.path():
            if one.association.qos is not None:
                return one.association.qos
        return None

    def path(self) -> "Iterator[Member]":
        """Itself and all above it, up to root."""
        member: Member | None = self
        while member is not None:
            yield member
            member = member.parent


@mypyc_attr(allow_interpreted_subclasses=True)
class AccountTree:
    """All associations of a cluster; empty where there is no accounting."""

    def __init__(self, associations: Iterable[Association], fair_tree: bool = True) -> None:
        self.fair_tree = fair_tree
        self.accounts: dict[str, Member] = {}
        self.users: dict[tuple[str, str, str], Member] = {}
        """By account, user and partition (empty: any)."""
        given = list(associations)
        top = next((one for one in given if one.account == "root" and not one.user), Association(account="root"))
        self.root = Member(top, None)
        self.accounts["root"] = self.root
        self._add_accounts([one for one in given if not one.user and one.account != "root"])
        users = [one for one in given if one.user and one.account in self.accounts]
        if not any(one.user == "root" and one.account == "root" for one in users):
            users.insert(0, Association(account="root", user="root"))  # it is in every cluster and counts (§7.4)
        for one in users:
            member = Member(one, self.accounts[one.account])
            self.accounts[one.account].children.append(member)
            self.users[one.account, one.user, one.partition] = member
        for member in self._walk():
            newest_first = sorted(range(len(member.children)), reverse=True)
            newest_first.sort(key=lambda k, kin=member.children: kin[k].association.order)  # type: ignore[misc]
            member.children = [member.children[k] for k in newest_first]
        self._members = tuple(self._walk())
        for number, member in enumerate(self._members):
            member.number = number
        self._accounts_up = tuple(member for member in reversed(self._members) if not member.user)
        """Children before their parents."""
        self.user_count = sum(1 for member in self if member.user)
        self._find_levels()
        self.sum_usage()

    def __iter__(self) -> Iterator[Member]:
        return iter(self._members)

    def _walk(self) -> Iterator[Member]:
        stack = [self.root]
        while stack:
            member = stack.pop()
            yield member
            stack.extend(reversed(member.children))

    def find(self, account: str, user: str, partition: str = "") -> Member | None:
        """The association of a user in an account, that of the partition first."""
        return self.users.get((account, user, partition)) or self.users.get((account, user, ""))

    def default_account(self, user: str) -> str:
        """The account that a user's jobs belong to when they name none; empty: there is no such user."""
        own = [one.association for (_, name, _), one in self.users.items() if name == user]
        return next((one.account for one in own if one.default), own[0].account if own else "")

    def association(self, ask: JobAsk, default_partition: str, enforced: bool) -> tuple[str, Member | None]:
        """The account that a job belongs to, and the association, if there is one.

        Where nothing is enforced, jobs of accounts that their user is not in belong to the user's own.
        """
        partition = ask.partitions[0] if ask.partitions else default_partition
        account = ask.account or self.default_account(ask.user)
        member = self.find(account, ask.user, partition)
        if member is None and not enforced:
            own = self.default_account(ask.user)
            member = self.find(own, ask.user, partition)
            account = own if member is not None else account
        return account, member

    def default_qos(self, member: Member | None) -> str:
        """The QOS of jobs that name none: the default if it may be used, the only one that may, or the cluster's."""
        if member is not None:
            given = [one.association.default_qos for one in member.path() if one.association.default_qos]
            default, allowed = (given[0] if given else ""), member.qos
            if default and (allowed is None or default in allowed):
                return default
            if allowed is not None and len(allowed) == 1:
                return allowed[0]
        return self.root.association.default_qos or "normal"

    def sum_usage(self) -> None:
        """Parents hold the sum of their children (§7.3)."""
        for member in self._accounts_up:
            member.usage = sum([child.usage for child in member.children])

    def sum_above(self, member: Member) -> None:
        """The same where only this member's usage has changed."""
        for above in member.path():
            if not above.user:
                above.usage = sum([child.usage for child in above.children])

    def _add_accounts(self, accounts: list[Association]) -> None:
        """Accounts under their parents, in whatever order they are given."""
        waiting = accounts
        while waiting:
            ready = [one for one in waiting if (one.parent or "root") in self.accounts]
            for one in ready:
                parent = self.accounts[one.parent or "root"]
                member = Member(one, parent)
                parent.children.append(member)
                self.accounts[one.account] = member
            if not ready:  # their parent is not there: they stand under root
                ready = waiting[:1]
                self.accounts[ready[0].account] = member = Member(ready[0], self.root)
                self.root.children.append(member)
            waiting = [one for one in waiting if one.account not in self.accounts]

    def _find_levels(self) -> None:
        """Effective parents, siblings, level shares and normalised shares (§7.4)."""
        for member in self:
            above = member.parent
            while above is not None and above.parent is not None and above.follows_parent:
                above = above.parent
            member.sharing = above
            if above is not None:
                above.sharing_children.append(member)
        for member in self:
            level = sum(child.shares for child in member.sharing_children if not child.follows_parent)
            for child in member.sharing_children:
                child.level_shares = level
        self.root.norm_shares = 0.0 if self.fair_tree else 1.0
        for member in self:
            if member.parent is not None:
                member.norm_shares = self._norm_shares(member)

    def _norm_shares(self, member: Member) -> float:
        sharing = member.sharing
        assert sharing is not None
        if self.fair_tree:
            holder = sharing if member.follows_parent else member
            return holder.shares / holder.level_shares if holder.level_shares and holder is not self.root else 0.0
        if member.follows_parent:
            return sharing.norm_shares
        product = 1.0
        for one in member.path():
            if one.parent is not None and not one.follows_parent:
                product *= one.shares / one.level_shares if one.level_shares else 0.0
        return product
