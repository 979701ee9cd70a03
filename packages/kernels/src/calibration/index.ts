export * from './calibration-curve.js';
export * from './isotonic.js';
