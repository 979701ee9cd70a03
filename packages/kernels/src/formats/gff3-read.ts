/**
 * Reads the values of column 9, decoded. An attribute that is given twice has the values of both, because leaving one out would lose a
 * parent.
 */
export function gff3Column9(column: string): Map<string, string[]> {
  const attributes = new Map<string, string[]>();
  for (const part of column.split(';')) {
    const equals = part.indexOf('=');
    if (equals <= 0) continue;
    const name = part.slice(0, equals).trim();
    const values = part
      .slice(equals + 1)
      .split(',')
      .map((value) => decoded(value.trim()));
    const before = attributes.get(name);
    if (before === undefined) attributes.set(name, values);
    // The values are added one by one, because a copy for each would take quadratic time.
    else for (const value of values) before.push(value);
  }
  return attributes;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
