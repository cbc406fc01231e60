"""The questions of the engine, answered from data sources, the catalogue, alerts, changes and the knowledge."""
