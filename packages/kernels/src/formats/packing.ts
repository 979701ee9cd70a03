/** The ways in which a file may be packed. */
export type Packing = 'gzip' | 'zstd' | 'bzip2' | 'xz' | 'zip';

const beginnings: readonly [Packing, readonly number[]][] = [
  ['gzip', [0x1f, 0x8b]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
  ['bzip2', [0x42, 0x5a, 0x68]],
  ['xz', [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]],
  ['zip', [0x50, 0x4b, 0x03, 0x04]],
];

const commands: Readonly<Record<Packing, string>> = {
  gzip: 'gzip -dc',
  zstd: 'zstd -dc',
  bzip2: 'bzip2 -dc',
  xz: 'xz -dc',
  zip: 'unzip -p',
};

/** Recognises the packing by the first bytes of a file; null if the file is not packed. */
export function packingOf(bytes: Uint8Array): Packing | null {
  return beginnings.find(([, start]) => start.every((byte, at) => bytes[at] === byte))?.[0] ?? null;
}

/** Returns the command that writes the contents of a packed file to standard output. */
export function unpackCommand(packing: Packing, name: string): string {
  return `${commands[packing]} ${/^[\w./+-]+$/.test(name) ? name : `'${name.replaceAll("'", `'\\''`)}'`}`;
}
