"""Writes questions.jsonl: forty questions, with gold answers computed from data.json. Deterministic; standard library only."""

import json
from pathlib import Path

HERE = Path(__file__).resolve().parent
DATA = json.loads((HERE / "data.json").read_text(encoding="utf-8"))
ARTIST = {one["name"]: one for one in DATA["artists"]}
VENUE = {name: one for one in DATA["venues"] for name in [one["name"], *one["other_names"]]}
ARTIST_OF = {one["id"]: one for one in DATA["artists"]}
VENUE_OF = {one["id"]: one for one in DATA["venues"]}
NOW = "2024-09-02T12:00:00+00:00"


def only(things):
    things = list(things)
    assert len(things) == 1, things
    return things[0]


def shows(artist=None, day="", venue=None):
    """Performances; `day` may be a year."""
    return [one for one in DATA["performances"] if one["day"].startswith(day)
            and (artist is None or one["artist_id"] == ARTIST[artist]["id"])
            and (venue is None or one["venue_id"] == VENUE[venue]["id"])]


def show(artist, day):
    return only(shows(artist, day))


def place(performance):
    return VENUE_OF[performance["venue_id"]]


def act(performance):
    return ARTIST_OF[performance["artist_id"]]["name"]


def winner(category, year):
    return ARTIST_OF[only(one for one in DATA["prizes"] if (one["category"], one["year"]) == (category, year))["winner_id"]]


def first(things, key, most=False):
    """The only one with the least (or most) of it."""
    things = list(things)
    best = (max if most else min)(map(key, things))
    return only(one for one in things if key(one) == best)


def larger(a, b, key):
    return first([a, b], key, most=True)["name"]


def nothing(*things):
    """The premise of a refused question is false, by the data."""
    assert not any(things), things


QUESTIONS = []


def ask(kind, hops, question, answers):
    answers = answers if isinstance(answers, list) else [answers]
    assert answers and len({*map(str, answers)}) == len(answers), question
    QUESTIONS.append({"question": question, "answers": [str(one) for one in answers], "type": kind, "hops": hops})


def refuse(question):
    QUESTIONS.append({"question": question, "type": "unanswerable", "hops": 1})


# One field (10)
ask("simple", 1, "which country is orquesta nautica from?", ARTIST["Orquesta Náutica"]["country"])
ask("simple", 1, "What kind of music does Tilda Marisol Okvist play?", ARTIST["Tilda Marisol Okvist"]["genre"])
ask("simple", 1, "what is the address of st osyth's hall", VENUE["St Osyth's Hall"]["address"])
ask("simple", 1, "How many people fit into the Barn?", VENUE["The Barn"]["capacity"])
ask("simple", 1, "When was the Grand Harmonium Orchestra of Veldenmor founded?", ARTIST["Grand Harmonium Orchestra of Veldenmoor"]["founded"])
ask("simple", 1, "When did the Lantern Playhouse open?", VENUE["Lantern Playhouse"]["opened_on"])
ask("simple", 1, "where does salt & sparrow come from", ARTIST["Salt & Sparrow"]["country"])
ask("simple", 1, "Who won the Audience Award in 2023?", winner("Audience Award", 2023)["name"])
ask("set", 1, "Who are the members of Glasshouse Radio?", ARTIST["Glasshouse Radio"]["members"])
ask("simple", 1, "In what year was Paper Lantern Theatre founded?", ARTIST["Paper Lantern Theatre"]["founded"])

# On a day (6)
ask("simple_w_condition", 1, "Who played at the Lantern Playhouse on 14 July 2024?", [act(one) for one in shows(day="2024-07-14", venue="Lantern Playhouse")])
ask("simple_w_condition", 1, "what time did copperfox start on 14 july 2024?", show("Copperfox", "2024-07-14")["start_time"])
ask("simple_w_condition", 1, "Where did The Paper Lanterns play on July 15th, 2023?", place(show("The Paper Lanterns", "2023-07-15"))["name"])
ask("simple_w_condition", 1, "How much was a ticket for Cantina Solare on 10 July 2024?", show("Cantina Solare", "2024-07-10")["ticket_price"])
ask("simple_w_condition", 1, "How many tickets did Ossian Birchwhistle sell on 13 July 2022?", show("Ossian Birchwhistle", "2022-07-13")["tickets_sold"])
ask("simple_w_condition", 1, "Who was on at the Barn on 14 July last year?", [act(one) for one in shows(day="2023-07-14", venue="The Barn")])

# Two named things (6)
ask("comparison", 1, "Which is larger, the Foundry or the Ellersby Opera House?", larger(VENUE["The Foundry"], VENUE["Ellersby Opera House"], lambda one: one["capacity"]))
ask("comparison", 1, "Who was founded earlier, Northbound Choir or Marionettes of Aldmere?", first([ARTIST["Northbound Choir"], ARTIST["Marionettes of Aldmere"]], lambda one: one["founded"])["name"])
ask("comparison", 1, "which venue opened first, riverside bandstand or ellersby opera house?", first([VENUE["Riverside Bandstand"], VENUE["Ellersby Opera House"]], lambda one: one["opened_on"])["name"])
ask("comparison", 1, "Who has more members, The Paper Lanterns or Paper Lantern Theatre?", larger(ARTIST["The Paper Lanterns"], ARTIST["Paper Lantern Theatre"], lambda one: len(one["members"])))
ask("comparison", 1, "Which band is older, Salt and Sparrow or Desert Postcards?", first([ARTIST["Salt & Sparrow"], ARTIST["Desert Postcards"]], lambda one: one["founded"])["name"])
ask("comparison", 1, "Who sold more tickets on 12 July 2024, Fennimore Strand or Rook and Ladder?", act(first([show("Fennimore Strand", "2024-07-12"), show("Rook and Ladder", "2024-07-12")], lambda one: one["tickets_sold"], most=True)))

# Counts (5)
ask("aggregation", 1, "How many members does Brass Kettle Club have?", len(ARTIST["Brass Kettle Club"]["members"]))
ask("aggregation", 1, "how many people are in teatr siedem krzesel?", len(ARTIST["Teatr Siedem Krzeseł"]["members"]))
ask("aggregation", 1, "How many shows did Lumen Quartet play in 2024?", len(shows("Lumen Quartet", "2024")))
ask("aggregation", 1, "How often did Juniper Vale play at the 2023 festival?", len(shows("Juniper Vale", "2023")))
ask("aggregation", 1, "How many shows were there on 10 July 2024?", len(shows(day="2024-07-10")))

# Two steps (5)
ask("multi_hop", 2, "What is the address of the venue where Mirrorgate played on 16 July 2023?", place(show("Mirrorgate", "2023-07-16"))["address"])
ask("multi_hop", 2, "Which country does the winner of the 2024 Jury Prize come from?", winner("Jury Prize", 2024)["country"])
ask("multi_hop", 2, "what is the capacity of the place where the amber assembly played on 14 july 2023?", place(show("The Amber Assembly", "2023-07-14"))["capacity"])
ask("multi_hop", 2, "Who are the members of the group that won Best Theatre Production in 2022?", winner("Best Theatre Production", 2022)["members"])
ask("multi_hop", 2, "When did the venue open where Northbound Choir sang on 16 July 2023?", place(show("Northbound Choir", "2023-07-16"))["opened_on"])

# The most or least of one list (3)
ask("aggregation", 1, "Who played the most expensive show on 13 July 2022?", act(first(shows(day="2022-07-13"), lambda one: one["ticket_price"], most=True)))
ask("aggregation", 1, "Which artist sold the fewest tickets on 12 July 2023?", act(first(shows(day="2023-07-12"), lambda one: one["tickets_sold"])))
ask("aggregation", 1, "What was the dearest ticket for Velvet Tractor in 2022?", first(shows("Velvet Tractor", "2022"), lambda one: one["ticket_price"], most=True)["ticket_price"])

# To be refused (5): a day without it, an artist and a year that are not there, and what the service does not know
nothing(shows("Sister Marzipan", "2023-07-14"), [name for name in ARTIST if "harbour" in name.lower()])
nothing([one for one in DATA["prizes"] if one["year"] == 2019])
refuse("At what time did Sister Marzipan play on 14 July 2023?")
refuse("Which country are the Harbour Lights from?")
refuse("Who won the Jury Prize in 2019?")
refuse("How many albums has Glasshouse Radio sold?")
refuse("Is there parking at the Ellersby Opera House, and what does it cost?")

assert len(QUESTIONS) == 40
with open(HERE / "questions.jsonl", "w", encoding="utf-8") as out:
    for at, one in enumerate(QUESTIONS, 1):
        line = {"id": f"festival-{at:02}", **one, "domain": "festival", "query_time": NOW}
        if one["type"] == "unanswerable":
            line["unanswerable"] = True
        out.write(json.dumps(line, ensure_ascii=False) + "\n")
