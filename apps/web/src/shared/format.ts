const integers = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 0 });
const days = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
const dates = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

export function formatCount(count: number): string {
  return integers.format(count);
}

/** Writes a count with its noun: `1 protein`, `2,000 proteins`. The plural is given if it is not the noun and an s. */
export function plural(count: number, noun: string, many = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : many}`;
}

/** Writes a time in the reader's time zone. */
export function formatTime(iso: string): string {
  return dates.format(new Date(iso));
}

export function formatBytes(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 || value >= 10 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** Writes a duration as `8 s`, `2 min 5 s`, `1 h 4 min` or `3 d 2 h`. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return joinUnits(minutes, 'min', whole % 60, 's');
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return joinUnits(hours, 'h', minutes % 60, 'min');
  return joinUnits(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

/**
 * Writes an estimated duration without false precision: `12 s`, `2 min`, `1 h 10 min`. Seconds are rounded up to 5, and minutes to 5 from
 * an hour on.
 */
export function formatAbout(seconds: number): string {
  if (seconds < 15) return formatDuration(Math.max(1, Math.ceil(seconds)));
  if (seconds < 60) return formatDuration(5 * Math.ceil(seconds / 5));
  const minutes = Math.ceil(seconds / 60);
  return formatDuration(60 * (minutes < 60 ? minutes : 5 * Math.ceil(minutes / 5)));
}

/**
 * Writes a day as people do: `1 Jul 2022`. The text may be a date, an instant or an OBO version; a text without a date is left as it is.
 */
export function formatDay(text: string): string {
  const found = /\d{4}-\d\d-\d\d/.exec(text)?.[0];
  return found === undefined ? text : days.format(new Date(`${found}T00:00:00Z`));
}

/** Writes how long something took, from two instants. */
export function formatTook(startIso: string, end: string | number): string {
  const endMs = typeof end === 'number' ? end : Date.parse(end);
  const seconds = (endMs - Date.parse(startIso)) / 1000;
  return seconds < 1 ? 'less than 1 s' : formatDuration(seconds);
}

function joinUnits(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}

/** Writes `12 s ago`; `just now` below 5 s and for clocks that run ahead. */
export function formatAgo(iso: string, nowMs: number): string {
  const seconds = (nowMs - Date.parse(iso)) / 1000;
  if (seconds < 5) return 'just now';
  if (seconds > 7 * 86_400) return formatTime(iso);
  return `${formatDuration(seconds).split(' ').slice(0, 2).join(' ')} ago`;
}

/** Writes scores and distances with three decimals, because vectors are float16, which has about three significant digits. */
export function formatReal(value: number): string {
  return value.toFixed(3);
}

/** Writes a share of 0 to 1 in whole percent. A no-break space keeps number and sign on one line. */
export function percent(share: number): string {
  return `${Math.round(share * 100)}\u00a0%`;
}
