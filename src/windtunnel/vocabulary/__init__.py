"""The common vocabulary: notices, decisions, and a scheduler's view of a site."""

from windtunnel.vocabulary import ability as _ability
from windtunnel.vocabulary import component as _component
from windtunnel.vocabulary import decisions as _decisions
from windtunnel.vocabulary import lease_facts as _lease_facts
from windtunnel.vocabulary import mirror as _mirror
from windtunnel.vocabulary import notices as _notices
from windtunnel.vocabulary import outages as _outages
from windtunnel.vocabulary import probes as _probes
from windtunnel.vocabulary import progress as _progress
from windtunnel.vocabulary import short_forms as _short_forms
from windtunnel.vocabulary import site_notices as _site_notices
from windtunnel.vocabulary import view as _view
from windtunnel.vocabulary.ability import *  # noqa: F403
from windtunnel.vocabulary.component import *  # noqa: F403
from windtunnel.vocabulary.decisions import *  # noqa: F403
from windtunnel.vocabulary.lease_facts import *  # noqa: F403
from windtunnel.vocabulary.mirror import *  # noqa: F403
from windtunnel.vocabulary.notices import *  # noqa: F403
from windtunnel.vocabulary.outages import *  # noqa: F403
from windtunnel.vocabulary.probes import *  # noqa: F403
from windtunnel.vocabulary.progress import *  # noqa: F403
from windtunnel.vocabulary.reply import Reply
from windtunnel.vocabulary.short_forms import *  # noqa: F403
from windtunnel.vocabulary.site_notices import *  # noqa: F403
from windtunnel.vocabulary.view import *  # noqa: F403

__all__ = [  # noqa: PLE0604 -- lists of names, joined
    *_ability.__all__,
    *_component.__all__,
    *_decisions.__all__,
    *_lease_facts.__all__,
    *_mirror.__all__,
    *_notices.__all__,
    *_outages.__all__,
    *_probes.__all__,
    *_progress.__all__,
    "Reply",
    *_short_forms.__all__,
    *_site_notices.__all__,
    *_view.__all__,
]
