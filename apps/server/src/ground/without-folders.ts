/**
 * Copies a value without the folders of this machine: each file:// address in a text is shortened to the name
 * of its file.
 */
export function withoutFolders<T>(value: T): T {
  if (typeof value === 'string') {
    return (value.includes('file:/') ? value.replaceAll(/file:\/[^\s"'<>|,;()]*/g, fileName) : value) as T;
  }
  if (Array.isArray(value)) return value.map(withoutFolders) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutFolders(item)])) as T;
}

/** Gives the name of a file without its folder: `go.obo` for `file:///data/import/go.obo`. */
function fileName(address: string): string {
  const parts = address.slice('file:'.length).split('/');
  return parts.findLast((part) => part !== '') ?? 'file';
}
