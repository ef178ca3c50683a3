"""What accounts and users had used when ``sshare -a -l -P`` was printed: where fair share begins."""

from pathlib import Path

from msgspec.structs import replace

from windtunnel.diagnostics import Findings, Severity
from windtunnel.formats.slurm.accounts import Told, table_rows
from windtunnel.model.slurm import Association

__all__ = ["with_usage"]


def with_usage(path: Path, associations: tuple[Association, ...], findings: Findings) -> tuple[Association, ...]:
    """Associations of users with the raw usage (TRES-seconds of billing) of a table; of accounts it is their sum."""
    told = Told(path, findings)
    found: dict[tuple[str, str], float] = {}
    for number, row in table_rows(path, findings, ("Account", "User", "RawUsage")):
        text = row["rawusage"].strip()
        if not (text.isascii() and text.isdigit() and len(text) < 16):
            told.fault(number, f"RawUsage is {text!r}, an integer >= 0 is expected", "number", "sshare -a -l -P")
        elif row["user"].strip():
            found[row["account"].strip(), row["user"].strip()] = float(text)
    known = {(one.account, one.user) for one in associations}
    strange = [key for key in found if key not in known and key != ("root", "root")]
    if strange:
        account, user = strange[0]
        findings.add(
            f"there is no user {user!r} of account {account!r}: their usage is not counted",
            code="reference",
            file=str(path),
            severity=Severity.WARNING,
            count=len(strange),
            hint="" if associations else "name the accounts too: accounts=sacctmgr-assoc.txt",
        )
    return tuple(
        replace(one, usage=found[one.account, one.user]) if (one.account, one.user) in found else one
        for one in associations
    )
