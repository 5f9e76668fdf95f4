"""OpenAI's client against the server at the base URL given as the argument."""

import sys

import openai
import pydantic

client = openai.OpenAI(base_url=sys.argv[1], api_key="none", max_retries=0)

ids = [model.id for model in client.models.list()]
assert "quipu" in ids and "quipu/kerag" in ids, ids

question = [{"role": "user", "content": "who directed Kauwboy?"}]
whole = client.chat.completions.create(model="quipu", messages=question)
content = whole.choices[0].message.content
assert content.startswith("Boudewijn Koole [1]\n\nI read this as: who Kauwboy was directed by."), content
assert whole.choices[0].finish_reason == "stop"
assert whole.usage.total_tokens == whole.usage.prompt_tokens + whole.usage.completion_tokens
assert whole.model_extra["quipu"]["grounded"] is True

said, usage = "", None
for chunk in client.chat.completions.create(
    model="quipu", messages=question, stream=True, stream_options={"include_usage": True}
):
    usage = chunk.usage or usage
    if chunk.choices:
        said += chunk.choices[0].delta.content or ""
assert said == content, said
assert usage is not None and usage.total_tokens >= 0

conversation = question + [
    {"role": "assistant", "content": content},
    {"role": "user", "content": "born where?"},
]
follow_up = client.chat.completions.create(model="quipu/paths", messages=conversation)
assert "Leidschendam" in follow_up.choices[0].message.content, follow_up
assert follow_up.usage.total_tokens > 0

traced = client.chat.completions.create(model="quipu", messages=question, extra_body={"quipu": {"trace": True}})
assert any(event["event"] == "linked" for event in traced.model_extra["quipu"]["trace"])

try:
    client.chat.completions.create(model="gpt-99", messages=question)
    raise SystemExit("an unknown model must be refused")
except openai.NotFoundError as error:
    assert error.code == "model_not_found", error

try:
    client.chat.completions.create(model="quipu", messages=[{"role": "user", "content": ""}])
    raise SystemExit("an empty question must be refused")
except openai.BadRequestError as error:
    assert error.type == "invalid_request_error", error

assert client.models.retrieve("quipu/kerag").id == "quipu/kerag"
try:
    client.models.retrieve("gpt-99")
    raise SystemExit("an unknown model must be refused")
except openai.NotFoundError as error:
    assert error.code == "model_not_found" and error.param == "model", error


class Director(pydantic.BaseModel):
    director: str
    confidence: float
    evidence: list[str]


parsed = client.chat.completions.parse(model="quipu", messages=question, response_format=Director)
assert parsed.choices[0].message.parsed.director == "Boudewijn Koole", parsed

response = client.responses.create(model="quipu", input="who directed Kauwboy?")
assert response.output_text == content, response
assert response.usage.total_tokens == response.usage.input_tokens + response.usage.output_tokens
follow_up = client.responses.create(
    model="quipu", input=question + response.output + [{"role": "user", "content": "born where?"}]
)
assert "Leidschendam" in follow_up.output_text, follow_up
typed = client.responses.parse(model="quipu", input="who directed Kauwboy?", text_format=Director)
assert typed.output_parsed.director == "Boudewijn Koole", typed
with client.responses.stream(model="quipu", input="who directed Kauwboy?") as stream:
    said = "".join(event.delta for event in stream if event.type == "response.output_text.delta")
    assert said == content, said
    assert stream.get_final_response().output_text == content
for wrong in [{"tools": [{"type": "web_search"}]}, {"previous_response_id": "resp_1"}]:
    try:
        client.responses.create(model="quipu", input="who?", **wrong)
        raise SystemExit(f"{wrong} must be refused")
    except openai.BadRequestError as error:
        assert error.code == "unsupported_parameter" and error.param in wrong, error

print("OpenAI's client is content")
