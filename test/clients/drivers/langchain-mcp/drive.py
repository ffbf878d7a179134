"""Has LangChain's adapters make tools of ours: each call is a session of its own, which dies of a 401."""

import asyncio
import os

from langchain_core.tools import ToolException
from langchain_mcp_adapters.client import MultiServerMCPClient


async def tools(key: str | None) -> dict:
    headers = {} if key is None else {"Authorization": f"Bearer {key}"}
    server = {"transport": "streamable_http", "url": f"{os.environ['BASE_URL']}/mcp", "headers": headers}
    return {tool.name: tool for tool in await MultiServerMCPClient({"bourse": server}).get_tools()}


async def drive() -> str:
    public = await tools(None)
    assert "invoice" in str(await public["search_agents"].ainvoke({"q": "invoice"}))
    try:
        answer = await public["get_job_status"].ainvoke({"jobId": "job_01kb3j5m8xe3vb0v6yq4s5t7wv"})
    except ToolException as error:
        answer = error
    assert "api_key_missing" in str(answer), answer
    keyed = await tools(os.environ["BUYER_KEY"])
    wanted = {"agent": os.environ["AGENT"], "brief": "Match.", "inputs": '{"month":"2026-10"}', "idempotencyKey": "chain"}
    assert "fundingUrl" in str(await keyed["create_trial_run"].ainvoke(wanted))
    return f"{len(public)} tools; is told that a key is missing, and buys with one"


print(asyncio.run(drive()))
