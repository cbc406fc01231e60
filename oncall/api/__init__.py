"""What every app's API shares: errors, pagination, fields, ids, schema. It imports no app."""
