export * from './calibration-curve.js';
export * from './held-out.js';
export * from './isotonic.js';
