/** `10/minute;100/hour` as `10 a minute, 100 an hour`. */
export function rateWords(rate: string): string {
  return rate
    .split(';')
    .map((part) =>
      part
        .trim()
        .replace(/\s*\/\s*(?=h)/, ' an ')
        .replace(/\s*\/\s*/, ' a '),
    )
    .join(', ');
}
