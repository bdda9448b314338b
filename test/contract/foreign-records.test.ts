import { beforeAll, describe, expect, it } from 'vitest';

import { fleet } from '../support/fleet.js';
import { ROUTES } from '../support/openapi-check.js';
import { ask, placeholdersOf, titled, type PathValue } from '../support/route-requests.js';
import { createSampleRecords, missing, OWNER_NUMBER } from '../support/sample-records.js';
import type { SampleRecords, SampleType } from '../support/sample-records.js';
import { useServer, type Client, type Fields, type Reply } from '../support/server.js';

const server = useServer();
let ofAcme: SampleRecords;
let ofBeta: SampleRecords;
/** The records of both companies, read from their lists. */
let before: string;

beforeAll(async () => {
  ofAcme = await createSampleRecords(server, server.acme);
  // Both companies use the same names, so that a query without the company filter finds the wrong record.
  ofBeta = await createSampleRecords(server, await server.member('beta', 'admin'));
  before = await inventory(server.acme.client);
});

const listed = ROUTES.filter((route) => route.paged === true && !route.path.includes('{'));

/** All records in the lists of a company. */
async function inventory(client: Client): Promise<string> {
  const texts: string[] = [];
  for (const route of listed) {
    const selector = route.ownerSelector !== undefined ? { number: OWNER_NUMBER } : undefined;
    texts.push((await client.get(route.path.slice(1), selector)).text);
  }
  return texts.join('\n');
}

function valueIn({ values }: SampleRecords, placeholder: string): string {
  const value = values[placeholder];
  if (value === undefined)
    throw new Error(`test/support/sample-records.ts has no value of {${placeholder}}.`);
  return value;
}

const foreign: PathValue = (placeholder) => valueIn(ofAcme, placeholder);
const own: PathValue = (placeholder) => valueIn(ofBeta, placeholder);

/** The whole response without its request id. */
function withoutRequestId({ status, headers, body }: Reply): object {
  const kept = [...headers].filter(([name]) => !/^(date|x-request-id|x-rate-limit-.*)$/.test(name));
  return { status, headers: kept, body: { ...body, request_id: '' } };
}

const named = ROUTES.filter((route) => placeholdersOf(route).length > 0 || route.ownerSelector !== undefined);
/** Routes by id; names may be equal in both companies, ids are not. */
const byId = named.filter((route) =>
  placeholdersOf(route).some((placeholder) => placeholder.endsWith('_id')),
);

describe("AT-10 another company's records", () => {
  it.each(titled(byId))('%s: get the same response as records that do not exist', async (_, route) => {
    const { client } = server.beta;
    const reply = await ask(client, route, foreign);
    expect(reply.status, reply.text).toBe(404);
    // Names are the same in both companies.
    const unknown: PathValue = (name) => (name.endsWith('_id') ? missing(name) : own(name));
    expect(withoutRequestId(reply)).toEqual(withoutRequestId(await ask(client, route, unknown)));
  });

  it.each(titled(byId))('%s: get the same response below records of the own company', async (_, route) => {
    const { client } = server.beta;
    const last = placeholdersOf(route).at(-1);
    const under =
      (lowest: PathValue): PathValue =>
      (name) =>
        name === last ? lowest(name) : own(name);
    const reply = await ask(client, route, under(foreign));
    expect(reply.status, reply.text).toBe(404);
    expect(withoutRequestId(reply)).toEqual(withoutRequestId(await ask(client, route, under(missing))));
  });

  it.each(titled(named.filter((route) => route.method === 'GET')))(
    '%s: are there for their own company',
    async (_, route) => {
      expect((await ask(server.acme.client, route, foreign)).status).toBe(200);
      expect((await ask(server.beta.client, route, own)).status).toBe(200);
    },
  );

  it.each(titled(named.filter((route) => !byId.includes(route))))(
    '%s: have names that a company without such a name does not find',
    async (_, route) => {
      const gamma = await server.member('beta', 'admin');
      const elsewhere: PathValue = (placeholder) => `${foreign(placeholder)} of acme`;
      const reply = await ask(gamma.client, route, elsewhere);
      expect(reply.status, reply.text).toBe(404);
      expect(withoutRequestId(reply)).toEqual(withoutRequestId(await ask(gamma.client, route, missing)));
    },
  );

  it('are unchanged after all these requests', async () => {
    expect(await inventory(server.acme.client)).toBe(before);
  });
});

describe('AT-13 lists and totals', () => {
  it.each(titled(listed))('%s counts only records of the own company', async (_, route) => {
    const selector = route.ownerSelector !== undefined ? { number: OWNER_NUMBER } : undefined;
    const key = route.path.slice(1);
    const idsOf = async (client: Client): Promise<unknown[]> => {
      const reply = await client.get(key, selector, { query: { per_page: 100 } });
      const records = reply.list(key);
      const { length } = records;
      expect(reply.body.pagination).toMatchObject({ total_pages: 1, entries: length, total_entries: length });
      expect(records.length).toBeGreaterThan(0);
      return records.map((record) => record.id);
    };
    const [acme, beta] = [await idsOf(server.acme.client), await idsOf(server.beta.client)];
    expect(acme.filter((id) => beta.includes(id))).toEqual([]);
  });
});

describe("another company's records", () => {
  it.each<[call: string, SampleType, Fields?]>([
    ['PUT logical_numbers/sample%20number group_id', 'Group'],
    ['PUT logical_numbers/sample%20number app_version_ids', 'AppVersion'],
    ['POST logical_numbers group_id', 'Group', { number: 'new' }],
    ['POST logical_numbers app_version_ids', 'AppVersion', { number: 'new' }],
    ['PUT devices/sample%20serial logical_number_id', 'LogicalNumber'],
    ['POST devices logical_number_id', 'LogicalNumber', { serial_number: 'new' }],
  ])('AT-11 %s: cannot be referenced, like an id that does not exist', async (call, type, body) => {
    const [method = '', path = '', field = ''] = call.split(' ');
    const { client } = server.beta;
    const refused = async (id: number): Promise<string> => {
      const fields = { ...body, [field]: field.endsWith('s') ? [id] : id };
      const { status, text } = await client.request(method, path, fields);
      return `${status} ${text.replace(/"request_id":"[^"]*"/, '').replaceAll(/\d+/g, 'N')}`;
    };
    const before = await inventory(client);
    expect(await refused(ofAcme.ids[type])).toMatch(/^422 /);
    expect(await refused(ofAcme.ids[type])).toBe(await refused(9e6));
    expect(await inventory(client)).toBe(before);
  });

  it('AT-11 do not own settings of another company', async () => {
    const { client } = server.beta;
    await fleet.logicalNumber(server.acme.client, 'of acme');
    await fleet.group(server.acme.client, 'of acme');
    for (const selector of [{ number: 'of acme' }, { name: 'of acme' }]) {
      expect((await client.get('parameters', selector)).status).toBe(404);
      expect((await client.post('metacontents', { ...selector, key: 'k', value: 1 })).status).toBe(404);
    }
  });

  it('AT-12 may have the same names: each company changes and deletes its own', async () => {
    for (const each of [server.acme, server.beta]) await fleet.group(each.client, 'of both');
    const all = await inventory(server.acme.client);
    const { client } = server.beta;
    const changed = await client.put('devices/sample%20serial', { enabled: false });
    expect(changed.record('device').id).toBe(ofBeta.ids.Device);
    for (const path of ['devices/sample serial', 'logical_numbers/sample number', 'groups/of both']) {
      expect((await client.delete(path)).status, path).toBe(200);
      expect((await client.delete(path)).status, path).toBe(404);
    }
    expect(await inventory(server.acme.client)).toBe(all);
    expect((await client.get('parameters', { number: OWNER_NUMBER })).status).toBe(404);
  });
});
