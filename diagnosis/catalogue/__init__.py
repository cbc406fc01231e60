"""The services of an owner: where their metrics are, who calls whom, and whether data comes."""
