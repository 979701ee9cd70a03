const escaped = /_x(?:[0-9A-F]{2})/g;

/**
 * Makes the id of an object in GAF and GPAD from a name of a FASTA file. The id has letters, digits and `.:_-`, which the Gene Ontology's
 * rule 27 allows. Each other character becomes `_x` and two hexadecimal digits for each of its bytes in UTF-8, as is the underscore of a
 * name that has such a text itself. So different names have different ids, and `nameOfObject` gives the name back.
 */
export function objectId(name: string): string {
  return name
    .replaceAll(escaped, (text) => `_x5F${text.slice(1)}`)
    .replaceAll(/[^A-Za-z0-9.:_-]/gu, (letter) =>
      Array.from(
        new TextEncoder().encode(letter),
        (byte) => `_x${byte.toString(16).toUpperCase().padStart(2, '0')}`,
      ).join(''),
    );
}

/** Returns the name from which `objectId` made an id. */
export function nameOfObject(id: string): string {
  return id.replaceAll(/(?:_x[0-9A-F]{2})+/g, (text) =>
    new TextDecoder().decode(
      Uint8Array.from(text.split('_x').slice(1), (digits) => Number.parseInt(digits, 16)),
    ),
  );
}
