"""Sample incidents that a first start loads, and the seeded script that makes them."""
