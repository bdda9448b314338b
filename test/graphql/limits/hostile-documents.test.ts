import { describe, expect, it } from 'vitest';

import { useServer } from '../../support/use-server.js';


const server = useServer();

const MAX_ANSWER = 4_096;

describe('hostile documents', () => {
  it.each<[string, string]>([
    ['circular fragments', '{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }'],
    ['a fragment of itself', '{ viewer { ...A } } fragment A on Viewer { role ...A }'],
    ['5,000 directives', `{ viewer ${'@a '.repeat(5_000)} { role } }`],
    ['2,000 directives', `{ viewer ${'@a '.repeat(2_000)} { role } }`],
    ['3,000 undefined fragments', `{ ${Array.from({ length: 3_000 }, (_, n) => `...F${n}`).join(' ')} }`],
    ['900 undefined fragments', `{ ${Array.from({ length: 900 }, (_, n) => `...F${n}`).join(' ')} }`],
    [
      '500 unused variables',
      `query (${Array.from({ length: 500 }, (_, n) => `$v${n}: Int`).join(' ')}) { viewer { role } }`,
    ],
    ['20,000 nested selections', `${'{ a '.repeat(20_000)}${'}'.repeat(20_000)}`],
    ['1,500 nested selections', `${'{ a '.repeat(1_500)}${'}'.repeat(1_500)}`],
    ['1,200 nested inline fragments', `{ ${'... { '.repeat(1_200)}a${'}'.repeat(1_200)} }`],
    ['20,000 nested lists', `{ nodes(ids: ${'['.repeat(20_000)}${']'.repeat(20_000)}) { id } }`],
    ['2,400 nested lists', `{ nodes(ids: ${'['.repeat(2_400)}${']'.repeat(2_400)}) { id } }`],
    [
      '1,200 nested objects',
      `{ groups(filter: ${'{ and: '.repeat(1_200)}1${'}'.repeat(1_200)}) { totalCount } }`,
    ],
    ['one field 2,000 times', `{ viewer { ${'role '.repeat(2_000)} } }`],
    ['a chain of fragments', `{ ...F0 } ${chainOfFragments(400)}`],
    ['a megabyte that is no document', 'x'.repeat(1_000_000)],
    ['a long unknown field', `{ ${'x'.repeat(100_000)} }`],
    ['an unclosed string', '{ viewer(a: "'],
    ['nothing but a byte order mark', '\ufeff'],
  ])('GQ-07 %s: a small response with status 400 that reveals nothing', async (_what, query) => {
    const { status, text, body } = await server.acme.graphql(query);
    expect(status, text).toBe(400);
    expect(text.length).toBeLessThan(MAX_ANSWER);
    expect(body.errors?.length).toBeLessThanOrEqual(5);
    expect(text).not.toMatch(/node_modules|\bat \w+ \(|\.ts:|\.js:/);
    for (const error of body.errors ?? []) expect(error.extensions.code).toMatch(/^GRAPHQL_|^BAD_/);
    expect((await server.acme.graphql('{ viewer { role } }')).status).toBe(200);
  });

  it('get at most five of ten thousand errors', async () => {
    const { status, body, text } = await server.acme.graphql(
      'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }',
      {
        ids: Array.from({ length: 10_000 }, () => ({})),
      },
    );
    expect(status, text.slice(0, 500)).toBe(400);
    expect(body.errors?.length).toBeLessThanOrEqual(5);
    expect(text.length).toBeLessThan(MAX_ANSWER);
  });
});

function chainOfFragments(length: number): string {
  return Array.from(
    { length },
    (_, n) => `fragment F${n} on Query { ${n === length - 1 ? 'viewer { role }' : `...F${n + 1}`} }`,
  ).join(' ');
}
