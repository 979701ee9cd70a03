/** Values of column 9, decoded. */
export function gff3Column9(column: string): Map<string, string[]> {
  const attributes = new Map<string, string[]>();
  for (const part of column.split(';')) {
    const equals = part.indexOf('=');
    if (equals > 0)
      attributes.set(
        part.slice(0, equals).trim(),
        part
          .slice(equals + 1)
          .split(',')
          .map(decoded),
      );
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
