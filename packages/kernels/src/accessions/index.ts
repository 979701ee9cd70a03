export * from './accession-list.js';
