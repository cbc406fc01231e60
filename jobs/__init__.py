"""The durable runtime: jobs, attempts, leases and events in the database. It knows no domain."""
