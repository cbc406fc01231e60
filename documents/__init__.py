"""Knowledge: upload, index, search. It gives work to jobs and does not know diagnosis."""
