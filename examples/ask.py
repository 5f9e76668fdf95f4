"""Asks a running `quipu serve` with OpenAI's Python client (pip install openai): ask.py QUESTION"""

import os
import sys

from openai import OpenAI

client = OpenAI(
    base_url=os.environ.get("QUIPU_URL", "http://127.0.0.1:7979") + "/v1",
    api_key=os.environ.get("QUIPU_KEY", "none"),
)
answer = client.chat.completions.create(model="quipu", messages=[{"role": "user", "content": sys.argv[1]}])
print(answer.choices[0].message.content)
print("grounded:", answer.model_extra["quipu"]["grounded"], "- tokens:", answer.usage.total_tokens)
