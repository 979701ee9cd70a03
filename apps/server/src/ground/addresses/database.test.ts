import { describe, expect, it } from 'vitest';
import { databaseAddresses, isDatabaseAddress, sessionKindOf } from './database.js';

describe('the hosts of a database address', () => {
  it.each([
    ['postgresql://db.lab.example/kindred', ['postgresql://db.lab.example/kindred']],
    [
      'postgresql://u:p@ss,w@a:5432,b:6432/kindred?sslmode=verify-full',
      [
        'postgresql://u:p@ss,w@a:5432/kindred?sslmode=verify-full',
        'postgresql://u:p@ss,w@b:6432/kindred?sslmode=verify-full',
      ],
    ],
    ['postgres://[::1]:5432,[::2]/x', ['postgres://[::1]:5432/x', 'postgres://[::2]/x']],
    [
      'postgresql://u@%2Frun%2Fone,%2Frun%2Ftwo/x',
      ['postgresql://u@%2Frun%2Fone/x', 'postgresql://u@%2Frun%2Ftwo/x'],
    ],
    ['postgres:///kindred?host=/run/postgresql', ['postgres:///kindred?host=/run/postgresql']],
  ])('%s', (address, expected) => {
    expect(databaseAddresses(address)).toEqual(expected);
  });
});

describe('a database address', () => {
  it.each([
    ['postgresql://u:p@/db?host=/run/postgresql', true],
    ['postgresql://u@/?host=/run/postgresql', true],
    ['postgres:///db?host=/run/postgresql', true],
    ['postgresql://u:p@%2Frun%2Fpostgresql/db', true],
    ['postgresql://a:1,b:2/x', true],
    ['postgresql://a:1,b:x/x', false],
    ['mysql://u:p@/db', false],
    ['u:p@/db', false],
    ['', false],
  ])('%s: %s', (address, expected) => {
    expect(isDatabaseAddress(address)).toBe(expected);
  });
});

describe('the kind of server that will do', () => {
  it.each([
    ['postgresql://a:1,b:2/x', 'read-write'],
    ['postgresql://a:1,b:2/x?target_session_attrs=primary', 'primary'],
    ['postgresql://a/x?target_session_attrs=any', 'any'],
    ['postgresql://u:p@/x?host=/run&target_session_attrs=any', 'any'],
    ['postgresql://a/x?target_session_attrs=standby', null],
  ])('%s: %s', (address, expected) => {
    expect(sessionKindOf(address)).toBe(expected);
  });
});
