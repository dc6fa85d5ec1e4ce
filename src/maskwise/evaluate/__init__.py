"""What masking costs: classifiers on masked tables, and rival ways of masking to compare with."""
