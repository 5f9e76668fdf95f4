"""Writes data.json: the invented festival of Ellersby, three summers. Deterministic; standard library only."""

import json
import random
from datetime import date, timedelta
from pathlib import Path

HERE = Path(__file__).resolve().parent
dice = random.Random(20240714)

# name, country, founded, genre, number of members
ARTISTS = [
    ("Salt & Sparrow", "Ireland", 2009, "folk", 3),
    ("Orquesta Náutica", "Portugal", 1998, "tango", 8),
    ("Tilda Marisol Okvist", "Sweden", 2015, "singer-songwriter", 1),
    ("The Paper Lanterns", "United Kingdom", 2012, "indie pop", 4),
    ("Paper Lantern Theatre", "Canada", 1994, "puppet theatre", 6),
    ("Grand Harmonium Orchestra of Veldenmoor", "Netherlands", 1961, "orchestral", 9),
    ("Brass Kettle Club", "Belgium", 2004, "brass", 7),
    ("Copperfox", "Norway", 2017, "electronic", 2),
    ("The Midnight Ferrymen", "United Kingdom", 1987, "rock", 5),
    ("Juniper Vale", "United States", 2011, "country", 4),
    ("Teatr Siedem Krzeseł", "Poland", 1979, "physical theatre", 7),
    ("Hollow Oak Players", "United Kingdom", 1952, "drama", 9),
    ("Mirrorgate", "Germany", 2016, "synth-pop", 3),
    ("Lumen Quartet", "Austria", 2001, "chamber music", 4),
    ("Desert Postcards", "Morocco", 2013, "desert blues", 5),
    ("Rook and Ladder", "New Zealand", 2010, "comedy theatre", 3),
    ("Velvet Tractor", "Finland", 2006, "funk", 6),
    ("Ossian Birchwhistle", "United Kingdom", 1999, "spoken word", 1),
    ("Les Bottines Rouges", "France", 2008, "street theatre", 5),
    ("Kitewind", "Iceland", 2018, "ambient", 2),
    ("Northbound Choir", "Estonia", 1974, "choral", 9),
    ("Glasshouse Radio", "Denmark", 2014, "indie rock", 4),
    ("Tin Moon Company", "Australia", 2003, "circus theatre", 8),
    ("Sister Marzipan", "Germany", 2019, "punk", 3),
    ("The Amber Assembly", "Lithuania", 1996, "folk", 6),
    ("Bellweather Five", "United States", 1983, "jazz", 5),
    ("Fennimore Strand", "Ireland", 2020, "singer-songwriter", 1),
    ("Cantina Solare", "Italy", 2002, "ska", 7),
    ("Wolfberry Lane", "Canada", 2021, "dream pop", 3),
    ("Marionettes of Aldmere", "Czech Republic", 1968, "puppet theatre", 5),
]
FIRST = ("Ada Alwin Bente Bram Cato Cleo Dario Delphine Edda Elio Fenja Florian Greta Gus Hanne Hugo Ilse Ivo Jonna Jasper "
         "Kaia Kester Lotte Linus Maren Milo Nell Niko Odile Otto Petra Piet Quentin Rhea Rufus Saskia Soren Thea Tobin Ursa "
         "Viggo Wanda Wim Xenia Yorick Zita").split()
LAST_A = "Ash Birken Brindle Cald Dray Elm Fal Gander Hax Ivel Jarn Kessel Lark Mor Nettle Orrin Perr Quill Rusk Sedge Thrup Ulver Wex Yarrow".split()
LAST_B = "by croft dahl ette fold garth holt ingham kamp lund mere nock quist rook stane thorpe wick".split()

# name, other names, capacity, street address, opened on
VENUES = [
    ("Wendel Corn Exchange", ["The Barn"], 850, "14 Market Row, Ellersby EL1 2RW", "1874-05-02"),
    ("Lantern Playhouse", [], 420, "3 Chandlers Lane, Ellersby EL1 4CH", "1931-10-17"),
    ("Riverside Bandstand", [], 1500, "Weir Park, Ellersby EL2 1WP", "1908-06-06"),
    ("St Osyth's Hall", [], 310, "27 Priory Street, Ellersby EL1 3PS", "1889-11-30"),
    ("The Foundry", ["Old Foundry"], 1200, "Unit 5, Smelters' Yard, Ellersby EL3 6SY", "2006-03-24"),
    ("Pomfret Garden Stage", [], 600, "Pomfret House, 88 Hill Road, Ellersby EL4 9HR", "2019-07-01"),
    ("Cellar 41", [], 140, "41 Quayside, Ellersby EL2 3QS", "1997-02-14"),
    ("Ellersby Opera House", [], 960, "1 Theatre Square, Ellersby EL1 1TS", "1912-09-28"),
]
DAYS = {2022: (date(2022, 7, 12), 27), 2023: (date(2023, 7, 11), 27), 2024: (date(2024, 7, 9), 28)}
SHOWS = [4, 2, 3, 1, 5, 1, 2, 1, 3, 1, 1, 1, 1, 1]  # of each of a year's fourteen artists
TIMES = ["14:00", "15:30", "17:00", "18:30", "19:00", "20:00", "20:30", "21:15"]
PRICES = [8, 9.5, 11, 12, 14, 15.5, 17, 18.5, 20, 22, 24.5, 26, 28, 32, 35, 39.5]
CATEGORIES = ["Audience Award", "Jury Prize", "Best Newcomer", "Best Theatre Production"]
STAGED = {"puppet theatre", "physical theatre", "drama", "comedy theatre", "street theatre", "circus theatre"}


def people():
    names = set()
    while True:
        name = f"{dice.choice(FIRST)} {dice.choice(LAST_A)}{dice.choice(LAST_B)}"
        if name not in names:
            names.add(name)
            yield name


def main():
    person = people()
    artists = [
        {"id": 101 + at, "name": name, "country": country, "founded": founded, "genre": genre,
         "members": [name] if size == 1 else [next(person) for _ in range(size)]}
        for at, (name, country, founded, genre, size) in enumerate(ARTISTS)
    ]
    venues = [
        {"id": 1 + at, "name": name, "other_names": others, "capacity": capacity, "address": address, "opened_on": opened}
        for at, (name, others, capacity, address, opened) in enumerate(VENUES)
    ]
    performances = []
    first_time, again = dice.sample(artists, len(artists)), dice.sample(artists, len(artists))
    for year, (first, wanted) in DAYS.items():
        booked, on_stage = set(), set()
        prices = {first + timedelta(days=at): dice.sample(PRICES, len(PRICES)) for at in range(6)}
        new = [first_time.pop() for _ in range(10)]
        old = [artist for artist in again if artist not in new][:len(SHOWS) - len(new)]
        again = [artist for artist in again if artist not in old]
        bill = dice.sample(new + old, len(SHOWS))
        order = [artist for artist, shows in zip(bill, SHOWS) for _ in range(shows + (artist is bill[0] and wanted > sum(SHOWS)))]
        for artist in order:
            while True:
                day = first + timedelta(days=dice.randrange(6))
                venue = dice.choice(venues)
                slots = sorted(TIMES.index(time) for v, d, time in booked if (v, d) == (venue["id"], day))
                slot = dice.randrange(len(TIMES))
                if (artist["id"], day) in on_stage or any(abs(slot - s) < 3 for s in slots):
                    continue
                if len(artist["members"]) > 5 and venue["capacity"] < 200:
                    continue
                break
            booked.add((venue["id"], day, TIMES[slot]))
            on_stage.add((artist["id"], day))
            sold = venue["capacity"] if dice.random() < 0.1 else round(venue["capacity"] * dice.uniform(0.35, 0.99))
            performances.append({"artist_id": artist["id"], "venue_id": venue["id"], "day": day.isoformat(),
                                 "start_time": TIMES[slot], "ticket_price": prices[day].pop(), "tickets_sold": sold})
    performances.sort(key=lambda one: (one["day"], one["start_time"], one["venue_id"]))
    performances = [{"id": 1001 + at, **one} for at, one in enumerate(performances)]

    prizes, won = [], set()
    for year in DAYS:
        played = {one["artist_id"] for one in performances if one["day"].startswith(str(year))}
        for category in CATEGORIES:
            fits = [one["id"] for one in artists if one["id"] in played and one["id"] not in won
                    and (one["genre"] in STAGED) == (category == "Best Theatre Production")
                    and (category != "Best Newcomer" or one["founded"] >= 2012)]
            winner = dice.choice(fits)
            won.add(winner)
            prizes.append({"id": 501 + len(prizes), "year": year, "category": category, "winner_id": winner})
    data = {"artists": artists, "venues": venues, "performances": performances, "prizes": prizes}
    lines = [f'"{kind}": [\n' + ",\n".join(json.dumps(one, ensure_ascii=False) for one in rows) + "\n]" for kind, rows in data.items()]
    (HERE / "data.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
