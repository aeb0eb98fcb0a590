// Numbers, times and sizes for people.

/** A duration in nanoseconds as text: in the unit that suits it, with three significant digits. */
function duration(ns) {
  const units = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']];
  const [size, unit] = units.find(([size]) => Math.abs(ns) >= 0.9995 * size) ?? units.at(-1);
  return `${threeDigits(ns / size)} ${unit}`;
}

/** A time since the first EDT's begin as text, with the digits that tell it from other times of a run. */
function moment(ns) {
  const [size, unit] = [[1e9, 's'], [1e6, 'ms']].find(([size]) => Math.abs(ns) >= size) ?? [1e3, 'µs'];
  return `${(ns / size).toFixed(Math.round(Math.log10(size / 100)))} ${unit}`;
}

function threeDigits(value) {
  const size = Math.abs(value);
  if (size < 9.995) return trimmed(value.toFixed(2));
  return size < 99.95 ? trimmed(value.toFixed(1)) : value.toFixed(0);
}

function trimmed(text) {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

function sizeText(bytes) {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = bytes < 1024 ? 0 : Math.min(4, Math.floor(Math.log2(bytes) / 10));
  return `${threeDigits(bytes / 1024 ** power)} ${units[power]}`;
}

function counted(count, what) {
  return `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;
}

/** The distance of ticks on an axis: 1, 2 or 5 times a power of ten, of which `most` fit into the span. */
function tickStep(span, most) {
  const raw = span / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(raw));
  return power * [1, 2, 5, 10].find((factor) => factor * power >= raw);
}

/** What a tick says: all ticks of an axis have the same unit, and the digits that tell them apart. */
function tickText(ns, step) {
  const [size, unit] = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']].find(([size]) => step >= size / 100)
    ?? [1, 'ns'];
  const digits = Math.max(0, -Math.floor(Math.log10(step / size) + 1e-9));
  return `${(ns / size).toFixed(Math.min(digits, 6))} ${unit}`;
}

