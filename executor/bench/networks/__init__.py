"""A folder of networks that others exported: how many become circuits, what the rest lacks, what
they cost, and the same beside ezkl's own pipeline."""
