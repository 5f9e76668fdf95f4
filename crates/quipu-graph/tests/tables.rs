//! Tables: the import of rows, columns and references, and its refusals.

use std::path::PathBuf;

use quipu_graph::{EmbeddedGraph, GraphError, ImportConfig, ImportReport, Input, InputFormat};

use crate::common::dump;

const PRODUCTS: &str = "name,price,supplier,added,colour,stock
Falcon Drill,129.99,Acme,2024-02-28,red,12
Heron Sander,89,Borealis,2024-03-01,red,n/a
\"Otter Pump, \"\"Pro\"\"\",240.5,Acme,2024-03-02,blue,0
Kestrel Saw,59.9,Acme,2023-11-30,blue,7
";
const SUPPLIERS: &str = "supplier_id,name,city,best product
7,Acme,Oslo,Falcon Drill
8,Borealis,Bergen,Heron Sander
";

fn import(
    files: &[(&str, &str)],
    format: Option<InputFormat>,
    lenient: bool,
) -> Result<(ImportReport, Vec<String>), GraphError> {
    let folder = tempfile::tempdir().unwrap();
    let write = |(name, content): &(&str, &str)| -> PathBuf {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        path
    };
    let inputs = files.iter().map(write).map(Input::File).collect();
    let mut config = ImportConfig::new("test", inputs);
    (config.format, config.lenient) = (format, lenient);
    let store = folder.path().join("store");
    let report = quipu_graph::import(&config, &store)?;
    let graph = EmbeddedGraph::open(&store).unwrap();
    graph.verify().unwrap();
    let dumped = dump(&graph).replace("http://www.w3.org/2001/XMLSchema#", "xsd:");
    Ok((report, dumped.lines().map(str::to_owned).collect()))
}

#[track_caller]
fn has(lines: &[String], line: &str) {
    assert!(lines.iter().any(|found| found == line), "{line}\n{lines:#?}");
}

#[test]
fn two_tables_that_refer_to_each_other_become_one_graph() {
    let (report, lines) =
        import(&[("products.csv", PRODUCTS), ("suppliers.csv", SUPPLIERS)], None, false).unwrap();
    for line in [
        "products/Falcon Drill [Falcon Drill] urn:quipu:type products",
        "products/Falcon Drill [Falcon Drill] price \"129.99\"xsd:decimal",
        "products/Falcon Drill [Falcon Drill] added \"2024-02-28\"xsd:date",
        "products/Falcon Drill [Falcon Drill] stock \"12\"xsd:integer",
        "products/Falcon Drill [Falcon Drill] supplier suppliers/7",
        "products/Falcon Drill [Falcon Drill] colour colour/red",
        "products/Otter Pump, \"Pro\" [Otter Pump, \"Pro\"] supplier suppliers/7",
        "suppliers/7 [Acme] urn:quipu:type suppliers",
        "suppliers/7 [Acme] city \"Oslo\"",
        "suppliers/7 [Acme] best product products/Falcon Drill",
        "colour/red [red] urn:quipu:type colour",
    ] {
        has(&lines, line);
    }
    assert!(!lines.iter().any(|line| line.contains("n/a")), "no value is none: {lines:#?}");
    let (_, turned) =
        import(&[("suppliers.csv", SUPPLIERS), ("products.csv", PRODUCTS)], None, false).unwrap();
    assert_eq!(lines, turned, "the order of the files means nothing");
    let told: Vec<_> = report
        .tables
        .iter()
        .map(|table| (table.kind.as_str(), table.rows, table.named_by.as_str()))
        .collect();
    assert_eq!(told, [("products", 4, "name"), ("suppliers", 2, "name")]);
    let leads: Vec<_> =
        report.tables[0].references.iter().map(|(column, kind)| (column.as_str(), kind.as_str())).collect();
    assert_eq!(leads, [("supplier", "suppliers"), ("colour", "colour")]);
}

#[test]
fn numbers_refer_to_rows_only_where_the_header_says_so() {
    let orders = "order_id;supplier_id;quantity;note\n1;7;8;fragile\n2;8;7;\n3;7;8;late\n";
    let (_, lines) = import(&[("orders.csv", orders), ("suppliers.csv", SUPPLIERS)], None, false).unwrap();
    has(&lines, "orders/1 [1] supplier suppliers/7");
    has(&lines, "orders/1 [1] quantity \"8\"xsd:integer");
    has(&lines, "orders/3 [3] note \"late\"");
}

#[test]
fn abbreviated_headers_name_tables_rows_and_keys() {
    let stations = "stn_id,stn_name,has_charger\nS1,Harbour Gate,Y\nS2,Old Brewery,N\nS3,Market,Y\n";
    let models = "mdl_id,make,mdl_name\n1,Renova,Clip\n2,Renova,Zeta\n3,Volta,Aris\n";
    let vehicles = "veh_id,reg_no,mdl_id,stn_id\nV1,EL AF 799,2,S2\nV2,QU TK 864,1,S2\nV3,RO AS 654,2,S1\n";
    let doctors = "dr_id,name\n301,Ada Lee\n302,Bo Hart\n303,Cy Dunn\n";
    let prescriptions = "rx_id,dr_id,drug_id,days\n1,302,302,7\n2,301,301,3\n3,302,303,9\n";
    let drugs = "drug_id,brand_name\n301,Almol\n302,Brufin\n303,Cetrax\n";
    let members = "mbr_id,full_name,email,referred_by\nM1,Ada Lee,ada@x.org,\nM2,Bo Hart,bo@x.org,M1\n\
                   M3,Cy Dunn,cy@x.org,M1\nM4,Di Orr,di@x.org,M2\n";
    let files = [
        ("stations.csv", stations),
        ("models.csv", models),
        ("vehicles.csv", vehicles),
        ("members.csv", members),
        ("doctors.csv", doctors),
        ("prescriptions.csv", prescriptions),
        ("drugs.csv", drugs),
    ];
    let (report, lines) = import(&files, None, false).unwrap();
    for line in [
        "vehicles/V1 [EL AF 799] station stations/S2",
        "vehicles/V1 [EL AF 799] model models/2",
        "stations/S2 [Old Brewery] has charger \"false\"xsd:boolean",
        "models/2 [Zeta] make \"Renova\"",
        "members/M4 [Di Orr] referred by members/M2",
        "prescriptions/1 [1] doctor doctors/302",
        "prescriptions/1 [1] drug drugs/302",
    ] {
        has(&lines, line);
    }
    let named: Vec<&str> = report.tables.iter().map(|table| table.named_by.as_str()).collect();
    assert_eq!(named, ["stn_name", "mdl_name", "reg_no", "full_name", "name", "rx_id", "brand_name"]);
}

#[test]
fn what_is_not_sure_stays_text() {
    let people = "name,boss,town,badge\nAna,Ben,Lima,007\nBen,,Oslo,008\nCara,Ben,Rome,009\n";
    let towns = "name,twin\nLima,Ana\nOslo,Zed\n";
    let (_, lines) = import(&[("people.csv", people), ("towns.csv", towns)], None, false).unwrap();
    has(&lines, "people/Ana [Ana] boss people/Ben");
    has(&lines, "people/Ana [Ana] badge \"007\"");
    has(&lines, "towns/Lima [Lima] twin \"Ana\"");
    // The header names the towns' table, but one value in three is not in it.
    has(&lines, "people/Cara [Cara] town \"Rome\"");
}

#[test]
fn triples_stay_triples_and_either_can_be_said() {
    let triples = "Lima,capital of,Peru\nOslo,capital of,Norway\n";
    let (report, lines) = import(&[("kb.csv", triples)], None, false).unwrap();
    assert!(report.tables.is_empty());
    has(&lines, "Lima [Lima] capital of Peru");
    let (_, lines) =
        import(&[("products.csv", "name,price,supplier\nFalcon,9,Acme\n")], Some(InputFormat::Csv), false)
            .unwrap();
    has(&lines, "Falcon [Falcon] 9 Acme");
    let (_, lines) =
        import(&[("cities.csv", "city,land,mayor\nLima,Peru,Ana\n")], Some(InputFormat::Table), false)
            .unwrap();
    has(&lines, "cities/Lima [Lima] land \"Peru\"");
    // Beside nodes, columns are edges.
    let nodes = "{\"id\": \"name\"}\n{\"id\": \"1\"}\n{\"id\": \"supplier\"}\n{\"id\": \"Acme\"}\n";
    let edges = "name\tprice\tsupplier\n1\t2\tAcme\n";
    let (_, lines) = import(&[("nodes.jsonl", nodes), ("edges.tsv", edges)], None, false).unwrap();
    has(&lines, "1 [1] 2 Acme");
}

#[test]
fn a_row_of_another_length_is_named() {
    let broken = "name,price,supplier,city\nFalcon,9,Acme,Oslo\nHeron,8\nOtter,7,Acme,Oslo\n";
    let error = import(&[("broken.csv", broken)], None, false).unwrap_err().to_string();
    assert!(error.ends_with("broken.csv:3: the header has 4 columns, this row 2"), "{error}");
    let (report, lines) = import(&[("broken.csv", broken)], None, true).unwrap();
    assert_eq!((report.skipped, report.skipped_lines[0].line), (1, 3));
    has(&lines, "broken/Otter [Otter] price \"7\"xsd:integer");
    let error =
        import(&[("one.csv", "name\nLima\n")], Some(InputFormat::Table), false).unwrap_err().to_string();
    assert!(error.contains("one.csv") && error.contains("two columns or more"), "{error}");
}

#[test]
fn rows_without_a_name_of_their_own_are_told_apart() {
    let sales =
        "day,place,amount,paid\n2024-01-01,Oslo,5,true\n2024-01-01,Oslo,6,false\n2024-01-02,Rome,5,true\n";
    let (report, lines) = import(&[("sales.csv", sales)], None, false).unwrap();
    assert_eq!(report.tables[0].named_by, "place");
    has(&lines, "sales/row 2 [Oslo] amount \"6\"xsd:integer");
    has(&lines, "sales/row 2 [Oslo] paid \"false\"xsd:boolean");
}

#[test]
fn rows_are_not_called_by_times_that_they_share() {
    let stops =
        "drv_id,dt,tm,res\n1,2024-01-07,12:48,OK\n2,2024-01-08,12:48,OK\n1,2024-01-08,13:10,REFUSED\n";
    let drivers = "id,name\n1,Silke Munro\n2,Pim Munro\n3,Ada Lund\n";
    let (report, lines) = import(&[("stops.csv", stops), ("drivers.csv", drivers)], None, false).unwrap();
    let stops = report.tables.iter().find(|table| table.kind == "stops").unwrap();
    assert_eq!(stops.named_by, "");
    has(&lines, "stops/row 2 [stops 2] driver drivers/2");
    has(&lines, "stops/row 2 [stops 2] tm \"12:48\"");
}

#[test]
fn a_header_may_say_no() {
    let slopes = "s_id,no,nm,len_m\nS1,1,Talabfahrt,5400\nS2,1a,Family Run,6100\n";
    let (report, lines) = import(&[("slopes.csv", slopes)], None, false).unwrap();
    assert_eq!(report.tables[0].named_by, "nm");
    has(&lines, "slopes/S2 [Family Run] no \"1a\"");
}

#[test]
fn people_are_called_by_given_and_family_name() {
    let guests = "g_id,fn,ln,town\nG1,Leni,Aschauer,Wels\nG2,Toni,Gschliesser,Kiel\nG3,Toni,Berger,Wels\n";
    let bookings = "bno,guest,paid\nB1,G2,10\nB2,G3,20\nB3,G2,30\n";
    let (report, lines) = import(&[("guests.csv", guests), ("bookings.csv", bookings)], None, false).unwrap();
    let guests = report.tables.iter().find(|table| table.kind == "guests").unwrap();
    assert_eq!(guests.named_by, "fn + ln");
    has(&lines, "guests/G2 [Toni Gschliesser] ln \"Gschliesser\"");
    has(&lines, "bookings/B1 [B1] guest guests/G2");
}

#[test]
fn days_in_triples_of_text_are_dates() {
    let tour = "Atlas Tour\tbegan on\t2005-07-25\nAtlas Tour\theadliner\tMoss\nMoss\tformed in\t1999\n";
    let (_, lines) = import(&[("tour.tsv", tour)], None, false).unwrap();
    has(&lines, "Atlas Tour [Atlas Tour] began on \"2005-07-25\"xsd:date");
    has(&lines, "Moss [Moss] formed in 1999");
}

#[test]
fn files_with_capitals_and_short_names_of_kinds_are_linked_to() {
    let operators = "OperatorNr,Operator Name,Shift,Pay\n11,Walter Kessel,Early,1\n12,Irmgard Pohl,Late,2\n13,Greta Sommer,Early,3\n";
    let presses = "PressNr,Press Name,MainOperator,Units\nP1,Old Gertrude,11,1\nP2,Speedmaster,13,5\n";
    let patients = "pat_no,f_nm,l_nm,ref_by_pat\n31,Ana,Lund,\n32,Bo,Karl,31\n33,Cy,Mott,32\n34,Di,Rook,33\n";
    let files = [("Operators.csv", operators), ("Presses.csv", presses), ("patients.csv", patients)];
    let (_, lines) = import(&files, None, false).unwrap();
    has(&lines, "Presses/P2 [Speedmaster] main operator Operators/13");
    has(&lines, "patients/34 [Di Rook] ref by patient patients/33");
}

#[test]
fn roles_lead_to_those_who_have_them_and_rows_of_two_keys_have_no_name() {
    let staff = "staff_id,full_name,reports_to,grade\n101,Ada Lee,,3\n102,Bo Hart,101,1\n103,Cy Dunn,102,2\n\
                 104,Di Orr,103,3\n";
    let assets = "asset_tag,bought_on\nHX1,2021-01-01\nHX2,2022-01-01\nHX3,2023-01-01\n";
    let hires =
        "hire_no,booked_by,acct_mgr_id,days\nH1,101,102,1\nH2,103,103,2\nH3,102,104,3\nH4,103,104,2\n";
    let lines_of_hires = "hire_no,asset_tag,days,fee\nH1,HX1,1,5\nH1,HX2,2,6\nH2,HX1,3,\nH3,HX3,2,8\n";
    let files = [
        ("staff.csv", staff),
        ("assets.csv", assets),
        ("hires.csv", hires),
        ("hire_assets.csv", lines_of_hires),
    ];
    let (report, lines) = import(&files, None, false).unwrap();
    for line in [
        "hires/H1 [H1] booked by staff/101",
        "hires/H1 [H1] acct mgr staff/102",
        "hires/H1 [H1] days \"1\"xsd:integer",
        "staff/102 [Bo Hart] reports to staff/101",
        "staff/102 [Bo Hart] grade \"1\"xsd:integer",
        "hire assets/row 2 [hire assets 2] asset assets/HX2",
        "hire assets/row 2 [hire assets 2] hire hires/H1",
    ] {
        has(&lines, line);
    }
    let named: Vec<&str> = report.tables.iter().map(|table| table.named_by.as_str()).collect();
    assert_eq!(named, ["full_name", "asset_tag", "hire_no", ""]);
}

#[test]
fn all_first_names_different_are_no_whole_names() {
    let staff =
        "emp_no,first_nm,last_nm,supv_no\n301,Maren,Holt,\n305,Tobias,Brandvik,301\n309,Ailsa,Lennox,301\n";
    let vaults = "vlt,vault_nm,mgr_emp_no\nVN,North Vault,305\nVG,Granite Vault,309\nVC,Cedar Room,309\n";
    let sites = "site_cd,site_nm,elev_m,prot\nS011,Aberlune Cliffs,37,Y\nS014,Bracken Tarn,18,N\n";
    let finds = "acc_no,site_cd,vlt,wt_g\nAC1,S011,VC,2\nAC2,S014,VC,3\nAC3,S011,VN,4\nAC4,S011,VG,5\n";
    let files =
        [("staff.csv", staff), ("vaults.csv", vaults), ("coll_sites.csv", sites), ("accessions.csv", finds)];
    let (report, lines) = import(&files, None, false).unwrap();
    let staff = report.tables.iter().find(|table| table.kind == "staff").unwrap();
    assert_eq!(staff.named_by, "first_nm + last_nm");
    has(&lines, "staff/305 [Tobias Brandvik] last nm \"Brandvik\"");
    // Columns with the header of another table's codes lead to its rows.
    has(&lines, "accessions/AC1 [AC1] coll site coll sites/S011");
    has(&lines, "accessions/AC1 [AC1] vault vaults/VC");
    has(&lines, "vaults/VC [Cedar Room] mgr staff staff/309");
}

#[test]
fn short_headers_of_people_and_words_beside_codes_are_names() {
    let members = "mbr_no,f_name,l_name,town\n201,Hamid,Nowak,Sennfeld\n202,Petra,Keller,Sennfeld\n\
                   203,Petra,Nowak,Kirchau\n";
    let honeys =
        "honey_cd,descr,colour,price_kg\nAC,Acacia,yellow,17.5\nLI,Linden,green,15.2\nHT,Heather,red,20\n";
    let staff = "id,email,age\n1,ada@firm.example,30\n2,bo@firm.example,40\n";
    let files = [("members.csv", members), ("honeys.csv", honeys), ("staff.csv", staff)];
    let (report, lines) = import(&files, None, false).unwrap();
    let named_by = |kind: &str| {
        let of_kind = report.tables.iter().find(|table| table.kind == kind);
        of_kind.map(|table| table.named_by.clone()).unwrap_or_default()
    };
    assert_eq!(named_by("members"), "f_name + l_name");
    has(&lines, "members/203 [Petra Nowak] town \"Kirchau\"");
    assert_eq!(named_by("honeys"), "descr");
    has(&lines, "honeys/LI [Linden] honey cd \"LI\"");
    // An address of mail is no name, but better than a number.
    assert_eq!(named_by("staff"), "email");
}

#[test]
fn a_table_of_three_columns_explains_the_codes_of_others() {
    let cd = "cd,grp,dsc\nCIV,CSTP,Civil\nCRM,CSTP,Criminal\nOPN,STAT,Open\n";
    let cs = "cs_id,ttl,cs_tp_cd,filed\nC1,Pellew v. Draper,CIV,2018-01-14\n\
              C2,Osei v. Thorpe,CRM,2019-02-01\n";
    let (report, lines) = import(&[("cd.csv", cd), ("cs.csv", cs)], None, false).unwrap();
    let named_by: Vec<(&str, &str)> =
        report.tables.iter().map(|table| (table.kind.as_str(), table.named_by.as_str())).collect();
    assert_eq!(named_by, [("cd", "dsc"), ("cs", "ttl")]);
    has(&lines, "cs/C1 [Pellew v. Draper] cs tp cd/CIV");
}

#[test]
fn cells_with_several_values_are_split() {
    let staff = "staff_id,full_name,certs,speaks,remarks,known_as\n\
                 S01,Ada Reyes,climber; first aid,\"French, Italian\",\"calm, kind\",\"Reyes, Ada\"\n\
                 S02,Ben Moss,climber,French,,\"Moss, Ben\"\n\
                 S03,Cy Lund,first aid;climber,\"Italian, French\",late; often,\"Lund, Cy\"\n\
                 S04,Di Oban,first aid,Italian,,\"Oban, Di\"\n";
    let orders = "wo_no,assigned_to,motto\nWO-1,S01;S03,Do; or do not\nWO-2,S02,\nWO-3,S04 ; S02,Onwards\n";
    let (report, lines) = import(&[("staff.csv", staff), ("orders.csv", orders)], None, false).unwrap();
    for line in [
        "orders/WO-1 [WO-1] assigned to staff/S01",
        "orders/WO-1 [WO-1] assigned to staff/S03",
        "orders/WO-3 [WO-3] assigned to staff/S02",
        "orders/WO-1 [WO-1] motto \"Do; or do not\"",
        "staff/S01 [Ada Reyes] certs certs/first aid",
        "staff/S03 [Cy Lund] certs certs/climber",
        "staff/S01 [Ada Reyes] speaks speaks/Italian",
        "staff/S03 [Cy Lund] speaks speaks/French",
        // Prose does not recur, and a comma in every cell is part of the name.
        "staff/S01 [Ada Reyes] remarks \"calm, kind\"",
        "staff/S03 [Cy Lund] remarks \"late; often\"",
        "staff/S01 [Ada Reyes] known as \"Reyes, Ada\"",
    ] {
        has(&lines, line);
    }
    let lists =
        |kind: &str| report.tables.iter().find(|table| table.kind == kind).map(|table| table.lists.clone());
    let pair = |column: &str, between: &str| (column.to_owned(), between.to_owned());
    assert_eq!(lists("orders"), Some(vec![pair("assigned_to", ";")]));
    assert_eq!(lists("staff"), Some(vec![pair("certs", ";"), pair("speaks", ",")]));
}

#[test]
fn dates_are_read_as_their_column_writes_them() {
    let trips = "trip_id,guide,left,back,seen\nT1,Ada Reyes,01.09.2003,28/02/2024,03/04/2024\n\
                 T2,Ben Moss,2004-10-02,03/04/2024,05/06/2024\n";
    let (_, lines) = import(&[("trips.csv", trips)], None, false).unwrap();
    for line in [
        "left \"2003-09-01\"xsd:date",
        "left \"2004-10-02\"xsd:date",
        "back \"2024-02-28\"xsd:date",
        "back \"2024-04-03\"xsd:date",
        // Whether the day comes first is not known here.
        "seen \"03/04/2024\"",
    ] {
        assert!(lines.iter().any(|found| found.ends_with(line)), "{line}\n{lines:#?}");
    }
}
