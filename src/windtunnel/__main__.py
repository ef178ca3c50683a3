"""``python -m windtunnel`` is the command line."""

import sys

from windtunnel.cli.main import main

sys.exit(main())
