import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { composeArtifacts } from '../../run/compose.js';
import { diskSpace } from '../../ground/disk-space.js';
import { runningService } from '../../run/supervise/service-file.js';
import { type Check, fault, gibibytes, ok, warning } from './finding.js';

const mebibyte = 1024 * 1024;
const scarceDiskBytes = 2048 * mebibyte;
const emptyDiskBytes = 200 * mebibyte;

export const checkService: Check = async ({ dataDir }) => {
  const running = await runningService(dataDir);
  return [
    ok(
      'service',
      running === null ? 'none runs on this data folder' : `runs at ${running.url} (process ${running.pid})`,
    ),
  ];
};

export const checkDisk: Check = async ({ dataDir }) => {
  try {
    await mkdir(dataDir, { recursive: true });
    await access(dataDir, constants.W_OK);
  } catch (error) {
    return [
      fault(
        'disk',
        `${dataDir} cannot be written: ${(error as Error).message}`,
        'Become its owner, or choose another SVC_DATA_DIR.',
      ),
    ];
  }
  const { freeBytes, sizeBytes } = await diskSpace(dataDir);
  const text = `${gibibytes(freeBytes)} of ${gibibytes(sizeBytes)} GiB free for ${dataDir}`;
  const advice = 'Free space: lower the retention (SVC_RETENTION_*), delete datasets, or move SVC_DATA_DIR.';
  if (freeBytes < emptyDiskBytes) return [fault('disk', text, advice)];
  return [freeBytes < scarceDiskBytes ? warning('disk', text, advice) : ok('disk', text)];
};

export const checkStore: Check = async (settings) => {
  const store = composeArtifacts(settings);
  const key = `doctor/${process.pid}`;
  try {
    const { uri } = await store.put(key, Buffer.from('kindred doctor'));
    await store.delete(uri);
    return [ok('store', `${store.backend}: takes and deletes objects`)];
  } catch (error) {
    return [fault('store', (error as Error).message, 'Correct SVC_ARTIFACT_* or the store.')];
  }
};
