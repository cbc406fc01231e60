"""A report in the forms in which people read it, all made from its JSON: the same JSON, the same bytes."""
