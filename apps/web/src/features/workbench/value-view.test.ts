import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { ValueView } from './value-view.js';

const textOf = (value: unknown) =>
  renderToStaticMarkup(createElement(ValueView, { value }))
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

it('tells a limit that is not there from one of zero, and from a value that is missing', () => {
  const daily = [
    { role: 'viewer', sequences_per_day: 10, jobs_per_day: 0 },
    { role: 'admin', sequences_per_day: null, jobs_per_day: null },
  ];
  expect(textOf(daily)).toMatch(/viewer 10 0 admin no limit no limit$/);
  expect(textOf({ used: 3, limit: null, email: null })).toBe('Used 3 Limit no limit Email none');
});

it('gives a long list within rows the width of the page, and keeps short ones in the table of the rows', () => {
  const htmlOf = (terms: number) => {
    const value = [{ accession: 'P1', terms: Array.from({ length: terms }, (_, at) => ({ place: at })) }];
    return renderToStaticMarkup(createElement(ValueView, { value }));
  };
  expect(htmlOf(10).match(/<table/g)).toHaveLength(1);
  expect(htmlOf(2).match(/<table/g)).toHaveLength(2);
});
