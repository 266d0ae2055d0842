"""What a circuit is, costs and computes, gathered for its user and written as text or as a page.

Called by `zkagent circuit report`. Rows for each node are counted by ezkl, errors are those of its
witness against onnxruntime; what is predicted is called so. Names come from a stranger's file and
are shown as text, whatever they hold.
"""

__all__: list[str] = []
