"""OpenAI's client against the server at the base URL given as the argument."""

import sys

import openai

client = openai.OpenAI(base_url=sys.argv[1], api_key="none", max_retries=0)

ids = [model.id for model in client.models.list()]
assert "quipu" in ids and "quipu/kerag" in ids, ids

question = [{"role": "user", "content": "who directed Kauwboy?"}]
whole = client.chat.completions.create(model="quipu", messages=question)
content = whole.choices[0].message.content
assert content.startswith("Boudewijn Koole [1]\n\nI read this as: the directors of Kauwboy."), content
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

print("OpenAI's client is content")
