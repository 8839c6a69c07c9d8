use std::collections::BTreeMap;

/// What a child told.
#[derive(Debug)]
pub(in crate::probe) struct Heard<A> {
    /// Its answers: those of a lane in order, the lanes in the order in which they were opened.
    pub(in crate::probe) answers: Vec<A>,
    /// Lanes that are not through, by name: why.
    lost: BTreeMap<String, String>,
    /// Why lanes may be missing, where the child did not end in order.
    broken: Option<String>,
}

impl<A> Heard<A> {
    /// Nothing, and why.
    pub(in crate::probe) fn nothing(reason: impl Into<String>) -> Self {
        Self { answers: Vec::new(), lost: BTreeMap::new(), broken: Some(reason.into()) }
    }

    /// Why the answers of a lane are not complete; `None` where they are.
    pub(in crate::probe) fn lost(&self, lane: &str) -> Option<&str> {
        self.lost.get(lane).map(String::as_str)
    }

    /// Each lane that is not through, and why.
    pub(in crate::probe) fn all_lost(&self) -> impl Iterator<Item = (&str, &str)> {
        self.lost.iter().map(|(lane, why)| (lane.as_str(), why.as_str()))
    }

    /// Why there may be lanes of which nothing was heard; `None` where there are none.
    pub(in crate::probe) fn broken(&self) -> Option<&str> {
        self.broken.as_deref()
    }
}

/// What one lane told.
#[derive(Debug)]
pub(super) struct LaneHeard<A> {
    pub(super) answers: Vec<A>,
    /// Why it is not through.
    pub(super) lost: Option<String>,
    /// Whether the others can be read without it.
    pub(super) apart: bool,
}

/// What one child told, lane by lane in the order in which they were opened.
#[derive(Debug)]
pub(super) struct Told<A> {
    pub(super) lanes: Vec<(String, LaneHeard<A>)>,
    pub(super) broken: Option<String>,
    /// The lane that began a step last and did not end it, where the child crashed.
    pub(super) crashed_in: Option<String>,
}

impl<A> Told<A> {
    pub(super) fn nothing(reason: String) -> Self {
        Self { lanes: Vec::new(), broken: Some(reason), crashed_in: None }
    }

    pub(super) fn lane(&mut self, name: &str) -> Option<&mut LaneHeard<A>> {
        self.lanes.iter_mut().find(|(known, _)| known == name).map(|(_, lane)| lane)
    }

    /// The lane with a name, made if it is not there.
    pub(super) fn lane_mut(&mut self, name: String, apart: bool) -> &mut LaneHeard<A> {
        let at = self.lanes.iter().position(|(known, _)| *known == name).unwrap_or_else(|| {
            self.lanes.push((name, LaneHeard { answers: Vec::new(), lost: None, apart }));
            self.lanes.len() - 1
        });
        &mut self.lanes[at].1
    }

    /// Takes over what a later child told of lanes that are not through.
    pub(super) fn amend(&mut self, later: Self) {
        for (name, lane) in later.lanes {
            match self.lane(&name) {
                Some(known)
                    if known.lost.is_some() && (lane.lost.is_none() || lane.answers.len() >= known.answers.len()) =>
                {
                    *known = lane;
                }
                Some(_) => {}
                None => self.lanes.push((name, lane)),
            }
        }
        self.broken = later.broken;
        self.crashed_in = later.crashed_in;
    }

    pub(super) fn heard(self) -> Heard<A> {
        let mut heard = Heard { answers: Vec::new(), lost: BTreeMap::new(), broken: self.broken };
        for (name, lane) in self.lanes {
            heard.answers.extend(lane.answers);
            if let Some(why) = lane.lost {
                heard.lost.insert(name, why);
            }
        }
        heard
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(lanes: &[(&str, &[u32], Option<&str>)]) -> Told<u32> {
        let lane = |(name, answers, lost): &(&str, &[u32], Option<&str>)| {
            let lane = LaneHeard { answers: answers.to_vec(), lost: lost.map(str::to_owned), apart: true };
            ((*name).to_owned(), lane)
        };
        Told { lanes: lanes.iter().map(lane).collect(), broken: None, crashed_in: None }
    }

    #[test]
    fn a_later_child_never_takes_away_what_was_told() {
        let mut told_once = told(&[("a", &[1, 2], None), ("b", &[3, 4], Some("crash")), ("c", &[5], Some("crash"))]);
        told_once.amend(told(&[("a", &[], Some("later")), ("b", &[3], Some("later")), ("c", &[5, 6], Some("later"))]));
        let heard = told_once.heard();
        assert_eq!(heard.answers, [1, 2, 3, 4, 5, 6]);
        assert_eq!((heard.lost("a"), heard.lost("b"), heard.lost("c")), (None, Some("crash"), Some("later")));
    }
}
