"""The diagnosis engine: deterministic, pure over a State and the answers of Tools; no clock, no database, no network.

One file per stage; ``stages.STAGES`` has them in their order. Each may be run again on the same State and gives the
same. Here is only what the rest of the project calls.
"""

from diagnosis.engine.stages import STAGES

__all__ = ["STAGES"]
