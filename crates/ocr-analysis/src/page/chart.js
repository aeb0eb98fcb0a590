// Draws the lanes of all policies on one scale of time, and finds what is under the pointer.

const AXIS = 26;
const HEAD = 30;
const STRIP = 14;
const PLACE = 17;
const CURVE = 40;
const SHADES = 16;
/** Bars of at least this many CSS pixels are drawn one by one, with a gap after each; narrower ones pixel by pixel. */
const WIDE = 3;
/** Causes of idle time: their names in the style sheet, and the names that the reader sees. */
const CAUSES = DATA.idle.map((cause) => cause.name);
const CAUSE_NAMES = DATA.idle.map((cause) => cause.text);

/** The theme's colours, as the style sheet has them. */
function themeColors() {
  const style = getComputedStyle(document.documentElement);
  const of = (name) => style.getPropertyValue(`--${name}`).trim();
  return {
    text: of('text'), muted: of('muted'), surface: of('surface'), lane: of('lane'), line: of('line'),
    after: of('after'), accent: of('accent'), bound: of('bound'),
    causes: CAUSES.map((name) => of(`cause-${name}`)),
    isDark: of('scheme') === 'dark',
  };
}

function rgbOf(color) {
  const number = parseInt(color.slice(1), 16);
  return [number >> 16, (number >> 8) & 255, number & 255];
}

/** Colours by their numbers. These were chosen by hand, far apart; colorOf computes the later ones. */
const LIGHT = ['#8a94a3', '#b39b7d', '#2f6db3', '#d9772b', '#2e8b57', '#b8458b', '#7a5bc7', '#c2a21f', '#2a9aa8',
  '#c94f4f', '#6b7f2a', '#8c564b'];
const DARK = ['#78828f', '#a08c70', '#6aa5e8', '#f0a058', '#5cc08a', '#e682bd', '#a992ee', '#e3c84f', '#58c7d6',
  '#f08080', '#a9bf5a', '#c49a8c'];

function colorOf(number, isDark) {
  const known = isDark ? DARK : LIGHT;
  if (number < known.length) return known[number];
  return hslHex((number * 137.5) % 360, 0.45, isDark ? 0.65 : 0.45);
}

function hslHex(hue, saturation, lightness) {
  const reach = saturation * Math.min(lightness, 1 - lightness);
  const part = (offset) => {
    const turn = (offset + hue / 30) % 12;
    const value = lightness - reach * Math.max(-1, Math.min(turn - 3, 9 - turn, 1));
    return Math.round(255 * value).toString(16).padStart(2, '0');
  };
  return `#${part(0)}${part(8)}${part(4)}`;
}

/** Black or white, whichever can be read on a colour. */
function inkOn(color) {
  const [red, green, blue] = rgbOf(color).map((value) => (value / 255) ** 2.2);
  const light = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return light > 0.18 ? '#000000' : '#ffffff';
}

/** One colour over another, as a pixel of an ImageData; `part` from 0 to 1 is how opaque the upper one is. */
function mixed(over, under, part) {
  const [red, green, blue] = over.map((value, at) => Math.round(value * part + under[at] * (1 - part)));
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

class Chart {
  constructor(canvas, runs, colors) {
    this.canvas = canvas;
    this.context = canvas.getContext('2d', { alpha: false });
    this.runs = runs;
    this.colors = colors;
    this.hidden = new Set();
    this.only = null;
    this.hasCurves = true;
    this.rows = [];
    /** What the canvas shows: the times in nanoseconds, and how many CSS pixels are scrolled past at the top. */
    this.view = { from: 0, to: 1, scroll: 0 };
    this.restyle();
  }

  /** Takes over the colours of the theme, and which templates are shown. */
  restyle() {
    this.theme = themeColors();
    const lane = rgbOf(this.theme.lane);
    this.fills = this.colors.names.map((_, number) => colorOf(number, this.theme.isDark));
    this.inks = this.fills.map(inkOn);
    this.shades = new Uint32Array(this.fills.length * SHADES);
    this.fills.forEach((fill, number) => {
      const most = this.isShown(number) ? 1 : 0.15;
      for (let shade = 0; shade < SHADES; shade++) {
        const part = most * (0.35 + 0.65 * (shade / (SHADES - 1)));
        this.shades[number * SHADES + shade] = mixed(rgbOf(fill), lane, part);
      }
    });
    this.laneColor = mixed(lane, lane, 1);
    this.strips = new Map();
  }

  isShown(number) {
    return this.only === null || this.only.has(number);
  }

  /** Where rows stand, for a width in CSS pixels. Gives the height that all of them need. */
  layOut(width) {
    this.width = width;
    this.left = width < 640 ? 84 : 176;
    const shown = this.runs.filter((run) => !this.hidden.has(run.index));
    const lanes = shown.reduce((all, run) => all + run.lanes.length, 0);
    this.laneHeight = lanes <= 40 ? 22 : lanes <= 80 ? 16 : lanes <= 200 ? 10 : 6;
    this.rows = [];
    let y = AXIS;
    const add = (row, height) => {
      this.rows.push({ ...row, y, height });
      y += height;
    };
    for (const run of shown) {
      add({ kind: 'head', run }, HEAD);
      for (const place of run.places) {
        const lanes = run.lanes.filter((lane) => lane.place === place.place);
        if (place.place !== 0) add({ kind: 'place', run, place }, PLACE);
        for (const lane of lanes) add({ kind: 'lane', run, lane }, this.laneHeight);
        add({ kind: 'strip', run, place }, STRIP + 6);
        for (const curve of this.hasCurves ? run.curves : []) {
          if (curve.place === place.place) add({ kind: 'curve', run, curve }, CURVE);
        }
      }
    }
    this.total = y + 8;
    return this.total;
  }

  /** The time of the longest run. */
  get longest() {
    return Math.max(1, ...this.runs.map((run) => run.ns));
  }

  /** Where a time in nanoseconds stands: CSS pixels from the left. */
  x(time) {
    return this.left + ((time - this.view.from) / (this.view.to - this.view.from)) * (this.width - this.left);
  }

  /** The time in nanoseconds that stands at `x` CSS pixels from the left. */
  time(x) {
    return this.view.from + ((x - this.left) / (this.width - this.left)) * (this.view.to - this.view.from);
  }

  /** How many nanoseconds a CSS pixel is wide. */
  get pixel() {
    return (this.view.to - this.view.from) / Math.max(1, this.width - this.left);
  }

  resize(height) {
    const ratio = window.devicePixelRatio || 1;
    const [wide, high] = [Math.round(this.width * ratio), Math.round(height * ratio)];
    if (this.canvas.width !== wide || this.canvas.height !== high) {
      this.canvas.width = wide;
      this.canvas.height = high;
    }
    this.canvas.style.height = `${height}px`;
    this.height = height;
    this.ratio = ratio;
  }

  /** Draws the view; `marked` has the `selected` bar and the `chain` of bars that led to it. */
  draw(marked) {
    const { context, view } = this;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.fillStyle = this.theme.surface;
    context.fillRect(0, 0, this.width, this.height);
    context.textBaseline = 'middle';
    for (const row of this.rows) {
      const y = row.y - view.scroll;
      if (y + row.height < AXIS || y > this.height) continue;
      if (row.kind === 'lane') this.drawLane(row, y);
      else if (row.kind === 'strip') this.drawStrip(row, y);
      else if (row.kind === 'curve') this.drawCurve(row, y);
      else if (row.kind === 'place') this.drawPlace(row, y);
      else this.drawHead(row, y);
    }
    this.drawLimits();
    this.drawMarks(marked);
    if (marked.range) this.drawRange(marked.range);
    this.drawAxis();
  }

  drawHead(row, y) {
    const { context, theme } = this;
    context.fillStyle = theme.line;
    context.fillRect(0, y + 5, this.width, 1);
    context.fillStyle = theme.text;
    context.font = '600 13px system-ui, sans-serif';
    const name = fitted(context, row.run.policy, this.left - 14);
    context.fillText(name, 8, y + 19);
    context.font = '12px system-ui, sans-serif';
    context.fillStyle = theme.muted;
    const bound = row.run.bound ? `, no schedule ends before ${duration(row.run.bound)}` : '';
    const edts = counted(row.run.raw.edts, 'EDT');
    const words = `${duration(row.run.ns)}${bound}; ${edts}`;
    context.fillText(fitted(context, words, this.width - this.left - 8), this.left, y + 19);
  }

  /** Draws the name of a device, above its lanes. */
  drawPlace(row, y) {
    const { context } = this;
    context.font = '600 11px system-ui, sans-serif';
    context.fillStyle = this.theme.muted;
    context.fillText(fitted(context, row.place.name, this.width - 16), 8, y + PLACE / 2);
  }

  drawName(name, y, height) {
    if (height < 9) return;
    const { context } = this;
    const text = this.left < 100 ? name.replace(/^ocr-|^kernels, | by cause$/, '') : name;
    context.font = `${Math.min(12, height - 1)}px system-ui, sans-serif`;
    context.fillStyle = this.theme.muted;
    context.fillText(fitted(context, text, this.left - 20), 14, y + height / 2);
  }

  drawLane(row, y) {
    this.drawName(row.lane.name, y, row.height);
    const wide = this.drawNarrow(row, y);
    this.drawWide(row, y, wide);
  }

  /** Draws what is narrower than a few pixels, pixel by pixel; gives the bars that are wider. */
  drawNarrow(row, y) {
    const { ratio } = this;
    const pixels = Math.max(1, Math.round((this.width - this.left) * ratio));
    const high = Math.max(1, Math.round(row.height * ratio));
    const columns = this.columnsOf(pixels);
    const { from, to } = this.view;
    const pixel = (to - from) / pixels;
    const wide = [];
    row.lane.levels.visit(from, to, pixel, (level, at, depth) => {
      const begin = (level.begin[at] - from) / pixel;
      const end = (level.end[at] - from) / pixel;
      if (depth === 0 && end - begin >= WIDE * ratio) wide.push(at);
      else addColumns(columns, begin, end, level.busy[at] / pixel, level.key[at]);
    });
    const image = this.imageOf(pixels, high);
    this.paint(columns, image, pixels, high);
    this.context.putImageData(image.data, Math.round(this.left * ratio), Math.round(y * ratio));
    return wide;
  }

  /** Empty columns, one per pixel: how busy it is from 0 to 1, and which colour has most of that. */
  columnsOf(pixels) {
    if (this.columns?.busy.length !== pixels) {
      this.columns = { busy: new Float32Array(pixels), most: new Float32Array(pixels), key: new Uint16Array(pixels) };
    }
    this.columns.busy.fill(0);
    this.columns.most.fill(0);
    return this.columns;
  }

  imageOf(wide, high) {
    if (this.image?.data.width !== wide || this.image?.data.height !== high) {
      const data = this.context.createImageData(wide, high);
      this.image = { data, pixels: new Uint32Array(data.data.buffer) };
    }
    return this.image;
  }

  paint(columns, image, wide, high) {
    const { pixels } = image;
    pixels.fill(this.laneColor, 0, wide * high);
    const edge = high > 6 ? Math.ceil(high / 12) : 0;
    const first = edge * wide;
    for (let at = 0; at < wide; at++) {
      const busy = columns.busy[at];
      if (busy <= 0) continue;
      const shade = Math.min(SHADES - 1, Math.floor(busy * SHADES));
      pixels[first + at] = this.shades[columns.key[at] * SHADES + shade];
    }
    for (let line = edge + 1; line < high - edge; line++) pixels.copyWithin(line * wide, first, first + wide);
  }

  drawWide(row, y, wide) {
    const { context } = this;
    const edge = row.height > 6 ? row.height / 12 : 0;
    const { begin, end, key } = row.lane.levels.bars;
    context.font = `${Math.min(11, row.height - 4)}px system-ui, sans-serif`;
    for (const at of wide) {
      const from = Math.max(this.left, this.x(begin[at]));
      const to = Math.min(this.width, this.x(end[at]));
      context.globalAlpha = this.isShown(key[at]) ? 1 : 0.15;
      context.fillStyle = this.fills[key[at]];
      context.fillRect(from, y + edge, Math.max(1, to - from - 0.75), row.height - 2 * edge);
      if (to - from > 44 && row.height >= 14) this.drawBarText(key[at], from, to, y + row.height / 2);
    }
    context.globalAlpha = 1;
  }

  drawBarText(number, from, to, y) {
    const { context } = this;
    context.fillStyle = this.inks[number];
    context.fillText(fitted(context, this.colors.names[number], to - from - 8), from + 4, y);
  }

  /** Draws the causes of idle time of a place, over time. */
  drawStrip(row, y) {
    const { context } = this;
    this.drawName('idle by cause', y, STRIP);
    const from = this.x(0);
    const to = this.x(row.run.ns);
    context.save();
    context.beginPath();
    context.rect(this.left, y, this.width - this.left, STRIP);
    context.clip();
    context.imageSmoothingEnabled = false;
    context.drawImage(this.stripOf(row.place), from, y + 1, to - from, STRIP - 2);
    context.restore();
  }

  /** The picture of a place's causes: a column for each part of the run, stacked by their shares. */
  stripOf(place) {
    let strip = this.strips.get(place);
    if (!strip) {
      const parts = place.idle.length / CAUSES.length;
      strip = document.createElement('canvas');
      strip.width = parts;
      strip.height = 51;
      const context = strip.getContext('2d');
      context.fillStyle = this.theme.lane;
      context.fillRect(0, 0, parts, 51);
      for (let part = 0; part < parts; part++) {
        let y = 0;
        CAUSES.forEach((_, cause) => {
          const high = place.idle[part * CAUSES.length + cause] / 5;
          context.fillStyle = this.theme.causes[cause];
          context.fillRect(part, y, 1, high);
          y += high;
        });
      }
      this.strips.set(place, strip);
    }
    return strip;
  }

  /** Draws a curve: its means filled, and the greatest values paler. */
  drawCurve({ run, curve }, y) {
    const { context, theme } = this;
    this.drawName(curve.name, y + 2, 18);
    this.drawName(`at most ${curveValue(curve, curve.peak)}`, y + 18, 14);
    const high = CURVE - 8;
    const base = y + 2 + high;
    context.fillStyle = theme.lane;
    context.fillRect(this.left, y + 2, this.width - this.left, high);
    const first = Math.max(0, firstAfter(curve.at, this.view.from) - 1);
    const last = firstAfter(curve.at, this.view.to);
    context.fillStyle = theme.accent;
    for (const [values, alpha] of [[curve.most, 0.3], [curve.mean, 0.75]]) {
      context.globalAlpha = alpha;
      context.beginPath();
      for (let at = first; at < last; at++) {
        const from = Math.max(this.left, this.x(curve.at[at]));
        const to = Math.min(this.width, this.x(curve.at[at + 1] ?? run.ns));
        const up = (high * values[at]) / Math.max(1, curve.peak);
        if (to > from && up > 0) context.rect(from, base - up, to - from, up);
      }
      context.fill();
    }
    context.globalAlpha = 1;
  }

  /** Draws the range of time that is measured, over all rows, and its length on the axis. */
  drawRange({ from, to }) {
    const { context, theme } = this;
    const [left, right] = [from, to].map((time) => Math.min(this.width, Math.max(this.left, this.x(time))));
    context.globalAlpha = 0.16;
    context.fillStyle = theme.accent;
    context.fillRect(left, AXIS, right - left, this.height - AXIS);
    context.globalAlpha = 1;
    for (const time of [from, to]) this.drawLine(this.x(time), AXIS, this.height, theme.accent, []);
    if (right > left && right - left > 40) {
      context.font = '600 12px system-ui, sans-serif';
      const text = fitted(context, duration(to - from), right - left - 8);
      context.fillStyle = theme.accent;
      context.fillRect(left, AXIS, context.measureText(text).width + 8, 18);
      context.fillStyle = inkOn(theme.accent);
      context.fillText(text, left + 4, AXIS + 9);
    }
  }

  /** Draws where each run ends, and the bound that no schedule ends before. */
  drawLimits() {
    const { context, theme, view } = this;
    for (const run of this.runs) {
      const rows = this.rows.filter((row) => row.run === run && row.kind !== 'head');
      if (rows.length === 0) continue;
      const top = Math.max(AXIS, rows[0].y - view.scroll);
      const bottom = rows.at(-1).y + rows.at(-1).height - 6 - view.scroll;
      if (bottom < AXIS || top > this.height) continue;
      const end = this.x(run.ns);
      if (end < this.width) {
        context.fillStyle = theme.after;
        const from = Math.max(this.left, end);
        context.fillRect(from, top, this.width - from, bottom - top);
      }
      if (run.bound) this.drawLine(this.x(run.bound), top, bottom, theme.bound, [4, 3]);
      this.drawLine(end, top, bottom, theme.text, []);
    }
  }

  drawLine(x, top, bottom, color, dash) {
    if (x < this.left || x > this.width) return;
    const { context } = this;
    context.strokeStyle = color;
    context.lineWidth = 1.5;
    context.setLineDash(dash);
    context.beginPath();
    context.moveTo(x, top);
    context.lineTo(x, bottom);
    context.stroke();
    context.setLineDash([]);
  }

  /** Marks the selected bar, and the chain of bars that led to it. */
  drawMarks({ selected, chain }) {
    const { context, theme } = this;
    context.save();
    context.beginPath();
    context.rect(this.left, AXIS, this.width - this.left, this.height - AXIS);
    context.clip();
    context.strokeStyle = theme.accent;
    context.lineWidth = 1.5;
    if (chain.length > 1) this.drawChain(chain);
    if (selected) this.drawFrame(selected);
    context.restore();
  }

  drawChain(chain) {
    const { context } = this;
    context.beginPath();
    for (let at = 0; at + 1 < chain.length; at++) {
      const [to, from] = [this.boxOf(chain[at]), this.boxOf(chain[at + 1])];
      if (!to || !from) continue;
      context.moveTo(from.right, from.middle);
      context.lineTo(to.left, to.middle);
      context.moveTo(from.left, from.bottom - 1);
      context.lineTo(from.right, from.bottom - 1);
    }
    context.stroke();
  }

  drawFrame(item) {
    const box = this.boxOf(item);
    if (!box) return;
    const { context } = this;
    context.lineWidth = 2.5;
    context.strokeRect(box.left - 1.5, box.top - 0.5, Math.max(2, box.right - box.left) + 3, box.bottom - box.top + 1);
    context.fillStyle = this.theme.accent;
    const middle = (box.left + box.right) / 2;
    context.beginPath();
    context.moveTo(middle - 5, box.top - 8);
    context.lineTo(middle + 5, box.top - 8);
    context.lineTo(middle, box.top - 2);
    context.fill();
  }

  /** Where a bar stands on the canvas. */
  boxOf({ lane, at }) {
    const row = this.rows.find((row) => row.lane === lane);
    if (!row) return null;
    const top = row.y - this.view.scroll;
    const { begin, end } = lane.levels.bars;
    return {
      left: this.x(begin[at]), right: this.x(end[at]), top, bottom: top + row.height, middle: top + row.height / 2,
    };
  }

  drawAxis() {
    const { context, theme } = this;
    context.fillStyle = theme.surface;
    context.fillRect(0, 0, this.width, AXIS - 2);
    context.fillStyle = theme.line;
    context.fillRect(0, AXIS - 2, this.width, 1);
    context.font = '11px system-ui, sans-serif';
    context.fillStyle = theme.muted;
    const { from, to } = this.view;
    const step = tickStep(to - from, (this.width - this.left) / 90);
    for (let tick = Math.ceil(from / step) * step; tick <= to; tick += step) {
      const x = this.x(tick);
      context.fillRect(x, AXIS - 8, 1, 6);
      const text = tickText(Math.abs(tick) < step / 2 ? 0 : tick, step);
      if (x + 4 + context.measureText(text).width < this.width) context.fillText(text, x + 4, 11);
    }
    context.fillText('time', 8, 11);
  }

  /** The time at a point of the canvas: that of the begin or end of the bar there, if one is a few pixels away. */
  snapped(x, y) {
    const found = this.find(x, y);
    if (!found?.lane) return this.time(Math.max(this.left, x));
    const { begin, end } = found.lane.levels.bars;
    const near = [begin[found.at], end[found.at]].filter((time) => Math.abs(this.x(time) - x) <= 5);
    near.sort((one, other) => Math.abs(one - found.time) - Math.abs(other - found.time));
    return near[0] ?? found.time;
  }

  /** The bar of a lane, or the strip of causes or the curve under a point of the canvas; null if there is neither. */
  find(x, y) {
    const row = this.rows.find((row) => y + this.view.scroll >= row.y && y + this.view.scroll < row.y + row.height);
    if (!row || x < this.left || y < AXIS) return null;
    const time = this.time(x);
    if (row.kind === 'strip' || row.kind === 'curve') return { row, time };
    if (row.kind !== 'lane') return null;
    const at = row.lane.levels.at(time, 4 * this.pixel);
    return at < 0 ? null : { row, time, lane: row.lane, at };
  }
}

/** A value of a curve as text. */
function curveValue(curve, value) {
  return curve.isBytes ? sizeText(value) : value.toLocaleString('en', { maximumFractionDigits: 1 });
}

/** Adds a bar to the columns of pixels. `begin` and `end` are in pixels and may lie inside of columns. */
function addColumns(columns, begin, end, busy, key) {
  const last = columns.busy.length - 1;
  const first = Math.min(last, Math.max(0, Math.floor(begin)));
  const until = Math.min(last, Math.max(0, Math.floor(end)));
  if (end < 0 || begin > last + 1) return;
  const share = busy / Math.max(end - begin, 1e-9);
  for (let at = first; at <= until; at++) {
    const part = first === until ? busy : share * (Math.min(end, at + 1) - Math.max(begin, at));
    columns.busy[at] += Math.max(part, 1e-6);
    if (part >= columns.most[at]) {
      columns.most[at] = part;
      columns.key[at] = key;
    }
  }
}

/** The text, cut with an ellipsis if it is wider than `room` CSS pixels; empty if nothing of it fits. */
function fitted(context, text, room) {
  if (context.measureText(text).width <= room) return text;
  let length = Math.floor((text.length * room) / Math.max(1, context.measureText(text).width));
  while (length > 0 && context.measureText(`${text.slice(0, length)}…`).width > room) length--;
  return length > 0 ? `${text.slice(0, length)}…` : '';
}

