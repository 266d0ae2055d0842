"""SQL as tools: queries of a planner's own, or statements that the host wrote."""

from collections.abc import Mapping
from typing import Any

from zkagent.executor.runtime.core.json_values import Json
from zkagent.executor.runtime.core.tools import CallContext, ToolDefinition, ToolOutput
from zkagent.executor.runtime.tools.sql_databases import SqlDatabase, open_sql
from zkagent.executor.runtime.tools.sql_rows import SqlLimits
from zkagent.executor.runtime.tools.threads import in_thread

VALUE: dict[str, Json] = {"type": ["string", "number", "boolean", "null"]}
GIVES = "Gives columns, rows, and whether there were more of them."


def sql_query(database: SqlDatabase, id: str = "sql_query") -> ToolDefinition:
    """Any one query; it changes nothing, whatever it says."""

    async def run(given: dict[str, Any], context: CallContext) -> ToolOutput:
        query, parameters = given["query"], given.get("parameters", {})
        found = await in_thread(database.read, query, parameters)
        return ToolOutput(True, found.to_json())

    return ToolDefinition(
        id=id,
        description=f"Ask a database one query, with :names for parameters. {GIVES}",
        schema=_schema("query"),
        run=run,
        honours_keys=True,
    )


def sql_execute(database: SqlDatabase, id: str = "sql_execute") -> ToolDefinition:
    """Any one statement that changes rows: destructive, and done once for each call."""

    async def run(given: dict[str, Any], context: CallContext) -> ToolOutput:
        statement, parameters = given["statement"], given.get("parameters", {})
        found = await in_thread(database.write, statement, parameters, context.key)
        return ToolOutput(True, found.to_json())

    return ToolDefinition(
        id=id,
        description="Change rows of a database by one statement, with :names for parameters.",
        schema=_schema("statement"),
        run=run,
        destructive=True,
        honours_keys=True,
    )


def sql_statement(
    database: SqlDatabase,
    id: str,
    description: str,
    statement: str,
    parameters: Mapping[str, Json],
    *,
    writes: bool = False,
    destructive: bool | None = None,
) -> ToolDefinition:
    """A statement of the host's, of which a planner chooses the parameters alone.

    parameters: name to JSON Schema; all are required. destructive: as `writes` unless the host
    knows that what it does can be undone.
    """

    async def run(given: dict[str, Any], context: CallContext) -> ToolOutput:
        if writes:
            found = await in_thread(database.write, statement, given, context.key)
        else:
            found = await in_thread(database.read, statement, given)
        return ToolOutput(True, found.to_json())

    return ToolDefinition(
        id=id,
        description=description,
        schema={
            "type": "object",
            "properties": dict(parameters),
            "required": list(parameters),
            "additionalProperties": False,
        },
        run=run,
        destructive=writes if destructive is None else destructive,
        honours_keys=True,
    )


def _schema(name: str) -> dict[str, Json]:
    parameters: dict[str, Json] = {"type": "object", "additionalProperties": VALUE}
    return {
        "type": "object",
        "properties": {
            name: {"type": "string", "minLength": 1, "maxLength": 20_000},
            "parameters": {**parameters, "description": "values by the names in the text"},
        },
        "required": [name],
        "additionalProperties": False,
    }


__all__ = ["SqlLimits", "open_sql", "sql_execute", "sql_query", "sql_statement"]
