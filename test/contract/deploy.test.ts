import { beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { softwareOf, type Software } from '../support/fleet.js';
import { useServer, type Fields } from '../support/server.js';

const server = useServer();
let software: Software;
beforeAll(() => {
  software = softwareOf(server.acme.client);
});

const FORM = { headers: { 'content-type': 'application/x-www-form-urlencoded' } };
type Records = Record<string, Fields>;

async function sendForm(method: string, path: string, form: string | URLSearchParams) {
  const { status, body } = await server.acme.client.request(method, path, String(form), FORM);
  return { status, body: body as Records };
}

async function read(path: string): Promise<Records> {
  return (await server.acme.client.get(path)).body as Records;
}

describe('a deploy by the command line client of terminals', () => {
  const PROJECT =
    'name=mylab&language=ruby&description=&kind=standard&displayable=&pos_display_label=&authorizer_url=';

  it('contract 6 and contract 20: finds its Ruby app by its bare name, with fields that its project file leaves empty', async () => {
    const created = await sendForm('POST', 'apps', PROJECT);
    expect(created.status).toBe(201);
    expect(created.body.app).toMatchObject({ name: 'mylab', language: 'ruby' });

    const { apps } = (await read('apps?per_page=100')) as unknown as { apps: { app: Fields }[] };
    const [found] = apps.filter(({ app }) => app.name === 'mylab');
    expect(found?.app.id).toBe(created.body.app?.id);

    const path = `apps/${String(found?.app.id)}/versions`;
    const version = await sendForm('POST', path, `${PROJECT}&number=1.0.0&bytecode=MTIzNDU2Nzg5`);
    expect(version.status, JSON.stringify(version.body)).toBe(201);
    const shown = { number: '1.0.0', displayable: false, crc: '31C3', size: 9 };
    expect(version.body.app_version).toMatchObject(shown);

    const one = `${path}/${String(version.body.app_version?.id)}`;
    expect((await sendForm('PUT', one, 'displayable=on')).body.app_version?.displayable).toBe(true);
    const again = await sendForm('PUT', one, PROJECT);
    expect([again.status, again.body.app_version?.displayable]).toEqual([200, true]);
  });

  it('contract 20: the app is deployed again under the same name', async () => {
    const first = await sendForm('POST', 'apps', 'name=twice&language=ruby');
    const second = await sendForm('POST', 'apps', 'name=twice&language=ruby');
    expect([first.status, second.status]).toEqual([201, 409]);
    const path = `apps/${String(first.body.app?.id)}`;
    const kept = await sendForm('PUT', path, 'name=twice&language=ruby&description=new');
    expect([kept.status, kept.body.app?.name]).toEqual([200, 'twice']);
  });
});

describe('contract 8: lists in forms', () => {
  let path: string;
  let files: number[];
  let groups: number[];
  beforeEach(async () => {
    path = await software.app();
    files = [await software.file(), await software.file()];
    groups = [await software.group(), await software.group()];
  });

  const versionWith = async (form: string | URLSearchParams): Promise<Fields> => {
    const created = await sendForm('POST', path, form);
    expect(created.status, JSON.stringify(created.body)).toBe(201);
    return (await read(`${path}/${String(created.body.app_version?.id)}`)).app_version ?? {};
  };

  // All spellings are in test/rest/input.test.ts.
  it('are read from the URLSearchParams of a script', async () => {
    const form = new URLSearchParams({ number: '2.0' });
    for (const id of files) form.append('file_ids[]', String(id));
    expect(await versionWith(form)).toMatchObject({ number: '2.0', file_ids: files });
  });

  it('an empty text leaves a list as it is, an empty entry in brackets empties it', async () => {
    const { id } = await versionWith(`number=1&file_ids=${files.join(',')}&group_ids=${groups.join(',')}`);
    const one = `${path}/${String(id)}`;
    expect((await sendForm('PUT', one, 'file_ids=&group_ids%5B%5D=')).status).toBe(200);
    expect((await read(one)).app_version).toMatchObject({ file_ids: files, group_ids: [] });
  });

  it('are read for the versions of a logical number and the targets of a notification', async () => {
    const version = await versionWith(`number=1&group_ids=${groups.join(',')}`);
    const other = await versionWith(`number=2&group_ids=${groups.join(',')}`);
    const ids = [version.id, other.id];
    const pairs = ids.map((id) => `app_version_ids[]=${String(id)}`).join('&');
    const form = `number=4711&group_id=${String(groups[0])}&${pairs}`;
    expect((await sendForm('POST', 'logical_numbers', form)).status).toBe(201);
    expect((await read('logical_numbers/4711')).logical_number?.app_version_ids).toEqual(ids);
    await sendForm('POST', 'logical_numbers', 'number=4712');
    for (const targets of ['4711,4712', '4711, 4712', '4711&logical_numbers=4712']) {
      const message = `content=Hi&range=specific_logical_numbers&logical_numbers=${targets}`;
      expect((await sendForm('POST', 'notifications', message)).status, targets).toBe(201);
    }
    const target = 'range=specific_logical_numbers&logical_numbers[]=4711&logical_numbers[]=none';
    const refused = await sendForm('POST', 'notifications', `content=Hi&${target}`);
    expect(refused.status).toBe(422);
    expect(refused.body.errors).toEqual({ logical_numbers: ['are not all known: none'] });
  });
});

describe('contract 8: numbers and texts', () => {
  it('a JSON number in a text field counts as its text, as it was written', async () => {
    const { client } = server.acme;
    const path = await software.app();
    const created = await client.post(path, '{"number": 1.10, "pos_display_label": 7}');
    expect(created.record('app_version')).toMatchObject({ number: '1.10', pos_display_label: '7' });
    const device = await client.post('devices', '{"serial_number":80001515010000800012}');
    expect(device.record('device').serial_number).toBe('80001515010000800012');
    expect((await client.post('groups', '{"name":51}')).record('group').name).toBe('51');
    const parameter = await client.post('parameters', '{"name":51,"key":1,"value":2.50,"description":3}');
    expect(parameter.record('group_parameter')).toMatchObject({ key: '1', value: '2.50', description: '3' });
    const metacontent = await client.post('metacontents', '{"name":51,"key":1,"value":2.50}');
    expect(metacontent.record('group_metacontent')).toMatchObject({ key: '1', value: 2.5 });
  });

  it('digits in text count as an integer, alone and in a list', async () => {
    const { client } = server.acme;
    const group = await software.group();
    const number = await client.post('logical_numbers', { number: 'typed', group_id: String(group) });
    expect([number.status, number.record('logical_number').group_id]).toEqual([201, group]);
    const path = await software.app();
    const base = await software.version(path, { bytecode: 'QUJD' });
    const digits = { base_version_id: String(base.id), group_ids: [String(group)] };
    const copy = await client.post(path, { number: 3, ...digits });
    expect([copy.status, copy.record('app_version').size]).toEqual([201, 3]);
    const one = await client.get(`${path}/${String(copy.record('app_version').id)}`);
    expect(one.record('app_version').group_ids).toEqual([group]);
  });
});
