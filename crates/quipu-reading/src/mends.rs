//! Every mend that the question's own words allow, in their order: some change the query that a
//! model wrote, the others the query that is bound to the graph.

use quipu_query::{Bound, Found, Mend, Query, QueryError, Tables, Values, bind};

use super::slips::{from_the_first, right_dates, right_ends, right_groups, right_sides, within_its_year};
use crate::logic::all_of::{all_of_them, whether_each_exists};
use crate::logic::alternatives::all_alternatives;
use crate::logic::apart::{denies_unlike, of_the_row_around, stands_apart};
use crate::logic::both::{by_several_things, each_by_its_own_link, with_both, with_each_object};
use crate::logic::choices::one_side;
use crate::logic::denied::{denied_both_ways, denied_link, denied_of_all, without_the_denied};
use crate::logic::idle_joins::{
    of_the_joined_other, without_idle_joins, without_unsaid_links, without_unsaid_repeats,
};
use crate::logic::lacking::{denied_role, denied_side, those_that_lack, with_a_record_that_lacks};
use crate::logic::offered::among_the_offered;
use crate::logic::others::others_than_itself;
use crate::logic::provisos::{with_stated_values, with_the_taken_in};
use crate::names::honours::{with_its_article, without_honours};
use crate::names::made_up::{without_the_askers_noun, without_what_is_made_up};
use crate::names::stand_ins::{called_by_their_keys, names_before_keys, with_their_names};
use crate::names::whole_names::by_whole_names;
use crate::numbers::ages::ages_in_years;
use crate::numbers::bounds::{by_the_clock, right_bounds};
use crate::numbers::comparatives::right_comparison;
use crate::numbers::counted::{
    adds_the_pieces, counts_the_groups, counts_the_named, counts_the_rows, counts_the_set, counts_the_things,
    with_counted,
};
use crate::numbers::currencies::{in_several_currencies, in_the_currency};
use crate::numbers::differences::{of_two, right_direction, takes_from_itself};
use crate::numbers::each::{by_the_named_kind, for_each};
use crate::numbers::extremes::{
    among_those, extreme_among_all, one_of_two, thing_of_extreme, within_extreme,
};
use crate::numbers::firsts::first_of_its_group;
use crate::numbers::limited::counts_the_limited;
use crate::numbers::measurements::of_the_mentioned_record;
use crate::numbers::measures::{not_its_count, right_measure, right_order};
use crate::numbers::order_of_things::order_of_things;
use crate::numbers::repeated::{heads_once, ordered_once, values_of_the_linked};
use crate::numbers::shares::{of_all_things, of_those, of_those_with_a_value};
use crate::numbers::units::{differences_in_units, in_the_unit, right_units};
use crate::relations::directions::right_directions;
use crate::relations::hierarchies::with_what_lies_below;
use crate::relations::moved::{with_its_columns, with_the_named};
use crate::relations::named_kinds::{of_the_named_kind, things_of_the_given_kind};
use crate::relations::parts::{column_asked_for, parts_of_values};
use crate::relations::relatives::of_the_told_sex;
use crate::relations::roles::of_the_named_role;
use crate::things::things_of_records::things_of_records;
use crate::things::types_of::{by_singulars, those_of_the_type, with_the_value};
use crate::times::last_time::at_its_last;
use crate::times::lasting::{from_the_earliest, not_ended, within_its_term};
use crate::times::periods::{of_the_named_event, part_of_the_year, whole_periods};
use crate::times::years::years_asked_for;

/// Binds a query to the graph, and mends before and after it what the question's words show to be
/// a slip.
///
/// # Errors
/// [`QueryError::Unbound`] with the reason why the query fits neither graph nor question.
pub fn bind_as_asked(
    question: &str,
    mut query: Query,
    tables: &Tables,
    values: &Values,
    found: &Found,
) -> Result<Bound, QueryError> {
    // A mend may make another query of it.
    let read = std::mem::take(query.mends_mut());
    let (query, before) = mended(question, query, tables, values, found);
    let mut bound = bind(query, tables, values, found)?;
    if let Some(reason) = order_of_things(question, &bound.query, tables, values) {
        return Err(QueryError::Unbound(reason));
    }
    bound.mends.extend(read.into_iter().chain(before));
    bound.mends.extend(things_of_the_given_kind(question, &mut bound.query, tables, values));
    bound.mends.extend(of_the_named_kind(question, &mut bound.query, tables, values));
    bound.mends.extend(those_of_the_type(question, &mut bound.query, values));
    bound.mends.extend(with_the_value(question, &mut bound.query, tables, values));
    bound.mends.extend(in_the_currency(question, &mut bound.query, tables, values));
    bound.mends.extend(without_the_askers_noun(question, &mut bound.query, tables, values));
    bound.mends.extend(of_the_told_sex(question, &mut bound.query, tables, values));
    bound.mends.extend(in_several_currencies(&bound.query, tables));
    Ok(bound)
}

/// A written query without the slips that show before its names are found.
fn mended(
    question: &str,
    mut query: Query,
    tables: &Tables,
    values: &Values,
    found: &Found,
) -> (Query, Vec<Mend>) {
    let mends = [
        with_both(question, &mut query),
        all_of_them(question, &mut query),
        whether_each_exists(&mut query),
        by_singulars(question, &mut query),
        all_alternatives(question, &mut query),
        with_each_object(question, &mut query, tables),
        each_by_its_own_link(&mut query, tables),
        by_several_things(&mut query, tables),
        of_two(&mut query),
        without_honours(question, &mut query, values),
        with_its_article(question, &mut query, values),
        without_what_is_made_up(question, &mut query, values, found),
        with_the_named(&mut query, tables, values, found),
        with_its_columns(question, &mut query, tables),
        of_the_mentioned_record(&mut query, tables),
        among_the_offered(question, &mut query, tables, values),
        with_counted(question, &mut query, tables),
        counts_the_groups(question, &mut query),
        within_extreme(&mut query, tables),
        by_the_clock(question, &mut query),
    ];
    (query, mends.into_iter().flatten().collect())
}

/// Mends the slips of a bound query that the question's words show.
///
/// # Errors
/// [`QueryError::Unbound`] for a query that holds a value against itself, or asks nothing of its
/// rows.
pub fn mend_bound(question: &str, bound: &mut Bound, tables: &Tables) -> Result<(), QueryError> {
    let query = &mut bound.query;
    let slips = [
        right_measure(question, query, tables),
        not_its_count(question, query, tables),
        right_order(question, query, tables),
        right_bounds(question, query),
        right_units(question, query, tables),
        differences_in_units(question, query, tables),
        right_ends(question, query, tables),
        from_the_first(question, query),
        right_comparison(question, query, tables),
        right_direction(question, query, tables),
        within_its_year(question, query, tables),
        whole_periods(question, query, tables),
        part_of_the_year(question, query, tables),
        of_the_named_event(question, query, tables),
        right_dates(question, query, tables),
        ages_in_years(question, query, tables),
        not_ended(question, query, tables),
        within_its_term(question, query, tables),
        from_the_earliest(question, query, tables),
        with_stated_values(question, query, tables),
        in_the_unit(question, query, tables),
        with_the_taken_in(question, query, tables),
        with_what_lies_below(question, query, tables),
        denied_role(question, query, tables),
        denied_side(question, query, tables),
        those_that_lack(question, query, tables),
        with_a_record_that_lacks(question, query, tables),
        denied_link(question, query, tables),
        without_the_denied(query),
        denied_both_ways(query, tables),
        denied_of_all(question, query, tables),
        right_sides(question, query, tables),
        right_directions(question, query, tables),
        right_groups(question, query, tables),
        of_the_row_around(query, tables),
        among_those(query, tables),
        for_each(question, query, tables),
        by_the_named_kind(question, query, tables),
        first_of_its_group(question, query, tables),
        thing_of_extreme(question, query, tables),
        extreme_among_all(question, query, tables),
        one_of_two(question, query, tables),
        one_side(question, query),
        at_its_last(question, query, tables),
        of_the_joined_other(query, tables),
    ];
    let counts = [
        counts_the_set(query, tables),
        values_of_the_linked(query, tables),
        heads_once(query, tables),
        ordered_once(query, tables),
        without_idle_joins(query, tables),
        without_unsaid_links(question, query, tables),
        without_unsaid_repeats(question, query, tables),
        counts_the_rows(question, query, tables),
        counts_the_named(question, query, tables),
        counts_the_limited(question, query, tables),
        counts_the_things(question, query, tables),
        adds_the_pieces(question, query, tables),
        of_all_things(question, query, tables),
        of_those(question, query),
        of_those_with_a_value(query, tables),
    ];
    if takes_from_itself(query) {
        let reason = "it holds a value against itself; take that of one thing and that of the other, \
                      each by its own SELECT";
        return Err(QueryError::Unbound(reason.into()));
    }
    if stands_apart(query) {
        let reason = "its EXISTS says nothing of the rows outside; compare one of their columns in it";
        return Err(QueryError::Unbound(reason.into()));
    }
    if let Some([one, other]) = denies_unlike(query, tables) {
        let reason = format!("it compares {one} with {other}: the two are different things");
        return Err(QueryError::Unbound(reason));
    }
    let given = [
        of_the_named_role(question, query, tables),
        by_whole_names(question, query, tables),
        column_asked_for(question, query, tables),
        parts_of_values(question, query, tables),
        things_of_records(question, query, tables),
        with_their_names(question, query, tables),
        called_by_their_keys(query, tables),
        names_before_keys(question, query, tables),
        others_than_itself(question, query, tables),
        years_asked_for(question, query, tables),
    ];
    bound.mends.extend(slips.into_iter().chain(counts).chain(given).flatten());
    Ok(())
}
