import { withDatabase } from '../run/compose.js';
import { loadSettings } from '../run/env.js';
import { migrate } from '../store/migrations/migrate.js';

export async function runMigrate(): Promise<void> {
  const report = await withDatabase(loadSettings(), (db) => migrate(db));
  process.stdout.write(`${JSON.stringify(report)}\n`);
}
