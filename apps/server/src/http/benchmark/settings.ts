import { type BenchmarkSettings, benchmarkSettingRows } from '../../settings/benchmark.js';
import { defaultsOf } from '../../settings/setting-row.js';

export type { BenchmarkSettings };

export const defaultBenchmarkSettings: BenchmarkSettings = defaultsOf(benchmarkSettingRows);
