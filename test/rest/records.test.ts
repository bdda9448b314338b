import { beforeAll, describe, expect, it } from 'vitest';

import type { Route } from '../../src/rest/route.js';
import { softwareOf } from '../support/fleet.js';
import { documentedProperties, ROUTES } from '../support/openapi-check.js';
import { populate } from '../support/populated.js';
import { ask, titled } from '../support/route-requests.js';
import { useSampleRecords } from '../support/sample-records.js';
import { useServer, type Fields, type Member } from '../support/server.js';

const server = useServer();
beforeAll(async () => {
  for (const [member, count] of [
    [server.beta, 1],
    [server.acme, 5],
  ] as const) {
    await populate(server, member, count);
    const software = softwareOf(member.client);
    const versions = await software.app({ name: 'with versions' });
    for (let n = 0; n < count; n += 1) {
      await software.version(versions);
      const setting = { number: 'populated 0', key: `key ${n}`, value: 'value' };
      for (const path of ['parameters', 'metacontents']) await member.client.post(path, setting);
    }
  }
});

const LISTS = ROUTES.filter(({ paged }) => paged === true);
/** Statements of lists that also read links of their records, or look up the owner of the records; of others 2. */
const STATEMENTS: Readonly<Record<string, number>> = {
  '/logical_numbers': 3,
  '/apps/{app_id}/versions': 3,
  '/parameters': 4,
  '/metacontents': 4,
};

/** Number of records on the first page of a list, and the statements that read it. */
async function listed({ client }: Member, { path, ownerSelector }: Route) {
  const apps = (await client.get('apps')).list('apps');
  const app = apps.find(({ name }) => name === 'with versions.posxml');
  const owner = ownerSelector === undefined ? undefined : { number: 'populated 0' };
  const read = () => client.get(path.slice(1).replace('{app_id}', String(app?.id)), owner);
  await read();
  const { result, statements } = await server.statements(read);
  expect(result.status, result.text).toBe(200);
  return { entries: (result.body.pagination as { entries: number }).entries, statements };
}

describe('a record of /v1', () => {
  const existing = useSampleRecords(server);

  it.each(titled(ROUTES.filter(({ method }) => method === 'GET')))(
    '%s shows it with its fields in the order of the document',
    async (_, route) => {
      const { body } = await ask(server.acme.client, route, existing);
      const [first] = Object.values(body).filter(Array.isArray) as Fields[][];
      const [[wrapper, record] = ['', {}]] = Object.entries(first?.[0] ?? body);
      const type = wrapper.replace(/^(group|logical_number)_(?=parameter|metacontent)/, '');
      const name = type.replace(/(?:^|_)(.)/g, (_match, letter: string) => letter.toUpperCase());
      const properties = documentedProperties(name) ?? {};
      const fields = Object.keys(record as Fields);
      expect(fields).toEqual(Object.keys(properties).filter((field) => fields.includes(field)));
    },
  );
});

describe('a list of /v1', () => {
  it.each(titled(LISTS))('%s is read by as many statements for many records as for few', async (_, route) => {
    const [few, many] = [await listed(server.beta, route), await listed(server.acme, route)];
    expect(many.entries).toBeGreaterThan(few.entries);
    expect(few.statements).toHaveLength(STATEMENTS[route.path] ?? 2);
    expect(many.statements).toHaveLength(few.statements.length);
    expect(many.statements.join(), 'the bytes of files and versions').not.toContain('content_chunks');
  });
});
