"""``python -m windtunnel`` is the command line."""

import sys

from windtunnel.cli.start import main

sys.exit(main())
