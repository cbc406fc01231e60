"""The project package: owners and wiring. It holds no rule of jobs, documents or diagnosis."""
