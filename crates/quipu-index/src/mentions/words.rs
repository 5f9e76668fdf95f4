//! How much an English word of a question says about what the question names. Words of other languages count as rare.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Words that carry grammar only.
const FUNCTION: &str = "a about above after again against all also am an and another any are as at be because been before \
being below between both but by can could d did do does doing done down during each either else ever few for from \
further get gets got had has have having he her here hers him his how i if in into is it its itself just least ll \
less many may me might mine more most much must my neither no nor not of off on once one ones only onto or other \
others our ours out over own per please rather re s same shall she should since so some such t than that the their \
theirs them then there these they this those through to too toward towards under until up upon us ve very was we \
were what whatever when where whether which whichever while who whoever whom whose why will with within without \
would yet you your yours anybody anyone anything everybody everyone everything somebody someone something m";

/// Frequent words that questions are made of: they name something only where more speaks for it than their letters.
const COMMON: &str = "able acted acting action actor actors actress actresses added address adult age ago album albums \
among amount animal animals appear appeared appears area areas art article artist artists ask asked author authored \
authors available award awards away baby back bad band base based basis battle became become becomes began begin best \
better big bigger biggest birth birthday birthplace black blue board boats body book books border born boss boy boys \
brand bring brother brothers build building buildings built business buy call called calls came capital car card care \
career case cast cause caused center central century change character characters child children choice church cities \
citizen city class clear close club clubs coach code color come comes common company complete composed composer \
connected contain contained contains control cost costar count countries country county couple course court cover create \
created creator current currency cut daily dad data date dates daughter daughters day days dead death decade deep \
degree describe described description develop developed developer died different direct directed directing director \
directors directs discovered district document drama draw dress drink drive drug early earn east economy edge \
education effect eight eldest election employed employer end ended ends energy enough episode ethnicity event events \
example exist face fact fall fame family famous far fast father fathers feature featured features featuring female field \
fight figure film filmed films final finally find fine finish first five flag flow follow followed food foot football \
footballer footballers force form formed former found founded founder four free friend friends front full \
fully game games gender general genre genres girl girls give given gives go goal goals goes going good government \
great greatest green ground group groups grow guy hair half hand hands happen happened happy hard head headquarters health \
hear heart heavy height held help heir high higher highest himself history hit hold home hot hour hours house huge human \
husband husbands idea identify image important include included includes including influence influenced institution \
instrument interest invented inventor island issue job join joined judge keep kept kid kids kind kinds king know known knows \
label lake land language languages large larger largest last late later law lead leader leading league learn left length \
letter level life light like line link list listed live lived lives living local located location long longer longest look \
lord lot love low lower lowest made main major make makes making male man manager manner march mark married \
marry match mate matter mayor mean means member members men mention mentioned met middle minister model mom money \
month months mother mothers mountain mountains mouth move moved movie movies much mum museum music musical \
name named names nation national nationality nations native near need neighbor neighboring neighbors neighbour neighbours \
never new next nickname night nine north note novel novels number numbers occupation occupations ocean offer office \
officer offspring offsprings old older oldest open opened order organization organisation origin original originated \
owned owner owners page paint painted painter painting pair parent parents part particular parties partner partners party \
pass past pay people performed performer period person persons phone picture pictures place placed places plan plane play \
played player players playing plays plot poem point political politician popular population position positions possible \
post power president price prime probably problem produce produced producer producers product production profession \
professional profile program programming project prominent province public published publisher purpose put \
question race ran range rank rate rated rating ratings read real really reason recent record recorded red regard regarding \
region related relation relationship relative release released releases religion religious report represent \
result right river rivers road role roles room royal ruled run runs said saint say says school schools science score \
screenplay screenwriter screenwriters script scripted sea season second see seen send series serve served set seven sex share \
shared shares ship short show showed shows sibling siblings side sign similar simple singer sister sisters sit six size small \
smaller smallest soccer social society soldier son song songs sort sound south speak speaks spoke spoken sport sports spouse \
squad staff stage star starred starring stars start started state states station stay still stop stories story street \
strong student studied study studio subject surname system table tag tagged tags take taken takes talk tall taller tallest \
team teams television tell ten term text thing things think third three time times title titled titles today together told \
took top topic topics total town train travel tree true try turn two type types unit united university use used uses usually \
value various version view village visit voice vote votes wanted war water way ways wear wearing wears week weight well went \
west white whole wide wife win winner wins wives woman women won wonderful word words work worked works world worn write \
writer writers writes writing written wrote year years yes young younger youngest zone";

static FUNCTION_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| FUNCTION.split_whitespace().collect());
static COMMON_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| COMMON.split_whitespace().collect());

/// Whether a normalised word carries grammar only.
pub(crate) fn is_function_word(word: &str) -> bool {
    FUNCTION_WORDS.contains(word)
}

/// Whether a normalised word is a common one or a form of one: "borders", "bordering", "bordered" beside "border".
pub(super) fn is_common(word: &str) -> bool {
    let known = |word: &str| COMMON_WORDS.contains(word);
    let form_of = |ending: &str| {
        let stem = word.strip_suffix(ending).filter(|stem| stem.len() > 2);
        stem.is_some_and(|stem| known(stem) || known(&format!("{stem}e")))
    };
    known(word) || ["s", "es", "d", "ed", "ing"].into_iter().any(form_of)
}

/// 0.05 for function words, 0.3 for common ones, 0.6 for numbers, 0.4 for single letters and ideographs, else 1.
pub(super) fn weight(word: &str) -> f64 {
    if is_function_word(word) {
        0.05
    } else if COMMON_WORDS.contains(word) {
        0.3
    } else if word.bytes().all(|byte| byte.is_ascii_digit()) {
        0.6
    } else if word.chars().nth(1).is_none() {
        0.4
    } else {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_weigh_by_what_they_tell() {
        assert!(weight("the") < weight("films"));
        assert!(weight("films") < weight("1968"));
        assert!(weight("1968") < weight("tarantino"));
        assert!(weight("大") < weight("tarantino"));
    }

    #[test]
    fn forms_of_common_words_are_common() {
        for word in ["border", "borders", "bordering", "bordered", "sharing", "lakes", "hosted"] {
            assert_eq!(is_common(word), word != "hosted", "{word}");
        }
    }

    #[test]
    fn lists_do_not_overlap() {
        let both: Vec<&&str> = FUNCTION_WORDS.intersection(&COMMON_WORDS).collect();
        assert!(both.iter().all(|word| weight(word) < 0.1), "{both:?}");
    }
}
