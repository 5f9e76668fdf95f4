"""Writes the invented graph `foundry`, with questions and gold answers.

It is the knowledge graph of a made-up manufacturer of valves and pumps, with many classes and
properties. Facts are made with a fixed seed, the graph file and the gold answers from the facts.
The file is read back and every answer is computed a second time by a query over its triples; the
script stops where the two differ.

    python3 make_foundry.py           write all files beside this script
    python3 make_foundry.py --check   write nothing, fail where a file differs
"""

import random
import re
import sys
from collections import Counter
from fractions import Fraction
from types import SimpleNamespace as Thing

sys.dont_write_bytecode = True
from make import finish, mean, means, percent, quoted, read_turtle, totals, write  # noqa: E402
from make import nth as best  # noqa: E402
from reread import Paths, tops  # noqa: E402
from writing import RDF, RDFS, XSD, Asked, any_day, day, decimal, if_any, later  # noqa: E402
from writing import only, rows_of, share, tally, ties, tree, truth, turtle  # noqa: E402
from writing import whole, words  # noqa: E402

# ---- The facts -------------------------------------------------------------------------------

GIVEN = words("""
    Amara, Bennet, Carlotta, Dmitri, Elske, Fabio, Greta, Hamid, Ilse, Jovan, Katya, Lionel,
    Meera, Niels, Oluwaseun, Petra, Quirin, Rosa, Stefan, Tamsin, Ugo, Vera, Wanda, Xavier, Yara,
    Zoltan, Agnes, Bartosz, Chidi, Daphne, Emre, Fiona, Gustav, Henrike, Ivan, Jasmin, Kenji,
    Leila, Marek, Nadia, Otto, Priya, Rafael, Saskia, Tomas, Ulrike, Viktor, Wim, Ximena, Yannick,
    Zeynep, Anton, Beatriz, Clemens, Dorota, Edgar, Farida, Gwen, Hugo, Ines, Jonas, Karin, Luca,
    Mirjam, Noah, Olga""")
FAMILY = words("""
    Okafor, Lindqvist, Brandt, Moreau, Castellani, Novak, Petrov, Hussain, Vandenberg, Kowalczyk,
    Tanaka, Oyelaran, Fischbach, Marchetti, Dubois, Sandoval, Eriksen, Grabowski, Halvorsen, Iyer,
    Jansen, Kaplan, Lombardi, Mbeki, Nakagawa, Osterberg, Pacheco, Quist, Rasmussen, Schreiber,
    Tervo, Ullmann, Varga, Weidmann, Xenakis, Yildiz, Zapata, Achterberg, Bosch, Calloway, Duarte,
    Engstrom, Farkas, Goncalves, Hofstetter, Ibarra, Jankowski, Keller, Lefevre, Montague, Nwosu,
    Orlov, Pfister, Quintana, Reinholt, Sorensen, Thackeray, Uribe, Visser, Wachowski, Yamada,
    Zellweger, Abernathy, Bellini, Cermak, Danso, Espinoza, Freitag, Gallagher, Haddad, Ivanova,
    Jokinen, Krishnan, Lazar, Mancini, Nyberg, Odell, Pilgrim, Rousseau, Szabo, Trautmann, Umarov,
    Vlahos, Winterbourne, Yusuf, Zimmer, Amsel, Birkeland, Corrigan, Demir, Ehlers, Falk,
    Grimaldi, Hoekstra, Isaksen, Juhasz, Kranz, Lachance, Mwangi, Nardini, Opitz, Pereira, Rybak,
    Stavros, Tiwari, Underhill, Velasco, Wexler, Adeyemi, Bergmann, Chandra, Dvorak, Fontaine,
    Gerstner, Hartog, Imhof, Jimenez, Kessler, Lundgren, Mazur, Nilsson, Oduya, Pashkov, Roth,
    Steiner, Tolvanen, Vidal, Wojcik, Aalto, Bianchi, Cardoso, Diallo, Eklund, Fuchs, Gruber,
    Holm, Ilic, Jaeger, Kovac, Larsen, Meyer, Nagy, Olsen, Popescu, Reuter, Simic, Toth, Urban,
    Vogel, Weiss, Zhou, Ashdown, Bramley, Coulter, Dorn, Easton, Fenwick, Garrick, Hollis, Inglis,
    Jessop, Kirkby, Lockhart, Merrow, Northcott, Oakes, Penrose, Quayle, Ridley, Selwyn, Tranter,
    Upton, Vane, Whitlock, Yardley""")
DEPARTMENTS = tree("""
    Operations: Production Planning, Machining, Final Assembly, Plant Maintenance, Paint Shop;
    Engineering: Hydraulic Design, Electronics, Test Laboratory, Tooling, Simulation;
    Commercial: Inside Sales, Field Sales, Marketing, Product Management, Customer Care;
    Finance: Accounting, Controlling, Treasury;
    People and Culture: Recruiting, Payroll, Apprentice School;
    Quality: Incoming Inspection, Certification Office, Complaints;
    Supply Chain: Purchasing, Inbound Logistics, Shipping, Customs;
    Information Technology: Service Desk, Infrastructure, Business Applications""")
NO_BUDGET = ("Treasury", "Paint Shop")
JOBS = {
    "Operations": words("Machine Operator, Shift Lead, Planner, Maintenance Technician"),
    "Engineering": words("Design Engineer, Test Engineer, Senior Engineer, Draughtsman"),
    "Commercial": words("Account Manager, Sales Assistant, Campaign Specialist, Area Manager"),
    "Finance": words("Accountant, Controller, Clerk"),
    "People and Culture": words("Recruiter, Payroll Specialist, Instructor"),
    "Quality": words("Inspector, Auditor, Quality Engineer"),
    "Supply Chain": words("Buyer, Strategic Buyer, Dispatcher, Customs Agent"),
    "Information Technology": words("System Administrator, Developer, Support Agent"),
}
SITES = {  # name: (class, city, country)
    "Northgate Works": ("Plant", "Kassel", "Germany"),
    "Lakeside Works": ("Plant", "Como", "Italy"),
    "Millbrook Works": ("Plant", "Derby", "United Kingdom"),
    "Sokol Works": ("Plant", "Brno", "Czechia"), "Riverside Works": ("Plant", "Lyon", "France"),
    "Hilltop Works": ("Plant", "Kassel", "Germany"),
    "Depot East": ("Warehouse", "Poznan", "Poland"),
    "Depot West": ("Warehouse", "Ghent", "Belgium"),
    "Depot South": ("Warehouse", "Verona", "Italy"),
    "Depot North": ("Warehouse", "Aarhus", "Denmark"),
    "Head Office": ("Site", "Hanover", "Germany"),
    "Training Centre": ("Site", "Hanover", "Germany"),
}
CATEGORIES = tree("""
    Valves: Ball Valves, Gate Valves, Check Valves, Control Valves;
    Control Valves: Globe Control Valves, Butterfly Control Valves;
    Pumps: Centrifugal Pumps, Diaphragm Pumps, Dosing Pumps;
    Sensors: Pressure Sensors, Flow Sensors, Level Sensors, Temperature Sensors;
    Actuators: Electric Actuators, Pneumatic Actuators;
    Fittings: Couplings, Flanges, Hose Adapters;
    Filters: Strainers, Cartridge Filters;
    Services: Maintenance Plans, Calibration, Training Courses, Remote Monitoring""")
SERVICE_NAMES = {
    "Maintenance Plans": "Maintenance Plan", "Calibration": "Calibration Visit",
    "Training Courses": "Training Course", "Remote Monitoring": "Monitoring Package",
}
PART_NAMES = words("""
    Hex Screw, O-Ring, Gasket, Spindle, Housing, Bearing, Impeller, Circuit Board, Spring, Seal
    Kit, Diaphragm, Cable Gland, Shaft, Retaining Ring, Piston, Valve Seat""")
MATERIALS = words(
    "stainless steel, brass, nitrile rubber, bronze, polypropylene, cast iron, copper, ceramic")
EXPERTISE = words("""
    cavitation, food and beverage, drinking water, chemical dosing, explosion protection, district
    heating, shipbuilding, mining, wireless sensing, cryogenics, corrosion, semiconductor plants,
    pulp and paper, hydrogen, predictive maintenance, noise reduction, pharmaceutical plants,
    irrigation""")
SUPPLIER_HEADS = words("""
    Alpenguss, Baltic Bearing, Cormorant, Delvaux, Eisenhardt, Fjordmetall, Garonne, Hinterland,
    Istra, Juniper, Kestrel, Lowland, Moravia, Nordlys, Oderwerk, Pannonia, Quarz, Rialto,
    Silverbeck, Tatra, Umbria, Vistula, Wessex, Zugspitz, Ardent, Brevik, Calder, Dovre, Elbtal,
    Fenland, Gotthard, Hexham, Iberica, Jutland, Karst, Loire, Meridian, Neckar, Orkney, Pomerol,
    Rhenus, Savoy, Tiber, Ursa, Varde, Waal, Yarrow, Zephyr, Borealis, Cobalt, Drava, Etna, Firth,
    Granit, Helvetic, Inn Valley""")
SUPPLIER_TAILS = words(
    "Castings, Seals, Metalworks, Electronics, Fasteners, Polymers, Springs, Foundries")
PLACES = {
    "Germany": words("Kassel, Hanover, Essen, Ulm"), "Italy": words("Como, Verona, Turin"),
    "Poland": words("Poznan, Gdansk, Lodz"), "France": words("Lyon, Nantes, Lille"),
    "Austria": words("Graz, Linz"), "Czechia": words("Brno, Ostrava"),
    "Sweden": words("Malmo, Uppsala"), "Netherlands": words("Breda, Zwolle"),
    "Spain": words("Bilbao, Murcia"), "Switzerland": words("Winterthur, Chur"),
    "Portugal": words("Porto, Braga"),
}
STREETS = words("""
    Mill Lane, Harbour Road, Industrial Way, Station Street, Canal Street, Forge Road, Quarry
    Lane, Weaver Street, Bridge Road, Old Tannery, Chapel Hill, Foundry Park""")
CUSTOMER_HEADS = words("""
    Brightwater, Copperfield, Drumlin, Evergreen, Fairhaven, Goldcrest, Harrowgate, Ironbridge,
    Juno, Kingfisher, Larkspur, Mariner, Northwind, Oakhurst, Pinewood, Queensway, Redstone,
    Saltmarsh, Thornbury, Umberton, Valemont, Westmark, Yellowtail, Zenobia, Ambergate,
    Blackthorn, Clearbrook, Dunmore, Eastlake, Foxglove, Greyfriars, Highcliff, Ivybridge, Kelso,
    Longmeadow, Millstone, Newhaven, Oldcastle, Parkgate, Ravensworth""")
CUSTOMER_TAILS = words(
    "Breweries, Utilities, Chemicals, Dairies, Shipyards, Paper Mills, Heating, Mining")
WARRANTIES = {"Basic Cover": 12, "Standard Cover": 24, "Extended Cover": 36, "Premium Cover": 60,
              "Marine Cover": 18, "Lifetime Cover": None}
STANDARDS = words("HFS 210, HFS 305, HFS 411, TQ 14, TQ 22, MarineSafe B")


def foundry_people(w, rnd):
    """Employees, with their departments, heads and superiors."""
    w.departments, w.employees = [], []
    for top, below in DEPARTMENTS:
        for name in [top, *below]:
            w.departments.append(
                Thing(
                    name=name, above=None if name == top else top, top=top,
                    code=f"CC-{rnd.randint(1000, 9899)}",
                    budget=None if name in NO_BUDGET else rnd.randint(14, 420) * 10000))
    size = [3 if d.above is None else 11 + hash_free(d.name) % 13 for d in w.departments]
    size[[d.name for d in w.departments].index("Product Management")] = 31
    used = set()
    for at in range(420):
        dept = w.departments[at] if at < len(w.departments) else rnd.choices(w.departments, size)[0]
        given, family = rnd.choice(GIVEN), rnd.choice(FAMILY[42:])
        while (given, family) in used:
            given, family = rnd.choice(GIVEN), rnd.choice(FAMILY[42:])
        if at % 10 == 3:
            family = FAMILY[at // 10]  # these 42 family names occur once
        used.add((given, family))
        w.employees.append(foundry_person(rnd, dept, given, family))
    for d in w.departments:
        staff = [x for x in w.employees if x.department == d.name]
        d.head = None if d.name == "Customs" else rnd.choice(staff)
    heads = {d.name: d.head.name for d in w.departments if d.head}
    for x in w.employees:
        dept = next(d for d in w.departments if d.name == x.department)
        boss = heads.get(x.department)
        if boss == x.name:
            x.job = "Head of Department"
            boss = heads.get(dept.above)
        x.boss = boss


def hash_free(text):
    """A small fixed number for a text."""
    return sum(ord(c) * (i + 3) for i, c in enumerate(text))


def foundry_person(rnd, dept, given, family):
    manager = dept.name == "Product Management"
    mail = f"{given}.{family}@haldane.example".lower()
    return Thing(
        name=f"{given} {family}", given=given, family=family, department=dept.name, manager=manager,
        job="Product Manager" if manager else rnd.choice(JOBS[dept.top]),
        labelled=share(rnd, 0.5), mail=None if share(rnd, 0.05) else mail,
        phone=None if share(rnd, 0.12)
        else f"+49 511 {rnd.randint(20, 99)} {rnd.randint(1000, 9999)}",
        hired=None if share(rnd, 0.05) else any_day(rnd, 1996, 2024),
        site=None if share(rnd, 0.05) else rnd.choice(list(SITES)),
        skills=sorted(rnd.sample(EXPERTISE[:-1], rnd.randint(1, 3))) if manager else [])


def foundry_partners(w, rnd):
    """Suppliers, customers and sites."""
    def place():
        country = rnd.choice(list(PLACES))
        return country, rnd.choice(PLACES[country])

    w.sites = [Thing(name=n, kind=k, city=c, country=l, opened=any_day(rnd, 1951, 2012),
                     floor=None if n == "Hilltop Works" else rnd.randint(9, 480) * 100)
               for n, (k, c, l) in SITES.items()]
    w.suppliers, w.customers = [], []
    for head in SUPPLIER_HEADS:
        country, city = place()
        w.suppliers.append(Thing(
            name=f"{head} {rnd.choice(SUPPLIER_TAILS)}", country=country, city=city,
            street=None if share(rnd, 0.08) else f"{rnd.choice(STREETS)} {rnd.randint(1, 140)}",
            phone=None if share(rnd, 0.1) else f"+{rnd.randint(30, 49)} {rnd.randint(200, 999)} "
            f"{rnd.randint(10000, 99999)}",
            mail=None if share(rnd, 0.1) else f"sales@{head.lower().replace(' ', '')}.example",
            rating=None if share(rnd, 0.08) else f"{rnd.randint(21, 50) / 10:.1f}"))
    for head in CUSTOMER_HEADS:
        country, city = place()
        w.customers.append(
            Thing(
                name=f"{head} {rnd.choice(CUSTOMER_TAILS)}", country=country, city=city,
                phone=None if share(rnd, 0.2) else f"+{rnd.randint(30, 49)} "
                f"{rnd.randint(200, 999)} {rnd.randint(10000, 99999)}"))


def foundry_products(w, rnd):
    """Hardware and services with prices, and the parts."""
    above = {c: top for top, below in CATEGORIES for c in below}
    w.categories = sorted({c for top, below in CATEGORIES for c in [top, *below]})
    w.above = {c: above.get(c) for c in w.categories}
    leaves = [c for c in w.categories if c not in dict(CATEGORIES)]
    hard = [c for c in leaves if above[c] != "Services"]
    pms = [x.name for x in w.employees if x.manager]
    codes = iter(rnd.sample(range(1000, 9999), 900))
    plants = [n for n, (k, *_) in SITES.items() if k == "Plant"]
    w.products, w.parts = [], []
    for _ in range(320):
        c = rnd.choice(hard)
        letters = "".join(rnd.choice("ABCDEFGHJKLMNPRSTVWXZ") for _ in range(2))
        w.products.append(
            Thing(
                name=f"{c[:-1]} {letters}-{next(codes)}", kind="Hardware", category=c,
                manager=None if share(rnd, 0.05) else rnd.choice(pms[:-1]),
                weight=None if share(rnd, 0.06) else rnd.choice(
                    [rnd.randint(9, 190) * 10, rnd.randint(19, 640) * 100]),
                width=None if share(rnd, 0.06) else rnd.randint(18, 720),
                height=None if share(rnd, 0.06) else rnd.randint(18, 990),
                launched=None if share(rnd, 0.05) else any_day(rnd, 2001, 2024),
                ended=share(rnd, 0.15), plant=rnd.choice(plants[:-1]),
                warranty=None if share(rnd, 0.08) else rnd.choice(list(WARRANTIES)),
                article=f"{rnd.randint(100, 999)}.{rnd.randint(10000, 99999)}", fits=[], covers=[],
                minutes=None))
    for at in range(44):
        c = rnd.choice(list(SERVICE_NAMES))
        w.products.append(
            Thing(name=f"{SERVICE_NAMES[c]} SV-{next(codes)}", kind="Service", category=c,
                  manager=rnd.choice(pms[:-1]), weight=None, width=None, height=None,
                  launched=None if share(rnd, 0.05) else any_day(rnd, 2008, 2024),
                  ended=share(rnd, 0.1), plant=None, warranty=None,
                  article=f"SRV.{rnd.randint(10000, 99999)}", fits=[],
                  covers=sorted(x.name for x in rnd.sample(w.products[:320], rnd.randint(1, 4))),
                  minutes=None if share(rnd, 0.1) else rnd.randint(3, 40) * 15))
    hardware = [x for x in w.products if x.kind == "Hardware"]
    for x in w.products:
        if x.kind == "Hardware" and share(rnd, 0.4):
            for y in rnd.sample(hardware, rnd.randint(1, 3)):
                if y is not x and y.name not in x.fits:
                    x.fits.append(y.name)
                    y.fits.append(x.name)
        x.prices = foundry_prices(rnd, x)
    makers = [x.name for x in w.suppliers[:-4]]
    for _ in range(210):
        w.parts.append(
            Thing(
                name=f"{rnd.choice(PART_NAMES)} PT-{next(codes)}",
                weight=None if share(rnd, 0.08) else rnd.randint(2, 2400),
                material=None if share(rnd, 0.06) else rnd.choice(MATERIALS),
                days=None if share(rnd, 0.08) else rnd.randint(2, 95),
                by=[] if share(rnd, 0.04) else sorted(
                    rnd.sample(makers, rnd.choice([1, 1, 1, 2, 3])))))


def foundry_prices(rnd, x):
    """One price, or for some hardware an earlier one too. A few things have none."""
    if share(rnd, 0.04):
        return []
    money = rnd.choice(["EUR"] * 7 + ["USD", "CHF"])
    amount = rnd.randint(900, 98000) * 5
    start = any_day(rnd, 2022, 2024)
    prices = [Thing(amount=f"{amount / 100:.2f}", money=money, start=start)]
    if x.kind == "Hardware" and share(rnd, 0.2):
        before = round(amount * rnd.uniform(0.8, 0.97) / 5) * 5
        prices.insert(
            0,
            Thing(amount=f"{before / 100:.2f}", money=money,
                  start=later(start, -rnd.randint(300, 900))))
    return prices


def foundry_papers(w, rnd):
    """Bills of material, contracts, certificates and orders."""
    hardware = [x for x in w.products if x.kind == "Hardware"]
    w.bills = []
    for x in rnd.sample(hardware, 150):
        parts = rnd.sample(w.parts[:-12], rnd.randint(2, 6))
        w.bills.append(Thing(product=x.name, lines=[(p.name, rnd.randint(1, 16)) for p in parts]))
    w.contracts = []
    people = [
        x.name for x in w.employees if x.department in ("Purchasing", "Field Sales", "Controlling")
    ]
    parties = [x.name for x in w.suppliers + w.customers]
    for at in range(90):
        signed = any_day(rnd, 2014, 2024)
        w.contracts.append(
            Thing(name=f"Contract C-{signed[:4]}-{at + 101}", party=rnd.choice(parties),
                  signed=signed, by=rnd.choice(people),
                  ends=None if share(rnd, 0.15) else later(signed, 365 * rnd.randint(1, 6)),
                  value=None if share(rnd, 0.1) else rnd.randint(4, 900) * 1000))
    w.certificates = [
        Thing(name=f"Certificate Q-{at + 301}", standard=rnd.choice(STANDARDS),
              product=rnd.choice(hardware).name, issued=any_day(rnd, 2015, 2024))
        for at in range(45)
    ]
    w.orders = []
    for at in range(280):
        on = any_day(rnd, 2021, 2024)
        w.orders.append(Thing(
            name=f"Order {40100 + at * 3}", customer=rnd.choice(w.customers[:-3]).name, on=on,
            product=rnd.choice(w.products[:-6]).name, units=rnd.randint(1, 60),
            done=None if share(rnd, 0.12) else later(on, rnd.randint(2, 70))))


def foundry_facts():
    rnd = random.Random(60411)
    w = Thing()
    foundry_people(w, rnd)
    foundry_partners(w, rnd)
    foundry_products(w, rnd)
    foundry_papers(w, rnd)
    return w


FOUNDRY_CLASSES = {  # class: (the class above, label or None, comment or None)
    "Agent": (None, "agent", "A person or an organisation."),
    "Employee": ("Agent", "employee", None),
    "ProductManager": ("Employee", "product manager", "An employee who looks after products."),
    "Organisation": ("Agent", "organisation", None),
    "Supplier": ("Organisation", "supplier", None), "Customer": ("Organisation", "customer", None),
    "Product": (None, "product", "Anything that we sell, hardware or service."),
    "Hardware": ("Product", "hardware", None), "Service": ("Product", "service", None),
    "Part": (None, "part", "A bought-in item that goes into hardware."),
    "ProductCategory": (None, "product category", None), "Department": (None, "department", None),
    "BillOfMaterials": (None, "bill of materials", "Says which parts one piece of hardware needs."),
    "BomLine": (None, None, None), "Price": (None, None, "A list price from a date on."),
    "Document": (None, "document", None), "Contract": ("Document", "contract", None),
    "Warranty": ("Document", "warranty", None), "Certificate": ("Document", "certificate", None),
    "Site": (None, "site", None), "Plant": ("Site", "plant", None),
    "Warehouse": ("Site", "warehouse", None), "ExpertiseArea": (None, "area of expertise", None),
    "SalesOrder": (None, "sales order", None),
}
FOUNDRY_PROPERTIES = {  # property: its label or None
    "givenName": "given name", "familyName": "family name", "email": "e-mail", "phone": None,
    "memberOf": "member of", "jobTitle": None, "hiredOn": None, "reportsTo": "reports to",
    "basedAt": None, "hasExpertise": "has area of expertise", "hasHead": "has head",
    "subDepartmentOf": None, "costCenter": None, "annualBudget_eur": None,
    "articleNumber": "article number", "inCategory": "in category", "managedBy": "managed by",
    "weight_g": "weight (g)", "width_mm": "width (mm)", "height_mm": "height (mm)",
    "compatibleWith": "compatible with", "launchedOn": None, "isDiscontinued": None,
    "madeAt": None, "hasWarranty": "has warranty", "hasPrice": "has price", "coversProduct": None,
    "visitDuration_min": None, "broaderCategory": None, "amount": None, "currency": None,
    "validFrom": "valid from", "bomFor": None, "hasLine": None, "linePart": None,
    "quantity": "quantity", "material": None, "suppliedBy": "supplied by", "leadTime_days": None,
    "country": "country", "city": "city", "street": None, "rating": None, "openedOn": None,
    "floorArea_m2": None, "contractParty": None, "signedOn": None, "expiresOn": None,
    "contractValue_eur": None, "signedBy": "signed by", "duration_months": None,
    "certifiedProduct": None, "issuedOn": None, "standard": None, "orderedBy": "ordered by",
    "orderedProduct": None, "orderDate": None, "deliveredOn": None,
}
FOUNDRY_PREFIXES = {"fd": "https://haldane.example/id/", "fv": "https://haldane.example/vocab/",
                    "rdf": RDF, "rdfs": RDFS, "xsd": XSD}


class Foundry:
    """Collects the triples of the foundry graph. Things have opaque IRIs, except categories."""

    def __init__(self):
        self.out, self.iri, self.rnd, self.used, self.size = [], {}, random.Random(311), set(), 0

    def fresh(self):
        code = "".join(self.rnd.choice("0123456789abcdef") for _ in range(7))
        while code in self.used:
            code = "".join(self.rnd.choice("0123456789abcdef") for _ in range(7))
        self.used.add(code)
        self.size += 1
        return f"fd:r{code}"

    def name(self, things, form=None):
        """Give each thing an IRI before anything points to it."""
        for x in things:
            assert x.name not in self.iri, x.name
            self.iri[x.name] = form(x) if form else self.fresh()
            self.size += bool(form)

    def add(self, s, kind, label, **values):
        """The type, the label and the properties of one thing; what is None is left out."""
        self.out.append((s, "a", f"fv:{kind}"))
        if label:
            self.out.append((s, "rdfs:label", quoted(label)))
        for p, o in values.items():
            assert p in FOUNDRY_PROPERTIES, p
            for one in o if isinstance(o, list) else [o]:
                if one is not None:
                    self.out.append((s, f"fv:{p}", one))

    def to(self, name):
        return None if name is None else self.iri[name]


def foundry_schema(f):
    for name, (above, label, comment) in FOUNDRY_CLASSES.items():
        f.out.append((f"fv:{name}", "a", "rdfs:Class"))
        if label:
            f.out.append((f"fv:{name}", "rdfs:label", quoted(label)))
        if comment:
            f.out.append((f"fv:{name}", "rdfs:comment", quoted(comment)))
        if above:
            f.out.append((f"fv:{name}", "rdfs:subClassOf", f"fv:{above}"))
    for name, label in FOUNDRY_PROPERTIES.items():
        f.out.append((f"fv:{name}", "a", "rdf:Property"))
        if label:
            f.out.append((f"fv:{name}", "rdfs:label", quoted(label)))


def foundry_say_people(f, w):
    for x in w.employees:
        f.add(f.to(x.name), "ProductManager" if x.manager else "Employee",
              x.name if x.labelled else None, givenName=quoted(x.given),
              familyName=quoted(x.family), email=if_any(quoted, x.mail),
              phone=if_any(quoted, x.phone), memberOf=f.to(x.department), jobTitle=quoted(x.job),
              hiredOn=if_any(day, x.hired), reportsTo=f.to(x.boss), basedAt=f.to(x.site),
              hasExpertise=[f.to(n) for n in x.skills])
    for x in w.departments:
        f.add(f.to(x.name), "Department", x.name, hasHead=f.to(x.head and x.head.name),
              subDepartmentOf=f.to(x.above), costCenter=quoted(x.code),
              annualBudget_eur=if_any(whole, x.budget))
    for n in EXPERTISE:
        f.add(f.to(n), "ExpertiseArea", n)


def foundry_say_partners(f, w):
    for x in w.sites:
        f.add(f.to(x.name), x.kind, x.name, city=quoted(x.city), country=quoted(x.country),
              openedOn=day(x.opened), floorArea_m2=if_any(whole, x.floor))
    for x in w.suppliers:
        f.add(f.to(x.name), "Supplier", x.name, country=quoted(x.country), city=quoted(x.city),
              street=if_any(quoted, x.street), phone=if_any(quoted, x.phone),
              email=if_any(quoted, x.mail), rating=if_any(decimal, x.rating))
    for x in w.customers:
        f.add(f.to(x.name), "Customer", x.name, country=quoted(x.country), city=quoted(x.city),
              phone=if_any(quoted, x.phone))


def foundry_say_products(f, w):
    for n in w.categories:
        f.add(f.to(n), "ProductCategory", n, broaderCategory=f.to(w.above[n]))
    for n, months in WARRANTIES.items():
        f.add(f.to(n), "Warranty", n, duration_months=if_any(whole, months))
    for x in w.products:
        prices = [f.fresh() for _ in x.prices]
        f.add(f.to(x.name), x.kind, x.name, articleNumber=quoted(x.article),
              inCategory=f.to(x.category), managedBy=f.to(x.manager),
              weight_g=if_any(whole, x.weight), width_mm=if_any(whole, x.width),
              height_mm=if_any(whole, x.height), compatibleWith=[f.to(n) for n in x.fits],
              launchedOn=if_any(day, x.launched), isDiscontinued=truth(x.ended),
              madeAt=f.to(x.plant),
              hasWarranty=f.to(x.warranty), coversProduct=[f.to(n) for n in x.covers],
              visitDuration_min=if_any(whole, x.minutes), hasPrice=prices)
        for s, price in zip(prices, x.prices):
            f.add(s, "Price", None, amount=decimal(price.amount), currency=quoted(price.money),
                  validFrom=day(price.start))
    for x in w.parts:
        f.add(f.to(x.name), "Part", x.name, weight_g=if_any(whole, x.weight),
              material=if_any(quoted, x.material), leadTime_days=if_any(whole, x.days),
              suppliedBy=[f.to(n) for n in x.by])


def foundry_say_papers(f, w):
    for x in w.bills:
        lines = [f.fresh() for _ in x.lines]
        f.add(f.fresh(), "BillOfMaterials", None, bomFor=f.to(x.product), hasLine=lines)
        for s, (part, number) in zip(lines, x.lines):
            f.add(s, "BomLine", None, linePart=f.to(part), quantity=whole(number))
    for x in w.contracts:
        f.add(f.to(x.name), "Contract", x.name, contractParty=f.to(x.party), signedOn=day(x.signed),
              signedBy=f.to(x.by), expiresOn=if_any(day, x.ends),
              contractValue_eur=if_any(whole, x.value))
    for x in w.certificates:
        f.add(f.to(x.name), "Certificate", x.name, certifiedProduct=f.to(x.product),
              standard=quoted(x.standard), issuedOn=day(x.issued))
    for x in w.orders:
        f.add(f.to(x.name), "SalesOrder", x.name, orderedBy=f.to(x.customer),
              orderedProduct=f.to(x.product), quantity=whole(x.units), orderDate=day(x.on),
              deliveredOn=if_any(day, x.done))


def foundry_triples(w):
    f = Foundry()
    foundry_schema(f)
    only_names = [Thing(name=n) for n in [*EXPERTISE, *WARRANTIES]]
    for things in (w.employees, w.departments, w.sites, w.suppliers, w.customers, w.products,
                   w.parts, w.contracts, w.certificates, w.orders, only_names):
        f.name(things)
    f.name([Thing(name=n) for n in w.categories], lambda x: f"fd:cat-{x.name.replace(' ', '')}")
    for say in (foundry_say_people, foundry_say_partners, foundry_say_products, foundry_say_papers):
        say(f, w)
    return f.out, f.size


# ---- The questions ---------------------------------------------------------------------------


CODE = re.compile(r"^(?:Contract|Certificate|Order|[A-Z].*) "
                  r"((?:[A-Z]{1,2}-)?\d{4,}(?:-\d+)?|Q-\d+)$")


class Named(Asked):
    """Questions that accept other names too. `people` is {full name: (given, family name)}."""

    def __init__(self, name, triples, graph, people):
        super().__init__(name, triples, graph)
        self.people = people

    def ask(self, kind, question, found, again):
        cells = {x for row in rows_of(found) for x in row if isinstance(x, str)}
        self.also = {cell: self.other_names(cell, cells) for cell in cells}
        super().ask(kind, question, found, again)

    def other_names(self, cell, cells):
        """Other ways to write a person, and the code alone of what has a code in its name."""
        if cell in self.people:
            given, family = self.people[cell]
            others = [self.people[x] for x in cells if x in self.people and x != cell]
            forms = [f"{family}, {given}"]
            forms += [family] * all(family != x[1] for x in others)
            return forms + [given] * all(given != x[0] for x in others)
        code = CODE.search(cell)
        return [code.group(1)] if code else []


def percent_true(rows):
    return percent(sum(v for _, v in rows), len(rows))


def above_mean(rows):
    middle = mean(v for _, v in rows)
    return {x for x, v in rows if v > middle}


class Facts:
    """The facts of the foundry by name, by family name and by code."""

    def __init__(self, w):
        self.w = w
        self.dept = {x.name: x for x in w.departments}
        self.staff = {x.name: x for x in w.employees}
        self.org = {x.name: x for x in w.suppliers + w.customers}
        self.site = {x.name: x for x in w.sites}
        self.contract = {x.name: x for x in w.contracts}
        self.order = {x.name: x for x in w.orders}
        self.item = {x.name.split()[-1]: x for x in w.products + w.parts}
        self.parts = {b.product: b.lines for b in w.bills}
        self.hardware = [x for x in w.products if x.kind == "Hardware"]

    def person(self, family):
        return only(x for x in self.w.employees if x.family == family)

    def bill(self, code):
        return self.parts[self.item[code].name]

    def under(self, category):
        """The products in a category or below it."""
        inside = {category} | {c for c, up in self.w.above.items() if up == category}
        inside |= {c for c, up in self.w.above.items() if up in inside}
        return [x for x in self.w.products if x.category in inside]

    def of(self, category):
        return [x for x in self.w.products if x.category == category]


def foundry_lookups(ask, f):
    """Single facts, often by a code or a part of a name."""
    w, item = f.w, f.item
    ask("lookup", "What's Ms. Engstrom's phone number?", f.person("Engstrom").phone,
        "?x | ?p familyName 'Engstrom', ?p phone ?x")
    ask("lookup", "email of thackeray (shipping) pls", f.person("Thackeray").mail,
        "?x | ?p familyName 'Thackeray', ?p memberOf <Shipping>, ?p email ?x")
    ask("lookup", "Which product has the article number 608.49943?",
        only(x.name for x in w.products if x.article == "608.49943"),
        "?x | ?x articleNumber '608.49943'")
    ask("lookup", "cost centre CC-6534, which department is that?",
        only(x.name for x in w.departments if x.code == "CC-6534"), "?x | ?x costCenter 'CC-6534'")
    ask("lookup", "Somebody called me from +49 511 98 6005. Whose number is that?",
        only(x.name for x in w.employees if x.phone == "+49 511 98 6005"),
        "?x | ?x phone '+49 511 98 6005', ?x a Employee")
    ask("one_hop", "article no. for the coupling MX-9966?", item["MX-9966"].article,
        "?x | <Coupling MX-9966> articleNumber ?x")
    ask("one_hop", "How many days do we have to wait for the retaining ring PT-2058?",
        item["PT-2058"].days, "?x | <Retaining Ring PT-2058> leadTime_days ?x")
    ask("one_hop", "who's in charge of payroll", f.dept["Payroll"].head.name,
        "?x | <Payroll> hasHead ?x")
    ask("one_hop", "What does Emre Moreau do here, I mean what's his job?",
        f.staff["Emre Moreau"].job,
        "?x | ?p givenName 'Emre', ?p familyName 'Moreau', ?p jobTitle ?x")
    ask("one_hop", "When did Otto Bosch start with us?", f.staff["Otto Bosch"].hired,
        "?x | ?p givenName 'Otto', ?p familyName 'Bosch', ?p hiredOn ?x")
    ask("one_hop", "Who is the product manager of the KV-1291?", item["KV-1291"].manager,
        "?x | <Ball Valve KV-1291> managedBy ?x")
    ask("one_hop", "Could you tell me which of our sites Hamid Brandt works at?",
        f.staff["Hamid Brandt"].site,
        "?x | ?p givenName 'Hamid', ?p familyName 'Brandt', ?p basedAt ?x")
    ask("one_hop", "order 40118: delivery date?", f.order["Order 40118"].done,
        "?x | <Order 40118> deliveredOn ?x")
    ask("two_hop", "What does the JK-1433 cost, in euros?",
        only(Fraction(p.amount) for p in item["JK-1433"].prices if p.money == "EUR"),
        "?x | <Pneumatic Actuator JK-1433> hasPrice ?n, ?n amount ?x, ?n currency 'EUR'")


def foundry_reverse(ask, f):
    """Lists from the other end of a property."""
    w = f.w
    ask("reverse", "Which parts do we get from Wessex Foundries?",
        {x.name for x in w.parts if "Wessex Foundries" in x.by},
        "?x | ?x suppliedBy <Wessex Foundries>")
    ask("reverse", "Who are Jovan Jessop's direct reports?",
        {x.name for x in w.employees if x.boss == "Jovan Jessop"},
        "?x | ?x reportsTo ?p, ?p givenName 'Jovan', ?p familyName 'Jessop'")
    ask("reverse", "what fits together with the VF-6250?", set(f.item["VF-6250"].fits),
        "?x | ?x compatibleWith <Pressure Sensor VF-6250>")
    ask("reverse", "contracts with Neckar Fasteners",
        {x.name for x in w.contracts if x.party == "Neckar Fasteners"},
        "?x | ?x contractParty <Neckar Fasteners>")
    ask(
        "reverse",
        "I have a customer asking about cavitation. Which product managers know about it?",
        {x.name for x in w.employees if "cavitation" in x.skills},
        "?x | ?x hasExpertise <cavitation>",
    )
    ask("two_hop", "Which products have a MarineSafe B certificate?",
        {x.product for x in w.certificates if x.standard == "MarineSafe B"},
        "?x | ?c standard 'MarineSafe B', ?c certifiedProduct ?x")


def foundry_joins(ask, f):
    """Questions over two or more properties."""
    w, item = f.w, f.item
    ask("two_hop", "I need the phone number of whoever runs Purchasing, please.",
        f.dept["Purchasing"].head.phone, "?x | <Purchasing> hasHead ?p, ?p phone ?x")
    ask("two_hop", "in which city is the CD-7174 made", f.site[item["CD-7174"].plant].city,
        "?x | <Gate Valve CD-7174> madeAt ?s, ?s city ?x")
    ask("two_hop", "For how many months is the RF-7754 under warranty?",
        WARRANTIES[item["RF-7754"].warranty],
        "?x | <Diaphragm Pump RF-7754> hasWarranty ?c, ?c duration_months ?x")
    ask("two_hop", "What is the manager of the MX-9966 an expert in?",
        set(f.staff[item["MX-9966"].manager].skills),
        "?x | <Coupling MX-9966> managedBy ?p, ?p hasExpertise ?x")
    ask(
        "two_hop",
        "Who is the boss of Hugo Lazar's boss?",
        f.staff[f.staff["Hugo Lazar"].boss].boss,
        "?x | ?p givenName 'Hugo', ?p familyName 'Lazar', ?p reportsTo ?b, ?b reportsTo ?x",
    )
    ask("two_hop", "which department is the person from who signed C-2022-109",
        f.staff[f.contract["Contract C-2022-109"].by].department,
        "?x | <Contract C-2022-109> signedBy ?p, ?p memberOf ?x")
    ask("three_hop", "Which products is the seal kit PT-4786 built into?",
        {b.product for b in w.bills if "PT-4786" in str(b.lines)},
        "?x | ?l linePart <Seal Kit PT-4786>, ?b hasLine ?l, ?b bomFor ?x")
    ask("three_hop", "Whose parts, i.e. from which suppliers, go into the HR-9851?",
        {s for n, _ in f.bill("HR-9851") for s in item[n.split()[-1]].by},
        "?x | ?b bomFor <Electric Actuator HR-9851>, ?b hasLine ?l, ?l linePart ?p, "
        "?p suppliedBy ?x")
    ask(
        "three_hop",
        "Who manages the products that Kelso Dairies has ordered?",
        {item[o.product.split()[-1]].manager for o in w.orders if o.customer == "Kelso Dairies"}
        - {None},
        "?x | ?o orderedBy <Kelso Dairies>, ?o orderedProduct ?p, ?p managedBy ?x",
    )
    ask("two_hop", "in which countries are the suppliers that sell us bronze parts?",
        {f.org[s].country for x in w.parts if x.material == "bronze" for s in x.by},
        "?x | ?p material 'bronze', ?p suppliedBy ?s, ?s country ?x")


def foundry_counts(ask, f):
    w = f.w
    ask("count", "How many people work in Customs?",
        sum(x.department == "Customs" for x in w.employees),
        lambda g: len(g("?x | ?x memberOf <Customs>")))
    ask(
        "count",
        "How many valves are there in our range? I mean all kinds of valves, taken together.",
        len(f.under("Valves")),
        lambda g: len(g("?x | ?x inCategory ?c, ?c broaderCategory* <Valves>")),
    )
    ask("count", "How many of our services are still on offer, i.e. not discontinued?",
        sum(x.kind == "Service" and not x.ended for x in w.products),
        lambda g: sum(not e for _, e in g("?x ?e | ?x a Service, ?x isDiscontinued ?e")))
    ask("count", "how many orders came in in 2023?", sum(x.on[:4] == "2023" for x in w.orders),
        lambda g: sum("2023" <= d < "2024" for _, d in g("?x ?d | ?x orderDate ?d")))
    ask("count", "how many products is Wim Falk responsible for",
        sum(x.manager == "Wim Falk" for x in w.products),
        lambda g: len(g("?x | ?x managedBy ?p, ?p givenName 'Wim', ?p familyName 'Falk'")))


def foundry_groups(ask, f):
    w = f.w
    ask("group", "Suppliers per country", tally([[x.country] for x in w.suppliers]),
        lambda g: tally(g("?s ?c | ?s a Supplier, ?s country ?c")))
    ask("group", "How many services do we have in each category?",
        tally([[x.category] for x in w.products if x.kind == "Service"]),
        lambda g: tally(g("?x ?c | ?x a Service, ?x inCategory ?c")))
    ask("group", "What's the average lead time of our parts for each material?",
        means((x.material, x.days) for x in w.parts if x.material and x.days),
        lambda g: means((m, d) for _, m, d in
                        g("?x ?m ?d | ?x a Part, ?x material ?m, ?x leadTime_days ?d")))
    ask("group", "headcount for each of the sub-departments of Operations",
        tally([[x.department] for x in w.employees if f.dept[x.department].above == "Operations"]),
        lambda g: tally(g("?x ?d | ?d subDepartmentOf <Operations>, ?x memberOf ?d")))
    ask(
        "group",
        "Total value of the contracts signed, year by year (2020 and later)",
        totals((int(x.signed[:4]), x.value) for x in w.contracts if x.value and x.signed >= "2020"),
        lambda g: totals(
            (int(d[:4]), v)
            for _, d, v in g("?x ?d ?v | ?x signedOn ?d, ?x contractValue_eur ?v")
            if int(d[:4]) > 2019
        ),
    )


def foundry_numbers(ask, f):
    w = f.w
    ask("average", "Average weight of our dosing pumps, in grams?",
        mean(x.weight for x in f.of("Dosing Pumps") if x.weight),
        lambda g: mean(v for _, v in g("?x ?v | ?x inCategory <Dosing Pumps>, ?x weight_g ?v")))
    ask("average", "what's the mean rating of the portuguese suppliers",
        mean(Fraction(x.rating) for x in w.suppliers if x.country == "Portugal" and x.rating),
        lambda g: mean(v for _, v in
                       g("?x ?v | ?x a Supplier, ?x country 'Portugal', ?x rating ?v")))
    ask("average", "On average, how many minutes does a calibration visit take?",
        mean(x.minutes for x in f.of("Calibration") if x.minutes),
        lambda g: mean(v for _, v in
                       g("?x ?v | ?x inCategory <Calibration>, ?x visitDuration_min ?v")))
    ask("sum", "What are the contracts signed by Saskia Jansen worth altogether?",
        sum(x.value for x in w.contracts if x.by == "Saskia Jansen" and x.value),
        lambda g: sum(v for _, v in g("?x ?v | ?x signedBy ?p, ?p givenName 'Saskia', "
                                      "?p familyName 'Jansen', ?x contractValue_eur ?v")))
    ask(
        "sum",
        "If I add up the yearly budgets of the sub-departments of Engineering, what do I get?",
        sum(x.budget for x in w.departments if x.above == "Engineering"),
        lambda g: sum(
            v for _, v in g("?d ?v | ?d subDepartmentOf <Engineering>, ?d annualBudget_eur ?v")
        ),
    )
    ask("percent", "What percentage of our hardware has been discontinued?",
        percent(sum(x.ended for x in f.hardware), len(f.hardware)),
        lambda g: percent_true(g("?x ?e | ?x a Hardware, ?x isDiscontinued ?e")))


def foundry_best(ask, f):
    w = f.w
    ask("superlative", "what's the lightest thing we sell?",
        best({x.name: x.weight for x in w.products if x.weight}, high=False),
        lambda g: best(g("?x ?v | ?x a Product, ?x weight_g ?v"), high=False))
    ask("superlative", "biggest contract we ever signed?",
        best({x.name: x.value for x in w.contracts if x.value}),
        lambda g: best(g("?x ?v | ?x contractValue_eur ?v")))
    ask("superlative", "Which product manager has the most products to look after?",
        best(Counter(x.manager for x in w.products if x.manager)),
        lambda g: best(tally(g("?x ?p | ?x managedBy ?p"))))
    ask(
        "superlative",
        "Which part appears in the most bills of material? If there's a draw, list all.",
        ties(Counter(n for b in w.bills for n, _ in b.lines)),
        lambda g: ties(tally(g("?b ?p | ?b hasLine ?l, ?l linePart ?p"))),
    )
    ask(
        "top_k",
        "top 3 customers by number of units ordered",
        tops(totals((x.customer, x.units) for x in w.orders), 3),
        lambda g: tops(
            totals((c, n) for _, c, n in g("?o ?c ?n | ?o orderedBy ?c, ?o quantity ?n")), 3
        ),
    )
    ask("top_k", "The three tallest ball valves, please",
        tops({x.name: x.height for x in f.of("Ball Valves") if x.height}, 3),
        lambda g: tops(g("?x ?v | ?x inCategory <Ball Valves>, ?x height_mm ?v"), 3))


def foundry_sets(ask, f):
    """Without, at least, both, and filters."""
    w = f.w
    ask("negation", "Which parts have no supplier?", {x.name for x in w.parts if not x.by},
        lambda g: g("?x | ?x a Part") - g("?x | ?x suppliedBy ?s"))
    ask("negation", "customers who have never ordered anything",
        {x.name for x in w.customers} - {x.customer for x in w.orders},
        lambda g: g("?x | ?x a Customer") - g("?x | ?o orderedBy ?x"))
    ask("at_least", "Which suppliers deliver at least nine different parts?",
        {s for s, n in Counter(s for x in w.parts for s in x.by).items() if n >= 9},
        lambda g: {s for s, n in tally(g("?p ?s | ?p suppliedBy ?s")).items() if n > 8})
    ask("at_least", "customers with more than ten orders",
        {c for c, n in Counter(x.customer for x in w.orders).items() if n > 10},
        lambda g: {c for c, n in tally(g("?o ?c | ?o orderedBy ?c")).items() if n >= 11})
    ask("both", "Do we have a product manager who knows about hydrogen as well as corrosion? Who?",
        {x.name for x in w.employees if {"hydrogen", "corrosion"} <= set(x.skills)},
        "?x | ?x hasExpertise <hydrogen>, ?x hasExpertise <corrosion>")
    ask("filter", "centrifugal pumps heavier than 20 kg",
        {x.name for x in f.of("Centrifugal Pumps") if x.weight and x.weight > 20000},
        lambda g: {x for x, v in g("?x ?v | ?x inCategory <Centrifugal Pumps>, ?x weight_g ?v")
                   if v > 20000})
    ask("filter", "Which level sensors are less than 10 cm wide?",
        {x.name for x in f.of("Level Sensors") if x.width and x.width < 100},
        lambda g: {x for x, v in g("?x ?v | ?x inCategory <Level Sensors>, ?x width_mm ?v")
                   if v < 100})
    ask(
        "filter",
        "I'm looking for gate valves that are made at Lakeside Works and haven't been "
        "discontinued. Which ones are there?",
        {x.name for x in f.of("Gate Valves") if x.plant == "Lakeside Works" and not x.ended},
        lambda g: {
            x
            for x, e in g(
                "?x ?e | ?x inCategory <Gate Valves>, ?x madeAt <Lakeside Works>, "
                "?x isDiscontinued ?e"
            )
            if not e
        },
    )


def foundry_dates(ask, f):
    w = f.w
    ask("date_range", "Which contracts run out in 2025?",
        {x.name for x in w.contracts if x.ends and x.ends[:4] == "2025"},
        lambda g: {x for x, d in g("?x ?d | ?x expiresOn ?d") if "2025-01-01" <= d <= "2025-12-31"})
    ask("date_range", "who joined the company in 2023",
        {x.name for x in w.employees if x.hired and x.hired[:4] == "2023"},
        lambda g: {x for x, d in g("?x ?d | ?x hiredOn ?d") if "2023" <= d < "2024"})
    ask("negation", "which of the orders placed in 2024 haven't been delivered yet?",
        {x.name for x in w.orders if x.on[:4] == "2024" and not x.done},
        lambda g: {x for x, d in g("?x ?d | ?x orderDate ?d") if "2024" <= d < "2025"}
        - g("?x | ?x deliveredOn ?d"))


def foundry_nested(ask, f):
    w, item = f.w, f.item
    rated = {x.name: Fraction(x.rating) for x in w.suppliers if x.rating}
    pumps = {x.name: x.weight for x in f.of("Dosing Pumps") if x.weight}
    quality = Counter(x.department for x in w.employees if f.dept[x.department].above == "Quality")
    ask("nested", "Who heads the sub-department of Quality that has the most people?",
        f.dept[best(quality)].head.name,
        lambda g: dict(g("?d ?p | ?d hasHead ?p"))[
            best(tally(g("?x ?d | ?d subDepartmentOf <Quality>, ?x memberOf ?d")))])
    ask("nested", "dosing pumps that weigh more than the average dosing pump",
        {n for n, v in pumps.items() if v > mean(pumps.values())},
        lambda g: above_mean(g("?x ?v | ?x inCategory <Dosing Pumps>, ?x weight_g ?v")))
    ask("nested", "E-mail address of the supplier with the worst rating?",
        f.org[best(rated, high=False)].mail,
        lambda g: dict(g("?s ?m | ?s email ?m, ?s a Supplier"))[
            best(g("?s ?v | ?s rating ?v, ?s a Supplier"), high=False)])
    ask("compare", "Which suppliers are rated better than Dovre Foundries?",
        {n for n, v in rated.items() if v > rated["Dovre Foundries"]},
        lambda g: {x for x, v in g("?x ?v | ?x rating ?v")
                   if v > only(g("?v | <Dovre Foundries> rating ?v"))})
    ask("compare", "which one is wider, the RF-7754 or the VF-6250?",
        max(item["RF-7754"], item["VF-6250"], key=lambda x: x.width).name,
        lambda g: best({n: only(g(f"?v | <{n}> width_mm ?v")) for n in
                        ("Diaphragm Pump RF-7754", "Pressure Sensor VF-6250")}))
    ask("difference", "By how many grams is the KV-1291 heavier than the TT-5383?",
        item["KV-1291"].weight - item["TT-5383"].weight,
        lambda g: only(g("?v | <Ball Valve KV-1291> weight_g ?v"))
        - only(g("?v | <Globe Control Valve TT-5383> weight_g ?v")))


def foundry_prices_asked(ask, f):
    """Questions about price nodes, of which some products have an older one too."""
    item = f.item
    ask("nested", "What's the current price of the TT-5383, in Swiss francs?",
        Fraction(max(item["TT-5383"].prices, key=lambda p: p.start).amount),
        lambda g: best((v, d) for v, d in g("?v ?d | <Globe Control Valve TT-5383> hasPrice ?n, "
                                            "?n amount ?v, ?n validFrom ?d, ?n currency 'CHF'")))
    ask("superlative", "since when has the latest price of the NN-8888 been valid",
        max(p.start for p in item["NN-8888"].prices),
        lambda g: max(g("?d | <Butterfly Control Valve NN-8888> hasPrice ?n, ?n validFrom ?d")))
    courses = {x.name: p for x in f.of("Training Courses") for p in x.prices}
    ask("filter", "Training courses that cost more than 2000 euros?",
        {n for n, p in courses.items() if p.money == "EUR" and Fraction(p.amount) > 2000},
        lambda g: {x for x, v in g("?x ?v | ?x inCategory <Training Courses>, ?x hasPrice ?n, "
                                   "?n amount ?v, ?n currency 'EUR'") if v > 2000})


def foundry_yes_no(ask, f):
    item = f.item
    ask("yes_no", "Is the CD-7174 heavier than the MX-9966?",
        item["CD-7174"].weight > item["MX-9966"].weight,
        lambda g: only(g("?v | <Gate Valve CD-7174> weight_g ?v"))
        > only(g("?v | <Coupling MX-9966> weight_g ?v")))
    ask("yes_no", "does the HN-7002 go with the ZP-3542?",
        item["HN-7002"].name in item["ZP-3542"].fits,
        lambda g: bool(g("?x | ?x compatibleWith <Ball Valve ZP-3542>") & {"Ball Valve HN-7002"}))
    ask("yes_no", "Is Millstone Heating a German customer?",
        f.org["Millstone Heating"].country == "Germany",
        lambda g: g("?c | <Millstone Heating> country ?c") == {"Germany"})


def foundry_tables(ask, f):
    """Lists with two columns."""
    w = f.w
    ask("two_columns", "Names and e-mail addresses of everybody in Treasury",
        {(x.name, x.mail) for x in w.employees if x.department == "Treasury"},
        "?p ?m | ?p memberOf <Treasury>, ?p email ?m")
    ask("two_columns", "Please list the sub-departments of Information Technology together with "
        "their heads.",
        {(x.name, x.head.name) for x in w.departments if x.above == "Information Technology"},
        "?d ?p | ?d subDepartmentOf <Information Technology>, ?d hasHead ?p")
    ask("two_columns", "suppliers in Sweden with their phone numbers",
        {(x.name, x.phone) for x in w.suppliers if x.country == "Sweden"},
        "?s ?v | ?s a Supplier, ?s country 'Sweden', ?s phone ?v")
    ask("two_columns", "Which parts go into the XV-2734, and how many of each?",
        set(f.bill("XV-2734")),
        "?p ?n | ?b bomFor <Ball Valve XV-2734>, ?b hasLine ?l, ?l linePart ?p, ?l quantity ?n")
    ask("two_columns", "Street and city of Savoy Castings?",
        {(f.org["Savoy Castings"].street, f.org["Savoy Castings"].city)},
        "?s ?c | <Savoy Castings> street ?s, <Savoy Castings> city ?c")


def foundry_refusals(q, f):
    cannot = q.cannot
    cannot("missing_value", "What's Jasmin Lindqvist's phone number?")
    cannot("missing_value", "How large is the floor area of Hilltop Works?")
    cannot("missing_value", "Who is the head of Customs?")
    cannot("missing_value", "what does the XD-4701 cost?")
    cannot("unknown_property", "How much does Otto Bosch earn?")
    cannot("unknown_property", "What colour is the gate valve CD-7174?")
    cannot("unknown_property", "How many PT-2058 retaining rings are in stock right now?")
    cannot("unknown_property", "Who is the managing director of Savoy Castings?")
    cannot("unknown_entity", "weight of the ball valve QQ-0017?")
    cannot("unknown_entity", "What is Mr. Ferrante's e-mail address?")
    cannot("unknown_entity", "Which contracts do we have with Blauwal Chemicals?")
    cannot("wrong_kind", "How wide is the maintenance plan SV-6711?")
    cannot("wrong_kind", "Which department does Wessex Foundries work in?")
    cannot("false_premise", "Which parts does our customer Kelso Dairies supply?")
    cannot("false_premise", "On which day was the order 40127 delivered?")
    assert f.staff["Jasmin Lindqvist"].phone is None and f.site["Hilltop Works"].floor is None
    assert f.dept["Customs"].head is None and not f.item["XD-4701"].prices
    assert f.staff["Otto Bosch"] and f.item["SV-6711"].kind == "Service"
    assert f.order["Order 40127"].done is None and "QQ-0017" not in f.item
    assert not any(x.family == "Ferrante" for x in f.w.employees)
    assert "Customer" in q.graph.of("Kelso Dairies")
    assert not any("Blauwal" in n for n in f.org) and "Supplier" in q.graph.of("Wessex Foundries")


def foundry():
    w = foundry_facts()
    triples, size = foundry_triples(w)
    assert 2500 <= size <= 3000, size
    text = write("foundry/graph.ttl", turtle(FOUNDRY_PREFIXES, triples))
    people = {x.name: (x.given, x.family) for x in w.employees}
    q = Named("foundry", triples, Paths(read_turtle(text)), people)
    f = Facts(w)
    for part in (foundry_lookups, foundry_reverse, foundry_joins, foundry_counts, foundry_groups,
                 foundry_numbers, foundry_best, foundry_sets, foundry_dates, foundry_nested,
                 foundry_prices_asked, foundry_yes_no, foundry_tables):
        part(q.ask, f)
    foundry_refusals(q, f)
    print(f"foundry: {size} entities")
    return q


def main():
    foundry().done(80, 15)
    finish()


if __name__ == "__main__":
    main()
