import type { Request, Response } from 'express';
import { describe, expect, it } from 'vitest';

import { placeholders, type Route } from '../../src/rest/route.js';
import { createRouter } from '../../src/rest/router.js';
import { ROUTES } from '../support/openapi-check.js';

interface Served {
  readonly route: Route;
  readonly values: readonly string[];
  readonly template: string;
}
type Found = Served | 'none' | 'not encoded';

/** Sends a request to a router of the routes of /v1. */
async function find(method: string, path: string): Promise<Found> {
  const context = { template: '' };
  return await new Promise((resolve, reject) => {
    const router = createRouter('/v1', ROUTES, ({ route, values }) => {
      resolve({ route, values: [...values.values()], template: context.template });
      return Promise.resolve();
    });
    const request = { url: path, originalUrl: path, method } as Request;
    const response = { locals: { context } } as unknown as Response;
    void router(request, response, (error?: unknown) => {
      if (error === undefined || error === null) resolve('none');
      else if (error instanceof URIError) resolve('not encoded');
      else reject(new Error('The router failed', { cause: error }));
    });
  });
}

const filled = (path: string, value: string): string => `/v1${path.replace(/\{[^}]+\}/g, value)}`;
const titled = ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const);

describe('a router finds', () => {
  it.each(titled)('%s, with the decoded values of its path', async (_, route) => {
    const template = `/v1${route.path}`;
    for (const [sent, value] of [
      ['17', '17'],
      ['a%20b', 'a b'],
      ['%2F', '/'],
      ['ção', 'ção'],
      ['..', '..'],
      [':p0', ':p0'],
      ['{id}', '{id}'],
    ] as const) {
      const expected = { route, template, values: placeholders(route.path).map(() => value) };
      expect(await find(route.method, filled(route.path, sent)), sent).toEqual(expected);
      expect(await find(route.method, `${filled(route.path, sent)}/`), sent).toEqual(expected);
    }
  });

  it.each(titled)('nothing that only resembles %s', async (_, { method, path }) => {
    const known = filled(path, '17');
    for (const other of [`${known}//`, `/${known}`, known.toUpperCase(), `${known}/more/than/it`]) {
      expect(await find(method, other), other).toBe('none');
    }
    if (path.includes('{')) expect(await find(method, filled(path, '%E9'))).toBe('not encoded');
  });

  it('a fixed segment before a placeholder', async () => {
    const found = await find('POST', '/v1/users/token');
    expect(found).toMatchObject({ template: '/v1/users/token', values: [] });
  });
});

it('a router refuses two routes with one method and path', () => {
  const [route] = ROUTES as readonly [Route];
  expect(() => createRouter('/v1', [route, route], async () => Promise.resolve())).toThrow(
    'Two routes with one method',
  );
});
