import { getNamedType, isLeafType, isNonNullType } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';

import { populate } from '../support/populated.js';
import { useServer, type Fields, type Member } from '../support/server.js';
import { askable, findWays, schema, type Way } from './ways.js';

const server = useServer();
let operator: Member;
beforeAll(async () => {
  await populate(server, server.acme, 2);
  operator = await server.member('acme', 'operator');
});

/** The value at a path of a response; undefined where a part of the path is null. */
function valueAt(data: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Fields | null | undefined)?.[key], data);
}

const demandsMore = ({ description }: { readonly description?: string | null | undefined }): boolean =>
  description?.includes('Requires the scope') === true;

const query = schema.getQueryType();
const ways = findWays((field) => !demandsMore(field));
if (query != null) ways.set(query, (inner) => `{ ${inner} }`);

/** Every field of every type that a query reaches, with an operation that selects it for some records. */
const FIELDS: readonly (readonly [string, Way, string])[] = [...ways].flatMap(([type, way]) =>
  askable(type).map((field) => {
    const selection = isLeafType(getNamedType(field.type)) ? '' : ' { __typename }';
    return [`${type.name}.${field.name}`, way, `${field.name}${selection}`] as const;
  }),
);

describe('a response without the right to some of its fields', () => {
  it('GQ-18 is null at these fields alone, wherever they are in the schema', async () => {
    const forbidden = new Set<string>();
    for (const [name, way, asked] of FIELDS) {
      const { body } = await operator.graphql(way(`rest: __typename ${asked}`, 2));
      for (const { path = [], extensions } of body.errors ?? []) {
        expect(extensions.code, name).toBe('FORBIDDEN');
        expect(valueAt(body.data, path), `${name} at ${path.join('.')}`).toBeNull();
        expect(valueAt(body.data, [...path.slice(0, -1), 'rest']), name).toBe(name.split('.')[0]);
        forbidden.add(name);
      }
    }
    expect([...forbidden]).toEqual(
      expect.arrayContaining(['Query.users', 'Query.apiTokens', 'Query.ledger', 'User.apiTokens']),
    );
  });

  it('is told by the schema: what requires ADMIN in a query is nullable', () => {
    const demanding = [...ways.keys()].flatMap((type) =>
      Object.values(type.getFields())
        .filter(demandsMore)
        .map((field) => [`${type.name}.${field.name}`, isNonNullType(field.type)]),
    );
    expect(demanding.length).toBeGreaterThan(5);
    expect(demanding.filter(([, isNonNull]) => isNonNull)).toEqual([]);
  });

  it('has the rest of a page, with one error for each part', async () => {
    const { status, body } = await operator.graphql(`{
      devices(first: 1) { totalCount } users { totalCount } apiTokens { totalCount } ledger { totalCount }
      viewer { role company { name users { totalCount } } user { name apiTokens { totalCount } } } }`);
    expect(status).toBe(200);
    expect(body.data).toEqual({
      devices: { totalCount: 2 },
      users: null,
      apiTokens: null,
      ledger: null,
      viewer: {
        role: 'OPERATOR',
        company: { name: 'Acme Pagamentos', users: null },
        user: { name: 'operator of Acme Pagamentos', apiTokens: null },
      },
    });
    const paths = ['apiTokens', 'ledger', 'users', 'viewer.company.users', 'viewer.user.apiTokens'];
    expect(body.errors?.map(({ path }) => path?.join('.')).sort()).toEqual(paths);
    expect(new Set(body.errors?.map(({ extensions }) => extensions.code))).toEqual(new Set(['FORBIDDEN']));
  });
});
