// Puts the page together: the chart, what is selected, keys, pointer and wheel, the legend, and the theme.

const byId = (id) => document.getElementById(id);

/** The theme: what the system wants, or what the reader has chosen. */
function setUpTheme(changed) {
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  const wanted = new URLSearchParams(location.hash.slice(1)).get('theme');
  if (wanted === 'dark' || wanted === 'light') document.documentElement.dataset.theme = wanted;
  const isDark = () => (document.documentElement.dataset.theme ?? (dark.matches ? 'dark' : 'light')) === 'dark';
  const toggle = byId('theme');
  const tell = () => {
    toggle.textContent = isDark() ? 'Light' : 'Dark';
    toggle.setAttribute('aria-label', `Use the ${isDark() ? 'light' : 'dark'} theme`);
    changed();
  };
  toggle.addEventListener('click', () => {
    document.documentElement.dataset.theme = isDark() ? 'light' : 'dark';
    tell();
  });
  dark.addEventListener('change', tell);
  tell();
}

class Page {
  constructor(runs, colors) {
    this.runs = runs;
    this.colors = colors;
    this.canvas = byId('canvas');
    this.frame = byId('frame');
    this.tip = byId('tip');
    this.chart = new Chart(this.canvas, runs, colors);
    this.view = this.chart.view;
    this.detail = new Detail(byId('detail'), (run, edt) => this.go(run, edt), (run, edt) => this.mark(run, edt));
    this.selected = null;
    /** The range of time that is measured: `from` and `to` in nanoseconds, or null; where the reader has begun one. */
    this.range = null;
    this.firstEnd = null;
    this.isMeasuring = false;
    this.chain = [];
    this.isDue = false;
    this.pointers = new Map();
    this.used = once(() => this.findUsed());
    this.detail.clear();
    this.showAll();
    this.layOut();
    this.listen();
    this.fillLegend();
    this.finder = new Finder(this);
  }

  // The view: which part of the chart is shown.

  layOut() {
    const width = this.frame.clientWidth;
    const total = this.chart.layOut(width);
    const height = Math.min(total, Math.max(240, Math.round(window.innerHeight * 0.8)));
    // With its border.
    this.frame.style.height = `${height + 2}px`;
    byId('sheet').style.height = `${total}px`;
    this.chart.resize(height);
    // Not with the next frame: a canvas is empty once its size has changed.
    this.drawNow();
  }

  drawNow() {
    this.isDue = false;
    this.view.scroll = this.frame.scrollTop;
    this.chart.draw(this);
  }

  /** Draws with the next frame, once for all that has changed by then. */
  draw() {
    if (this.isDue) return;
    this.isDue = true;
    requestAnimationFrame(() => {
      if (this.isDue) this.drawNow();
    });
  }

  setView(from, to) {
    const longest = this.chart.longest;
    const span = Math.min(Math.max(to - from, 20), 1.2 * longest);
    const first = Math.min(Math.max(from, -0.1 * longest), 1.1 * longest - span);
    Object.assign(this.view, { from: first, to: first + span });
    // What is under the pointer now is something else.
    this.hideTip();
    this.draw();
    this.remember();
  }

  showAll() {
    const longest = this.chart.longest;
    this.setView(-0.005 * longest, 1.02 * longest);
  }

  /** Stretches the time axis by `factor`, and keeps `time` where it stands. */
  zoom(factor, time = (this.view.from + this.view.to) / 2) {
    const { from, to } = this.view;
    const span = Math.min(Math.max((to - from) / factor, 20), 1.2 * this.chart.longest);
    const part = (time - from) / (to - from);
    this.setView(time - part * span, time + (1 - part) * span);
  }

  pan(part) {
    const { from, to } = this.view;
    this.setView(from + part * (to - from), to + part * (to - from));
  }

  // The range that is measured.

  /** Has the next drag or two clicks measure a range, or no longer. */
  setMeasuring(isOn) {
    this.isMeasuring = isOn;
    this.firstEnd = null;
    byId('measure').setAttribute('aria-pressed', String(isOn));
  }

  /** Measures from one time to another, which may come before it. */
  measure(one, other) {
    const [from, to] = one < other ? [one, other] : [other, one];
    this.range = { from, to };
    this.draw();
  }

  /** Shows what ran in the range. */
  showRange() {
    this.setMeasuring(false);
    this.selected = null;
    this.chain = [];
    const runs = this.runs.filter((run) => !this.chart.hidden.has(run.index));
    const { from, to } = this.range;
    const zoom = button('Zoom to it', () => this.setView(from - 0.05 * (to - from), to + 0.05 * (to - from)));
    const clear = button('Clear', () => this.clearRange());
    this.detail.showRange(runs, this.range, zoom, ' ', clear);
    this.draw();
    this.remember();
  }

  clearRange() {
    this.range = null;
    this.setMeasuring(false);
    this.select(null);
  }

  /** Puts the begin or the end of the range at that of the bar that is selected. */
  measureSelected(side) {
    if (!this.selected) return;
    const { lane, at } = this.selected;
    const { begin, end } = lane.levels.bars;
    const time = side === 'from' ? begin[at] : end[at];
    const other = this.range ? this.range[side === 'from' ? 'to' : 'from'] : (side === 'from' ? end[at] : begin[at]);
    this.measure(time, other);
    const { selected } = this;
    this.showRange();
    this.selected = selected;
  }

  showCurves(isOn) {
    this.chart.hasCurves = isOn;
    byId('curves').setAttribute('aria-pressed', String(isOn));
    this.layOut();
  }

  // The bar that is selected.

  select(item) {
    this.selected = item;
    this.chain = [];
    if (item) this.detail.show(item);
    else this.detail.clear();
    this.draw();
    this.remember();
  }

  /** Selects an EDT by its number, and goes where it is. */
  go(run, edt) {
    const lane = laneOf(run, edt);
    if (!lane) return;
    if (this.chart.hidden.delete(run.index)) {
      this.fillLegend();
      this.layOut();
    }
    const chain = this.chain;
    this.select({ lane, at: edt - lane.first });
    // A link of the chain that is marked leaves it marked.
    if (chain.some((item) => item.lane === lane && item.at === edt - lane.first)) this.chain = chain;
    this.reveal();
  }

  /** Selects a copy of a run by its number, and goes where it is. */
  goToCopy(run, copy) {
    const lane = run.lanes.find((one) => one.isCopies && copy >= one.first && copy < one.first + one.count);
    if (!lane) return;
    if (this.chart.hidden.delete(run.index)) {
      this.fillLegend();
      this.layOut();
    }
    this.select({ lane, at: copy - lane.first });
    this.reveal();
  }

  /** Moves the view if it does not show the bar that is selected. */
  reveal() {
    const { lane, at } = this.selected;
    const { begin, end } = lane.levels.bars;
    const { from, to } = this.view;
    const span = to - from;
    const middle = (begin[at] + end[at]) / 2;
    if (end[at] - begin[at] < 3 * this.chart.pixel) {
      const wanted = 60 * Math.max(end[at] - begin[at], 10);
      this.setView(middle - wanted / 2, middle + wanted / 2);
    } else if (begin[at] < from || end[at] > to) this.setView(middle - span / 2, middle + span / 2);
    const row = this.chart.rows.find((one) => one.lane === lane);
    const room = this.frame.clientHeight;
    if (row && (row.y - AXIS < this.frame.scrollTop || row.y + row.height > this.frame.scrollTop + room)) {
      this.frame.scrollTop = row.y - room / 2;
    }
  }

  /** Marks what led to an EDT: what it waited for last, what that waited for, and so on. */
  async mark(run, edt) {
    const details = await run.details();
    const chain = [];
    // Edges lead back in time; the limit is for recordings that say otherwise.
    for (let at = edt; at >= 0 && chain.length <= run.begin.length; at = details.last[at] - 1) {
      const lane = laneOf(run, at);
      chain.push({ lane, at: at - lane.first });
    }
    this.chain = chain;
    this.draw();
  }

  /** Selects the bar before or after the one that is selected. */
  step(by) {
    if (!this.selected) return this.selectMiddle();
    const { lane, at } = this.selected;
    const next = at + by;
    if (next < 0 || next >= lane.count) return undefined;
    this.select({ lane, at: next });
    return this.reveal();
  }

  /** Selects what is at the same time on the lane above or below. */
  stepLane(by) {
    if (!this.selected) return this.selectMiddle();
    const { lane, at } = this.selected;
    const lanes = this.chart.rows.filter((row) => row.kind === 'lane' && row.lane.count > 0).map((row) => row.lane);
    const next = lanes[lanes.indexOf(lane) + by];
    if (!next) return undefined;
    this.select({ lane: next, at: Math.max(0, next.levels.at(lane.levels.bars.begin[at], Infinity)) });
    return this.reveal();
  }

  selectMiddle() {
    const row = this.chart.rows.find((one) => one.kind === 'lane' && one.lane.count > 0
      && one.y >= this.view.scroll);
    if (!row) return;
    const middle = (this.view.from + this.view.to) / 2;
    this.select({ lane: row.lane, at: Math.max(0, row.lane.levels.at(middle, Infinity)) });
  }

  async goToWaited() {
    if (!this.selected || this.selected.lane.isCopies) return;
    const { lane, at } = this.selected;
    const details = await lane.run.details();
    const from = details ? details.last[lane.first + at] - 1 : -1;
    if (from >= 0) this.go(lane.run, from);
  }

  /** Selects the EDT of a run that ended last. */
  goToLast(run) {
    let last = 0;
    run.end.forEach((end, at) => {
      if (end > run.end[last]) last = at;
    });
    this.go(run, last);
  }

  // Keys, pointer and wheel.

  listen() {
    const { canvas, frame } = this;
    new ResizeObserver(() => this.layOut()).observe(frame.parentElement);
    frame.addEventListener('scroll', () => {
      this.hideTip();
      this.draw();
    });
    canvas.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
    canvas.addEventListener('pointerdown', (event) => this.pointerDown(event));
    canvas.addEventListener('pointermove', (event) => this.pointerMove(event));
    canvas.addEventListener('pointerup', (event) => this.pointerUp(event));
    canvas.addEventListener('pointercancel', (event) => this.pointers.delete(event.pointerId));
    canvas.addEventListener('pointerleave', () => this.hideTip());
    canvas.addEventListener('dblclick', (event) => this.zoom(4, this.chart.time(event.offsetX)));
    canvas.addEventListener('keydown', (event) => this.key(event));
    const acts = {
      'zoom-in': () => this.zoom(2), 'zoom-out': () => this.zoom(0.5), all: () => this.showAll(),
      left: () => this.pan(-0.4), right: () => this.pan(0.4), measure: () => this.setMeasuring(!this.isMeasuring),
      curves: () => this.showCurves(!this.chart.hasCurves),
    };
    for (const [id, act] of Object.entries(acts)) byId(id).addEventListener('click', act);
  }

  /** With Ctrl or Meta the wheel zooms, with Shift or sideways it moves the view; else the browser scrolls. */
  wheel(event) {
    const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.06 : 0.004)), this.chart.time(event.offsetX));
    } else if (Math.abs(sideways) > Math.abs(event.shiftKey ? 0 : event.deltaY)) {
      event.preventDefault();
      this.pan(sideways / this.chart.width);
    }
  }

  pointerDown(event) {
    this.canvas.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    this.moved = this.pointers.size > 1 ? Infinity : 0;
    this.begun = this.isMeasuring || event.shiftKey ? this.chart.snapped(event.offsetX, event.offsetY) : null;
  }

  pointerMove(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) {
      this.showTip(event);
      if (this.firstEnd !== null) this.measure(this.firstEnd, this.chart.snapped(event.offsetX, event.offsetY));
      return;
    }
    const now = { x: event.offsetX, y: event.offsetY };
    if (this.pointers.size > 1) this.pinch(event.pointerId, before, now);
    else this.drag(event, before, now);
    this.pointers.set(event.pointerId, now);
  }

  drag(event, before, now) {
    this.moved += Math.abs(now.x - before.x) + Math.abs(now.y - before.y);
    if (this.moved < 4) return;
    this.hideTip();
    if (this.begun !== null) {
      this.measure(this.begun, this.chart.snapped(event.offsetX, event.offsetY));
      return;
    }
    this.pan((before.x - now.x) / Math.max(1, this.chart.width - this.chart.left));
    if (event.pointerType === 'mouse') this.frame.scrollTop += before.y - now.y;
  }

  pinch(pointer, before, now) {
    const [other] = [...this.pointers].filter(([id]) => id !== pointer).map(([, point]) => point);
    const [far, near] = [Math.abs(now.x - other.x), Math.abs(before.x - other.x)];
    if (far > 8 && near > 8) this.zoom(far / near, this.chart.time((now.x + other.x) / 2));
  }

  pointerUp(event) {
    const was = this.pointers.delete(event.pointerId);
    if (!was) return;
    if (this.begun !== null && this.moved !== Infinity) {
      this.endMeasure();
      return;
    }
    if (this.moved >= 4) return;
    const found = this.chart.find(event.offsetX, event.offsetY);
    this.select(found && found.lane ? { lane: found.lane, at: found.at } : null);
  }

  /** Ends a drag that measures. A click is the first end of a range, or the second one. */
  endMeasure() {
    if (this.moved >= 4 && this.range) this.showRange();
    else if (this.firstEnd !== null) {
      this.measure(this.firstEnd, this.begun);
      this.showRange();
    } else {
      this.setMeasuring(true);
      this.firstEnd = this.begun;
      this.measure(this.begun, this.begun);
    }
    this.begun = null;
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const acts = event.shiftKey
      ? { ArrowLeft: () => this.step(-1), ArrowRight: () => this.step(1), ArrowUp: () => this.stepLane(-1),
        ArrowDown: () => this.stepLane(1), '+': () => this.zoom(2) }
      : { ArrowLeft: () => this.pan(-0.2), ArrowRight: () => this.pan(0.2), ArrowUp: () => this.scroll(-60),
        ArrowDown: () => this.scroll(60), '+': () => this.zoom(2), '=': () => this.zoom(2), '-': () => this.zoom(0.5),
        0: () => this.showAll(), Home: () => this.showAll(), Enter: () => this.selectMiddle(),
        w: () => this.goToWaited(), m: () => this.setMeasuring(!this.isMeasuring),
        '[': () => this.measureSelected('from'),
        ']': () => this.measureSelected('to'), '/': () => byId('find').focus(), Escape: () => this.clearRange() };
    const act = acts[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  scroll(by) {
    this.frame.scrollTop += by;
  }

  // The text at the pointer, and the legend.

  showTip(event) {
    const found = this.chart.find(event.offsetX, event.offsetY);
    this.canvas.style.cursor = found?.lane ? 'pointer' : 'grab';
    if (!found) return this.hideTip();
    this.tip.textContent = found.lane ? barText(found) : found.row.curve ? curveText(found) : stripText(found);
    this.tip.hidden = this.tip.textContent === '';
    const box = this.frame.parentElement.getBoundingClientRect();
    const room = box.width - this.tip.offsetWidth - 8;
    this.tip.style.left = `${Math.max(4, Math.min(room, event.clientX - box.left + 14))}px`;
    this.tip.style.top = `${event.clientY - box.top + 18}px`;
    return undefined;
  }

  hideTip() {
    this.tip.hidden = true;
  }

  fillLegend() {
    byId('legend').replaceChildren(...this.used().map((number) => this.legendEntry(number)));
    byId('causes-legend').replaceChildren(...CAUSE_NAMES.map((text, cause) => (
      element('span', { className: 'entry' }, element('i', { className: `swatch ${CAUSES[cause]}` }), text)
    )));
    byId('policies').replaceChildren(...this.runs.map((run) => this.policyEntry(run)));
  }

  /** The numbers of the colours that some bar has: templates first, then copies. */
  findUsed() {
    const lanes = this.runs.flatMap((run) => run.lanes);
    const used = new Set(lanes.flatMap((lane) => [...new Set(lane.levels.bars.key)]));
    return [...used].sort((one, other) => (one < 2) - (other < 2) || one - other);
  }

  legendEntry(number) {
    const swatch = element('i', { className: 'swatch' });
    swatch.style.background = this.chart.fills[number];
    const entry = element('button', { type: 'button', className: 'entry' }, swatch, this.colors.names[number]);
    entry.setAttribute('aria-pressed', String(this.chart.only?.has(number) ?? false));
    entry.addEventListener('click', () => this.toggleOnly(number));
    return entry;
  }

  toggleOnly(number) {
    const only = new Set(this.chart.only ?? []);
    if (!only.delete(number)) only.add(number);
    this.chart.only = only.size > 0 ? only : null;
    const at = [...byId('legend').children].indexOf(document.activeElement);
    this.restyle();
    byId('legend').children[at]?.focus();
  }

  policyEntry(run) {
    const { chart } = this;
    const box = element('input', { type: 'checkbox', checked: !chart.hidden.has(run.index) });
    box.addEventListener('change', () => {
      if (box.checked) chart.hidden.delete(run.index);
      else chart.hidden.add(run.index);
      this.layOut();
    });
    const last = button('last EDT', () => this.goToLast(run));
    last.className = 'quiet';
    return element('span', { className: 'entry' }, element('label', {}, box, ` ${run.policy}`), ' ', last);
  }

  restyle() {
    this.chart.restyle();
    this.fillLegend();
    this.draw();
  }

  // The page's address holds the view and the selected EDT, so that a reader can hand both on.

  remember() {
    clearTimeout(this.remembering);
    this.remembering = setTimeout(() => {
      const said = new URLSearchParams(location.hash.slice(1));
      said.set('from', Math.round(this.view.from));
      said.set('to', Math.round(this.view.to));
      const { selected } = this;
      if (selected && !selected.lane.isCopies) {
        said.set('run', selected.lane.run.index);
        said.set('edt', selected.lane.first + selected.at);
      } else ['run', 'edt'].forEach((name) => said.delete(name));
      if (this.range) said.set('range', `${Math.round(this.range.from)}:${Math.round(this.range.to)}`);
      else said.delete('range');
      said.delete('find');
      history.replaceState(null, '', `#${said}`);
    }, 300);
  }

  recall(said) {
    const number = (name) => (said.has(name) ? Number(said.get(name)) : NaN);
    const run = this.runs[number('run')];
    if (run && number('edt') < run.begin.length) {
      this.go(run, number('edt'));
      if (said.has('chain')) this.mark(run, number('edt'));
    }
    if (number('to') > number('from')) this.setView(number('from'), number('to'));
    const [one, other] = (said.get('range') ?? '').split(':').map(Number);
    if (other >= one) {
      this.measure(one, other);
      this.showRange();
    }
    if (said.has('find')) {
      byId('find').value = said.get('find');
      return this.finder.go(1);
    }
    return undefined;
  }
}

function barText({ lane, at }) {
  const { begin, end } = lane.levels.bars;
  const { run } = lane;
  const number = lane.first + at;
  const took = duration(end[at] - begin[at]);
  if (lane.isCopies) return `${sizeText(run.copies.bytes[number])} in ${took}, from ${duration(begin[at])} on`;
  const name = run.templates[run.template[number]];
  const many = run.many && run.many[number] > 1 ? `${counted(run.many[number], 'EDT')}, most of them ` : '';
  return `${many}${name}: ${took}, from ${duration(begin[at])} on`;
}

function curveText({ row, time }) {
  const { curve, run } = row;
  const at = firstAfter(curve.at, time) - 1;
  if (at < 0 || time > run.ns) return '';
  const until = curve.at[at + 1] ?? run.ns;
  const [mean, most] = [curve.mean[at], curve.most[at]].map((value) => curveValue(curve, value));
  const value = curve.mean[at] === curve.most[at] ? most : `${mean} on average, at most ${most}`;
  return `${curve.name}: ${value}, from ${moment(curve.at[at])} to ${moment(until)}`;
}

function stripText({ row, time }) {
  const { idle } = row.place;
  const parts = idle.length / CAUSES.length;
  const part = Math.floor((time / row.run.ns) * parts);
  if (part < 0 || part >= parts) return '';
  const shares = CAUSE_NAMES.map((name, cause) => [name, idle[part * CAUSES.length + cause] / 255]);
  const seen = shares.filter(([, share]) => share > 0.005);
  const said = seen.map(([name, share]) => `${name} ${Math.round(100 * share)} %`);
  const busy = 1 - shares.reduce((all, [, share]) => all + share, 0);
  return [`${row.place.name}: in EDTs ${Math.max(0, Math.round(100 * busy))} %`, ...said].join(', ');
}

async function main() {
  let page = null;
  setUpTheme(() => page?.restyle());
  const data = DATA;
  if (data.runs.length === 0) {
    byId('detail').replaceChildren(element('p', { className: 'hint', textContent: 'No run was recorded.' }));
    return;
  }
  byId('detail').replaceChildren(element('p', { className: 'hint', textContent: 'The recordings are being unpacked.' }));
  const known = data.templates;
  const others = data.runs.flatMap((run) => run.templates).filter((name) => !known.includes(name));
  const colors = new Colors([...known, ...new Set(others)]);
  const runs = [];
  for (const [index, raw] of data.runs.entries()) runs.push(await loadRun(raw, index, colors));
  const said = new URLSearchParams(location.hash.slice(1));
  page = new Page(runs, colors);
  await page.recall(said);
  document.documentElement.dataset.ready = 'yes';
}

main().catch((error) => {
  byId('detail').replaceChildren(element('p', {
    className: 'hint',
    textContent: `The chart cannot be drawn (${error}). A browser of 2023 or later is needed; tables and sentences are complete.`,
  }));
  console.error(error);
});
