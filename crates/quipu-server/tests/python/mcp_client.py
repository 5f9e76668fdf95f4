"""MCP's own client against a server: `http URL`, or `stdio COMMAND ARGUMENT...`."""

import asyncio
import os
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

TOOLS = {
    "ask_question",
    "find_entities",
    "get_entity",
    "list_relations",
    "expand_neighbourhood",
    "search_documents",
    "run_sparql_query",
}


async def check(session: ClientSession, has_tables: bool) -> None:
    await session.initialize()
    tools = (await session.list_tools()).tools
    assert {tool.name for tool in tools} == TOOLS, tools
    for tool in tools:
        assert tool.annotations.read_only_hint, tool.name
        assert tool.output_schema["type"] == "object" and tool.description, tool.name

    async def call(tool: str, /, **arguments) -> dict:
        result = await session.call_tool(tool, arguments)
        assert not result.is_error, (tool, result)
        return result.structured_content

    heard = []

    async def progress(done, total, message) -> None:
        heard.append(message)

    result = await session.call_tool("ask_question", {"question": "who directed Kauwboy?"}, progress_callback=progress)
    answer = result.structured_content
    assert answer["values"] == ["Boudewijn Koole"] and answer["grounded"], answer
    assert answer["citations"][0]["number"] == 1, answer
    assert "link" in heard, heard
    assert answer["trust"]["values_held"], answer
    # The command counts a graph's tables when it imports it,
    # and a path is told as a query over them.
    words = [reading["words"] for reading in answer["readings"]]
    assert words == (["what “Kauwboy” is directed by"] if has_tables else ["who Kauwboy was directed by"]), answer
    chosen = await call("ask_question", question="who directed Kauwboy?", reading=0, plan_only=False)
    assert chosen["answer"] == answer["answer"], chosen
    refused = await session.call_tool("ask_question", {"question": "who directed Kauwboy?", "reading": -1})
    assert refused.is_error, refused

    found = await call("find_entities", name="kauwboi")
    assert found["entities"][0]["id"] == "Kauwboy", found
    entity = await call("get_entity", id="Kauwboy")
    assert entity["name"] == "Kauwboy", entity
    relations = await call("list_relations")
    assert "directed_by" in [relation["id"] for relation in relations["relations"]], relations
    of_one = await call("list_relations", id="Boudewijn Koole")
    assert {relation["direction"] for relation in of_one["relations"]} == {"forward", "backward"}, of_one
    around = await call("expand_neighbourhood", id="Kauwboy", relation="starred_actors")
    assert len(around["relations"][0]["neighbours"]) == 2, around
    assert (await call("search_documents", query="films"))["passages"] == []
    rows = await call("run_sparql_query", query="SELECT ?f { ?f <urn:quipu:directed_by> ?d } LIMIT 2")
    assert rows["columns"] == ["f"] and len(rows["rows"]) == 2, rows

    missing = await session.call_tool("get_entity", {"id": "Nobody"})
    assert missing.is_error and "Nobody" in missing.content[0].text, missing
    update = await session.call_tool("run_sparql_query", {"query": "DELETE WHERE { ?s ?p ?o }"})
    assert update.is_error, update

    resources = (await session.list_resources()).resources
    schema = await session.read_resource(resources[0].uri)
    assert "directed by" in schema.contents[0].text, schema
    print("MCP's client is content")


async def main() -> None:
    kind, *rest = sys.argv[1:]
    if kind == "http":
        opened = streamable_http_client(rest[0])
    else:
        opened = stdio_client(StdioServerParameters(command=rest[0], args=rest[1:], env=dict(os.environ)))
    async with opened as streams:
        async with ClientSession(streams[0], streams[1]) as session:
            await check(session, has_tables=kind != "http")


asyncio.run(main())
