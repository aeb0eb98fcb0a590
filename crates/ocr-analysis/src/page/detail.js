// What is known of an EDT, in words and tables: when it was what, what it waited for, and why it ran where it did.

/** A new element of the page, with its properties and its children. */
function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function button(text, act) {
  return element('button', { type: 'button', textContent: text, onclick: act });
}

function table(titles, rows) {
  const head = element('tr', {}, ...titles.map((title) => element('th', { scope: 'col', textContent: title })));
  const body = rows.map((cells) => element('tr', {}, ...cells.map((cell, at) => (
    element(at === 0 ? 'th' : 'td', at === 0 ? { scope: 'row', textContent: cell } : { textContent: cell })
  ))));
  const made = element('table', {}, element('thead', {}, head), element('tbody', {}, ...body));
  return element('div', { className: 'scroll' }, made);
}

function hex(high, low) {
  const digits = low.toString(16);
  return high === 0 ? `0x${digits}` : `0x${high.toString(16)}${digits.padStart(8, '0')}`;
}

function placeName(run, place) {
  const known = run.places.find((one) => one.place === place);
  if (place !== 0) return known ? known.name : `device ${place - 1}`;
  return known && known.units > 1 ? 'the workers' : 'the worker';
}

/** The lane of an EDT, by its number. */
function laneOf(run, edt) {
  return run.lanes.find((one) => !one.isCopies && edt >= one.first && edt < one.first + one.count);
}

class Detail {
  /** `go` selects an EDT of a run by its number, `showChain` marks what led to it. */
  constructor(panel, go, showChain) {
    this.panel = panel;
    this.go = go;
    this.showChain = showChain;
    this.shown = null;
  }

  clear() {
    this.shown = null;
    this.panel.replaceChildren(element('p', {
      className: 'hint',
      textContent: 'Choose an EDT in the chart to see when it was created, became runnable and ran, what it waited for, and '
        + 'why it ran there.',
    }));
  }

  /** Shows what ran in a range of time, with buttons that act on it. */
  showRange(runs, range, ...buttons) {
    this.shown = range;
    this.panel.replaceChildren(...rangeParts(runs, range), element('p', {}, ...buttons));
  }

  async show(item) {
    this.shown = item;
    const { lane, at } = item;
    const details = await lane.run.details();
    if (this.shown !== item) return;
    if (lane.isCopies) this.panel.replaceChildren(...copyParts(lane, at, details));
    else if (!details) this.panel.replaceChildren(...mergedParts(lane, at));
    else this.panel.replaceChildren(...this.edtParts(lane, lane.first + at, details));
  }

  edtParts(lane, edt, details) {
    const { run } = lane;
    const label = details.labels[edt];
    return [
      element('h3', {}, run.templates[run.template[edt]], label ? ` “${label}”` : ''),
      facts(run, lane, edt, details),
      element('h4', { textContent: 'When' }),
      table(['', 'at', 'later by'], steps(run, edt, details)),
      element('h4', { textContent: 'What it waited for last' }),
      this.waitedFor(run, edt, details),
      element('h4', { textContent: 'Why it ran there' }),
      ...placeParts(run, lane, edt, details),
      ...this.neighbours(run, edt, details),
    ];
  }

  link(run, edt, details) {
    const guid = hex(details.guidHigh[edt], details.guidLow[edt]);
    return button(`${run.templates[run.template[edt]]} ${guid}`, () => this.go(run, edt));
  }

  waitedFor(run, edt, details) {
    const from = details.last[edt] - 1;
    if (from < 0) return element('p', { textContent: 'No other EDT that was recorded came before it.' });
    const inBody = !Number.isNaN(details.lastAt[edt]);
    const how = inBody ? ', for what that did in its body' : ', for its end';
    const when = inBody ? details.lastAt[edt] : run.end[from];
    const after = Math.max(0, details.runnable[edt] - when);
    const isKernel = !inBody && laneOf(run, from)?.place !== 0;
    const seen = isKernel ? 'the end was seen, and this EDT was runnable,' : 'it was runnable';
    const late = Number.isNaN(after) ? '.' : `; ${seen} ${after === 0 ? 'then' : `${duration(after)} later`}.`;
    return element('p', {}, 'For ', this.link(run, from, details), `${how}${late} `,
      button('Mark all that led to it', () => this.showChain(run, edt)));
  }

  neighbours(run, edt, details) {
    const parts = [];
    const parent = details.parent[edt] - 1;
    if (parent >= 0) parts.push(element('p', {}, 'Created by ', this.link(run, parent, details), '.'));
    const waiting = [];
    for (let other = 0; other < details.last.length && waiting.length <= 5; other++) {
      if (details.last[other] - 1 === edt) waiting.push(other);
    }
    if (waiting.length === 0) return parts;
    const links = waiting.slice(0, 5).flatMap((other) => [' ', this.link(run, other, details)]);
    const more = waiting.length > 5 ? ' and more.' : '';
    parts.push(element('p', {}, 'Waited for it last:', ...links, more));
    return parts;
  }
}

function facts(run, lane, edt, details) {
  const rows = [
    ['GUID', hex(details.guidHigh[edt], details.guidLow[edt])],
    ['policy', run.policy],
    ['ran', `${duration(run.end[edt] - run.begin[edt])} on ${where(run, lane)}`],
    ['blocks', sizeText(details.bytes[edt])],
    ['pre-slots', String(details.slots[edt])],
    ['parameters', String(details.parameters[edt])],
  ];
  return element('dl', {}, ...rows.flatMap(([name, value]) => [
    element('dt', { textContent: name }), element('dd', { textContent: value }),
  ]));
}

function where(run, lane) {
  return lane.place === 0 ? lane.name : `${placeName(run, lane.place)}, ${lane.name}`;
}

/** The moments of an EDT in their order: what, when, and how much later than the one before. */
function steps(run, edt, details) {
  const all = [
    ['created', details.created[edt]],
    ['runnable', details.runnable[edt]],
    ['got its blocks', details.granted[edt]],
    ['taken by its place', details.placed[edt]],
    ['given to the device', details.launched[edt]],
    ['its copies began', details.asked[edt]],
    ['its copies ended', details.brought[edt]],
    ['began', run.begin[edt]],
    ['ended', run.end[edt]],
  ].filter(([, time]) => !Number.isNaN(time));
  const order = all.map((step, at) => [...step, at]).sort((one, other) => one[1] - other[1] || one[2] - other[2]);
  return order.map(([name, time], at) => (
    [name, moment(time), at === 0 ? '' : `+ ${duration(time - order[at - 1][1])}`]
  ));
}

/** How long EDTs of its template took in each place where they can run, and what the policy expected. */
function placeParts(run, lane, edt, details) {
  const number = run.template[edt];
  const means = meansOf(run).get(number) ?? new Map();
  const can = run.raw.can[number] ?? 0;
  const places = run.places.map((place) => place.place).filter((place) => means.has(place) || canRun(can, place));
  const own = run.end[edt] - run.begin[edt];
  const rows = places.map((place) => {
    const mean = means.get(place);
    const here = place === lane.place ? duration(own) : '';
    const [edts, each] = mean ? [String(mean.count), duration(mean.sum / mean.count)] : ['0', 'not known'];
    return [placeName(run, place), edts, each, here];
  });
  const parts = [element('p', { textContent: placeSentence(run, places) })];
  if (rows.length > 0) parts.push(table(['place', 'EDTs like it', 'each', 'this one'], rows));
  return [...parts, ...estimateParts(run, lane, edt, details)];
}

function canRun(places, place) {
  return Math.floor(places / 2 ** place) % 2 === 1;
}

/** How policies choose a place, by the beginning of their names. */
const WAYS = [
  ['cpu', 'puts each EDT that has a function on the workers'],
  ['device', 'puts each EDT that has a kernel on a device'],
  ['static', 'divides the EDTs of a template between places by fixed shares'],
  ['eager', 'lets the first place that is free take an EDT, however long it takes there'],
  ['eft', 'lets an EDT wait for the place where it is expected to end first'],
  ['locality', 'puts an EDT where most bytes of its blocks are'],
  ['heteroprio', 'lets each place take the EDTs that it runs best, compared with the others'],
  ['random', 'draws a place by chance'],
];

function placeSentence(run, places) {
  if (places.length < 2) return 'In this run no other place could run EDTs of this template.';
  const way = WAYS.find(([name]) => run.policy.split(':')[0] === name);
  return `${places.length} places could run it. The policy ${run.policy} ${way ? way[1] : 'chose'}.`;
}

/** By template and place: how many EDTs ran, and the sum of their times in nanoseconds. */
function meansOf(run) {
  return (run.means ??= countedMeans(run));
}

function countedMeans(run) {
  const means = new Map();
  for (const lane of run.lanes.filter((one) => !one.isCopies)) {
    for (let edt = lane.first; edt < lane.first + lane.count; edt++) {
      const number = run.template[edt];
      if (!means.has(number)) means.set(number, new Map());
      const places = means.get(number);
      const known = places.get(lane.place) ?? { count: 0, sum: 0 };
      known.count += 1;
      known.sum += run.end[edt] - run.begin[edt];
      places.set(lane.place, known);
    }
  }
  return means;
}

/** Texts for the numbers of told.rs: how well a time was known, and what the policy did with an EDT. */
const CERTAINTIES = ['not known', 'guessed', 'from other sizes', 'measured'];
const DEEDS = [
  'it is shorter than it takes to place it, so it ran at once on the host',
  'it waited for the place where it should end first',
  'its time was not known everywhere, so it waited for the first place that was free',
  'its turn came, and it went where it should end sooner by then',
  'a place without work took it, where it should end sooner',
  'a place took it although its time was not known everywhere',
];

/** What the policy expected of each place, where the recording has it: the last choice, and what came true of it. */
function estimateParts(run, lane, edt, details) {
  const choice = lastChoice(details.estimates, edt);
  if (choice.length === 0) return [];
  const { at, place, queue, copies, time, what } = details.estimates;
  const rows = choice.map((number) => [
    `${placeName(run, place[number])}${what[number] & 1 ? ' (chosen)' : ''}`,
    duration(queue[number]), duration(copies[number]),
    time[number] === 0 ? 'not known' : duration(time[number] - 1),
    time[number] === 0 ? '' : duration(Math.max(queue[number], copies[number]) + time[number] - 1),
    CERTAINTIES[(what[number] >> 2) & 3],
  ]);
  const [first] = choice;
  const parts = [
    element('p', { textContent: `Decided at ${moment(at[first])}: ${DEEDS[what[first] >> 4] ?? ''}.` }),
    table(['expected on', 'free in', 'copies', 'run', 'end in', 'known'], rows),
  ];
  const chosen = choice.find((number) => what[number] & 1);
  if (chosen !== undefined) parts.push(truth(run, lane, edt, details.estimates, chosen));
  return parts;
}

/** The indices, in the columns of estimates, of the last choice for an EDT; empty if there are none. */
function lastChoice(estimates, edt) {
  if (!estimates) return [];
  let at = firstAfter(estimates.edt, edt) - 1;
  const choice = [];
  while (at >= 0 && estimates.edt[at] === edt) {
    choice.unshift(at);
    if (estimates.what[at] & 2) break;
    at -= 1;
  }
  return choice;
}

/** Compares what the policy expected of the place that it chose with the time that the EDT took. */
function truth(run, lane, edt, estimates, chosen) {
  const took = duration(run.end[edt] - run.begin[edt]);
  const after = duration(run.end[edt] - estimates.at[chosen]);
  const ran = lane.place === estimates.place[chosen] ? '' : ` It ran on ${placeName(run, lane.place)} instead.`;
  if (estimates.time[chosen] === 0) {
    return element('p', { textContent: `It ran for ${took}, and ended after ${after}.${ran}` });
  }
  const time = estimates.time[chosen] - 1;
  const end = Math.max(estimates.queue[chosen], estimates.copies[chosen]) + time;
  return element('p', {
    textContent: `It was expected to run for ${duration(time)}, and ran for ${took}; to end after ${duration(end)}, and ended `
      + `after ${after}.${ran}`,
  });
}

function copyParts(lane, at, details) {
  const { run } = lane;
  const { begin, end } = lane.levels.bars;
  const number = lane.first + at;
  const rows = [
    ['block', details ? hex(details.copyHigh[number], details.copyLow[number]) : 'of several'],
    ['size', sizeText(run.copies.bytes[number])],
    ['took', duration(end[at] - begin[at])],
    ['began', duration(begin[at])],
    ['where', placeName(run, lane.place)],
  ];
  if (run.raw.copies.each > 1) rows.push(['copies', `up to ${run.raw.copies.each}, one after the other`]);
  return [
    element('h3', { textContent: lane.kind === 'in' ? 'Copy to the device' : 'Copy from the device' }),
    element('dl', {}, ...rows.flatMap(([name, value]) => [
      element('dt', { textContent: name }), element('dd', { textContent: value }),
    ])),
  ];
}

function mergedParts(lane, at) {
  const { run } = lane;
  const { begin, end, busy } = lane.levels.bars;
  const edt = lane.first + at;
  return [
    element('h3', { textContent: counted(run.many[edt], 'EDT') }),
    element('p', {
      textContent: `Most of the time went into ${run.templates[run.template[edt]]}. From ${duration(begin[at])} to `
        + `${duration(end[at])}; in EDTs for ${duration(busy[at])} of it. The recording has more EDTs than a page takes, so `
        + 'neighbours are one bar.',
    }),
  ];
}

