"""Has the converters of model hosts read the tools: OpenAI's strict mode, Gemini and Vertex by Google's SDK."""

import asyncio
import copy
import os

from agents.strict_schema import ensure_strict_json_schema
from google.genai import _mcp_utils, types
from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client


async def tools():
    async with streamablehttp_client(f"{os.environ['BASE_URL']}/mcp") as (read, write, _):
        async with ClientSession(read, write) as session:
            await session.initialize()
            return (await session.list_tools()).tools


def fields(schema: dict) -> dict:
    """What must have survived a conversion: each field with its type, its values and its words."""
    return {
        name: (str(one["type"]).lower(), tuple(one.get("enum", ())), one["description"])
        for name, one in schema["properties"].items()
    }


def in_strict_mode(tool) -> None:
    if not tool.inputSchema["properties"]:
        return  # there is nothing to hold a model to
    before = copy.deepcopy(tool.inputSchema)
    after = ensure_strict_json_schema(copy.deepcopy(before), _reject_open_objects=True)
    assert after["properties"] == before["properties"], tool.name
    assert after["required"] == list(before["properties"]), tool.name


def in_gemini(tool) -> None:
    declared = _mcp_utils.mcp_to_gemini_tool(tool).function_declarations[0]
    after = declared.parameters.model_dump(mode="json", exclude_none=True)
    assert fields(after) == fields(tool.inputSchema), (tool.name, after)
    assert after.get("required", []) == tool.inputSchema.get("required", []), tool.name


def in_vertex(tool) -> None:
    """As it stands, with no converter to leave anything out: unknown keywords are refused."""
    types.Schema.model_validate(tool.inputSchema)


listed = asyncio.run(tools())
for tool in listed:
    assert len(tool.description) <= 1024, tool.name
    in_strict_mode(tool)
    in_gemini(tool)
    in_vertex(tool)
print(f"{len(listed)} tools taken by OpenAI strict, Gemini and Vertex")
