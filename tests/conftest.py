"""One profile of hypothesis for all tests: nothing of it depends on the clock, as machines are shared; under CI the same
examples each time, and fewer of them in ``make test``.

Interrupts and closed terminals are heard, also where a shell has them ignored (its jobs behind ``&``, or under
``nohup``): programs that tests start inherit what is ignored.
"""

import os
import signal
import threading

from hypothesis import HealthCheck, settings

_UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("windtunnel", _UNTIMED)
settings.register_profile("ci", _UNTIMED, derandomize=True, print_blob=True)
settings.register_profile("quick", _UNTIMED, max_examples=30)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "windtunnel"))

if threading.current_thread() is threading.main_thread():
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
