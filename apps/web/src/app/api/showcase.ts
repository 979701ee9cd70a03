import type { Reply } from '@kindred/client';
import { api } from './client.js';

export type { CafaAspect, Category } from '@kindred/contracts';

export type Showcase = Reply<'GET', '/showcase'>;
export type MethodFigures = NonNullable<Showcase['method_comparison'][string]>[number];

export const getShowcase = () => api.get('/showcase');
export const getEvaluatedSets = async () => (await api.get('/benchmark/matrix')).evaluation_sets;
