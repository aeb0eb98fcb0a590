//! Counts the holders of a block by mode, and says which may have it beside which, by the table of modes in [`super`].
//! The lock of the block's header guards the counts.

use crate::object::data_block::Holders;
use crate::object::edt::Mode;
use ocr_place::place::Place;

/// Whether an EDT in this place may have a block in this mode beside those that hold it.
pub(super) fn admits(holders: &Holders, mode: Mode, place: Place) -> bool {
    let Holders { constant, rw, ew, rw_place, .. } = *holders;
    match mode {
        Mode::Null | Mode::Ro => true,
        Mode::Const => rw == 0 && !ew,
        Mode::Rw => {
            let same_place = rw_place == Some(place) && place != Place::UNDECIDED;
            constant == 0 && !ew && (rw == 0 || same_place)
        }
        Mode::Ew => constant == 0 && rw == 0 && !ew,
    }
}

/// Counts `times` more holders in.
pub(super) fn enter(holders: &mut Holders, mode: Mode, place: Place, times: u32) {
    match mode {
        Mode::Null => {}
        Mode::Ro => holders.ro += times,
        Mode::Const => holders.constant += times,
        Mode::Rw => {
            holders.rw += times;
            holders.rw_place = Some(place);
        }
        Mode::Ew => {
            holders.ew = true;
            holders.rw_place = Some(place);
        }
    }
}

/// Counts `times` holders out.
pub(super) fn leave(holders: &mut Holders, mode: Mode, times: u32) {
    match mode {
        Mode::Null => {}
        Mode::Ro => holders.ro -= times,
        Mode::Const => holders.constant -= times,
        Mode::Rw => holders.rw -= times,
        Mode::Ew => holders.ew = false,
    }
}

/// How many hold a block in a mode that several can hold it in.
pub(super) fn sharing(holders: &Holders, mode: Mode) -> u32 {
    match mode {
        Mode::Ro => holders.ro,
        Mode::Const => holders.constant,
        Mode::Rw => holders.rw,
        Mode::Null | Mode::Ew => 0,
    }
}

/// Whether any EDT or thread holds a block.
pub(super) fn is_held(holders: &Holders) -> bool {
    holders.ro != 0 || holders.constant != 0 || holders.rw != 0 || holders.ew
}
