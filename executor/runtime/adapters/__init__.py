"""What joins the runtime to others: agents on a chain, other frameworks, MCP clients."""

__all__: list[str] = []
