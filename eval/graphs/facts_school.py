"""The facts of the invented graph `school` and its triples; `make_school.py` asks the questions.

It is a network of schools in made-up towns: teachers with their employments and mentors, rooms,
courses, pupils, clubs, foundations with grants, and one season of a league.
"""

import math
import random
import sys
from datetime import date, timedelta
from decimal import Decimal

sys.dont_write_bytecode = True
from make import local, quoted  # noqa: E402
from writing import RDFS, Thing, day, decimal, if_any, share, tree  # noqa: E402
from writing import truth, whole, words, year  # noqa: E402

# ---- Lists -----------------------------------------------------------------------------------

TOWNS = [
    ("Tarnwick", 48210, None), ("Ostrelby", 23875, None),
    ("Quellmoor", 91340, "Quellmoor-on-Ister"), ("Harl Vennet", 12460, None),
    ("Brackholt", 35590, None), ("Dunmarrow", 67120, "Old Marrow"), ("Isterford", 8730, None),
    ("Pellingcross", None, None),
]
# Short for the classes in the next table.
G, T, S = "GrammarSchool", "TechnicalSchool", "SecondarySchool"
SCHOOLS = [  # name, class, town, founded, pupils, takes boarders, budget, other names, in French
    ("Aldenfell Grammar School", G, "Quellmoor", 1743, 812, True, 6420000, ["The Fell"], None),
    ("Quellmoor Grammar School", G, "Quellmoor", 1811, 1045, False, 7815000, [],
     "Lycée de Quellmoor"),
    ("Saint Orrin's Grammar School", G, "Tarnwick", 1698, 534, True, 5230000,
     ["Orrin's", "The Blue Coat School"], None),
    ("Marrowgate Grammar School", G, "Dunmarrow", 1887, 923, False, 6675000, [], None),
    ("Vennet Hall", G, "Harl Vennet", 1902, 377, True, None, ["Vennet Hall Grammar"], None),
    ("Isterside Technical School", T, "Quellmoor", 1954, 1180, False, 8940000, [], None),
    ("Brackholt Institute of Technology and Crafts", T, "Brackholt", 1926, 764, False, 6105000,
     ["BITC"], None),
    ("Dunmarrow Maritime School", T, "Dunmarrow", 1938, 488, True, 4980000, [],
     "École maritime de Dunmarrow"),
    ("Tarn Valley Technical School", T, "Tarnwick", 1971, 695, False, 5560000, [], None),
    ("Northlea School", S, "Ostrelby", 1968, 858, False, 5890000, [], None),
    ("Pelham Rise School", S, "Pellingcross", 1979, 612, False, 4410000,
     ["Pellingcross Comprehensive"], None),
    ("Ferncombe School", S, "Brackholt", 1963, 1012, False, 6930000, [], None),
    ("Wychbrook School", S, "Dunmarrow", 1984, 1267, False, 8275000, [], None),
    ("Ostrel Park School", S, "Ostrelby", 1999, None, False, 3870000, [], None),
    ("Lanternhill School", S, "Isterford", 2007, 298, False, None, [], None),
    ("Greywater School", S, "Quellmoor", 1959, 1131, False, 7360000, ["Greywater High"], None),
]
LEAGUE = [0, 1, 3, 5, 6, 7, 9, 11, 12, 15]  # places in SCHOOLS
# How often each school is drawn for teachers, rooms, courses, pupils and clubs.
STAFFING = [5, 6, 3, 4, 2, 7, 4, 3, 4, 5, 3, 5, 6, 2, 1, 6]
ROOMY = [4, 5, 3, 3, 1, 5, 4, 3, 3, 4, 2, 4, 5, 1, 1, 4]
TEACHING = [5, 5, 4, 4, 2, 5, 4, 4, 4, 4, 3, 4, 5, 2, 2, 4]
LEARNING = [5, 5, 3, 3, 2, 5, 4, 3, 3, 4, 3, 4, 5, 0, 0, 4]
CLUBBING = [4, 4, 3, 3, 2, 4, 3, 3, 3, 3, 2, 3, 4, 0, 0, 4]
GIVEN = """
    Agnes Bertil Clemency Dorian Edda Fabian Greta Hamish Ilse Jorund Katya Leopold Mirabel Nestor
    Odile Piers Quenby Rosalind Stellan Tamsin Ulric Verity Wendel Xanthe Yorick Zelda Anselm
    Briony Caspar Delphine Emeric Fenella Gideon Honor Ivo Juno Kester Lavinia Magnus
    Noor""".split()
FAMILY = """
    Arkwell Brandreth Cotterick Dunvane Eskdale Farrowby Gellert Hathersay Inverloch Jessamy
    Kirkbane Lofthouse Merriwick Nethercote Ormsgill Pettigrue Quarrendon Ravensby Skelwith
    Thornbarrow Umberlow Vanstrey Wolverdale Yarrowby Zellaby Ashcombe Bellwether
    Crowhurst""".split()
ROOMS = """
    Kestrel Marchmont Ebdon Fennick Larkspur Tolland Ives Bramhall Sedge Corran Whitlow Harcastle
    Juniper Oriel Pendry Rook Stannard Thistle Undercliff Vesper Wain Yelland Amber Birch Cobalt
    Dray Elm Finch Garnet Heron Indigo Jackdaw Kiln Linnet Mallow Nuthatch Osprey Plover Quarry
    Rowan Saffron Teal Umber Vetch Willow Yew""".split()
ROOM_KINDS = words("Hall, Laboratory, Room, Studio, Room, Laboratory, Room, Workshop")
SEATS = {"Hall": (120, 420), "Laboratory": (16, 32), "Room": (20, 40), "Studio": (15, 36),
         "Workshop": (12, 28)}
COURSES = tree("""
    Mathematics: Calculus for Beginners, Numbers and Proof, Statistics in Practice,
        Geometry of Curves, Further Mathematics;
    Physics: Waves and Optics, Mechanics, Electricity and Magnetism, Physics of Everyday Things;
    Chemistry: Organic Chemistry, Acids and Bases, Analytical Chemistry, Chemistry of Water;
    Biology: Human Physiology, Ecology of the Ister Valley, Genetics, Marine Biology;
    History: The Age of Sail, Medieval Towns, Revolutions and Republics, Local History Workshop;
    Geography: Rivers and Coasts, Maps and Surveying, Cities of the Future;
    Latin: Latin for Starters, Virgil and Ovid, Latin Prose;
    French: French Conversation, French Grammar Intensive, Cinema in French;
    English Literature: The Gothic Novel, Shakespeare on Stage, Modern Poetry, The Short Story;
    Music: Choral Singing, Harmony and Counterpoint, Music Technology;
    Art: Life Drawing, Printmaking, Ceramics, History of Painting;
    Computing: Programming One, Programming Two, Databases, Robotics, Computer Networks;
    Economics: Markets and Prices, Money and Banking, Book-keeping;
    Physical Education: Athletics, Swimming, Sports Science""")
SUBJECTS = [subject for subject, _ in COURSES]
SECOND_SUBJECTS = {
    "Physics of Everyday Things": "Chemistry", "Marine Biology": "Geography",
    "Music Technology": "Computing", "Robotics": "Physics", "History of Painting": "History",
    "Sports Science": "Biology", "Statistics in Practice": "Economics", "Cinema in French": "Art"
}
CLUBS = words("""
    Chess Circle, Rocketry Club, Debating Union, Green Thumbs, Jazz Ensemble, Beekeepers,
    Model Railway Society, Film Makers, Robotics Squad, Astronomy Club, Choir of the Fell,
    Young Reporters, Rowing Club, Climbing Club, Drama Lab, Knitting Corner, Coding Den,
    Poetry Slam, Fencing Club, Photography Circle, Birdwatchers, Cookery Club, Sailing Crew,
    Mathletes, Origami Club, Badminton Club, Sign Language Club, Esperanto Club, Brass Band,
    Repair Café""")
FOUNDATIONS = [
    ("Merriwick Trust", 1921, "Quellmoor"), ("Hollin Foundation", 1988, "Tarnwick"),
    ("Sterling Lamp Fund", 2003, "Dunmarrow"),
    ("Ister Valley Community Chest", 1967, "Isterford"),
    ("Kaldor Foundation for Science", 1995, None),
    ("Players' Benevolent Fund", None, "Brackholt"),
]
GRANTS = words("""
    Roof Repair, New Telescope, Library Renewal, Girls in Engineering, Instrument Purchase,
    Green Roof, Boat Shed, Laboratory Upgrade, Exchange Travel, Digital Classrooms,
    Theatre Lighting, Sports Pitch, Apiary Starter, Reading Corner, Solar Panels, Kitchen Garden,
    Maker Space, Archive Digitisation, Accessible Entrance, Breakfast Scheme, Camera Equipment,
    Choir Tour, Language Lab, Climbing Wall, Young Scientists, Bike Shelter""")
CLUB_GRANTS = {
    "New Telescope": "Astronomy Club", "Instrument Purchase": "Brass Band",
    "Boat Shed": "Rowing Club", "Theatre Lighting": "Drama Lab", "Apiary Starter": "Beekeepers",
    "Kitchen Garden": "Green Thumbs", "Camera Equipment": "Film Makers",
    "Choir Tour": "Choir of the Fell", "Climbing Wall": "Climbing Club"
}
CURRENCIES = {"EUR": "Euro", "CHF": "Swiss franc", "GBP": "Pound sterling"}


# ---- The facts -------------------------------------------------------------------------------


def between(rnd, first, last):
    return date.fromordinal(rnd.randint(date(*first).toordinal(), date(*last).toordinal()))


def chance(rnd, missing, draw):
    """None in this part of the calls; only otherwise something is drawn."""
    return draw() if rnd.random() > missing else None


def slug(name):
    letters = name.replace("é", "e").replace("'", "").lower()
    text = "".join(x if x.isalnum() else "-" for x in letters)
    return text.replace("--", "-").strip("-")


def person(rnd, used):
    while True:
        given, family = rnd.choice(GIVEN), rnd.choice(FAMILY)
        if (given, family) not in used:
            used.add((given, family))
            return dict(given=given, family=family, name=f"{given} {family}")


def towns_and_schools(w):
    w.towns = [Thing(id=f"town/{slug(name)}", name=name, people=people, others=[other] if other
                     else []) for name, people, other in TOWNS]
    town = {x.name: x for x in w.towns}
    w.schools = [
        Thing(id=f"school/{slug(name)}", name=name, kind=kind, town=town[place], founded=founded,
              pupils=pupils, boarders=boarders, budget=budget, others=others,
              french=french, head=None)
        for name, kind, place, founded, pupils, boarders, budget, others, french in SCHOOLS
    ]
    w.league = [w.schools[at] for at in LEAGUE]


def teachers(w, rnd, used):
    """72 teachers; the first 16 are heads of the schools, but one school has no head."""
    w.teachers, w.jobs = [], []
    for at in range(72):
        x = Thing(id=f"teacher/t{at + 101}", **person(rnd, used))
        x.born = chance(rnd, 0.13, lambda: between(rnd, (1956, 1, 1), (1997, 12, 31)))
        number = rnd.choice([1, 1, 2, 2, 2, 3])
        x.subjects = rnd.sample(SUBJECTS, number)
        x.mentor, x.told_by_mentor, x.jobs, x.now = None, False, [], []
        w.teachers.append(x)
    for at, school in enumerate(w.schools):
        school.head = None if school.name == "Ostrel Park School" else w.teachers[at]
    for at, x in enumerate(w.teachers):
        career(w, rnd, at, x)
    for at in (22, 35, 48, 61):  # part-timers at two schools
        x = w.teachers[at]
        if x.now:
            second = rnd.choice([s for s in w.schools if s is not x.now[0]])
            job(w, x, second, date(rnd.randint(2019, 2023), 8, 1), None)
    mentors(w, rnd)


def job(w, teacher, school, begin, end):
    x = Thing(id=f"employment/e{len(w.jobs) + 1:03}", teacher=teacher, school=school, begin=begin,
              end=end)
    w.jobs.append(x)
    teacher.jobs.append(x)
    if end is None:
        teacher.now.append(school)


def career(w, rnd, at, x):
    """Up to two earlier jobs, and for most teachers the one they have now."""
    def start(y):
        return date(y, rnd.choice([8, 8, 8, 2]), 1)

    now = w.schools[at] if at < 16 else rnd.choices(w.schools, STAFFING)[0]
    y = max((x.born.year if x.born else 1975) + 24, 1985)
    number, retired = rnd.choice([0, 0, 1, 1, 2]), at >= 16 and at % 12 == 7
    number = max(number, 1) if retired else number
    for _ in range(number):
        last = y + rnd.randint(1, 9)
        if last > 2022:
            break
        school = rnd.choice([s for s in w.schools if s is not now])
        begin = start(y)
        end = rnd.choice([date(last, 7, 31), date(last, 7, 31), date(last, 1, 31)])
        job(w, x, school, begin, end)
        y = last
    if not retired or not x.jobs:
        begin = start(min(2023, y + (rnd.randint(0, 4) if number == 0 else 0)))
        if x.jobs and begin <= x.jobs[-1].end:
            begin = date(x.jobs[-1].end.year, 8, 1)
        job(w, x, now, begin, None)


def mentors(w, rnd):
    """Some have an older mentor, which the graph says from one side or the other."""
    for x in w.teachers:
        if share(rnd, 0.4):
            older = [m for m in w.teachers if m is not x and m.born and x.born
                     and m.born < x.born - timedelta(2500)]
            if older:
                x.mentor = rnd.choice(older)
                x.told_by_mentor = rnd.choice([False, False, True])


def rooms(w, rnd):
    w.rooms = []
    owners = w.schools + [rnd.choices(w.schools, ROOMY)[0] for _ in range(30)]
    for name, school in zip(ROOMS, owners):
        kind = ROOM_KINDS[rnd.randrange(len(ROOM_KINDS))]
        seats = {k: rnd.randint(*limits) for k, limits in SEATS.items()}[kind]
        area = Decimal(str(round(seats * rnd.uniform(1.3, 3.2), 1)))
        name = f"{name} {kind}"
        w.rooms.append(
            Thing(id=f"room/{slug(name)}", name=name, lab=kind == "Laboratory", school=school,
                  seats=chance(rnd, 0.07, lambda: seats), area=chance(rnd, 0.1, lambda: area),
                  access=chance(rnd, 0.1, lambda: rnd.choice([True, True, False]))))


def staff(w, school):
    return [x for x in w.teachers if school in x.now]


def courses(w, rnd):
    w.courses, hours = [], [1.5, 2, 2, 2.5, 3, 3, 3.5, 4, 4.5, 5]
    for subject, names in COURSES:
        for name in names:
            school = rnd.choices(w.schools, TEACHING)[0]
            there, by = staff(w, school), []
            if there and rnd.random() > 0.08:
                by = [rnd.choice([x for x in there if subject in x.subjects] or there)]
                if len(there) > 1 and share(rnd, 0.15):
                    by.append(rnd.choice([x for x in there if x is not by[0]]))
            near = [x for x in w.rooms if x.school is school]
            w.courses.append(
                Thing(id=f"course/{slug(name)}", name=name, school=school, teachers=by,
                      subjects=[subject] + words(SECOND_SUBJECTS.get(name, "")),
                      hours=chance(rnd, 0.08, lambda: Decimal(str(rnd.choice(hours)))),
                      room=chance(rnd, 0.15, lambda: rnd.choice(near)) if near else None))


def pupils(w, rnd, used):
    w.pupils = []
    for at in range(52):
        x = Thing(id=f"pupil/p{at * 7 + 2003:04}", **person(rnd, used))
        x.school = rnd.choices(w.schools, LEARNING)[0]
        x.year = chance(rnd, 0.1, lambda: rnd.randint(7, 13))
        w.pupils.append(x)


def clubs(w, rnd):
    w.clubs, fees = [], words("0.00, 0.00, 12.50, 18.00, 24.00, 30.00, 9.90, 45.00")
    for name in CLUBS:
        fell = name == "Choir of the Fell"
        school = w.schools[0] if fell else rnd.choices(w.schools, CLUBBING)[0]
        members = [x for x in w.pupils if x.school is school and share(rnd, 0.55)]
        there = staff(w, school)
        by = [rnd.choice(there)] if there and rnd.random() > 0.2 else []
        if by and len(there) > 2 and share(rnd, 0.15):
            by.append(rnd.choice([x for x in there if x not in by]))
        w.clubs.append(
            Thing(id=f"club/{slug(name)}", name=name, school=school, members=members,
                  supervisors=by, founded=chance(rnd, 0.1, lambda: rnd.randint(1974, 2022)),
                  fee=chance(rnd, 0.15, lambda: Decimal(rnd.choice(fees)))))


def grants(w, rnd):
    """Grants of foundations for schools, and smaller ones for clubs."""
    town, club = ({x.name: x for x in things} for things in (w.towns, w.clubs))
    w.foundations = [Thing(id=f"foundation/{slug(name)}", name=name, founded=founded,
                           town=town.get(place)) for name, founded, place in FOUNDATIONS]
    w.grants = []
    for name in GRANTS:
        to = club.get(CLUB_GRANTS.get(name))
        if to:
            amount = rnd.randint(8, 70) * 50
        else:
            to = w.schools[rnd.choice([0, 1, 2, 3, 5, 5, 6, 7, 9, 9, 11, 12, 12, 15, 10])]
            amount = rnd.randint(20, 480) * 250
        if share(rnd, 0.12):
            by = rnd.sample(w.foundations, 2)
        else:
            by = rnd.choices(w.foundations, [6, 4, 4, 5, 4, 3])
        w.grants.append(
            Thing(id=f"grant/{slug(name)}-grant", name=f"{name} Grant", to=to, foundations=by,
                  amount=Decimal(f"{amount}.00"),
                  currency=rnd.choices(["EUR", "CHF", "GBP"], [7, 3, 2])[0],
                  given=chance(rnd, 0.1, lambda: between(rnd, (2014, 1, 10), (2024, 3, 20)))))


def rounds(teams):
    """Everybody against everybody, at home and away."""
    first, half = [], len(teams) // 2
    for r in range(len(teams) - 1):
        pairs = zip(teams[:half], reversed(teams[half:]))
        first.append([(x, y) if (r + at) % 2 else (y, x) for at, (x, y) in enumerate(pairs)])
        teams = [teams[0], teams[-1]] + teams[1:-1]
    return first + [[(y, x) for x, y in pairs] for pairs in first]


def goals(rnd, mean):
    """A number of goals with this mean (a Poisson distribution)."""
    limit, n, p = math.exp(-mean), 0, 1
    while True:
        p *= rnd.random()
        if p < limit:
            return n
        n += 1


def matches(w, rnd):
    """One season; two matches were not played."""
    strength = {x: rnd.uniform(0.7, 2.3) for x in w.league}
    referees = rnd.sample(w.teachers[16:], 11)
    days = [first + timedelta(7 * k) for first in (date(2023, 9, 9), date(2024, 2, 10))
            for k in range(9)]
    w.matches = []
    for pairs, when in zip(rounds(w.league), days):
        for home, away in pairs:
            w.matches.append(
                Thing(id=f"match/2324-{len(w.matches) + 1:03}", home=home, away=away,
                      home_goals=goals(rnd, strength[home] * 1.1),
                      away_goals=goals(rnd, strength[away] * 0.9),
                      when=when + timedelta(rnd.choice([0, 0, 0, 1])),
                      crowd=chance(rnd, 0.09, lambda: rnd.randint(35, 620)),
                      referee=chance(rnd, 0.06, lambda: rnd.choice(referees))))
    for at in (47, 81):
        x = w.matches[at]
        x.home_goals = x.away_goals = x.crowd = None


def school_facts():
    rnd, used, w = random.Random(4711), set(), Thing()
    towns_and_schools(w)
    teachers(w, rnd, used)
    rooms(w, rnd)
    courses(w, rnd)
    pupils(w, rnd, used)
    clubs(w, rnd)
    grants(w, rnd)
    matches(w, rnd)
    return w


# ---- The triples -----------------------------------------------------------------------------

PREFIXES = {
    "i": "http://data.varnmoor.example/id/", "d": "http://data.varnmoor.example/def#",
    "rdfs": RDFS, "owl": "http://www.w3.org/2002/07/owl#", "foaf": "http://xmlns.com/foaf/0.1/",
    "schema": "http://schema.org/", "dcterms": "http://purl.org/dc/terms/",
    "org": "http://www.w3.org/ns/org#"
}
CLASSES_BELOW = {"GrammarSchool": "SecondarySchool", "TechnicalSchool": "SecondarySchool",
                 "Laboratory": "Room"}
LABELS = {
    "SecondarySchool": "secondary school", "GrammarSchool": "grammar school",
    "TechnicalSchool": "technical school", "Employment": "employment", "Club": "pupils' club",
    "Match": "league match", "pupilCount": "pupils on roll", "headTeacher": "head teacher",
    "boarding": "takes boarders", "supervisor": "supervising teacher",
    "annualFeeEUR": "annual membership fee in euros", "recipient": "awarded to",
    "homeTeam": "home side", "awayTeam": "away side", "attendance": "spectators",
    "taughtIn": "taught in", "mentor": "mentor", "yearGroup": "year group",
    "wheelchairAccess": "accessible by wheelchair"
}
INVERSES = {"d:headTeacher": "d:headOf", "d:mentor": "d:mentorOf",
            "schema:member": "schema:memberOf"}


def english(text):
    return quoted(text) + "@en"


def to(x):
    return f"i:{x.id}"


def schema_triples():
    for name, above in CLASSES_BELOW.items():
        yield f"d:{name}", "rdfs:subClassOf", f"d:{above}"
    for name, label in LABELS.items():
        yield f"d:{name}", "rdfs:label", english(label)
    for name, other in INVERSES.items():
        yield name, "owl:inverseOf", other


def place_values(w):
    """(thing, class, [(property, value or list of values)]) of towns, schools and rooms; a value
    may be None."""
    for x in w.towns:
        yield to(x), "Town", [
            ("rdfs:label", quoted(x.name)), ("schema:alternateName", [*map(quoted, x.others)]),
            ("d:population", if_any(whole, x.people))]
    for code, name in CURRENCIES.items():
        yield f"i:currency/{code}", "Currency", [
            ("rdfs:label", english(name)), ("schema:alternateName", quoted(code))]
    for x in w.schools:
        yield to(x), x.kind, [
            ("rdfs:label", english(x.name)),
            ("rdfs:label", if_any(lambda text: quoted(text) + "@fr", x.french)),
            ("schema:alternateName", [*map(quoted, x.others)]), ("schema:location", to(x.town)),
            ("schema:foundingDate", year(x.founded)), ("d:boarding", truth(x.boarders)),
            ("d:pupilCount", if_any(whole, x.pupils)),
            ("d:annualBudgetEUR", if_any(lambda n: decimal(f"{n}.00"), x.budget)),
            ("d:headTeacher", if_any(to, x.head))]


def person_triples(w):
    """Teachers, with a mentor said from either side, and pupils."""
    for x in w.teachers:
        yield to(x), "a", "d:Teacher"
        yield to(x), "foaf:name", quoted(x.name)
        yield to(x), "foaf:givenName", quoted(x.given)
        yield to(x), "foaf:familyName", quoted(x.family)
        if x.born:
            yield to(x), "schema:birthDate", day(x.born)
        for subject in x.subjects:
            yield to(x), "dcterms:subject", english(subject)
        if x.told_by_mentor:
            yield to(x.mentor), "d:mentorOf", to(x)
        elif x.mentor:
            yield to(x), "d:mentor", to(x.mentor)
    for x in w.pupils:
        yield to(x), "a", "d:Pupil"
        yield to(x), "rdfs:label", quoted(x.name)
        yield to(x), "foaf:givenName", quoted(x.given)
        yield to(x), "foaf:familyName", quoted(x.family)
        yield to(x), "d:school", to(x.school)
        if x.year:
            yield to(x), "d:yearGroup", whole(x.year)


def lesson_values(w):
    """Rooms, courses and clubs, as in `place_values`."""
    for x in w.rooms:
        yield to(x), "Room", [
            ("a", "d:Laboratory" if x.lab else None), ("rdfs:label", quoted(x.name)),
            ("d:school", to(x.school)), ("d:capacity", if_any(whole, x.seats)),
            ("d:floorAreaM2", if_any(decimal, x.area)),
            ("d:wheelchairAccess", if_any(truth, x.access))]
    for x in w.courses:
        yield to(x), "Course", [
            ("rdfs:label", english(x.name)), ("d:school", to(x.school)),
            ("dcterms:subject", [*map(english, x.subjects)]),
            ("schema:instructor", [*map(to, x.teachers)]),
            ("d:weeklyHours", if_any(decimal, x.hours)), ("d:taughtIn", if_any(to, x.room))]
    for x in w.clubs:
        yield to(x), "Club", [
            ("foaf:name", quoted(x.name)), ("d:school", to(x.school)),
            ("schema:foundingDate", if_any(year, x.founded)),
            ("d:supervisor", [*map(to, x.supervisors)]),
            ("schema:member", [*map(to, x.members)]), ("d:annualFeeEUR", if_any(decimal, x.fee))]


def event_values(w):
    """Foundations and grants, employments and matches, as in `place_values`."""
    for x in w.foundations:
        yield to(x), "Foundation", [
            ("foaf:name", quoted(x.name)), ("schema:foundingDate", if_any(year, x.founded)),
            ("schema:location", if_any(to, x.town))]
    for x in w.grants:
        yield to(x), "Grant", [
            ("rdfs:label", english(x.name)), ("d:recipient", to(x.to)),
            ("schema:funder", [*map(to, x.foundations)]), ("schema:amount", decimal(x.amount)),
            ("schema:currency", f"i:currency/{x.currency}"),
            ("dcterms:date", if_any(day, x.given))]
    for x in w.jobs:
        yield to(x), "Employment", [
            ("org:member", to(x.teacher)), ("org:organization", to(x.school)),
            ("schema:startDate", day(x.begin)), ("schema:endDate", if_any(day, x.end))]
    for x in w.matches:
        yield to(x), "Match", [
            ("d:homeTeam", to(x.home)), ("d:awayTeam", to(x.away)), ("dcterms:date", day(x.when)),
            ("d:homeGoals", if_any(whole, x.home_goals)),
            ("d:awayGoals", if_any(whole, x.away_goals)),
            ("d:attendance", if_any(whole, x.crowd)), ("d:referee", if_any(to, x.referee))]


def spread(things):
    for s, kind, values in things:
        yield s, "a", f"d:{kind}"
        for p, found in values:
            for o in found if isinstance(found, list) else [found]:
                if o is not None:
                    yield s, p, o


def school_triples(w):
    """All triples. The end of an IRI belongs to one node only."""
    triples = [*schema_triples(), *spread(place_values(w)), *person_triples(w),
               *spread(lesson_values(w)), *spread(event_values(w))]
    nodes = {x for s, p, o in triples for x in (s, o) if not x.startswith('"')}
    assert len({local(x) for x in nodes}) == len(nodes)
    return triples
