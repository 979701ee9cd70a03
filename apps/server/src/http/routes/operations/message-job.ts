const uuid = /"job_id"\s*:\s*"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"/;
const headerBytes = 4096;

/**
 * Finds the job that a message belongs to. Tracked messages are JSON, and batch messages begin with a JSON
 * header.
 */
export function messageJobId(body: Uint8Array): string | null {
  const head = Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, headerBytes)).toString(
    'latin1',
  );
  return uuid.exec(head)?.[1] ?? null;
}
