//! Plots as SVG: a scatter plot, bars, stacks, a reliability diagram. Colours are classes of the
//! page's style.

use std::fmt::Write as _;

use crate::metrics::Interval;
use crate::row::ErrorClass;
use crate::summary::Summary;

const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 46.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 40.0;
/// Colours of runs, by class `c0` to `c7`.
const COLOURS: usize = 8;
/// Most groups of one bar chart; the table shows the others.
const MOST_GROUPS: usize = 14;

/// A run in a scatter.
pub(super) struct Point<'a> {
    pub(super) label: &'a str,
    pub(super) x: f64,
    pub(super) y: Interval,
}

/// The height of a share in the plot's area.
fn y_of(share: f64) -> f64 {
    TOP + (1.0 - share.clamp(0.0, 1.0)) * (HEIGHT - TOP - BOTTOM)
}

/// Maps numbers to the plot's area.
struct Frame {
    svg: String,
    most_x: f64,
}

impl Frame {
    fn new(most_x: f64, legend_lines: usize) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "a few lines")]
        let height = HEIGHT + 16.0 * legend_lines as f64;
        let mut svg = String::new();
        let _ = write!(
            svg,
            r#"<svg viewBox="0 0 {WIDTH} {height}" role="img" xmlns="http://www.w3.org/2000/svg">"#
        );
        Self { svg, most_x: if most_x > 0.0 { most_x } else { 1.0 } }
    }

    fn x(&self, value: f64) -> f64 {
        LEFT + value / self.most_x * (WIDTH - LEFT - RIGHT)
    }

    fn text(&mut self, x: f64, y: f64, class: &str, text: &str) {
        let _ = write!(self.svg, r#"<text x="{x:.1}" y="{y:.1}" class="{class}">{}</text>"#, escape(text));
    }

    /// Grid lines at 0, .25, ... 1 with their numbers, and the name of the vertical axis.
    fn shares(&mut self, name: &str) {
        for step in 0..=4 {
            let share = f64::from(step) / 4.0;
            let (y, end) = (y_of(share), WIDTH - RIGHT);
            let _ =
                write!(self.svg, r#"<line x1="{LEFT}" y1="{y:.1}" x2="{end}" y2="{y:.1}" class="grid"/>"#);
            self.text(LEFT - 6.0, y + 4.0, "end", &format!("{share:.2}"));
        }
        self.text(LEFT, TOP - 3.0, "axis", name);
    }

    /// Numbers under the horizontal axis, and its name.
    fn costs(&mut self, name: &str) {
        for step in 0..=4 {
            let value = self.most_x * f64::from(step) / 4.0;
            let shown = if self.most_x >= 20.0 { format!("{value:.0}") } else { format!("{value:.2}") };
            let x = self.x(value);
            self.text(x, HEIGHT - BOTTOM + 16.0, "mid", &shown);
        }
        self.text((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 6.0, "mid", name);
    }

    fn legend(&mut self, labels: impl Iterator<Item = String>) {
        self.legend_from(HEIGHT + 10.0, labels);
    }

    fn legend_from(&mut self, top: f64, labels: impl Iterator<Item = String>) {
        let mut y = top;
        for (number, label) in labels.enumerate() {
            let class = number % COLOURS;
            let _ = write!(
                self.svg,
                r#"<rect x="{LEFT}" y="{:.1}" width="10" height="10" class="c{class}"/>"#,
                y - 9.0
            );
            self.text(LEFT + 16.0, y, "legend", &label);
            y += 16.0;
        }
    }

    fn finish(mut self) -> String {
        self.svg.push_str("</svg>");
        self.svg
    }
}

/// Quality against a cost, with the quality's interval.
pub(super) fn scatter(points: &[Point<'_>], x_name: &str, y_name: &str) -> String {
    let most = points.iter().map(|point| point.x).fold(0.0, f64::max) * 1.1;
    let mut frame = Frame::new(most, points.len());
    frame.shares(y_name);
    frame.costs(x_name);
    for (number, point) in points.iter().enumerate() {
        let class = number % COLOURS;
        let (x, y) = (frame.x(point.x), y_of(point.y.mean));
        let (low, high) = (y_of(point.y.low), y_of(point.y.high));
        let title = format!("{}: {} at {:.2} {x_name}", point.label, point.y, point.x);
        let _ = write!(
            frame.svg,
            r#"<line x1="{x:.1}" y1="{low:.1}" x2="{x:.1}" y2="{high:.1}" class="whisker s{class}"/><circle cx="{x:.1}" cy="{y:.1}" r="5" class="c{class}"><title>{}</title></circle>"#,
            escape(&title)
        );
    }
    frame.legend(points.iter().map(|point| point.label.to_owned()));
    frame.finish()
}

/// Least number of groups for horizontal bars, whose names stay readable.
const LYING_FROM: usize = 7;

/// Hit@1 of each run in each group of a property, as horizontal bars with the groups' names before
/// them.
fn lying_bars(summaries: &[Summary], by: &str, values: &[&str]) -> String {
    const NAMES: f64 = 200.0;
    const BAR: f64 = 8.0;
    let row = BAR * count(summaries.len()) + 8.0;
    let bottom = TOP + row * count(values.len());
    let legend = bottom + 34.0;
    let height = legend + 16.0 * count(summaries.len());
    let x = |share: f64| NAMES + share.clamp(0.0, 1.0) * (WIDTH - NAMES - RIGHT);
    let mut frame = Frame { svg: String::new(), most_x: 1.0 };
    let _ = write!(
        frame.svg,
        r#"<svg viewBox="0 0 {WIDTH} {height}" role="img" xmlns="http://www.w3.org/2000/svg">"#
    );
    for step in 0..=4 {
        let share = f64::from(step) / 4.0;
        let at = x(share);
        let _ = write!(
            frame.svg,
            r#"<line x1="{at:.1}" y1="{TOP}" x2="{at:.1}" y2="{bottom:.1}" class="grid"/>"#
        );
        frame.text(at, bottom + 14.0, "mid", &format!("{share:.2}"));
    }
    for (at, value) in values.iter().enumerate() {
        let top = TOP + row * count(at) + 4.0;
        frame.text(NAMES - 8.0, top + row / 2.0, "end", &shortened(value, 34));
        for (number, summary) in summaries.iter().enumerate() {
            let found = summary.groups.iter().find(|group| group.by == by && group.value == **value);
            let Some(group) = found else { continue };
            let (y, class) = (top + BAR * count(number), number % COLOURS);
            let (length, middle) = (x(group.hit_at_1.mean) - NAMES, y + BAR / 2.0);
            let (low, high) = (x(group.hit_at_1.low), x(group.hit_at_1.high));
            let title =
                escape(&format!("{}, {value}: {} (n = {})", summary.label, group.hit_at_1, group.hit_at_1.n));
            let _ = write!(
                frame.svg,
                r#"<rect x="{NAMES}" y="{y:.1}" width="{length:.1}" height="{:.1}" class="c{class}"><title>{title}</title></rect><line x1="{low:.1}" y1="{middle:.1}" x2="{high:.1}" y2="{middle:.1}" class="whisker"/>"#,
                BAR - 1.0
            );
        }
    }
    frame.legend_from(legend, summaries.iter().map(|summary| summary.label.clone()));
    frame.finish()
}

/// Hit@1 of each run in each group of a property; `None` with fewer than two groups.
pub(super) fn grouped_bars(summaries: &[Summary], by: &str) -> Option<String> {
    let mut values: Vec<&str> = Vec::new();
    for group in summaries.iter().flat_map(|s| &s.groups).filter(|group| group.by == by) {
        if !values.contains(&group.value.as_str()) && values.len() < MOST_GROUPS {
            values.push(&group.value);
        }
    }
    if values.len() < 2 {
        return None;
    }
    if values.len() >= LYING_FROM {
        return Some(lying_bars(summaries, by, &values));
    }
    let groups = count(values.len());
    let mut frame = Frame::new(groups, summaries.len());
    frame.shares("Hit@1");
    let room = (frame.x(1.0) - frame.x(0.0)) * 0.8 / count(summaries.len()).max(1.0);
    for (at, value) in values.iter().enumerate() {
        let left = frame.x(count(at)) + (frame.x(1.0) - frame.x(0.0)) * 0.1;
        for (number, summary) in summaries.iter().enumerate() {
            let found = summary.groups.iter().find(|group| group.by == by && group.value == **value);
            let Some(group) = found else { continue };
            let x = left + room * count(number);
            let title = format!("{}, {value}: {} (n = {})", summary.label, group.hit_at_1, group.hit_at_1.n);
            bar(&mut frame, x, room, [0.0, group.hit_at_1.mean], number, &title);
            whisker(&mut frame, x + room / 2.0, group.hit_at_1);
        }
        let centre = frame.x(count(at) + 0.5);
        let shown = shortened(value, if values.len() > 4 { 12 } else { 18 });
        frame.text(centre, HEIGHT - BOTTOM + 14.0, "mid", &shown);
    }
    frame.legend(summaries.iter().map(|summary| summary.label.clone()));
    Some(frame.finish())
}

fn bar(frame: &mut Frame, x: f64, width: f64, [from, to]: [f64; 2], number: usize, title: &str) {
    let (top, bottom) = (y_of(to), y_of(from));
    let class = number % COLOURS;
    let _ = write!(
        frame.svg,
        r#"<rect x="{x:.1}" y="{top:.1}" width="{:.1}" height="{:.1}" class="c{class}"><title>{}</title></rect>"#,
        (width - 1.0).max(1.0),
        (bottom - top).max(0.0),
        escape(title)
    );
}

fn whisker(frame: &mut Frame, x: f64, interval: Interval) {
    let (low, high) = (y_of(interval.low), y_of(interval.high));
    let _ =
        write!(frame.svg, r#"<line x1="{x:.1}" y1="{low:.1}" x2="{x:.1}" y2="{high:.1}" class="whisker"/>"#);
}

/// A stack of error classes for each run; `None` without errors.
pub(super) fn errors(summaries: &[Summary]) -> Option<String> {
    let classes: Vec<ErrorClass> = ErrorClass::ALL
        .into_iter()
        .filter(|class| summaries.iter().any(|s| s.errors.iter().any(|(c, _)| c == class)))
        .collect();
    if classes.is_empty() {
        return None;
    }
    let mut frame = Frame::new(count(summaries.len()), classes.len());
    frame.shares("share of the questions");
    let room = frame.x(1.0) - frame.x(0.0);
    for (at, summary) in summaries.iter().enumerate() {
        let mut below = 0.0;
        for (number, class) in classes.iter().enumerate() {
            let errors = summary.errors.iter().find(|(c, _)| c == class).map_or(0, |(_, n)| *n);
            let share = crate::metrics::share(errors, summary.questions);
            if errors > 0 {
                let title = format!("{}: {} {errors}", summary.label, class.name());
                let x = frame.x(count(at)) + room * 0.2;
                bar(&mut frame, x, room * 0.6, [below, below + share], number, &title);
            }
            below += share;
        }
        let shown = shortened(&summary.label, if summaries.len() > 4 { 12 } else { 24 });
        let shift = if summaries.len() > 4 && at % 2 == 1 { 12.0 } else { 0.0 };
        frame.text(frame.x(count(at) + 0.5), HEIGHT - BOTTOM + 14.0 + shift, "mid", &shown);
    }
    frame.legend(classes.iter().map(|class| class.name().to_owned()));
    Some(frame.finish())
}

/// Confidence against the share of right answers; the diagonal is perfect calibration.
pub(super) fn reliability(summaries: &[Summary]) -> Option<String> {
    if summaries.iter().all(|summary| summary.calibration.bins.is_empty()) {
        return None;
    }
    let mut frame = Frame::new(1.0, summaries.len());
    frame.shares("share right");
    frame.costs("confidence");
    let [x1, y1, x2, y2] = [frame.x(0.0), y_of(0.0), frame.x(1.0), y_of(1.0)];
    let _ = write!(frame.svg, r#"<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" class="grid"/>"#);
    for (number, summary) in summaries.iter().enumerate() {
        let class = number % COLOURS;
        let mut line = String::new();
        for bin in &summary.calibration.bins {
            let (x, y) = (frame.x(bin.confidence), y_of(bin.right));
            let _ = write!(line, "{x:.1},{y:.1} ");
            let title = format!(
                "{}: confidence {:.2}, right {:.2} (n = {})",
                summary.label, bin.confidence, bin.right, bin.n
            );
            let radius = 2.0 + count(bin.n).sqrt().min(12.0) / 2.0;
            let _ = write!(
                frame.svg,
                r#"<circle cx="{x:.1}" cy="{y:.1}" r="{radius:.1}" class="c{class}"><title>{}</title></circle>"#,
                escape(&title)
            );
        }
        let _ = write!(frame.svg, r#"<polyline points="{}" class="line s{class}"/>"#, line.trim());
    }
    frame.legend(summaries.iter().map(|summary| summary.label.clone()));
    Some(frame.finish())
}

/// Risk against coverage of all questions. A curve ends at the run's last answer.
pub(super) fn risk(summaries: &[Summary]) -> Option<String> {
    if summaries.iter().all(|summary| summary.risk.points.is_empty()) {
        return None;
    }
    let mut frame = Frame::new(1.0, summaries.len());
    frame.shares("share of the answers that is wrong");
    frame.costs("share of the questions that is answered");
    for (number, summary) in summaries.iter().enumerate() {
        let class = number % COLOURS;
        let mut line = String::new();
        for point in &summary.risk.points {
            let (x, y) = (frame.x(point.of_questions), y_of(point.risk));
            let _ = write!(line, "{x:.1},{y:.1} ");
            let title = format!(
                "{}: {:.2} of the questions answered, from confidence {:.2}: {:.2} wrong",
                summary.label, point.of_questions, point.threshold, point.risk
            );
            let _ = write!(
                frame.svg,
                r#"<circle cx="{x:.1}" cy="{y:.1}" r="3" class="c{class}"><title>{}</title></circle>"#,
                escape(&title)
            );
        }
        let _ = write!(frame.svg, r#"<polyline points="{}" class="line s{class}"/>"#, line.trim());
    }
    let area =
        |summary: &Summary| summary.risk.area.map_or(String::new(), |area| format!(" (AURC {area:.3})"));
    frame.legend(summaries.iter().map(|summary| format!("{}{}", summary.label, area(summary))));
    Some(frame.finish())
}

#[expect(clippy::cast_precision_loss, reason = "counts of runs, groups and questions fit a double")]
fn count(number: usize) -> f64 {
    number as f64
}

fn shortened(text: &str, longest: usize) -> String {
    if text.chars().count() <= longest {
        return text.to_owned();
    }
    text.chars().take(longest.saturating_sub(1)).chain(['…']).collect()
}

fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            other if other.is_control() => {}
            other => safe.push(other),
        }
    }
    safe
}
