/** The ways in which a file may be packed. */
export type Packing = 'gzip' | 'zstd' | 'bzip2' | 'xz' | 'zip' | 'lz4' | 'lzip' | 'compress' | '7z' | 'rar';

const beginnings: readonly [Packing, readonly number[]][] = [
  ['gzip', [0x1f, 0x8b]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
  ['bzip2', [0x42, 0x5a, 0x68]],
  ['xz', [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]],
  ['zip', [0x50, 0x4b, 0x03, 0x04]],
  ['lz4', [0x04, 0x22, 0x4d, 0x18]],
  ['lzip', [0x4c, 0x5a, 0x49, 0x50, 0x01]],
  ['compress', [0x1f, 0x9d]],
  ['7z', [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c]],
  ['rar', [0x52, 0x61, 0x72, 0x21, 0x1a, 0x07]],
];

const commands: Readonly<Record<Packing, string>> = {
  gzip: 'gzip -dc',
  zstd: 'zstd -dc',
  bzip2: 'bzip2 -dc',
  xz: 'xz -dc',
  zip: 'unzip -p',
  lz4: 'lz4 -dc',
  lzip: 'lzip -dc',
  compress: 'gzip -dc',
  '7z': '7z x -so',
  rar: 'unrar p -inul',
};

/** Recognises the packing by the first bytes of a file; null if the file is not packed. */
export function packingOf(bytes: Uint8Array): Packing | null {
  return beginnings.find(([, start]) => start.every((byte, at) => bytes[at] === byte))?.[0] ?? null;
}

const firstNameAt = 30;
const officeName = /^(?:\[Content_Types\]\.xml|_rels\/|docProps\/|xl\/|word\/|mimetype)/;

/** Says what to do with a workbook or a document: it is a zip archive, but its text is not in one of its files. */
export function insteadOfOffice(bytes: Uint8Array): string | null {
  if (packingOf(bytes) !== 'zip') return null;
  const name = String.fromCharCode(...bytes.subarray(firstNameAt, firstNameAt + 20));
  return officeName.test(name)
    ? 'is a workbook or a document of an office program: save it as plain text (FASTA, or a table with tabs)'
    : null;
}

/** Returns the command that writes the contents of a packed file to standard output. */
export function unpackCommand(packing: Packing, name: string): string {
  return `${commands[packing]} ${/^[\w./+-]+$/.test(name) ? name : `'${name.replaceAll("'", `'\\''`)}'`}`;
}
