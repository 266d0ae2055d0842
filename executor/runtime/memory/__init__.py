"""What agents remember: streams of entries, and collections of values by key.

    store = open_sqlite(Path("agent.db"), key_file=Path("agent.key"))
    AgentConfig(..., memory=store.streams("my-agent"), database=store.collections("my-agent"))

Three stores of one contract: in memory, an SQLite file that is encrypted as a whole, and Postgres.
`guarded` puts what is written and read through an agent's permissions. See docs/memory.md.
"""

__all__: list[str] = []
