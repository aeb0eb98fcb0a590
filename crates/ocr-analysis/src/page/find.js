// Finds EDTs and copies by name and GUID, and says what ran in a range of time.

/** The two halves of a GUID that a reader has typed: `0x` and hexadecimal digits, or all sixteen of them; or null. */
function guidOf(text) {
  const found = /^(?:0x([0-9a-f]{1,16})|([0-9a-f]{16}))$/i.exec(text.trim());
  if (!found) return null;
  const digits = (found[1] ?? found[2]).padStart(16, '0');
  return { high: parseInt(digits.slice(0, 8), 16), low: parseInt(digits.slice(8), 16) };
}

/** What a run has of a text: the numbers of EDTs with that GUID, or with the text in the name of the template or in the
 * label, and of copies of the block with that GUID. Both are by the times at which they began. `details` are null where
 * neighbours are drawn as one bar: then only names of templates are found. */
function foundIn(run, details, text) {
  const edts = [];
  const copies = [];
  const guid = guidOf(text);
  if (guid && details) {
    const isIt = (high, low) => (_, at) => high[at] === guid.high && low[at] === guid.low;
    pick(run.begin, isIt(details.guidHigh, details.guidLow), edts);
    pick(run.copies.begin, isIt(details.copyHigh, details.copyLow), copies);
  } else if (!guid) {
    const part = text.trim().toLowerCase();
    const named = run.templates.map((name) => name.toLowerCase().includes(part));
    const labels = Object.entries(details?.labels ?? {}).filter(([, label]) => label.toLowerCase().includes(part));
    const labelled = new Set(labels.map(([at]) => Number(at)));
    pick(run.begin, (_, at) => named[run.template[at]] || labelled.has(at), edts);
  }
  return { edts, copies };
}

/** Adds the numbers of the values for which `is` holds to a list, in the order of the values. */
function pick(values, is, list) {
  values.forEach((value, at) => {
    if (is(value, at)) list.push(at);
  });
  list.sort((one, other) => values[one] - values[other] || one - other);
}

/** What ran between two times: by place and template how many EDTs, for how long within the range, and the longest; by
 * place for how long all of its lanes ran EDTs; and copies with the bytes of those that ended within it. */
function ranIn(run, from, to) {
  const rows = new Map();
  const places = new Map();
  const copies = { count: 0, bytes: 0 };
  for (const lane of run.lanes) {
    const { begin, end, busy } = lane.levels.bars;
    const known = places.get(lane.place) ?? { place: lane.place, lanes: 0, ns: 0 };
    if (!lane.isCopies) {
      known.lanes += 1;
      places.set(lane.place, known);
    }
    // An EDT that waits in a call lasts while others run on its lane, so ends have no order.
    const until = firstAfter(begin, to);
    let covered = from;
    for (let at = 0; at < until; at++) {
      if (end[at] < from) continue;
      const number = lane.first + at;
      if (lane.isCopies) {
        copies.count += 1;
        if (end[at] <= to) copies.bytes += run.copies.bytes[number];
        continue;
      }
      const part = Math.min(end[at], to) - Math.max(begin[at], from);
      const share = end[at] > begin[at] ? busy[at] / (end[at] - begin[at]) : 0;
      const key = `${lane.place} ${run.template[number]}`;
      const row = rows.get(key) ?? { place: lane.place, template: run.template[number], edts: 0, ns: 0, longest: 0 };
      row.edts += run.many ? run.many[number] : 1;
      row.ns += part * share;
      row.longest = Math.max(row.longest, end[at] - begin[at]);
      rows.set(key, row);
      known.ns += Math.max(0, Math.min(end[at], to) - Math.max(begin[at], covered)) * share;
      covered = Math.max(covered, Math.min(end[at], to));
    }
  }
  const order = (one, other) => other.ns - one.ns;
  return { rows: [...rows.values()].sort(order), places: [...places.values()], copies };
}

/** What is shown of a range of time: its length, and what ran in it in each run. */
function rangeParts(runs, { from, to }) {
  const parts = [
    element('h3', { textContent: `${duration(to - from)} were measured` }),
    element('p', { textContent: `From ${moment(from)} to ${moment(to)}.` }),
  ];
  for (const run of runs) {
    const { rows, places, copies } = ranIn(run, from, to);
    parts.push(element('h4', { textContent: `What ran in it under ${run.policy}` }));
    for (const place of places) {
      const all = (to - from) * (place.place === 0 ? Math.max(1, place.lanes) : 1);
      const share = all > 0 ? Math.min(100, Math.round((100 * place.ns) / all)) : 0;
      const textContent = `In EDTs on ${placeName(run, place.place)}: ${duration(place.ns)}, ${share} %.`;
      parts.push(element('p', { textContent }));
    }
    const cells = rows.map((row) => [
      run.templates[row.template], placeName(run, row.place), row.edts.toLocaleString('en'), duration(row.ns),
      duration(row.longest),
    ]);
    if (cells.length > 0) parts.push(table(['template', 'on', 'EDTs', 'in the range', 'longest'], cells));
    if (copies.count > 0) {
      const counted = copies.count === 1 ? '1 copy' : `${copies.count.toLocaleString('en')} copies`;
      const textContent = `${counted}, of which those that ended in it have ${sizeText(copies.bytes)}.`;
      parts.push(element('p', { textContent }));
    }
  }
  return parts;
}

/** The field in which a reader types what to find, and where among what was found the chart stands. */
class Finder {
  constructor(page) {
    this.page = page;
    this.hits = [];
    this.at = -1;
    this.text = '';
    byId('find-form').addEventListener('submit', (event) => {
      event.preventDefault();
      this.go(1);
    });
    byId('find-before').addEventListener('click', () => this.go(-1));
    byId('find').addEventListener('input', () => {
      if (byId('find').value.trim() === '') this.search('');
    });
  }

  /** Goes to the next or the previous of what has the text in the field. */
  async go(by) {
    const text = byId('find').value.trim();
    if (text !== this.text && !await this.search(text)) return;
    const count = this.hits.length;
    if (count === 0) return;
    this.at = this.at < 0 && by < 0 ? count - 1 : (this.at + by + count) % count;
    const { run, edt, copy } = this.hits[this.at];
    if (edt !== undefined) this.page.go(run, edt);
    else this.page.goToCopy(run, copy);
    byId('found').textContent = `${(this.at + 1).toLocaleString('en')} of ${count.toLocaleString('en')}`;
  }

  /** Finds what has a text. False if the reader has typed another one meanwhile. */
  async search(text) {
    this.text = text;
    this.at = -1;
    const hits = [];
    let isMerged = false;
    for (const run of text === '' ? [] : this.page.runs) {
      const details = await run.details();
      if (this.text !== text) return false;
      isMerged ||= !details;
      const { edts, copies } = foundIn(run, details, text);
      for (const edt of edts) hits.push({ run, edt });
      for (const copy of copies) hits.push({ run, copy });
    }
    this.hits = hits;
    const nothing = isMerged && guidOf(text)
      ? 'EDTs are drawn together here, so that no GUID is known: ocr explain knows them' : 'nothing has this name or GUID';
    byId('found').textContent = hits.length > 0 || text === '' ? '' : nothing;
    return true;
  }
}

