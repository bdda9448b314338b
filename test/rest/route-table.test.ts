import { Router, type Request, type Response } from 'express';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { RouteTable } from '../../src/rest/route-table.js';
import { placeholders, type Route } from '../../src/rest/route.js';
import { ROUTES } from '../support/openapi-check.js';

const table = new RouteTable(ROUTES, '/v1');

/** Express router with the same routes; paths with fewer placeholders come first. */
const express = Router({ caseSensitive: true });
const paths = [...new Map(ROUTES.map(({ path }) => [path.replace(/\{[^}]+\}/g, '{}'), path])).values()];
paths.sort((one, other) => placeholders(one).length - placeholders(other).length);
for (const path of paths) {
  let count = 0;
  const pattern = path.replace(/\{[^}]+\}/g, () => `:p${count++}`);
  express.all(pattern, (request, response) => {
    response.locals.found = [path.replace(/\{[^}]+\}/g, '{}'), { ...request.params }];
  });
}

type Found = readonly [path: string, values: object] | 'none' | 'not encoded';

async function byExpress(path: string): Promise<Found> {
  const response = { locals: {} as { found?: Found } };
  return await new Promise((resolve) => {
    const request = { url: path, method: 'GET' } as Request;
    express(request, response as unknown as Response, (error?: unknown) =>
      resolve(error instanceof URIError ? 'not encoded' : 'none'),
    );
    if (response.locals.found !== undefined) resolve(response.locals.found);
  });
}

function byTable(path: string): Found {
  try {
    const found = table.find(path);
    if (found === undefined) return 'none';
    return [found.path.template.slice('/v1'.length).replace(/\{[^}]+\}/g, '{}'), { ...found.values }];
  } catch (error) {
    if (error instanceof URIError) return 'not encoded';
    throw error;
  }
}

const VALUES = ['17', 'all', 'token', 'a%20b', '%E9', '%2F', 'ção', '..', ':p0', '{id}', '%'];
const anyValue = fc.oneof(
  fc.constantFrom(...VALUES),
  fc.webSegment().filter((text) => text !== ''),
);
const anyPath = fc.tuple(fc.constantFrom(...paths), fc.array(anyValue, { minLength: 4, maxLength: 4 }));

const filled = (path: string, values: readonly string[]): string => {
  let count = 0;
  return path.replace(/\{[^}]+\}/g, () => values[count++] ?? '17');
};
const spelled: readonly ((path: string) => string)[] = [
  (path) => path,
  (path) => `${path}/`,
  (path) => `${path}//`,
  (path) => `/${path}`,
  (path) => path.toUpperCase(),
  (path) => path.replace(/.$/, '%zz'),
  (path) => `${path}/more`,
  (path) => path.slice(0, path.lastIndexOf('/')),
];

describe('the table of routes finds what Express finds', () => {
  it.each(paths)('%s', async (path) => {
    for (const value of VALUES) {
      for (const spell of spelled) {
        const given = spell(filled(path, [value, value]));
        expect(byTable(given), given).toEqual(await byExpress(given));
      }
    }
  });

  it('for any values', async () => {
    await fc.assert(
      fc.asyncProperty(anyPath, fc.constantFrom(...spelled), async ([path, values], spell) => {
        const given = spell(filled(path, values));
        expect(byTable(given)).toEqual(await byExpress(given));
      }),
      { numRuns: 500 },
    );
  });
});

describe('a table', () => {
  it('has every route with its method', () => {
    for (const route of ROUTES) {
      const found = table.find(filled(route.path, ['17', '17']));
      expect(found?.path.methods.get(route.method)?.route, `${route.method} ${route.path}`).toBe(route);
      expect(found?.path.methods.get(route.method)?.template).toBe(`/v1${route.path}`);
    }
  });

  it('refuses two routes with one method and path', () => {
    const [route] = ROUTES as readonly [Route];
    expect(() => new RouteTable([route, route], '/v1')).toThrow(
      `Two routes for ${route.method} ${route.path}`,
    );
  });
});
