"""The facts of the invented graph `ferry` and its triples; `make_ferry.py` asks the questions.

It is the operations database of a made-up transport company with buses and ferries: depots,
stops, lines, vehicles, employees, assignments, work orders with parts, complaints and incidents.
"""

import random
import sys
from datetime import date, datetime, timedelta
from decimal import Decimal
from hashlib import md5

sys.dont_write_bytecode = True
from make import quoted  # noqa: E402
from writing import RDFS, XSD, Thing, day, decimal, share, truth  # noqa: E402
from writing import turtle, whole, words  # noqa: E402

# ---- Lists -----------------------------------------------------------------------------------

DISTRICTS = [
    ("Oldharbour", "Port Ellisk", 31200), ("Millgate", "Port Ellisk", 44850),
    ("Saltmarsh", "Port Ellisk", 27600), ("Kingsrow", "Port Ellisk", 39100),
    ("Tannery Hill", "Port Ellisk", 52400), ("Lantern Quay", "Port Ellisk", 19150),
    ("Northshore", "Wrenhaven", 24300), ("Cobble End", "Wrenhaven", 18700),
    ("Fennick", "Wrenhaven", None),
]
DEPOTS = [  # the last two are for ferries
    ("Millgate Depot", "Millgate", 24, date(1978, 5, 2)),
    ("Saltmarsh Depot", "Saltmarsh", 16, date(1994, 9, 19)),
    ("Tannery Hill Garage", "Tannery Hill", 18, date(2006, 3, 1)),
    ("Northshore Depot", "Northshore", 12, date(2013, 11, 4)),
    ("Fennick Yard", "Fennick", 8, date(2021, 6, 14)),
    ("Harbour Yard", "Oldharbour", 6, date(1961, 4, 1)),
    ("Lantern Quay Boathouse", "Lantern Quay", 5, date(2009, 8, 10)),
]
SIZES = [12, 7, 9, 6, 4]  # how often a bus depot is drawn
MODELS = [
    ("Aurin C12", "Aurin Werke", "diesel", 38), ("Aurin C18", "Aurin Werke", "diesel", 52),
    ("Velto City E", "Velto", "electric", 34), ("Velto City H", "Velto", "hybrid", 36),
    ("Brandt M9", "Brandt & Sons", "diesel", 26), ("Brandt M9 Gas", "Brandt & Sons", "gas", 25),
    ("Norlev e-Metro", "Norlev", "electric", 45), ("Norlev Mini", "Norlev", "diesel", None),
    ("Skarholm 24", "Skarholm Yard", "diesel", 120),
    ("Skarholm 31", "Skarholm Yard", "hybrid", 210),
    ("Tidewell Cat 18", "Tidewell Marine", "electric", 86),
]
BUS_MODELS = {  # price, bought from this year to that one, weight
    "Aurin C12": (248000, 2008, 2015, 9), "Aurin C18": (341000, 2011, 2018, 6),
    "Velto City E": (489000, 2020, 2023, 6), "Velto City H": (362000, 2016, 2020, 5),
    "Brandt M9": (176000, 2009, 2014, 4), "Brandt M9 Gas": (192500, 2014, 2017, 4),
    "Norlev e-Metro": (545000, 2021, 2024, 4),
}
FERRY_PRICES = {"Skarholm 24": 1.35e6, "Skarholm 31": 2.9e6, "Tidewell Cat 18": 3.4e6}
FERRIES = [  # name, model, bought in, depot (0 Harbour Yard, 1 Boathouse), in service
    ("Grey Heron", "Skarholm 31", 2012, 0, True), ("Kittiwake", "Skarholm 24", 1998, 0, True),
    ("Storm Petrel", "Skarholm 24", 2001, 0, False),
    ("Sandpiper", "Tidewell Cat 18", 2022, 1, True),
    ("Black Tern", "Skarholm 31", 2015, 0, True),
    ("Oystercatcher", "Tidewell Cat 18", 2023, 1, True),
    ("Old Margaret", "Skarholm 24", 1989, 1, False), ("Dunlin", "Skarholm 31", 2017, 1, True),
]
STOPS = words("""
    Market Square/Kingsrow, Market Square/Cobble End, Customs House/Oldharbour,
    Rope Walk/Oldharbour, Fish Steps/Oldharbour, Mill Bridge/Millgate, Granary Lane/Millgate,
    Weir Street/Millgate, Millgate Hospital/Millgate, Saltmarsh Road/Saltmarsh,
    Heron Fields/Saltmarsh, Pump House/Saltmarsh, Kings Theatre/Kingsrow, City Library/Kingsrow,
    Central Station/Kingsrow, Court House/Kingsrow, Tannery Top/Tannery Hill,
    Bark Street/Tannery Hill, Leather Lane/Tannery Hill, Hillside School/Tannery Hill,
    University/Tannery Hill, Lantern Quay/Lantern Quay, Chandlers Row/Lantern Quay,
    Northshore Beach/Northshore, Dune Park/Northshore, Airfield/Northshore,
    Church Lane/Northshore, Church Lane/Saltmarsh, Cobble End Green/Cobble End,
    Potters Yard/Cobble End, Fennick Cross/Fennick, Fennick Retail Park/Fennick,
    Stadium/Fennick, Old Brewery/Millgate, Botanic Garden/Tannery Hill, Quarry Bend/Fennick""")
PIERS = words("""
    Customs House Pier/Oldharbour, Lantern Quay Pier/Lantern Quay, Northshore Pier/Northshore,
    Saltmarsh Jetty/Saltmarsh, Gull Island/Northshore, Cobble End Landing/Cobble End,
    Fishmarket Pier/Oldharbour""")
BUS_LINES = [  # code, depot, km, frequency, first day, number of stops, comment
    ("1", "Millgate Depot", 11.4, "every 8 min", date(1978, 5, 2), 8, None),
    ("2", "Millgate Depot", 9.7, "every 10 min", date(1982, 10, 4), 7, None),
    ("4", "Saltmarsh Depot", 14.2, "every 15 min", date(1995, 1, 9), 9, None),
    ("7", "Tannery Hill Garage", 7.9, "every 10 min", date(2006, 3, 6), 6, None),
    ("9", "Saltmarsh Depot", 16.8, "every 20 min", date(1999, 8, 30), 8, None),
    ("12", "Millgate Depot", 12.6, "every 12 min", date(1987, 4, 6), 8, None),
    ("12A", "Millgate Depot", 15.3, "every 30 min", date(2016, 9, 5), 9, "school days only"),
    ("15", "Tannery Hill Garage", 8.5, "every 15 min", date(2008, 2, 18), 6, None),
    ("18", "Northshore Depot", 19.1, "every 20 min", date(2013, 11, 11), 9, None),
    ("21", "Northshore Depot", 13.0, "every 30 min", date(2015, 3, 2), 6, None),
    ("30", "Fennick Yard", 22.4, None, date(2021, 6, 21), 7, "on demand after 20:00"),
    ("44X", "Fennick Yard", 27.5, "every 60 min", date(2022, 12, 12), 4, None),
    ("N1", "Millgate Depot", 17.7, "every 60 min", date(2010, 7, 3), 8, None),
    ("N3", "Tannery Hill Garage", 20.6, "every 60 min", date(2018, 5, 12), 7, None),
]
FERRY_LINES = [  # code, name, depot, km, frequency, first day, piers
    ("F1", "Harbour Crossing", "Harbour Yard", 3.2, "every 20 min", date(1961, 4, 1), [0, 1, 3]),
    ("F2", "Wrenhaven Shuttle", "Harbour Yard", 8.8, "every 45 min", date(1985, 6, 15), [0, 2, 5]),
    ("F3", "Island Loop", "Lantern Quay Boathouse", 6.4, "every 40 min", date(2009, 8, 15),
     [1, 4, 2, 3]),
    ("F5", "Lantern Cruise", "Lantern Quay Boathouse", None, "twice per evening",
     date(2023, 5, 27), [1, 0]),
]
FIRST = """
    Anna Tomas Ruth Milan Petra Omar Greta Jonas Leyla Viktor Ines Casper Dana Felix Nadia Hugo
    Elif Marek Sofia Piet Carla Emil Zeynep Otto Judit Rafael Mina Stefan Alva Kurt Irena
    Paulo""".split()
LAST = """
    Kolb Reiner Vasko Lindqvist Demir Hartog Brenner Osei Maric Feld Juhasz Santoro Weir Pohl
    Aydin Castell Nowak Eriksen Balog Thorne""".split()
LANGUAGES = words("Polish, Turkish, German, Spanish, Arabic, French")
WAGES = {
    "Bus driver": 19, "Ferry captain": 26, "Mechanic": 22, "Customer care agent": 17.5,
    "Depot manager": 33
}
SUPPLIERS = {
    "Brakeline Ltd": None, "Norlev Spares": None,
    "Harbour Chandlery": "small orders by phone only", "Kessel Auto Electric": None,
    "Marine Diesel Service": None, "Omnibus Glass": None, "Ferrum & Daughter": None,
    "Velto Original Parts": "contract under renegotiation"
}
PARTS = [  # name, price, pieces in stock, suppliers
    ("Brake pad set, front", 84.5, 46, [0, 6]), ("Brake pad set, rear", 79.9, 12, [0]),
    ("Brake disc", 142, 18, [0, 6]), ("Door motor", 318.75, 5, [3, 7]),
    ("Door sensor", 41.2, 33, [3]), ("Windscreen", 612, 3, [5]), ("Side window", 188.4, 7, [5]),
    ("Wing mirror", 96.3, 14, [5, 7]), ("Air filter", 23.6, 88, [0, 1, 6]),
    ("Oil filter", 14.9, 120, [0, 4]), ("Engine oil 20 l", 97, 41, [4]),
    ("Alternator", 455, 4, [3]), ("Starter battery", 210.5, 16, [3, 6]),
    ("Traction battery module", 3890, 2, [7, 1]), ("Coolant pump", 267.8, 6, [1]),
    ("Propeller shaft seal", 173, 8, [2, 4]), ("Propeller blade", 2140, 1, [2]),
    ("Bilge pump", 389, 3, [2, 4]), ("Anti-fouling paint 5 l", 154.6, 11, [2]),
    ("LED headlamp", 129, 22, [3]), ("Ticket validator", 740, 9, []), ("Seat cover", 38, 64, []),
    ("Wiper blade", 17.25, 53, [0, 5]), ("Navigation radar unit", 4275, None, [2]),
]
JOBS = {  # kind of work order: the parts it may need
    "brakes": [0, 1, 2], "engine": [8, 9, 10, 14], "doors": [3, 4],
    "bodywork": [5, 6, 7, 21, 22], "electrics": [11, 12, 13, 19, 20],
    "inspection": [9, 8, 22], "hull": [15, 16, 18, 17]
}
WRITTEN = {  # comments on complaints of a kind
    "delay": ["passenger waited 35 minutes in the rain", "asked for written apology"],
    "lost property": ["blue umbrella, wooden handle", "child car seat"]
}


# ---- The facts -------------------------------------------------------------------------------


class Company:
    """All things in the order of the file, with lists by class."""

    def __init__(self, seed):
        self.rnd, self.things, self.taken = random.Random(seed), [], set()

    def add(self, kind, id, label, comment=None, **values):
        """A new thing; its properties are `values`, of which some may be None."""
        name = label or values.get("ticket_id") or id
        thing = Thing(id=id, kind=kind, name=name, label=label, comment=comment,
                      properties=list(values), **values)
        self.things.append(thing)
        return thing

    def all(self, *kinds):
        return [x for x in self.things if x.kind in kinds]

    def one(self, name, *kinds):
        """The thing with this label, ticket or code."""
        (found,) = [
            x for x in self.things if (not kinds or x.kind in kinds)
            and name in (x.label, getattr(x, "ticket_id", None), getattr(x, "code", None))
        ]
        return found

    def jobs(self, title):
        return [x for x in self.all("Employee") if x.jobTitle == title]


def short(text):
    return md5(text.encode()).hexdigest()[:6]


def money(x):
    return Decimal(f"{x:.2f}")


def tenth(x):
    return None if x is None else Decimal(f"{x:.1f}")


def between(rnd, first, last):
    return first + timedelta(days=rnd.randrange((last - first).days + 1))


def in_hours(t, first, end):
    """The same day and minute, at an hour of these."""
    return t.replace(hour=first + (t.hour * 7 + t.minute) % (end - first))


def places(c):
    """Cities, districts, depots and stops."""
    rnd, association = c.rnd, "joined the transport association in 2011"
    cities = [c.add("City", "city_1", "Port Ellisk", population=214300),
              c.add("City", "city_2", "Wrenhaven", association, population=58900)]
    for at, (name, city, people) in enumerate(DISTRICTS, 1):
        c.add("District", f"dst{at:02}", name, partOf=cities[city == "Wrenhaven"],
              population=people)
    for at, (name, district, size, opened) in enumerate(DEPOTS, 1):
        c.add("Depot", f"dep_{at}", name, partOf=c.one(district, "District"), capacity=size,
              inOperationSince=opened, managedBy=None)
    c.one("Harbour Yard").comment = "slipway shared with the harbour police"
    c.bus_depots, c.ferry_depots = c.all("Depot")[:5], c.all("Depot")[5:]
    for name, maker, fuel, seats in MODELS:
        c.add("VehicleModel", f"mdl-{short(name)}", name, manufacturer=maker, fuelType=fuel,
              seatCount=seats)
    c.stops, c.piers = [], []
    for at, text in enumerate(STOPS):
        name, district = text.split("/")
        c.stops.append(
            c.add("Stop", f"s{2100 + at * 7}", name, partOf=c.one(district, "District"),
                  code=f"S{101 + at * 3}", hasShelter=None if at in (7, 26) else share(rnd, 0.6)))
    for at, text in enumerate(PIERS):
        name, district = text.split("/")
        c.piers.append(
            c.add("Stop", f"s{3000 + at * 3}", name, partOf=c.one(district, "District"),
                  code=f"P{at + 1:02}", hasShelter=share(rnd, 0.5)))
    c.one("Gull Island").comment = "no road access; tickets sold on board only"


def lines(c):
    def add(code, label, comment, mode, depot, km, often, night, since, served):
        c.add("Line", f"ln_{short(code)}", label, comment, code=code, mode=mode,
              length_km=tenth(km), frequency=often, nightService=night, inOperationSince=since,
              basedAt=c.one(depot), servesStop=served)

    for code, depot, km, often, since, number, comment in BUS_LINES:
        night = code.startswith("N")
        add(code, f"Night line {code}" if night else f"Line {code}", comment, "bus", depot, km,
            often, night, since, c.rnd.sample(c.stops[:-2], number))
    for code, name, depot, km, often, since, piers in FERRY_LINES:
        add(code, f"{code} {name}", None, "ferry", depot, km, often, code == "F5", since,
            [c.piers[at] for at in piers])
    c.lines = {"bus": c.all("Line")[:-4], "ferry": c.all("Line")[-4:]}


def buses(c):
    """38 buses; `home` is the depot even where the graph does not know it."""
    rnd, code = c.rnd, 1100
    for at in range(38):
        code += rnd.choice([1, 1, 1, 2, 3])
        model = rnd.choices(list(BUS_MODELS), [weight for *_, weight in BUS_MODELS.values()])[0]
        price, first, last, _ = BUS_MODELS[model]
        bought = between(rnd, date(first, 1, 15),
                         date(last, 3, 31) if last >= 2024 else date(last, 11, 30))
        depot = rnd.choices(c.bus_depots, SIZES)[0]
        km = int((2025.7 - bought.year) * rnd.uniform(31000, 47000))
        x = c.add("Bus", f"v{code}", f"Bus {code}", code=str(code), model=c.one(model),
                  basedAt=None if at == 17 else depot, purchasedOn=bought,
                  purchase_price=money(price * rnd.uniform(0.96, 1.05)),
                  mileage_km=None if at in (5, 22, 31) else km, inService=share(rnd, 0.87))
        x.home, x.mode = depot, "bus"
    c.all("Bus")[9].comment = 'advertising wrap "Ellisk Dairy" until end of contract'


def ferries(c):
    rnd = c.rnd
    for at, (name, model, bought, depot, in_service) in enumerate(FERRIES, 1):
        museum = name == "Old Margaret"
        bought = between(rnd, date(bought, 2, 1), date(bought, 5, 20))
        price = None if museum else money(FERRY_PRICES[model] * rnd.uniform(0.95, 1.08))
        x = c.add("Ferry", f"v9{at:02}", name, "museum ship, charter only" if museum else None,
                  code=f"FV-{at:02}", model=c.one(model), basedAt=c.ferry_depots[depot],
                  purchasedOn=bought, purchase_price=price, inService=in_service)
        x.home, x.mode = c.ferry_depots[depot], "ferry"
    c.fleet = {"bus": c.all("Bus"), "ferry": c.all("Ferry")}


def employee(c, job, depot, name=None):
    """Somebody with a name that nobody has yet, unless a name is given."""
    rnd = c.rnd
    while name is None:
        new = rnd.choice(FIRST) + " " + rnd.choice(LAST)
        name = None if new in c.taken else new
    c.taken.add(name)
    hired = between(rnd, date(2001, 2, 1), date(2023, 6, 30))
    tongues = [[], rnd.sample(LANGUAGES, 1), rnd.sample(LANGUAGES, 2)]
    tongues = rnd.choices(tongues, [5, 4, 2])[0]
    wage = None if rnd.random() <= 0.06 else money(WAGES[job] + round(rnd.uniform(0, 7), 2))
    return c.add("Employee", "p" + short(name + job), name, jobTitle=job, basedAt=depot,
                 hiredOn=hired, hourly_wage=wage, speaks=["English"] + tongues)


def staff(c):
    employee(c, "Bus driver", c.one("Millgate Depot"), "Anna Kolb")
    employee(c, "Mechanic", c.one("Harbour Yard"), "Anna Kolb")
    for _ in range(32):
        employee(c, "Bus driver", c.rnd.choices(c.bus_depots, SIZES)[0])
    for _ in range(9):
        employee(c, "Ferry captain", c.rnd.choice(c.ferry_depots))
    for at in (0, 0, 0, 1, 1, 2, 2, 3, 6):
        employee(c, "Mechanic", c.all("Depot")[at])
    for _ in range(5):
        employee(c, "Customer care agent", None)
    for depot in c.all("Depot"):
        if depot.name != "Fennick Yard":
            depot.managedBy = employee(c, "Depot manager", depot)


def assignments(c):
    """Who drives what on which line; three drivers never had an assignment."""
    rnd, drivers, at = c.rnd, c.jobs("Bus driver"), 0
    never = rnd.sample(drivers[1:], 3)
    for who in drivers + c.jobs("Ferry captain"):
        if who in never:
            continue
        mode = "bus" if who in drivers else "ferry"
        begin = between(rnd, date(2023, 7, 3), date(2024, 9, 1))
        for _ in range(rnd.choice([1, 2, 2, 3, 3, 4])):
            own = [x for x in c.lines[mode] if x.basedAt is who.basedAt]
            line = rnd.choice(c.lines[mode] if share(rnd, 0.15) else own)
            old = [x for x in c.fleet[mode] if x.purchasedOn < begin]
            vehicle = rnd.choice([x for x in old if x.home is line.basedAt] or old)
            end = begin + timedelta(days=rnd.randrange(25, 260))
            still, at = end > date(2025, 8, 31), at + 1
            c.add("Assignment", "asg-" + short(f"a{at}"), None,
                  "cover for sick leave" if share(rnd, 0.06) else None, driver=who,
                  vehicle=vehicle, onLine=line, validFrom=begin, validTo=None if still else end)
            if still:
                break
            begin = end + timedelta(days=rnd.choice([1, 1, 1, 3, 14]))


def store(c):
    """Suppliers and parts."""
    suppliers = [c.add("Supplier", f"sup/{70 + at * 3}", name, comment)
                 for at, (name, comment) in enumerate(SUPPLIERS.items())]
    for at, (name, price, stock, known) in enumerate(PARTS):
        c.add("Part", f"prt_{at + 1:03}", name, code=f"PN-{1204 + 37 * at}",
              unitPrice=money(price), stock_level=stock,
              suppliedBy=[suppliers[x] for x in known])


def work_orders(c):
    """Work orders in the order of time, each with the parts it used; four buses have none."""
    rnd, parts, used, t = c.rnd, c.all("Part"), 0, datetime(2024, 1, 8, 7, 10)
    spared = rnd.sample(c.fleet["bus"], 4)
    for at in range(92):
        t += timedelta(days=rnd.choice([2, 4, 6, 7, 8, 10]), minutes=rnd.randrange(0, 600) - 250)
        t = in_hours(t, 6, 18)
        in_use = [x for x in c.fleet["bus"] if x not in spared]
        vehicle = rnd.choice(in_use if share(rnd, 0.78) else c.fleet["ferry"])
        if vehicle.mode == "bus":
            kind = rnd.choices(list(JOBS)[:6], [5, 4, 3, 3, 4, 4])[0]
        else:
            kind = rnd.choice(["hull", "hull", "engine", "electrics", "inspection"])
        still_open = share(rnd, 0.04 if t < datetime(2025, 6, 1) else 0.35)
        hours = rnd.randrange(2, 60) * 0.5
        needed = rnd.sample(JOBS[kind], min(len(JOBS[kind]), rnd.choice([0, 1, 1, 2, 2, 3])))
        items = [(parts[x], rnd.choice([1, 1, 2, 2, 4])) for x in needed]
        cost = hours * 58 + sum(float(part.unitPrice) * n for part, n in items)
        who = rnd.sample(c.jobs("Mechanic"), rnd.choice([1, 1, 2]))
        order = c.add("WorkOrder", "wo-" + short(f"wo{at}"), None, order_comment(rnd),
                      ticket_id=f"WO-{t.year}-{at + 1:03}", vehicle=vehicle, category=kind,
                      openedAt=t, closedAt=None if still_open else order_closed(rnd, t, hours),
                      handledBy=who, labour_hours=None if still_open else tenth(hours),
                      total_cost=None if still_open else money(cost), status="closed")
        if still_open:
            order.status = rnd.choice(["open", "waiting for parts"])
        for part, n in items:
            used += 1
            c.add("PartUse", f"pu{41000 + used * 13}", None, workOrder=order, part=part,
                  quantity=n)


def order_comment(rnd):
    return rnd.choice([
        "vehicle back in the yard before the morning peak", "warranty claim sent", "repeat fault"
    ]) if share(rnd, 0.12) else None


def order_closed(rnd, t, hours):
    taken = timedelta(hours=hours + rnd.randrange(20, 190), minutes=rnd.randrange(60))
    return in_hours(t + taken, 7, 19)


def complaints(c):
    rnd, all_lines, t = c.rnd, c.all("Line"), datetime(2024, 3, 1, 8, 0)
    for at in range(112):
        t += timedelta(days=rnd.choice([0, 2, 3, 5, 7, 9]), minutes=rnd.randrange(0, 900) - 100)
        t = in_hours(t, 6, 23)
        line = rnd.choices(all_lines, [8, 5, 5, 4, 4, 7, 9, 3, 4, 0, 4, 3, 4, 2, 5, 5, 3, 0])[0]
        kind = rnd.choices(words("delay, driver behaviour, cleanliness, lost property, "
                                 "overcrowding, ticket refund"), [9, 4, 3, 4, 3, 4])[0]
        status = rnd.choices(["closed", "rejected", "open"],
                             [7, 2, 1 if t < datetime(2025, 5, 1) else 6])[0]
        paid = None
        if status == "closed" and kind in ("delay", "ticket refund", "driver behaviour"):
            if share(rnd, 0.75):
                paid = money(rnd.choice([3.2, 5, 6.4, 10, 12.5, 15, 20, 25, 40, 60]))
        agent = rnd.choices(c.jobs("Customer care agent"), [6, 5, 4, 3, 0])[0]
        c.add("Complaint", "cp-" + short(f"c{at}"), None, complaint_comment(rnd, kind),
              ticket_id=f"C-{4003 + at * 3}", openedAt=t,
              closedAt=None if status == "open" else in_hours(t + timedelta(
                  days=rnd.randrange(1, 40), minutes=rnd.randrange(60)), 8, 17),
              category=kind, onLine=line if share(rnd, 0.94) else None,
              vehicle=rnd.choice(c.fleet[line.mode]) if share(rnd, 0.35) else None,
              atStop=rnd.choice(line.servesStop) if share(rnd, 0.4) else None,
              handledBy=None if status == "open" and share(rnd, 0.5) else agent,
              compensation=paid, status=status)


def complaint_comment(rnd, kind):
    other = ["second letter from same household", "asked for written apology"]
    return rnd.choice(WRITTEN.get(kind, other)) if share(rnd, 0.15) else None


def incidents(c):
    rnd, t = c.rnd, datetime(2024, 1, 20, 8, 0)
    for at in range(46):
        t += timedelta(days=rnd.randrange(2, 24), minutes=rnd.randrange(0, 900) - 300)
        t = in_hours(t, 5, 24)
        vehicle = rnd.choice(c.fleet["bus"] + c.fleet["ferry"] * 2)
        line = rnd.choice([x for x in c.lines[vehicle.mode] if x.basedAt is vehicle.home])
        kind = rnd.choices(["breakdown", "collision", "passenger fall", "weather"],
                           [6, 3, 3, 2 if vehicle.mode == "bus" else 6])[0]
        comment = rnd.choice([
            "police informed", "ambulance called, slight injury", "replacement vehicle sent",
            "fog on the estuary"
        ]) if share(rnd, 0.2) else None
        c.add("Incident", "ev" + short(f"e{at}"), None, comment, ticket_id=f"INC-{301 + at}",
              occurredAt=t, category=kind, vehicle=vehicle, onLine=line,
              atStop=rnd.choice(line.servesStop) if share(rnd, 0.45) else None,
              delay_minutes=None if rnd.random() <= 0.1 else rnd.randrange(4, 150))


def ferry_facts():
    c = Company(20417)
    for part in (places, lines, buses, ferries, staff, assignments, store, work_orders,
                 complaints, incidents):
        part(c)
    return c


# ---- The file --------------------------------------------------------------------------------

DATA = "http://data.ellisk-transit.example/"
PREFIXES = {"ex": DATA + "id/", "et": DATA + "vocab#", "rdfs": RDFS, "xsd": XSD}
NOTES = [  # about classes and properties, at the head of the file
    ("et:WorkOrder", "rdfs:label", "Work order"),
    ("et:WorkOrder", "rdfs:comment", "job ticket of the maintenance shop"),
    ("et:PartUse", "rdfs:comment", "one row per part booked on a work order"),
    ("et:VehicleModel", "rdfs:label", "Vehicle model"),
    ("et:Assignment", "rdfs:comment",
     "who drives what on which line, from and to; no end date means still running"),
    ("et:purchase_price", "rdfs:comment", "EUR, without VAT"),
    ("et:total_cost", "rdfs:comment", "EUR, labour and parts"),
    ("et:hourly_wage", "rdfs:comment", "EUR per hour, gross"),
]


def term(x):
    if isinstance(x, Thing):
        return f"<{PREFIXES['ex']}{x.id}>" if "/" in x.id else f"ex:{x.id}"
    if isinstance(x, datetime):
        return f'"{x.isoformat()}"^^xsd:dateTime'
    kinds = {bool: truth, int: whole, Decimal: decimal, date: day, str: quoted}
    return kinds[type(x)](x)


def ferry_values(c):
    """(subject, property, [objects]) in the order of the file."""
    for x in c.things:
        yield term(x), "a", [f"et:{x.kind}"]
        for p in ("label", "comment"):
            if getattr(x, p):
                yield term(x), f"rdfs:{p}", [quoted(getattr(x, p))]
        for p in x.properties:
            found = getattr(x, p)
            found = found if isinstance(found, list) else [found]
            if found and found != [None]:
                yield term(x), f"et:{p}", [term(y) for y in found]


def ferry_triples(c):
    notes = [(s, p, quoted(text)) for s, p, text in NOTES]
    return notes + [(s, p, o) for s, p, objects in ferry_values(c) for o in objects]


def ferry_file(c):
    """The lines of the Turtle file: a head with one line for each note, then the things."""
    made = turtle(PREFIXES, [(s, p, " , ".join(o)) for s, p, o in ferry_values(c)])
    head = {}
    for s, p, text in NOTES:
        head[s] = head.get(s, s) + (" ;" if s in head else "") + f" {p} {quoted(text)}"
    head = [line + " ." for line in head.values()]
    size = len(PREFIXES)
    return made[:size] + ["", "# export from ETOPS, nightly job 7", ""] + head + made[size:]
