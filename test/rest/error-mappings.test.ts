import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

import { topLevelError, userErrorsOf } from '../../src/graphql/schema/errors.js';
import { problemResponse } from '../../src/http/problem.js';
import { DOMAIN_CODES, DomainError, type DomainCode } from '../../src/platform/errors.js';
import { withoutRule } from '../../src/platform/rules.js';

/** By domain code: REST status, GraphQL code in `userErrors` (null if none), GraphQL code in `errors`. */
const MAPPINGS: Readonly<Record<DomainCode, readonly [number, string | null, string]>> = {
  invalid: [422, 'INVALID', 'BAD_USER_INPUT'],
  malformed: [400, null, 'BAD_USER_INPUT'],
  unauthenticated: [401, null, 'UNAUTHENTICATED'],
  forbidden: [403, null, 'FORBIDDEN'],
  not_found: [404, 'NOT_FOUND', 'NOT_FOUND'],
  taken: [409, 'TAKEN', 'TAKEN'],
  group_not_empty: [409, 'NOT_EMPTY', 'NOT_EMPTY'],
  in_use: [409, 'IN_USE', 'IN_USE'],
  too_many_records: [409, 'TOO_MANY_RECORDS', 'TOO_MANY_RECORDS'],
  stale: [412, 'STALE', 'STALE'],
  other_company: [409, null, 'OTHER_COMPANY'],
  too_many_attempts: [429, null, 'RATE_LIMITED'],
  idempotency_mismatch: [422, null, 'IDEMPOTENCY_MISMATCH'],
  busy: [503, null, 'UNAVAILABLE'],
  deadline_exceeded: [503, null, 'DEADLINE_EXCEEDED'],
  storage_full: [503, null, 'STORAGE_FULL'],
  storage_read_only: [503, null, 'UNAVAILABLE'],
  storage_unavailable: [503, null, 'UNAVAILABLE'],
  db_corrupt: [503, null, 'UNAVAILABLE'],
};

/** Further fields of a user error with a message of no rule. */
const details = (rule: DomainCode) => ({ rule, params: null, current: null });

/** The argument that a user error without a field names. */
const ARGUMENTS: Partial<Record<DomainCode, readonly string[]>> = {
  not_found: ['id'],
  stale: ['ifMatch'],
  in_use: ['force'],
};

describe('the mappings of domain errors in REST and GraphQL', () => {
  it('cover every code', () => {
    expect(Object.keys(MAPPINGS).sort()).toEqual([...DOMAIN_CODES].sort());
  });

  it('have no code that nothing makes', () => {
    const mappings = ['src/platform/errors.ts', 'src/http/problem.ts', 'src/graphql/schema/errors.ts'];
    const texts = globSync('src/**/*.ts')
      .filter((file) => !mappings.includes(file))
      .map((file) => readFileSync(file, 'utf8'));
    expect(DOMAIN_CODES.filter((code) => !texts.some((text) => text.includes(`'${code}'`)))).toEqual([]);
  });

  it.each(DOMAIN_CODES)('agree on %s', (code) => {
    const [status, user, top] = MAPPINGS[code];
    const fields = { serialNumber: ['is one thing', 'is another'], name: ['is a third'] };
    const problems = {
      serialNumber: fields.serialNumber.map(withoutRule),
      name: fields.name.map(withoutRule),
    };
    const error = new DomainError(code, 'In words.', { fields: problems, retryAfter: 7 });
    const rest = problemResponse(error, 'request');
    const { serialNumber: serial_number, name } = fields;
    expect([rest.status, rest.headers['Retry-After']]).toEqual([status, '7']);
    const errors = { serial_number, name };
    expect(rest.body).toEqual({ code, message: 'In words.', request_id: 'request', errors });
    const [first, second] = serial_number;
    const userErrors = [
      ['serialNumber', first],
      ['serialNumber', second],
      ['name', name[0]],
    ].map(([field, message]) => ({ code: user, path: ['input', field], message, ...details(code) }));
    expect(userErrorsOf(error)).toEqual(user === null ? undefined : userErrors);
    const graphql = topLevelError(error);
    expect(graphql.message).toBe('In words.');
    const shown = code === 'invalid' ? { fields } : {};
    expect(graphql.extensions).toEqual({ code: top, retryAfter: 7, ...shown });
  });

  it.each(DOMAIN_CODES)('agree on %s without a field', (code) => {
    const [, user, top] = MAPPINGS[code];
    const error = new DomainError(code, 'In words.');
    const path = ARGUMENTS[code] ?? [];
    expect(problemResponse(error, 'r').body).toEqual({ code, message: 'In words.', request_id: 'r' });
    const userErrors = [{ code: user, path, message: 'In words.', ...details(code) }];
    expect(userErrorsOf(error)).toEqual(user === null ? undefined : userErrors);
    expect(topLevelError(error).extensions).toEqual({ code: top });
  });

  it('mask every other error', () => {
    const error = new Error('SELECT secret');
    expect(userErrorsOf(error)).toBeUndefined();
    expect(problemResponse(error, 'request')).toMatchObject({ status: 500, body: { code: 'internal' } });
    expect(JSON.stringify(problemResponse(error, 'request'))).not.toContain('secret');
  });
});
