// Levels of detail of a lane: bars, then groups of eight bars, then groups of eight of these, and so on. A group knows
// from when to when it lasts, for how long something ran in it, and which colour most of that has. What is narrower
// than a pixel is drawn as its group, so the work of a frame depends on the pixels and not on the number of EDTs.

const GROUP = 8;

class Levels {
  constructor(begin, end, key, idle) {
    const busy = end.map((value, at) => value - begin[at] - (idle ? idle[at] : 0));
    this.all = [{ begin, end, key, busy, most: busy }];
    while (this.all.at(-1).begin.length > GROUP) this.all.push(grouped(this.all.at(-1)));
  }

  get bars() {
    return this.all[0];
  }

  /** Calls `see(level, number)` for what must be drawn from one time to another: bars, and groups that are not longer
   * than `pixel`. */
  visit(from, to, pixel, see) {
    const open = [];
    const top = this.all.length - 1;
    for (let at = this.all[top].begin.length - 1; at >= 0; at--) open.push(top, at);
    while (open.length > 0) {
      const at = open.pop();
      const depth = open.pop();
      const level = this.all[depth];
      if (level.end[at] < from || level.begin[at] > to) continue;
      if (depth === 0 || level.end[at] - level.begin[at] <= pixel) {
        see(level, at, depth);
        continue;
      }
      const below = Math.min(this.all[depth - 1].begin.length, GROUP * (at + 1));
      for (let child = below - 1; child >= GROUP * at; child--) open.push(depth - 1, child);
    }
  }

  /** The bar at a time, or the nearest one that is not farther than `near`; -1 if there is none. */
  at(time, near) {
    const { begin, end } = this.bars;
    const after = firstAfter(begin, time);
    let best = -1;
    let distance = near;
    for (const candidate of [after - 1, after]) {
      if (candidate < 0 || candidate >= begin.length) continue;
      const away = Math.max(begin[candidate] - time, time - end[candidate], 0);
      if (away <= distance) {
        best = candidate;
        distance = away;
        if (away === 0) break;
      }
    }
    return best;
  }
}

/** How many of the sorted values are at most `limit`: the index of the first value above it. */
function firstAfter(values, limit) {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

function grouped(below) {
  const count = Math.ceil(below.begin.length / GROUP);
  const level = {
    begin: new Float64Array(count), end: new Float64Array(count), key: new Uint16Array(count),
    busy: new Float64Array(count), most: new Float64Array(count),
  };
  for (let at = 0; at < count; at++) group(below, level, at);
  return level;
}

function group(below, level, at) {
  const first = GROUP * at;
  const last = Math.min(below.begin.length, first + GROUP);
  level.begin[at] = below.begin[first];
  level.end[at] = below.end[last - 1];
  for (let child = first; child < last; child++) level.busy[at] += below.busy[child];
  for (let child = first; child < last; child++) {
    let most = 0;
    for (let other = first; other < last; other++) {
      if (below.key[other] === below.key[child]) most += below.most[other];
    }
    if (most > level.most[at] || child === first) {
      level.most[at] = most;
      level.key[at] = below.key[child];
    }
  }
}

