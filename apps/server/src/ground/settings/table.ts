import { accountsSettingRows } from './accounts.js';
import { artifactsSettingRows } from './artifacts.js';
import { benchmarkSettingRows } from './benchmark.js';
import { clientSettingRows } from './client.js';
import { dataSettingRows } from './data.js';
import { databaseSettingRows } from './database.js';
import { httpSettingRows } from './http.js';
import { mailSettingRows } from './mail.js';
import { predictionSettingRows } from './predictions.js';
import { rateSettingRows } from './rates.js';
import { retentionSettingRows } from './retention.js';
import { serverSettingRows } from './server.js';
import { sourcesSettingRows } from './sources.js';
import { stackSettingRows } from './stack.js';
import { telemetrySettingRows } from './telemetry.js';
import { workerSettingRows } from './worker.js';
import type { SettingRow, SliceOf } from './setting-row.js';

/** The table holds every setting of the service by area, in the order of the reference page. */
export const settingAreas = {
  data: dataSettingRows,
  artifacts: artifactsSettingRows,
  database: databaseSettingRows,
  server: serverSettingRows,
  http: httpSettingRows,
  stack: stackSettingRows,
  sources: sourcesSettingRows,
  benchmark: benchmarkSettingRows,
  accounts: accountsSettingRows,
  rates: rateSettingRows,
  mail: mailSettingRows,
  worker: workerSettingRows,
  retention: retentionSettingRows,
  predictions: predictionSettingRows,
  telemetry: telemetrySettingRows,
  client: clientSettingRows,
} as const;

type Areas = typeof settingAreas;
export type SettingValues = { [Area in keyof Areas]: SliceOf<Areas[Area]> };

export const settingRows: readonly SettingRow[] = Object.values(settingAreas).flatMap((rows) =>
  Object.values(rows),
);
