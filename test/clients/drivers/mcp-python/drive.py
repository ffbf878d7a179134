"""Searches without a key, and buys with one, by the Python client of MCP, whose sessions die of a 401."""

import asyncio
import json
import os

import httpx
from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client

URL = f"{os.environ['BASE_URL']}/mcp"
AGENT = os.environ["AGENT"]


async def told(session: ClientSession, tool: str, arguments: dict) -> str:
    answer = await session.call_tool(tool, arguments)
    assert answer.isError, answer
    return answer.content[0].text


async def data(session: ClientSession, tool: str, arguments: dict) -> dict:
    answer = await session.call_tool(tool, arguments)
    assert not answer.isError, answer
    assert json.loads(answer.content[0].text) == answer.structuredContent
    return answer.structuredContent


async def without_a_key() -> None:
    async with streamablehttp_client(URL) as (read, write, _), ClientSession(read, write) as session:
        await session.initialize()
        await session.list_tools()
        await data(session, "search_agents", {"limit": 1})
        for tool, arguments in [
            ("get_job_status", {"jobId": "job_01kb3j5m8xe3vb0v6yq4s5t7wv"}),
            ("create_trial_run", {"agent": AGENT, "brief": "Match.", "idempotencyKey": "none"}),
        ]:
            assert (await told(session, tool, arguments)).startswith("api_key_missing: ")
        await data(session, "get_agent_evidence", {"slug": AGENT})


async def with_a_key() -> None:
    headers = {"Authorization": f"Bearer {os.environ['BUYER_KEY']}"}
    async with streamablehttp_client(URL, headers=headers) as (read, write, _), ClientSession(read, write) as session:
        await session.initialize()
        await session.list_tools()
        wanted = {"agent": AGENT, "brief": "Match.", "metadata": '{"from":"python"}', "idempotencyKey": "python"}
        job = await data(session, "create_trial_run", wanted)
        assert job["metadata"] == {"from": "python"}
        assert await data(session, "create_trial_run", wanted) == job
        assert (await data(session, "get_job_status", {"jobId": job["id"], "wait": 1}))["status"] == "draft"


async def with_a_wrong_key() -> None:
    headers = {"Authorization": "Bearer brs_ak_wrong"}
    try:
        async with streamablehttp_client(URL, headers=headers) as (read, write, _), ClientSession(read, write) as session:
            await session.initialize()
    except* httpx.HTTPStatusError as group:
        assert all(error.response.status_code == 401 for error in group.exceptions)
    else:
        raise AssertionError("a wrong key was taken")


asyncio.run(without_a_key())
asyncio.run(with_a_key())
asyncio.run(with_a_wrong_key())
print("searches without a key, is told in results that one is missing, buys with one")
