"""What people look at: incidents, one incident, one diagnosis as it happens. Pages call what the API calls."""
