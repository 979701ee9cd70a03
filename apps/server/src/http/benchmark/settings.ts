import { type BenchmarkSettings, benchmarkSettingRows } from '../../ground/settings/benchmark.js';
import { defaultsOf } from '../../ground/settings/setting-row.js';

export type { BenchmarkSettings };

export const defaultBenchmarkSettings: BenchmarkSettings = defaultsOf(benchmarkSettingRows);
