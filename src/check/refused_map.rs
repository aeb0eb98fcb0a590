//! Why a map has given no object, and a creator has created none.

use super::calls::MAPPED;
use super::{CallRecord, Check, Misuse};
use crate::object::Objects;
use crate::status::Status;

impl Check {
    /// A map was not created.
    pub(super) fn refused_map_creation(&self, made: &CallRecord<'_>) -> Option<Box<Misuse>> {
        let word = |name: &str| made.number(made.at(name));
        if word("size") == 0 {
            return Some(self.by_call(
                made,
                "size is 0".into(),
                &[],
                "a map stands for one object at least",
                "Pass the number of objects that can be asked for. Are the arguments in the right order \
                 (mapGuid, size, creatorFunc, ...)?",
            ));
        }
        let arrays = [("paramc", "paramv"), ("guidc", "guidv")];
        arrays.into_iter().find_map(|(number, array)| {
            self.missing_array(
                made,
                number,
                array,
                "what the creator is given is copied from there",
            )
        })
    }

    /// A number that is not 0 and an array that is NULL.
    pub(super) fn missing_array(
        &self,
        made: &CallRecord<'_>,
        number: &str,
        array: &str,
        rule: &str,
    ) -> Option<Box<Misuse>> {
        let count = made.number(made.at(number)) as u32;
        (count != 0 && made.number(made.at(array)) == 0).then(|| {
            self.by_call(
                made,
                format!("{array} is NULL, but {number} is {count}"),
                &[],
                rule,
                &format!("Pass an array of so many elements, or 0 for {number}."),
            )
        })
    }

    /// `ocrMapGet` returned `status`; none where that tells of the machine, or was told already.
    pub(super) fn refused_map(
        &self,
        objects: &Objects,
        made: &CallRecord<'_>,
        status: Status,
    ) -> Option<Box<Misuse>> {
        if made.call.name != "ocrMapGet" {
            return None;
        }
        let (guid, index) = (made.guid(1), made.number(2));
        let map = objects.maps.get(guid);
        if status == Status::ENOENT {
            return Some(self.by_call(
                made,
                format!("the creator of the map {guid} has created no object for index {index}"),
                &[guid],
                "a creator passes the address of its objectLid to a create function, with \
                 EDT_PROP_MAPPED, EVT_PROP_MAPPED or DB_PROP_MAPPED",
                "Look at the ways through the creator: each must come to such a call, before the \
                 function returns. An object that is created without this property is not the map's.",
            ));
        }
        if status == Status::EPEND {
            return Some(self.by_call(
                made,
                format!(
                    "the creator of the object of index {index} of the map {guid} waits for this call"
                ),
                &[guid],
                "creators that ask for each other's objects in a circle, before they have created \
                 their own, get none",
                "Have the creator create its object first and call ocrMapGet after that, or add the \
                 dependence in the EDT that has both objects.",
            ));
        }
        match map {
            None => Some(self.by_call(
                made,
                format!("mapGuid ({guid}) is not the GUID of a map that exists"),
                &[],
                "a map can be asked between ocrMapCreate and ocrMapDestroy",
                "Destroy the map in the last EDT that uses it: one that depends on all the others. \
                 Maps of labeled GUIDs (ocrGuidMapCreate) are asked with ocrGuidFromLabel.",
            )),
            Some(map) if index >= map.size() => Some(self.by_call(
                made,
                format!(
                    "index {index} is out of range: the map stands for {}",
                    map.size()
                ),
                &[guid],
                "indices go from 0 to the size of the map, less 1",
                "Compare how the index is computed with the size that ocrMapCreate was given.",
            )),
            Some(_) => None,
        }
    }

    /// A create function with the property of a creator was refused, and nothing else explains it.
    pub(super) fn refused_mapped(&self, made: &CallRecord<'_>) -> Option<Box<Misuse>> {
        (made.properties() & MAPPED != 0).then(|| {
            self.by_call(
                made,
                format!(
                    "the properties say that a creator creates its object, but *{} is not what it was \
                     given",
                    made.call.args[0].0
                ),
                &[],
                "a creator uses EDT_PROP_MAPPED, EVT_PROP_MAPPED or DB_PROP_MAPPED once, with the \
                 address of its objectLid (see extensions/ocr-map-creator.h)",
                "Pass &objectLid, which must not have been written before, in the creator itself; \
                 or leave the property out if the object is not the map's.",
            )
        })
    }
}
