"""The privacy models, one file each: k-anonymity, confidence, diversity, closeness, LKC."""
