"""Writes the invented graph `ferry`, with questions and gold answers.

It is a transport company with buses and ferries. Its facts and triples are made in
`facts_ferry.py` with a fixed seed, the gold answers here from the facts. The file is read back
and every answer is computed a second time by a query over its triples; the script stops where the
two differ.

    python3 make_ferry.py           write all files beside this script
    python3 make_ferry.py --check   write nothing, fail where a file differs
"""

import sys
from collections import Counter
from datetime import date
from decimal import Decimal
from fractions import Fraction

sys.dont_write_bytecode = True
from facts_ferry import ferry_facts, ferry_file, ferry_triples  # noqa: E402
from make import finish, mean, means, read_turtle, write  # noqa: E402
from reread import Nodes, tops  # noqa: E402
from writing import Thing, Worded, day_forms, only, rounded, tally  # noqa: E402

# ---- Reading the file, spelling the answers --------------------------------------------------


def one_object_a_line(text):
    """The file without comments, and with `p o1 ; p o2` where it has `p o1 , o2`."""
    for line in text.splitlines():
        predicate = line.strip().partition(" ")[0]
        if not line.startswith("#"):
            yield line.replace(" , ", f" ;\n    {predicate} ")


def forms(cell, kind, unit):
    """All accepted forms of a cell."""
    if isinstance(cell, Thing):
        return thing_forms(cell)
    if isinstance(cell, date):
        return day_forms(cell)
    if isinstance(cell, str):
        return [cell]
    if isinstance(cell, Fraction):
        numbers = digits(rounded(cell, 2)) + digits(rounded(cell, 1))
    else:
        numbers = digits(str(cell))
    out = numbers + [f"{x} {unit}" for x in numbers if unit]
    return out + [f"€{x}" for x in numbers if unit == "EUR"]


def digits(text):
    """A number as it is, without zeros at the end, and both with commas."""
    short = text.rstrip("0").rstrip(".") if "." in text else text
    large = abs(Decimal(text)) >= 1000
    return [text, short] + [f"{Decimal(x):,}" for x in (short, text) if large]


def thing_forms(x):
    """Name, code, other ways to say the name, and the end of the IRI."""
    out = [x.name]
    if x.label and hasattr(x, "code"):
        out.append(x.code)
    if x.kind == "Line":
        out += [f"Line {x.code}", f"line {x.code}"]
        out += [x.name.split(" ", 1)[1]] if x.mode == "ferry" else []
    if x.kind == "Ferry":
        out += [f"MV {x.name}", f"the {x.name}"]
    return out + [x.id.split("/")[-1]]


# ---- The questions ---------------------------------------------------------------------------


class Office:
    """The facts of the company, and ways to look things up."""

    def __init__(self, c):
        self.all, self.one, self.jobs = c.all, c.one, c.jobs
        self.vehicles = c.all("Bus", "Ferry")

    def line(self, code):
        return self.one(code, "Line")

    def of(self, kind, category):
        return [x for x in self.all(kind) if x.category == category]

    def stopping(self, *names):
        """Lines with a stop of one of these names."""
        return [x for x in self.all("Line") if any(s.name in names for s in x.servesStop)]

    def parts_of(self, ticket):
        return each(x.part for x in self.all("PartUse") if x.workOrder.ticket_id == ticket)


def each(things):
    """Every thing once, in order."""
    return list(dict.fromkeys(things))


def city(x):
    return x.partOf.partOf.name


def known(values):
    return [x for x in values if x is not None]


def above(g, query, limit):
    """The things with a number over the limit, from the triples."""
    return {x for x, v in g(query) if v > limit}


def total(g, query):
    return sum(v for _, v in g(query))


def mean_of(g, query):
    return mean(v for _, v in g(query))


def average(values):
    return mean(Fraction(x) for x in known(values))


def best(things, value, n=1, high=True):
    """The first n things by a value that they all have different."""
    return tops({x: value(x) for x in things if value(x)}, n, high)


def asked_facts(ask, f):
    """Single facts, and what points to a thing."""
    ask("lookup", "When did Tannery Hill Garage open?",
        f.one("Tannery Hill Garage").inOperationSince,
        "?x | <Tannery Hill Garage> inOperationSince ?x")
    ask("lookup", "how often does the 12A run", f.line("12A").frequency,
        "?x | ?l a Line, ?l code '12A', ?l frequency ?x")
    ask("lookup", "What is the mechanic Anna Kolb paid per hour?",
        only(x for x in f.jobs("Mechanic") if x.name == "Anna Kolb").hourly_wage,
        "?x | ?e label 'Anna Kolb', ?e jobTitle 'Mechanic', ?e hourly_wage ?x", "EUR")
    ask("lookup", "how many km has bus 1118 got on the clock", f.one("Bus 1118").mileage_km,
        "?x | ?b a Bus, ?b code '1118', ?b mileage_km ?x", "km")
    ask("lookup", "What is the status of work order WO-2025-057?", f.one("WO-2025-057").status,
        "?x | ?w ticket_id 'WO-2025-057', ?w status ?x")
    ask("reverse", "Which depot does Jonas Vasko manage?",
        [x for x in f.all("Depot") if x.managedBy and x.managedBy.name == "Jonas Vasko"],
        "?x | ?x managedBy <Jonas Vasko>")
    ask("reverse", "Which of our ferries are Skarholm 31s?",
        [x for x in f.all("Ferry") if x.model.name == "Skarholm 31"],
        "?x | ?x model <Skarholm 31>")
    ask("reverse", "what parts do we get from Kessel Auto Electric",
        [x for x in f.all("Part") if f.one("Kessel Auto Electric") in x.suppliedBy],
        "?x | ?x suppliedBy <Kessel Auto Electric>")
    ask("reverse", "Which lines stop at the University?", f.stopping("University"),
        "?x | ?x servesStop <University>")


def asked_hops(ask, f):
    """Over two and three steps."""
    ask("two_hop", "Who is the manufacturer of Bus 1128?", f.one("Bus 1128").model.manufacturer,
        "?x | <Bus 1128> model ?m, ?m manufacturer ?x")
    ask("two_hop", "who's in charge of the depot that bus 1148 belongs to?",
        f.one("Bus 1148").basedAt.managedBy, "?x | <Bus 1148> basedAt ?d, ?d managedBy ?x")
    ask("two_hop", "How many seats does the Black Tern have?", f.one("Black Tern").model.seatCount,
        "?x | <Black Tern> model ?m, ?m seatCount ?x")
    ask("two_hop", "Which lines call at Market Square in Cobble End?",
        [x for x in f.all("Line") for s in x.servesStop
         if (s.name, s.partOf.name) == ("Market Square", "Cobble End")],
        "?x | ?s label 'Market Square', ?s partOf <Cobble End>, ?x servesStop ?s")
    ask("two_hop", "Which parts were used on WO-2024-045?", f.parts_of("WO-2024-045"),
        "?x | ?w ticket_id 'WO-2024-045', ?u workOrder ?w, ?u part ?x")
    ask("three_hop", "In which city is Bus 1113 stationed?",
        f.one("Bus 1113").basedAt.partOf.partOf,
        "?x | <Bus 1113> basedAt ?d, ?d partOf ?q, ?q partOf ?x")
    ask("three_hop", "What fuel do the vehicles run on that Omar Feld has been assigned to?",
        each(x.vehicle.model.fuelType for x in f.all("Assignment")
             if x.driver.name == "Omar Feld"),
        "?x | ?a driver <Omar Feld>, ?a vehicle ?v, ?v model ?m, ?m fuelType ?x")
    ask("three_hop", "who manages the depot that runs the line complaint C-4105 is about",
        f.one("C-4105").onLine.basedAt.managedBy,
        "?x | ?c ticket_id 'C-4105', ?c onLine ?l, ?l basedAt ?d, ?d managedBy ?x")
    ask("three_hop", "Which suppliers offer the parts that were used for WO-2025-065?",
        each(s for part in f.parts_of("WO-2025-065") for s in part.suppliedBy),
        "?x | ?w ticket_id 'WO-2025-065', ?u workOrder ?w, ?u part ?p, ?p suppliedBy ?x")


def asked_limits(ask, f):
    """Filters and counts."""
    ask("filter", "Which buses have done more than 600,000 km?",
        [x for x in f.all("Bus") if (x.mileage_km or 0) > 600000],
        lambda g: above(g, "?x ?v | ?x a Bus, ?x mileage_km ?v", 600000))
    ask("filter", "which buses are out of service",
        [x for x in f.all("Bus") if not x.inService],
        lambda g: {x for x, v in g("?x ?v | ?x a Bus, ?x inService ?v") if v is False})
    ask("filter", "Which parts have fewer than 5 pieces in stock?",
        [x for x in f.all("Part") if x.stock_level is not None and x.stock_level < 5],
        lambda g: {x for x, v in g("?x ?v | ?x a Part, ?x stock_level ?v") if v < 5})
    ask("filter", "Which incidents caused a delay of more than two hours?",
        [x for x in f.all("Incident") if (x.delay_minutes or 0) > 120],
        lambda g: above(g, "?x ?v | ?x a Incident, ?x delay_minutes ?v", 120))
    ask("filter", "stops in Tannery Hill with a shelter",
        [x for x in f.all("Stop") if x.partOf.name == "Tannery Hill" and x.hasShelter],
        lambda g: {x for x, v in g("?x ?v | ?x a Stop, ?x partOf <Tannery Hill>, ?x hasShelter ?v")
                   if v is True})
    ask("count", "How many stops are there in Wrenhaven?",
        sum(city(x) == "Wrenhaven" for x in f.all("Stop")),
        lambda g: len(g("?x | ?x a Stop, ?x partOf ?d, ?d partOf <Wrenhaven>")))
    ask("count", "how many electric buses do we own?",
        sum(x.model.fuelType == "electric" for x in f.all("Bus")),
        lambda g: len(g("?x | ?x a Bus, ?x model ?m, ?m fuelType 'electric'")))
    ask("count", "number of complaints about line 4",
        sum(x.onLine is f.line("4") for x in f.all("Complaint")),
        lambda g: len(g("?x | ?x a Complaint, ?x onLine ?l, ?l code '4'")))
    ask("count", "How many work orders have not been closed yet?",
        sum(x.closedAt is None for x in f.all("WorkOrder")),
        lambda g: sum(v != "closed" for _, v in g("?x ?v | ?x a WorkOrder, ?x status ?v")))
    ask("count", "How many bus drivers are based at Millgate Depot?",
        sum(x.basedAt is f.one("Millgate Depot") for x in f.jobs("Bus driver")),
        lambda g: len(g("?x | ?x jobTitle 'Bus driver', ?x basedAt <Millgate Depot>")))


def asked_sums(ask, f):
    """Sums and averages."""
    ask("sum", "How much compensation have we paid in total for delay complaints?",
        sum(known(x.compensation for x in f.of("Complaint", "delay"))),
        lambda g: total(g, "?x ?v | ?x a Complaint, ?x category 'delay', ?x compensation ?v"),
        "EUR")
    ask("sum", "total labour hours on brake jobs",
        sum(known(x.labour_hours for x in f.of("WorkOrder", "brakes"))),
        lambda g: total(g, "?x ?v | ?x a WorkOrder, ?x category 'brakes', ?x labour_hours ?v"),
        "h")
    ask("sum", "What have the work orders for the Dunlin cost us altogether?",
        sum(known(x.total_cost for x in f.all("WorkOrder") if x.vehicle.name == "Dunlin")),
        lambda g: total(g, "?x ?v | ?x a WorkOrder, ?x vehicle <Dunlin>, ?x total_cost ?v"), "EUR")
    ask("sum", "how many oil filters have been used on work orders so far?",
        sum(x.quantity for x in f.all("PartUse") if x.part.name == "Oil filter"),
        lambda g: total(g, "?x ?v | ?x part <Oil filter>, ?x quantity ?v"))
    ask("average", "What do ferry captains earn per hour on average?",
        average(x.hourly_wage for x in f.jobs("Ferry captain")),
        lambda g: mean_of(g, "?x ?v | ?x jobTitle 'Ferry captain', ?x hourly_wage ?v"), "EUR")
    ask("average", "average length of the bus lines?",
        average(x.length_km for x in f.all("Line") if x.mode == "bus"),
        lambda g: mean_of(g, "?x ?v | ?x a Line, ?x mode 'bus', ?x length_km ?v"), "km")
    ask("average", "How many minutes of delay does a breakdown cause on average?",
        average(x.delay_minutes for x in f.of("Incident", "breakdown")),
        lambda g: mean_of(g, "?x ?v | ?x a Incident, ?x category 'breakdown', "
                          "?x delay_minutes ?v"),
        "minutes")
    ask("average", "avg purchase price of the Velto City E buses",
        average(x.purchase_price for x in f.all("Bus") if x.model.name == "Velto City E"),
        lambda g: mean_of(g, "?x ?v | ?x a Bus, ?x model <Velto City E>, ?x purchase_price ?v"),
        "EUR")


def asked_best(ask, f):
    """The first by a number or a date."""
    heard = Counter(x.onLine for x in f.all("Complaint"))
    ask("superlative", "Which ferry did we buy first?",
        best(f.all("Ferry"), lambda x: x.purchasedOn, high=False),
        lambda g: tops(g("?x ?v | ?x a Ferry, ?x purchasedOn ?v"), 1, high=False))
    ask("superlative", "longest line?", best(f.all("Line"), lambda x: x.length_km),
        lambda g: tops(g("?x ?v | ?x a Line, ?x length_km ?v"), 1))
    ask("superlative", "What is the most expensive part we keep?",
        best(f.all("Part"), lambda x: x.unitPrice),
        lambda g: tops(g("?x ?v | ?x a Part, ?x unitPrice ?v"), 1))
    ask("superlative", "Which employee has been with the company the longest?",
        best(f.all("Employee"), lambda x: x.hiredOn, high=False),
        lambda g: tops(g("?x ?v | ?x a Employee, ?x hiredOn ?v"), 1, high=False))
    ask("superlative", "second biggest district by population",
        best(f.all("District"), lambda x: x.population, 2)[1],
        lambda g: tops(g("?x ?v | ?x a District, ?x population ?v"), 2)[1])
    ask("superlative", "which line do we get the most complaints about?",
        best(f.all("Line"), heard.get),
        lambda g: tops(tally(g("?c ?x | ?c a Complaint, ?c onLine ?x")), 1))
    ask("superlative", "newest bus in the fleet", best(f.all("Bus"), lambda x: x.purchasedOn),
        lambda g: tops(g("?x ?v | ?x a Bus, ?x purchasedOn ?v"), 1))


def asked_comparisons(ask, f):
    """One against another, with yes or no as the answer."""
    ask("compare", "Is Line 18 longer than night line N3?",
        f.line("18").length_km > f.line("N3").length_km,
        lambda g: max(g("?v | ?l a Line, ?l code '18', ?l length_km ?v"))
        > max(g("?v | ?l a Line, ?l code 'N3', ?l length_km ?v")))
    ask("compare", "did the Sandpiper cost more than the Oystercatcher",
        f.one("Sandpiper").purchase_price > f.one("Oystercatcher").purchase_price,
        lambda g: max(g("?v | <Sandpiper> purchase_price ?v"))
        > max(g("?v | <Oystercatcher> purchase_price ?v")))
    ask("compare", "Have there been more collisions than breakdowns?",
        len(f.of("Incident", "collision")) > len(f.of("Incident", "breakdown")),
        lambda g: len(g("?x | ?x a Incident, ?x category 'collision'"))
        > len(g("?x | ?x a Incident, ?x category 'breakdown'")))
    ask("compare", "Is Dana Balog paid more per hour than Hugo Balog?",
        f.one("Dana Balog").hourly_wage > f.one("Hugo Balog").hourly_wage,
        lambda g: max(g("?v | <Dana Balog> hourly_wage ?v"))
        > max(g("?v | <Hugo Balog> hourly_wage ?v")))


def asked_groups(ask, f):
    ask("group", "How many vehicles are based at each depot?",
        [(d, sum(x.basedAt is d for x in f.vehicles)) for d in f.all("Depot")],
        lambda g: tally(g("?x ?d | ?x purchasedOn ?t, ?x basedAt ?d")))
    ask("group", "complaints per category",
        list(Counter(x.category for x in f.all("Complaint")).items()),
        lambda g: tally(g("?x ?k | ?x a Complaint, ?x category ?k")))
    ask("group", "How many stops does each district have?",
        [(d, sum(x.partOf is d for x in f.all("Stop"))) for d in f.all("District")],
        lambda g: tally(g("?x ?d | ?x a Stop, ?x partOf ?d")))
    titles = each(x.jobTitle for x in f.all("Employee"))
    ask("group", "Average hourly wage per job title",
        [(title, average(x.hourly_wage for x in f.jobs(title))) for title in titles],
        lambda g: means((t, v) for _, t, v in g("?x ?t ?v | ?x jobTitle ?t, ?x hourly_wage ?v")),
        "EUR")
    ask("group", "number of incidents for each ferry",
        [(y, sum(x.vehicle is y for x in f.all("Incident"))) for y in f.all("Ferry")],
        lambda g: tally(g("?x ?y | ?x a Incident, ?x vehicle ?y, ?y a Ferry")))


def asked_without(ask, f):
    driving = [x.driver for x in f.all("Assignment")]
    served = [s for x in f.all("Line") for s in x.servesStop]
    ask("without", "Which depot has no manager?",
        [x for x in f.all("Depot") if not x.managedBy],
        lambda g: g("?x | ?x a Depot") - g("?x | ?x managedBy ?y"))
    ask("without", "which parts have no supplier",
        [x for x in f.all("Part") if not x.suppliedBy],
        lambda g: g("?x | ?x a Part") - g("?x | ?x suppliedBy ?y"))
    ask("without", "Which bus drivers have never had an assignment?",
        [x for x in f.jobs("Bus driver") if x not in driving],
        lambda g: g("?x | ?x jobTitle 'Bus driver'") - g("?x | ?y driver ?x"))
    ask("without", "Which stops are not served by any line?",
        [x for x in f.all("Stop") if x not in served],
        lambda g: g("?x | ?x a Stop") - g("?x | ?y servesStop ?x"))


def asked_sets(ask, f):
    """Both, either, and not."""
    both_lines = [f.line("9").servesStop, f.line("12").servesStop]
    ask("both", "Who speaks both German and Spanish?",
        [x for x in f.all("Employee") if {"German", "Spanish"} <= set(x.speaks)],
        "?x | ?x speaks 'German', ?x speaks 'Spanish'")
    ask("both", "which stops are on both line 9 and line 12?",
        [x for x in f.all("Stop") if all(x in stops for stops in both_lines)],
        "?x | ?a a Line, ?a code '9', ?a servesStop ?x, "
        "?b a Line, ?b code '12', ?b servesStop ?x")
    ask("both", "Which parts can we order from both Brakeline Ltd and Ferrum & Daughter?",
        [x for x in f.all("Part")
         if {"Brakeline Ltd", "Ferrum & Daughter"} <= {y.name for y in x.suppliedBy}],
        "?x | ?x suppliedBy <Brakeline Ltd>, ?x suppliedBy <Ferrum & Daughter>")
    ask("either", "Who speaks Arabic or Polish?",
        [x for x in f.all("Employee") if {"Arabic", "Polish"} & set(x.speaks)],
        lambda g: g("?x | ?x speaks 'Arabic'") | g("?x | ?x speaks 'Polish'"))
    ask("either", "which lines call at Central Station or City Library?",
        f.stopping("Central Station", "City Library"),
        lambda g: g("?x | ?x servesStop <Central Station>")
        | g("?x | ?x servesStop <City Library>"))
    ask("either", "Which work orders were for either the Dunlin or the Kittiwake?",
        [x for x in f.all("WorkOrder") if x.vehicle.name in ("Dunlin", "Kittiwake")],
        lambda g: g("?x | ?x a WorkOrder, ?x vehicle <Dunlin>")
        | g("?x | ?x a WorkOrder, ?x vehicle <Kittiwake>"))
    ask("not", "Which ferries do not run on diesel?",
        [x for x in f.all("Ferry") if x.model.fuelType != "diesel"],
        lambda g: g("?x | ?x a Ferry") - g("?x | ?x model ?m, ?m fuelType 'diesel'"))
    ask("not", "bus lines that don't stop at Chandlers Row",
        [x for x in f.all("Line")
         if x.mode == "bus" and f.one("Chandlers Row") not in x.servesStop],
        lambda g: g("?x | ?x a Line, ?x mode 'bus'") - g("?x | ?x servesStop <Chandlers Row>"))
    ask("not", "Which depots are not in Port Ellisk?",
        [x for x in f.all("Depot") if city(x) != "Port Ellisk"],
        lambda g: g("?x | ?x a Depot") - g("?x | ?x partOf ?d, ?d partOf <Port Ellisk>"))


def asked_differences(ask, f):
    front, rear = f.one("Brake pad set, front"), f.one("Brake pad set, rear")
    ask("difference", "How much longer is line 12A than line 12?",
        f.line("12A").length_km - f.line("12").length_km,
        lambda g: only(g("?v | ?l a Line, ?l code '12A', ?l length_km ?v"))
        - only(g("?v | ?l a Line, ?l code '12', ?l length_km ?v")), "km")
    ask("difference", "price difference between the front and the rear brake pad set?",
        front.unitPrice - rear.unitPrice,
        lambda g: only(g("?v | ?x label 'Brake pad set, front', ?x unitPrice ?v"))
        - only(g("?v | ?x label 'Brake pad set, rear', ?x unitPrice ?v")), "EUR")
    ask("difference", "How many more people live in Port Ellisk than in Wrenhaven?",
        f.one("Port Ellisk").population - f.one("Wrenhaven").population,
        lambda g: only(g("?v | <Port Ellisk> population ?v"))
        - only(g("?v | <Wrenhaven> population ?v")))


def asked_dates(ask, f):
    may, c_4210 = date(2024, 5, 1), f.one("C-4210")
    days = (c_4210.closedAt - c_4210.openedAt).days
    assert days == (c_4210.closedAt.date() - c_4210.openedAt.date()).days
    ask("date", "How many complaints came in in March 2025?",
        sum(f"{x.openedAt:%Y-%m}" == "2025-03" for x in f.all("Complaint")),
        lambda g: sum("2025-03-01T" <= v < "2025-04-01T"
                      for _, v in g("?x ?v | ?x a Complaint, ?x openedAt ?v")))
    ask("date", "which work orders were opened in June 2025",
        [x for x in f.all("WorkOrder") if f"{x.openedAt:%Y-%m}" == "2025-06"],
        lambda g: {x for x, v in g("?x ?v | ?x a WorkOrder, ?x openedAt ?v")
                   if "2025-06-01T" <= v < "2025-07-01T"})
    ask("date", "How many days did it take to close complaint C-4210?", days,
        lambda g: (date.fromisoformat(only(g("?v | ?x ticket_id 'C-4210', ?x closedAt ?v"))[:10])
                   - date.fromisoformat(only(g("?v | ?x ticket_id 'C-4210', ?x openedAt ?v"))[:10])
                   ).days, "days")
    ask("date", "Which lines have been added since the start of 2015?",
        [x for x in f.all("Line") if x.inOperationSince >= date(2015, 1, 1)],
        lambda g: above(g, "?x ?v | ?x a Line, ?x inOperationSince ?v", "2014-12-31"))
    ask("date", "who was hired before 2003?",
        [x for x in f.all("Employee") if x.hiredOn.year < 2003],
        lambda g: {x for x, v in g("?x ?v | ?x hiredOn ?v") if v < "2003-01-01"})
    ask("date", "Who was assigned to Bus 1149 on 1 May 2024?",
        each(x.driver for x in f.all("Assignment") if x.vehicle.name == "Bus 1149"
             and x.validFrom <= may and not (x.validTo and x.validTo < may)),
        lambda g: drivers_on(g, "Bus 1149", "2024-05-01"))


def drivers_on(g, vehicle, when):
    """Who had an assignment to the vehicle on that day, from the triples."""
    over = {a for a, end in g("?a ?v | ?a validTo ?v") if end < when}
    found = g(f"?a ?x ?v | ?a vehicle <{vehicle}>, ?a driver ?x, ?a validFrom ?v")
    return {x for a, x, begin in found if begin <= when and a not in over}


def asked_lists(ask, f):
    """The first three, and plain lists."""
    ask("top", "What were the three most expensive work orders?",
        best(f.all("WorkOrder"), lambda x: x.total_cost, 3),
        lambda g: tops(g("?x ?v | ?x a WorkOrder, ?x total_cost ?v"), 3))
    ask("top", "top 3 buses by mileage", best(f.all("Bus"), lambda x: x.mileage_km, 3),
        lambda g: tops(g("?x ?v | ?x a Bus, ?x mileage_km ?v"), 3))
    ask("top", "Who are the three best paid bus drivers?",
        best(f.jobs("Bus driver"), lambda x: x.hourly_wage, 3),
        lambda g: tops(g("?x ?v | ?x jobTitle 'Bus driver', ?x hourly_wage ?v"), 3))
    ask("list", "List all the stops of line 7.", f.line("7").servesStop,
        "?x | ?l a Line, ?l code '7', ?l servesStop ?x")
    ask("list", "Which assignments are noted as cover for sick leave?",
        [x for x in f.all("Assignment") if x.comment == "cover for sick leave"],
        lambda g: {x for x, v in g("?x ?v | ?x a Assignment, ?x comment ?v") if "sick" in v})
    ask("list", "Who worked on WO-2025-081?", f.one("WO-2025-081").handledBy,
        "?x | ?w ticket_id 'WO-2025-081', ?w handledBy ?x")


def refused(q, f):
    cannot = q.cannot
    cannot("missing_value", "What is the mileage of Bus 1113?")
    cannot("missing_value", "How long is line F5?")
    cannot("missing_value", "What does Jonas Brenner earn per hour?")
    cannot("missing_value", "Who manages Fennick Yard?")
    cannot("missing_value", "How much did we pay for the Old Margaret?")
    cannot("missing_value", "What is the population of Fennick?")
    cannot("missing_property", "What is the licence plate of Bus 1120?")
    cannot("missing_property", "When does the first ferry on F1 leave in the morning?")
    cannot("missing_property", "what is the phone number of Brakeline Ltd")
    cannot("missing_property", "How much is a single ticket on line 12?")
    cannot("missing_property", "How many passengers used line 9 last year?")
    cannot("missing_entity", "Who drives tram 5?")
    cannot("missing_entity", "where is bus 1199 based")
    cannot("missing_entity", "What happened with complaint C-9999?")
    cannot("missing_entity", "Which lines stop at Victoria Park?")
    assert f.one("Bus 1113").mileage_km is f.line("F5").length_km is None
    assert f.one("Jonas Brenner").hourly_wage is f.one("Fennick Yard").managedBy is None
    assert f.one("Old Margaret").purchase_price is f.one("Fennick").population is None
    everything = str([o for _, _, o in q.graph.triples]).lower()
    assert not any(x in everything for x in ("plate", "tram ", "1199", "c-9999", "victoria"))


def dates_in_order(c):
    """Nobody works before being hired, nothing is used before being bought or closed too early."""
    for x in c.all("Assignment"):
        assert max(x.driver.hiredOn, x.vehicle.purchasedOn) <= x.validFrom, x.id
    for x in c.all("WorkOrder", "Complaint"):
        assert (x.closedAt or x.openedAt) >= x.openedAt, x.id


def ferry():
    c = ferry_facts()
    text = write("ferry/graph.ttl", ferry_file(c))
    triples = read_turtle("\n".join(one_object_a_line(text)))
    q, f = Worded("ferry", ferry_triples(c), Nodes(triples), forms), Office(c)
    for part in (
        asked_facts,
        asked_hops,
        asked_limits,
        asked_sums,
        asked_best,
        asked_comparisons,
        asked_groups,
        asked_without,
        asked_sets,
        asked_differences,
        asked_dates,
        asked_lists,
    ):
        part(q.ask, f)
    refused(q, f)
    dates_in_order(c)
    return q


def main():
    ferry().done(80, 15)
    finish()


if __name__ == "__main__":
    main()
