#!/usr/bin/env python3
"""Follow-ups with what was said before them, written by somebody who saw neither engine nor answers.

usage: make.py [--desk FOLDER --out FOLDER] [--check]

Writes clinic.jsonl and kitchen.jsonl beside itself; with --desk those over restaurants, academic and advising, whose graphs
are in FOLDER/NAME/graph.ttl, into --out instead: these graphs are no part of this repository. Every gold answer and every
value of an earlier answer is computed from the graph; the questions are written by hand. --check: says whether the files
are what this script writes. Python's standard library only.
"""
import argparse, collections, datetime, json, os, pathlib, re, sys

HERE = pathlib.Path(__file__).resolve().parent
arguments = argparse.ArgumentParser()
arguments.add_argument('--desk', type=pathlib.Path)
arguments.add_argument('--out', type=pathlib.Path, default=HERE)
arguments.add_argument('--check', action='store_true')
ARGS = arguments.parse_args()
OUT = ARGS.out
DESK = ['restaurants', 'academic', 'advising']
GRAPHS = HERE.parent / 'graphs'
SRC = {name: ARGS.desk / name / 'graph.ttl' for name in DESK} if ARGS.desk else {
    'clinic': GRAPHS / 'clinic/graph.ttl',
    'kitchen': GRAPHS / 'kitchen/graph.nt',
}

TOK = re.compile(r'\s+|#[^\n]*|(<[^>]*>)|("(?:[^"\\]|\\.)*")|(\^\^)|(@prefix)|(@[A-Za-z-]+)'
                 r'|([+-]?\d+(?:\.\d+)?(?![\w:]))|([\w-]*:[\w-]*|\ba\b|true|false)|([;,.])')

class G:
    def __init__(s, path):
        text = open(path, encoding='utf-8').read()
        toks, i = [], 0
        while i < len(text):
            m = TOK.match(text, i)
            assert m, text[i:i+60]
            if m.lastindex: toks.append((m.lastindex, m.group(m.lastindex)))
            i = m.end()
        pre, i = {}, 0
        s.t = collections.defaultdict(list)   # (subject, predicate local name) -> objects
        s.inv = collections.defaultdict(list)  # (predicate, object) -> subjects
        def term(i):
            k, v = toks[i]
            if k == 1: return v[1:-1], i+1
            if k == 2:
                v = json.loads(v)
                if i+1 < len(toks) and toks[i+1][0] == 3:
                    ty, j = term(i+2); ty = local(ty)
                    if ty == 'integer': return int(v), j
                    if ty == 'decimal': return float(v), j
                    return v, j
                return v, i+1
            if k == 6: return (float(v) if '.' in v else int(v)), i+1
            if k == 7:
                if v == 'a': return 'rdf#type', i+1
                if v in ('true', 'false'): return v == 'true', i+1
                p, l = v.split(':', 1); return pre[p] + l, i+1
            raise ValueError(toks[i-3:i+3])
        while i < len(toks):
            if toks[i][0] == 4:
                pre[toks[i+1][1][:-1]] = toks[i+2][1][1:-1]
                assert toks[i+3][1] == '.'; i += 4; continue
            sub, i = term(i)
            while True:
                p, i = term(i)
                while True:
                    o, i = term(i)
                    if o not in s.t[sub, local(p)] or isinstance(o, bool):
                        s.t[sub, local(p)].append(o); s.inv[local(p), o].append(sub)
                    if toks[i][1] == ',': i += 1; continue
                    break
                if toks[i][1] == ';':
                    i += 1
                    if toks[i][1] == '.': break
                    continue
                break
            assert toks[i][1] == '.', toks[i-5:i+3]; i += 1
    def vals(s, x, p): return list(s.t.get((x, p), []))
    def val(s, x, p):
        v = s.t.get((x, p), []); assert len(v) == 1, (x, p, v); return v[0]
    def label(s, x):
        for p in ('label', 'name'):
            if s.t.get((x, p)): return s.t[x, p][0]
        return local(x).replace('_', ' ')
    def things(s, cls):
        return sorted({x for (x, p), os_ in s.t.items() if p == 'type' for o in os_ if local(o) == cls}, key=natural)
    def named(s, name, cls=None):
        c = {x for (x, p), os_ in s.t.items() if p in ('label', 'name') and name in os_ and (cls is None or x in s.things(cls))}
        assert len(c) == 1, (name, c); return c.pop()
    def who(s, p, o): return sorted(set(s.inv.get((p, o), [])), key=natural)

def local(x): return re.split(r'[/#]', x)[-1] if isinstance(x, str) else x
def natural(x): return [int(c) if c.isdigit() else c for c in re.split(r'(\d+)', x)]
def num(v): return str(int(v)) if isinstance(v, (int, float)) and not isinstance(v, bool) and v == int(v) else str(v)
def show(v): return ('yes' if v else 'no') if isinstance(v, bool) else num(v)
def lst(v):
    v = [show(x) for x in v]
    return v[0] if len(v) == 1 else ', '.join(v[:-1]) + ' and ' + v[-1]
def best(xs, key, high=True):
    """The one with the highest (lowest) key; a tie is an error."""
    o = sorted(xs, key=key, reverse=high); assert len(o) == 1 or key(o[0]) != key(o[1]), o; return o[0]

def forms(v):
    if isinstance(v, bool): return ['yes', 'true', '1'] if v else ['no', 'false', '0']
    s = num(v); out = [s]
    if isinstance(v, (int, float)):
        if v == int(v) and not 1900 < v < 2100: out.append('%d.0' % v)
        elif v == int(v): pass
        elif len(s.split('.')[1]) > 2: out += ['%.2f' % v, '%.1f' % v]
    elif re.fullmatch(r'\d{4}-\d\d-\d\d', s):
        d = datetime.date.fromisoformat(s)
        out += ['%d %s %d' % (d.day, d.strftime('%B'), d.year), '%s %d, %d' % (d.strftime('%B'), d.day, d.year)]
    elif re.fullmatch(r'\d+(\.\d+)?', s) and '.' not in s: out.append(s + '.0')
    elif s.startswith('Dr. '): out.append(s[4:])
    elif s.startswith('The ') and CUR == 'restaurants': out.append(s[4:])
    return out

ITEMS = collections.defaultdict(list); CUR = None
def add(kind, turns, question, gold=None, extra=None):
    """turns: (question, answer text) pairs; gold: list of values, or None for unanswerable."""
    it = {'id': '%s-f%d' % (CUR, len(ITEMS[CUR]) + 1), 'turns': []}
    for q, a in turns:
        it['turns'] += [{'speaker': 'person', 'text': q}, {'speaker': 'answer', 'text': show(a)}]
    it['question'] = question
    if gold is None:
        it.update(answers=[], aliases=[], unanswerable=True)
    else:
        assert gold and len(set(map(str, gold))) == len(gold), gold
        if all(isinstance(x, str) for x in gold): gold = sorted(gold)
        it['answers'] = [show(v) for v in gold]
        it['aliases'] = [forms(v) + [e % num(v) for e in (extra or [])] for v in gold]
    it['kind'] = kind
    ITEMS[CUR].append(it)

def all_(xs): xs = list(xs); assert xs; return all(xs)

# ------------------------------------------------------------------ restaurants

def restaurants(g):
    L = g.label
    R = g.things('Restaurant'); r = lambda n: g.named(n, 'Restaurant'); city = lambda n: g.named(n, 'Geographic')
    incity = lambda n: [L(x) for x in R if city(n) in g.vals(x, 'city-name')]
    food = lambda f: [x for x in R if f in g.vals(x, 'food-type')]
    rating = lambda x: g.val(x, 'rating')
    def street(x):
        loc = [l for l in g.things('Location') if g.val(l, 'restaurant-id') == g.val(x, 'id')]
        assert len(loc) == 1; return g.val(loc[0], 'street-name')
    add('other_thing', [('What is the rating of The Pasta House?', rating(r('The Pasta House')))],
        'and The Sushi Bar?', [rating(r('The Sushi Bar'))])
    add('other_thing', [('How many restaurants are there in Los Angeles?', len(incity('Los Angeles'))),
        ('Which restaurants are in New York?', lst(incity('New York')))],
        'what about San Francisco?', incity('San Francisco'))
    add('other_thing', [('Which region is Miami in?', g.val(city('Miami'), 'region') + '.')],
        'Chicago?', [g.val(city('Chicago'), 'region')])
    vegan = food('Vegan'); assert len(vegan) == 1
    add('pronoun', [('Which restaurant serves vegan food?', L(vegan[0]))],
        'which city is it in?', [L(g.val(vegan[0], 'city-name'))])
    add('pronoun', [('What food does The Steakhouse serve?', g.val(r('The Steakhouse'), 'food-type'))],
        'and how is it rated', [rating(r('The Steakhouse'))])
    top = best(R, rating)
    add('possessive', [('Which restaurant has the highest rating?', '%s, with a rating of %s.' % (L(top), rating(top)))],
        "what's its street name?", [street(top)])
    am = food('American')
    add('several', [('Which restaurants serve American food?', lst(map(L, am)))],
        'which of them has the best rating?', [L(best(am, rating))])
    sf = [x for x in R if L(x) in incity('San Francisco')]
    add('place', [('Which restaurants are there in San Francisco?', lst(map(L, sf)))],
        'what kind of food does the second one serve?', [g.val(sf[1], 'food-type')])
    add('new_attribute', [('What kind of food does The Ramen Shop serve?', g.val(r('The Ramen Shop'), 'food-type'))],
        'and the rating?', [rating(r('The Ramen Shop'))])
    bj = g.val(r('The Burger Joint'), 'city-name')
    add('that_kind', [('Which city is The Burger Joint in?', 'The Burger Joint is in %s.' % L(bj))],
        'which region is that city in?', [g.val(bj, 'region')])
    add('alone', [('What is the rating of The BBQ Joint?', rating(r('The BBQ Joint')))],
        'How many restaurants are there in Miami?', [len([x for x in R if city('Miami') in g.vals(x, 'city-name')])])
    assert not any('open' in p for _, p in g.t)
    add('unanswerable', [('Which city is The Pizza Place in?', 'It is in %s.' % L(g.val(r('The Pizza Place'), 'city-name')))],
        'and what time does it open?')

    # ------------------------------------------------------------------ academic

def academic(g):
    L = g.label
    P = g.things('Publication'); A = g.things('Author'); pub = lambda n: g.named(n, 'Publication')
    au = lambda n: g.named(n, 'Author'); dom = lambda n: g.named(n, 'Domain')
    cites = lambda x: g.val(x, 'citation-num'); year = lambda x: g.val(x, 'year')
    authors_in = lambda d: [L(a) for a in A if dom(d) in g.vals(a, 'domain-author')]
    add('other_thing', [('How many citations does Data Mining Techniques have?', cites(pub('Data Mining Techniques')))],
        'and Optimizing GPU Throughput?', [cites(pub('Optimizing GPU Throughput'))])
    add('other_thing', [('In which year was The Effects of Climate Change on Agriculture published?',
        'It was published in %s.' % year(pub('The Effects of Climate Change on Agriculture')))],
        'how about Attention is all you need?', [year(pub('Attention is all you need'))])
    add('other_thing', [('Which authors are in the domain Machine Learning?', lst(authors_in('Machine Learning')))],
        'and in Sociology?', authors_in('Sociology'))
    mc = best(P, cites)
    add('pronoun', [('Which publication has the most citations?', L(mc))],
        'at which conference was it presented?', [L(g.val(mc, 'cid'))])
    mo = au('Martin Odersky')
    add('pronoun', [("What is Martin Odersky's homepage?", g.val(mo, 'homepage'))],
        'and which domain does he belong to?', [L(g.val(mo, 'domain-author'))])
    sm = pub('A Study on the Effects of Social Media on Mental Health')
    w = [a for a in A if g.val(sm, 'pid') in g.vals(a, 'writes')]; assert len(w) == 1
    add('possessive', [('Who wrote A Study on the Effects of Social Media on Mental Health?', L(w[0]))],
        'whats his homepage', [g.val(w[0], 'homepage')])
    p20 = [p for p in P if year(p) == 2020]
    add('several', [('Which publications came out in 2020?', lst(map(L, p20)))],
        'which of them has more citations?', [L(best(p20, cites))])
    icml = [p for p in P if L(g.val(p, 'cid')) == 'ICML']
    add('several', [('Which publications were presented at ICML?', lst(map(L, icml)))],
        'were they all published in 2021?', [all_(year(p) == 2021 for p in icml)])
    C = g.things('Conference')
    add('place', [('Which conferences are there?', lst(map(L, C)))],
        "what's the homepage of the last one?", [g.val(C[-1], 'homepage')])
    o1 = g.named('Organization 1')
    add('new_attribute', [('Which continent is Organization 1 on?', g.val(o1, 'continent'))],
        'and the homepage?', [g.val(o1, 'homepage')])
    add('value', [('How many publications were published in 2021?', len([p for p in P if year(p) == 2021]))],
        'and in 2020?', [len(p20)])
    add('nothing', [('Which domain does the conference ISA belong to?', L(g.val(g.named('ISA'), 'domain-conference')))],
        'thanks!')

    # ------------------------------------------------------------------ advising

def advising(g):
    L = g.label
    Co = g.things('Course'); S = g.things('Student'); Pr = g.things('Program')
    co = lambda n: g.named(n, 'Course'); prog = lambda n: g.named(n, 'Program'); ins = lambda n: g.named(n, 'Instructor')
    full = lambda s: g.val(s, 'firstname') + ' ' + g.val(s, 'lastname')
    def stu(n):
        c = [s for s in S if full(s) == n]; assert len(c) == 1
        assert n not in [L(i) for i in g.things('Instructor')]; return c[0]
    add('other_thing', [('How many credits is Advanced Calculus worth?', g.val(co('Advanced Calculus'), 'credits'))],
        'what about Distributed Databases?', [g.val(co('Distributed Databases'), 'credits')])
    add('other_thing', [('Which college does the Computer Science program belong to?', g.val(prog('Computer Science'), 'college'))],
        'and the Physics program?', [g.val(prog('Physics'), 'college')])
    add('other_thing', [("What is Gilbert Strang's uniqname?", g.val(ins('Gilbert Strang'), 'uniqname'))],
        'Brendan Burns?', [g.val(ins('Brendan Burns'), 'uniqname')])
    big = best(Co, lambda c: g.val(c, 'num-enrolled'))
    add('pronoun', [('Which course has the most students enrolled?', '%s, with %s students.' % (L(big), g.val(big, 'num-enrolled')))],
        'which department offers it?', [g.val(big, 'department')])
    ph = co('Introduction to Physics')
    add('pronoun', [('What is the course number of Introduction to Physics?', g.val(ph, 'number'))],
        'and how many students are enrolled in it?', [g.val(ph, 'num-enrolled')])
    sb = stu('Sarah Brown')
    add('pronoun', [('What major did Sarah Brown declare?', g.val(sb, 'declare-major'))],
        'when was she admitted?', [g.val(sb, 'admit-term')])
    ma = [s for s in S if g.val(s, 'program') == prog('Mathematics')]; assert len(ma) == 1
    add('possessive', [('Which student is in the Mathematics program?', full(ma[0]))],
        "what's his gpa?", [g.val(ma[0], 'total-gpa')])
    cs = [c for c in Co if g.val(c, 'department') == 'Computer Science']
    add('several', [('How many courses does the Computer Science department offer?', len(cs)), ('which ones?', lst(map(L, cs)))],
        'which of those has the higher clarity score?', [L(best(cs, lambda c: g.val(c, 'clarity-score')))])
    art = [p for p in Pr if g.val(p, 'college') == 'Arts and Sciences']
    req = [x for x in g.things('Program-requirement') if g.val(x, 'program') == art[0]]; assert len(req) == 1
    add('place', [('Which programs are in the college of Arts and Sciences?', lst(map(L, art)))],
        'what is the minimum credit requirement of the first one?', [g.val(req[0], 'min-credit')])
    dd = co('Distributed Databases')
    add('new_attribute', [('What is the easiness score of Distributed Databases?', g.val(dd, 'easiness-score'))],
        'and the helpfulness score?', [g.val(dd, 'helpfulness-score')])
    add('alone', [('Which department offers Introduction to Physics?', g.val(co('Introduction to Physics'), 'department'))],
        'What is the average GPA of all students?', [round(sum(round(g.val(s, 'total-gpa') * 100) for s in S) / len(S)) / 100])
    add('nothing', [('Which courses have a lab?', lst(L(c) for c in Co if g.val(c, 'has-lab') == 1))], 'ok great')

    # ------------------------------------------------------------------ clinic

def clinic(g):
    L = g.label
    D = g.things('Doctor'); Pa = g.things('Patient'); Rm = g.things('Room'); n = g.named
    treats = lambda p: [L(d) for d in D if n(p) in g.vals(d, 'treatsPatient')]
    dept = lambda d: g.val(n(d), 'worksIn')
    def nice(d): d = datetime.date.fromisoformat(d); return '%d %s %d' % (d.day, d.strftime('%B'), d.year)
    add('other_thing', [('Where does Kasimir Bly live?', g.val(n('Kasimir Bly'), 'homeTown'))],
        'and Hedda Crumlin?', [g.val(n('Hedda Crumlin'), 'homeTown')])
    add('other_thing', [('Which floor is Dermatology on?', g.val(n('Dermatology'), 'onFloor')),
        ('and Cardiology?', g.val(n('Cardiology'), 'onFloor'))],
        'what about Paediatrics?', [g.val(n('Paediatrics'), 'onFloor')])
    add('other_thing', [('Who treats Goran Tisley?', lst(treats('Goran Tisley')))],
        'how about Lotta Greyhurst?', treats('Lotta Greyhurst'))
    add('other_thing', [('Does the Birch Room have an ultrasound?', 'Yes.' if g.val(n('Birch Room'), 'hasUltrasound') else 'No.')],
        'Copper Room?', [g.val(n('Copper Room'), 'hasUltrasound')])
    yf = dept('Dr. Yara Finnebrook')
    add('pronoun', [('Which department does Dr. Yara Finnebrook work in?', L(yf))],
        'which floor is it on?', [g.val(yf, 'onFloor')])
    rc = n('Dr. Ruben Caltrop')
    add('pronoun', [('When was Dr. Ruben Caltrop hired?', nice(g.val(rc, 'hiredOn')))],
        'and who does he report to?', [L(g.val(rc, 'reportsTo'))])
    old = best(Pa, lambda p: g.val(p, 'dateOfBirth'), high=False)
    add('pronoun', [('How many patients do we have?', len(Pa)),
        ('Who is the oldest patient?', '%s, born on %s.' % (L(old), nice(g.val(old, 'dateOfBirth'))))],
        'is he insured?', [g.val(old, 'isInsured')])
    ap = [a for a in g.things('Appointment') if g.val(a, 'appointmentDate') == '2024-01-22']; assert len(ap) == 1
    dp = g.val(ap[0], 'forPatient')
    add('pronoun', [('Which patient had an appointment on 22 January 2024?', L(dp))],
        'what is she allergic to?', g.vals(dp, 'allergicTo'))
    h12 = [d for d in D if g.val(d, 'hiredOn').startswith('2012')]; assert len(h12) == 1
    add('possessive', [('Which doctor was hired in 2012?', L(h12[0]))],
        'who are her patients?', [L(p) for p in g.vals(h12[0], 'treatsPatient')])
    tq = n('Dr. Teodor Quist')
    add('possessive', [('Is Dr. Teodor Quist accepting new patients?', 'Yes.' if g.val(tq, 'acceptsNewPatients') else 'No.'),
        ('how many patients does he treat?', len(g.vals(tq, 'treatsPatient'))),
        ('Which department does he work in?', L(g.val(tq, 'worksIn')))],
        'and his hiring date?', [g.val(tq, 'hiredOn')])
    sb = [p for p in Pa if g.val(p, 'homeTown') == 'Stonebeck']
    add('several', [('Which patients live in Stonebeck?', lst(map(L, sb)))],
        'which of them is the oldest?', [L(best(sb, lambda p: g.val(p, 'dateOfBirth'), high=False))])
    od = [d for d in D if L(g.val(d, 'worksIn')) == 'Cardiology']
    add('several', [('Which doctors work in Cardiology?', lst(map(L, od)))],
        'do they all accept new patients?', [all_(g.val(d, 'acceptsNewPatients') for d in od)])
    us = [x for x in Rm if g.val(x, 'hasUltrasound')]
    add('place', [('How many rooms are there?', len(Rm)), ('Which rooms have an ultrasound?', lst(map(L, us)))],
        'what floor is the second one on', [g.val(us[1], 'onFloor')])
    fl = n('Fenja Loudermoor')
    add('new_attribute', [('Where does Fenja Loudermoor live?', 'Fenja Loudermoor lives in %s.' % g.val(fl, 'homeTown'))],
        'and the date of birth?', [g.val(fl, 'dateOfBirth')])
    al = dept('Dr. Pell Hathersage')
    add('that_kind', [('Which department does Dr. Pell Hathersage work in?', L(al))],
        'how many doctors work in that department?', [len(g.who('worksIn', al))])
    add('alone', [('Where does Bram Ketterley live?', g.val(n('Bram Ketterley'), 'homeTown'))],
        'Which patients are allergic to penicillin?', [L(p) for p in g.who('allergicTo', 'penicillin')])
    assert not any('phone' in p.lower() for _, p in g.t)
    add('unanswerable', [('Who treats Dorrit Palquist?', lst(treats('Dorrit Palquist')))], "what's her phone number?")

    # ------------------------------------------------------------------ kitchen

def kitchen(g):
    L = g.label
    RX = sorted({x for (x, p) in g.t if p == 'totalMinutes'}, key=natural); n = g.named
    rx = lambda name: g.named(name)
    mins = lambda x: g.val(x, 'totalMinutes'); cal = lambda x: g.val(x, 'calories')
    uses = lambda i: [x for x in RX if n(i) in g.vals(x, 'ingredient')]
    cook = lambda x: L(g.val(x, 'contributedBy'))
    def isa(x, cls):
        todo = g.vals(x, 'type'); seen = set()
        while todo:
            c = todo.pop()
            if c in seen: continue
            seen.add(c); todo += g.vals(c, 'subClassOf')
        return cls in {local(c) for c in seen}
    diet = lambda x: {local(d) for d in g.vals(x, 'suitableForDiet')}
    add('other_thing', [('How long does the Harbour Fish Pie take?', '%d minutes' % mins(rx('Harbour Fish Pie')))],
        'and the Spinach Feta Pie?', [mins(rx('Spinach Feta Pie'))], extra=['%s minutes', '%s min'])
    add('other_thing', [('Which recipes use fennel?', lst(map(L, uses('fennel'))))],
        'what about spinach?', [L(x) for x in uses('spinach')])
    add('other_thing', [('Who contributed Baked Apples?', cook(rx('Baked Apples')))],
        'Honey Walnut Cake?', [cook(rx('Honey Walnut Cake'))])
    rated = [x for x in RX if g.vals(x, 'rating')]
    bst = best(rated, lambda x: float(g.val(x, 'rating')))
    add('pronoun', [('Which recipe has the highest rating?', '%s, with a rating of %s.' % (L(bst), g.val(bst, 'rating')))],
        'who contributed it?', [cook(bst)])
    bb = rx('Beef and Barley Pot')
    add('pronoun', [('How many calories does the Beef and Barley Pot have?', cal(bb))],
        'and how long does it take?', [mins(bb)], extra=['%s minutes', '%s min'])
    gp = g.val(rx('Green Pea Velvet'), 'contributedBy')
    add('pronoun', [('Who contributed the Green Pea Velvet?', L(gp))],
        'how many recipes did she contribute?', [len(g.who('contributedBy', gp))])
    soups = [x for x in RX if isa(x, 'Soup')]; qs = best(soups, mins, high=False)
    add('possessive', [('How many soups are there?', len(soups)), ('Which soup is the quickest to make?', L(qs))],
        'what are its ingredients?', [L(i) for i in g.vals(qs, 'ingredient')])
    cakes = [x for x in RX if isa(x, 'Cake')]
    add('several', [('Which cakes do you have?', lst(map(L, cakes)))],
        'which of them has fewer calories?', [L(best(cakes, cal, high=False))])
    sela = [x for x in RX if cook(x) == 'Sela Morrowin']
    add('several', [('Which recipes did Sela Morrowin contribute?', lst(map(L, sela)))],
        'are they all gluten free?', [all_('gluten_free' in diet(x) for x in sela)])
    sal = [x for x in RX if isa(x, 'Salad')]
    add('place', [('Which salads are there?', lst(map(L, sal)))],
        'how many calories does the first one have?', [cal(sal[0])], extra=['%s calories', '%s kcal'])
    tg = rx('Tomato Garlic Cod')
    add('new_attribute', [('How long does the Tomato Garlic Cod take?', '%d minutes' % mins(tg))],
        'and the rating?', [g.val(tg, 'rating')])
    over = lambda m: [L(x) for x in RX if mins(x) > m]
    add('value', [('Which recipes take more than 100 minutes?', lst(over(100)))], 'and more than 60?', over(60))
    des = [x for x in RX if isa(x, 'Dessert')]; qd = best([x for x in des], mins, high=False)
    add('that_kind', [('Which dessert is ready the fastest?', '%s, in %d minutes.' % (L(qd), mins(qd)))],
        'what goes into this dish?', [L(i) for i in g.vals(qd, 'ingredient')])
    add('alone', [('What is the rating of the Lentil Spinach Soup?', g.val(rx('Lentil Spinach Soup'), 'rating'))],
        'Which recipes are vegan?', [L(x) for x in RX if 'vegan' in diet(x)])
    add('alone', [('Which cuisine is the Sweet Plum Soup?', L(g.val(rx('Sweet Plum Soup'), 'cuisine'))),
        ('and who contributed it?', cook(rx('Sweet Plum Soup')))],
        'Which food group does feta belong to?', [g.val(n('feta'), 'foodGroup')])
    add('nothing', [('Is the Smoky Lentil Pot vegan?', 'Yes.' if 'vegan' in diet(rx('Smoky Lentil Pot')) else 'No.')],
        'perfect, thanks a lot')
    cl = rx('Chicken and Leek Pie'); assert not g.vals(cl, 'calories')
    add('unanswerable', [('Who contributed the Chicken and Leek Pie?', cook(cl))], 'and how many calories does it have?')


def main():
    global CUR
    sections = {'restaurants': restaurants, 'academic': academic, 'advising': advising, 'clinic': clinic, 'kitchen': kitchen}
    differs = False
    for name, path in SRC.items():
        CUR = name
        sections[name](G(path))
        text = ''.join(json.dumps(item, ensure_ascii=False) + '\n' for item in ITEMS[name])
        file = OUT / (name + '.jsonl')
        if ARGS.check:
            differs |= not file.exists() or file.read_text(encoding='utf-8') != text
        else:
            file.write_text(text, encoding='utf-8')
            print('%s: %d follow-ups' % (file, len(ITEMS[name])))
    sys.exit('the files are not what this script writes' if differs else 0)


if __name__ == '__main__':
    main()
