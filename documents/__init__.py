"""Knowledge: upload, index, search. It gives work to jobs and does not know diagnosis."""

import os

# Read by numpy's BLAS when it is loaded, later than this. Its threads spin while they wait: on a busy machine a second
# one made embedding cost seven times the CPU, and a worker runs several jobs at once anyway.
for _name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
