import type { workersReply } from '@kindred/contracts/resources/workers';
import type { z } from 'zod';
import { diskSpace } from '../../../ground/disk-space.js';
import { databaseBytes } from '../../../store/maintenance/database-facts.repository.js';
import type { Queryable } from '../../../store/postgres/db.js';

/** Measures the size of the database, and the free space on the disk of a folder. */
export async function storageOf(
  db: Queryable,
  folder: string,
): Promise<z.infer<typeof workersReply>['storage']> {
  const disk = await diskSpace(folder).catch(() => null);
  return {
    database_bytes: await databaseBytes(db),
    disk_free_bytes: disk?.freeBytes ?? null,
    disk_size_bytes: disk?.sizeBytes ?? null,
  };
}
