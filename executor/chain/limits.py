"""How much of an agent or a registry of strangers is looked into. What has more is none of ours and
is neither run nor audited: contracts may say what they like for little gas.
"""

MOST_TOOLS = 64
MOST_DECISIONS = 64  # of one run
MOST_DEPTH = 8  # of agents that use each other as tools, the outermost among them
MOST_BATCH = 64  # decisions in one proof; `deploy` and `model register-batch` register no more
MOST_COMPONENTS = 64  # data contracts of a model; the encoder takes nine

__all__ = ["MOST_BATCH", "MOST_COMPONENTS", "MOST_DECISIONS", "MOST_DEPTH"]
__all__ += ["MOST_TOOLS"]
