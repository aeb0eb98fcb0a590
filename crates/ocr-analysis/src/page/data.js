// Unpacks what pack.rs and lanes.rs have packed.

/** What the page shows: causes of idle time, templates and runs. */
const DATA = JSON.parse(document.getElementById('data').textContent);

function bytesOf(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

async function inflated(base64) {
  const stream = new Blob([bytesOf(base64)]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Unpacks a column of `count` numbers. Numbers may have more than 32 bits, which bit operations would cut off. */
async function column(base64, count, read = plain) {
  const bytes = await inflated(base64);
  const values = new Float64Array(count);
  let at = 0;
  let last = 0;
  for (let number = 0; number < count; number++) {
    let value = 0;
    let factor = 1;
    let byte;
    do {
      byte = bytes[at++];
      value += (byte & 0x7f) * factor;
      factor *= 128;
    } while (byte >= 0x80);
    last = read(value, last);
    values[number] = last;
  }
  return values;
}

const plain = (value) => value;
const signed = (value) => (value % 2 === 1 ? -(value + 1) / 2 : value / 2);
const difference = (value, last) => last + signed(value);

function sum(values) {
  return values.reduce((all, value) => all + value, 0);
}

/** Begins and ends of the bars of all lanes, one lane after another, in nanoseconds since the first EDT's begin. */
async function spans(packed, start) {
  const count = sum(packed.counts);
  const begin = await column(packed.begin, count, signed);
  const end = await column(packed.length, count);
  let at = 0;
  for (const many of packed.counts) {
    let last = -start;
    for (const until = at + many; at < until; at++) {
      begin[at] += last;
      end[at] += begin[at];
      last = end[at];
    }
  }
  return { begin, end };
}

/** A run, ready to be drawn: `raw` is what lanes.rs has made of it. `colors` gives each template's name a number. */
async function loadRun(raw, index, colors) {
  const [start, last] = raw.span;
  const edts = await spans(raw.bars, start);
  const count = edts.begin.length;
  const template = await column(raw.bars.template, count, difference);
  const idle = raw.bars.idle ? await column(raw.bars.idle, count) : null;
  const many = raw.bars.edts ? await column(raw.bars.edts, count) : null;
  const copies = await spans(raw.copies, start);
  copies.bytes = await column(raw.copies.bytes, copies.begin.length);
  const key = Uint16Array.from(template, (number) => colors.numberOf(raw.templates[number]));
  const run = {
    index, policy: raw.policy, ns: last - start, bound: raw.bound, start, raw, template, many, copies,
    begin: edts.begin, end: edts.end, templates: raw.templates, lanes: [], places: raw.places,
  };
  addLanes(run, key, idle, colors);
  for (const place of run.places) place.idle = bytesOf(place.idle);
  run.curves = await Promise.all(raw.curves.map(loadCurve));
  run.details = once(() => loadDetails(run));
  return run;
}

/** A curve: for each step when it begins, its mean and its greatest value. */
async function loadCurve(packed) {
  const { name, place, peak, count } = packed;
  const at = await column(packed.at, count, (value, last) => last + value);
  const mean = (await column(packed.mean, count, difference)).map((value) => value / packed.parts);
  const most = await column(packed.most, count, difference);
  return { name, place, peak, at, mean, most, isBytes: packed.bytes };
}

function addLanes(run, key, idle, colors) {
  const { raw } = run;
  let first = 0;
  let firstCopy = 0;
  raw.lanes.forEach((lane, number) => {
    const isCopies = lane.kind !== 'edts';
    const count = isCopies ? raw.copies.counts[number] : (raw.bars.counts[number] ?? 0);
    const from = isCopies ? firstCopy : first;
    const of = isCopies ? run.copies : run;
    const part = (values) => values.subarray(from, from + count);
    const keys = isCopies ? new Uint16Array(count).fill(colors.copies(lane.kind)) : part(key);
    const idles = idle && !isCopies ? part(idle) : null;
    run.lanes.push({
      ...lane, run, first: from, count, isCopies,
      levels: new Levels(part(of.begin), part(of.end), keys, idles),
    });
    if (isCopies) firstCopy += count;
    else first += count;
  });
}

/** A function that calls `make` the first time, and gives that result every time. */
function once(make) {
  let made;
  return () => (made ??= make());
}

/** What is known of each EDT. Times are nanoseconds since the first EDT's begin; NaN where the recording has none. */
async function loadDetails(run) {
  const packed = run.raw.details;
  if (!packed) return null;
  const count = run.begin.length;
  const details = { labels: packed.labels };
  for (const name of ['created', 'runnable', 'placed', 'granted', 'asked', 'brought', 'launched', 'lastAt']) {
    const before = await column(packed[name], count);
    details[name] = before.map((value, at) => (value === 0 ? NaN : run.begin[at] - (value - 1)));
  }
  for (const name of ['guidHigh', 'guidLow', 'parent', 'last', 'bytes']) {
    details[name] = await column(packed[name], count, difference);
  }
  for (const name of ['slots', 'parameters']) details[name] = await column(packed[name], count);
  details.copyHigh = await column(run.raw.copies.guidHigh, run.copies.begin.length, difference);
  details.copyLow = await column(run.raw.copies.guidLow, run.copies.begin.length, difference);
  details.estimates = packed.estimates && await loadEstimates(packed.estimates, run);
  return details;
}

/** What the policy expected of EDTs in the places that it considered: columns, by EDT and time. */
async function loadEstimates(packed, run) {
  const { count } = packed;
  const estimates = { edt: await column(packed.edt, count, difference) };
  for (const name of ['at', 'place', 'queue', 'copies', 'time', 'what']) {
    estimates[name] = await column(packed[name], count);
  }
  estimates.at = estimates.at.map((before, number) => run.begin[estimates.edt[number]] - before);
  return estimates;
}

/** Colour numbers of templates: the names with the most EDTs come first, so that they get the most distinct colours. */
class Colors {
  constructor(names) {
    this.names = ['copies in', 'copies out', ...names];
    this.numbers = new Map(names.map((name, at) => [name, at + 2]));
  }

  numberOf(name) {
    return this.numbers.get(name);
  }

  copies(kind) {
    return kind === 'in' ? 0 : 1;
  }
}

