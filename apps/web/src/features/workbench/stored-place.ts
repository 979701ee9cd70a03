/** Says what keeps a text from being the address of a folder or file of a store; null: nothing. */
export function placeFault(address: string): string | null {
  const text = address.trim();
  if (text === '') return null;
  if (/\s/.test(text)) return 'An address has no space in it.';
  if (/^https?:/.test(text))
    return 'This is an address of the web. Give the place in the store: it begins with s3:// or file:///.';
  if (!/^(s3:\/\/[^/]+\/|file:\/\/\/)[^/]/.test(text))
    return 'Begin with s3:// and the name of the bucket, or with file:/// and the path on the service’s disk.';
  return null;
}

/** Names the manifest in a folder of a store. The address may name the folder, with or without a slash, or the manifest itself. */
export const manifestIn = (address: string): string =>
  `${address
    .trim()
    .replace(/\/manifest\.json$/, '')
    .replace(/\/+$/, '')}/manifest.json`;
