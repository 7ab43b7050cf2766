"""Model packages: manifest, catalogue, pull, verify."""
