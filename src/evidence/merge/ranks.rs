use super::{joined, statements};
use crate::evidence::{Measurement, Rank};

/// Puts the ranks of both into the first: a whole list wins over one that is not, and two that contradict each other are
/// doubtful.
pub(super) fn merge(one: &mut Measurement, two: &Measurement, names: &(String, String)) {
    let whole = (one.whole_ranks(), two.whole_ranks());
    if let (Some(first), Some(second)) = whole
        && first != second
    {
        let of = |name: &str, count: u32| format!("{name} lists {count} ranks");
        one.ranks_doubt = Some(statements(of(&names.0, first), of(&names.1, second)));
        return;
    }
    if whole == (None, None) {
        one.ranks_doubt = joined([one.ranks_doubt.take(), two.ranks_doubt.clone()].into_iter().flatten().collect());
        if two.ranks.len() > one.ranks.len() {
            one.ranks.clone_from(&two.ranks);
        }
        return;
    }
    let (mut list, partial) = if whole.0.is_some() {
        (std::mem::take(&mut one.ranks), two.ranks.clone())
    } else {
        (two.ranks.clone(), std::mem::take(&mut one.ranks))
    };
    let contradicted =
        partial.iter().filter(|other| !list.iter_mut().any(|rank| completed(rank, other))).min_by_key(|rank| rank.rank);
    one.ranks_doubt = contradicted.map(|rank| {
        let (first, second) = if names.0 <= names.1 { (&names.0, &names.1) } else { (&names.1, &names.0) };
        format!("{first} and {second} differ on rank {}", rank.rank)
    });
    one.ranks = list;
}

/// Whether both are the same rank; then what only the other says of it is taken over.
fn completed(rank: &mut Rank, other: &Rank) -> bool {
    let host = |rank: &Rank| rank.host.as_deref().and_then(|host| host.split('.').next()).map(str::to_owned);
    let same = rank.rank == other.rank
        && agree(host(rank).as_ref(), host(other).as_ref())
        && agree(rank.device.as_ref(), other.device.as_ref());
    if same {
        rank.host = rank.host.take().or_else(|| other.host.clone());
        rank.device = rank.device.or(other.device);
        rank.pci = rank.pci.take().or_else(|| other.pci.clone());
        rank.name = rank.name.take().or_else(|| other.name.clone());
    }
    same
}

pub(super) fn agree<T: PartialEq>(one: Option<&T>, two: Option<&T>) -> bool {
    one.zip(two).is_none_or(|(one, two)| one == two)
}
