import { ProblemError } from '@kindred/contracts';
import { checkKey } from '../../ground/artifacts/keys.js';
import { unknownMigration } from '../../store/migrations/migrate.js';
import { ArchiveReader } from './archive-reader.js';
import {
  type BackupContents,
  type BackupHeader,
  checksumName,
  contentsName,
  damaged,
  dataFiles,
  headerName,
  parseContents,
  parseHeader,
} from './format.js';

/** Every byte of a checked backup agrees with its checksums, and this version of Kindred can read it. */
export interface CheckedBackup {
  file: string;
  header: BackupHeader;
  contents: BackupContents;
}

/**
 * Reads the whole file, and writes nothing.
 * @throws ProblemError bad_file, which says what is wrong
 */
export async function checkBackup(file: string, signal?: AbortSignal): Promise<CheckedBackup> {
  const archive = await ArchiveReader.open(file, signal);
  try {
    const header = parseHeader(await archive.whole(headerName));
    await refuseNewer(header);
    const tables: string[] = [];
    for (const i of header.tables.keys()) tables.push((await archive.facts(`tables/${i}/`)).sha256);
    for (const name of dataFiles)
      if ((await archive.peek())?.name === `files/${name}`) await archive.whole(`files/${name}`);
    const artifacts: BackupContents['artifacts'] = [];
    for (let i = 0; (await archive.peek())?.name === `artifacts/${i}/key`; i++) {
      const key = keyIn(await archive.whole(`artifacts/${i}/key`));
      artifacts.push({ key, ...(await archive.facts(`artifacts/${i}/`)) });
    }
    const contents = parseContents(await archive.whole(contentsName));
    compare(header, contents, { tables, artifacts });
    await checkEnd(archive, header);
    return { file, header, contents };
  } finally {
    await archive.close();
  }
}

async function refuseNewer({ version, migrations }: BackupHeader): Promise<void> {
  const unknown = await unknownMigration(migrations);
  if (unknown !== undefined)
    throw new ProblemError(
      'bad_file',
      `The backup was made by a newer version of Kindred (${version}), whose schema this one does not know (${unknown}): install that version, or a newer one.`,
    );
}

function keyIn(bytes: Buffer): string {
  try {
    return checkKey(bytes.toString());
  } catch (cause) {
    throw damaged(`an artifact has the key ${JSON.stringify(bytes.toString().slice(0, 100))}`, { cause });
  }
}

function compare(
  header: BackupHeader,
  recorded: BackupContents,
  read: Pick<BackupContents, 'tables' | 'artifacts'>,
): void {
  const wrong = header.tables.find((_, i) => read.tables[i] !== recorded.tables[i]);
  if (wrong !== undefined) throw damaged(`the rows of ${wrong.name} have another checksum`);
  if (recorded.tables.length !== read.tables.length)
    throw damaged(`it has ${read.tables.length} of its ${recorded.tables.length} tables`);
  for (const [i, { key, sizeBytes, sha256 }] of recorded.artifacts.entries()) {
    const found = read.artifacts[i];
    if (found?.key !== key) throw damaged(`the artifact ${key} is missing`);
    if (found.sizeBytes !== sizeBytes || found.sha256 !== sha256)
      throw damaged(`the artifact ${key} has another checksum`);
  }
  if (read.artifacts.length !== recorded.artifacts.length)
    throw damaged(`it lists ${recorded.artifacts.length} of its ${read.artifacts.length} artifacts`);
}

async function checkEnd(archive: ArchiveReader, { format }: BackupHeader): Promise<void> {
  if (format > 1) {
    const sum = archive.sum.digest();
    if ((await archive.whole(checksumName)).toString() !== sum)
      throw damaged('its entries together have another checksum');
  }
  const more = await archive.peek();
  if (more !== null) throw damaged(`it has ${more.name} after its end`);
}
