import { expect, it } from 'vitest';

import { createClient } from '../support/client.js';
import { ROUTES } from '../support/openapi-check.js';
import { addPerson, PASSWORD } from '../support/people.js';
import { fileForm, useServer, type Client, type Reply } from '../support/server.js';

const server = useServer();
const AREA = 'AREA%2051';
const NINE = { bytes: '123456789', base64: 'MTIzNDU2Nzg5' };

/** Sends requests as a back office with curl does: each body is labelled as a form, whatever it is. */
class BackOffice {
  readonly called: string[] = [];
  client: Client = server.anonymous;

  /** `request` is for example `GET groups?page=1`. Fails unless the response has the status and matches the pattern. */
  async call(request: string, body: string | FormData, status: number, pattern: RegExp): Promise<Reply> {
    const [method = '', path = ''] = request.split(' ');
    const type = typeof body === 'string' ? 'application/x-www-form-urlencoded' : undefined;
    const headers = type === undefined || body === '' ? {} : { 'content-type': type };
    const reply = await this.client.request(method, path, body, { headers });
    expect(reply.status, `${request}: ${reply.text.slice(0, 2_000)}`).toBe(status);
    expect(reply.text, request).toMatch(pattern);
    this.called.push(`${method} /${path.replace(/\/?(?:[?].*)?$/, '')}`);
    return reply;
  }

  /** The id of the record in the response. */
  async id(...call: Parameters<BackOffice['call']>): Promise<string> {
    return /"id":(\d+)/.exec((await this.call(...call)).text)?.[1] ?? '';
  }
}

it('a legacy back office can use every endpoint', async () => {
  const office = new BackOffice();
  const call: BackOffice['call'] = (...parts) => office.call(...parts);
  const id: BackOffice['id'] = (...parts) => office.id(...parts);
  const { email } = await addPerson(server, { acme: 'admin' });
  const signIn = JSON.stringify({ email, password: PASSWORD });
  const tokens = await call('POST users/token', signIn, 200, /^\[\{"company_name":/);
  office.client = createClient(server.url, /"api_token":"(\w+)"/.exec(tokens.text)?.[1] ?? '');

  // Groups: names in paths, a trailing slash.
  const made = /^\{"group":\{"id":\d+,"name":"AREA 51","updated_at":/;
  const group = await id('POST groups', '{"name":"AREA 51"}', 201, made);
  await call('POST groups', '{"name":"AREA 51"}', 409, /"errors":\{"name":\[/);
  await call(`GET groups/${AREA}`, '', 200, /"name":"AREA 51"/);
  const page = '{"page":1,"total_pages":1,"entries":1,"total_entries":1}';
  await call('GET groups/', '', 200, new RegExp(`^{"pagination":${page},"groups":\\[{"group":`));
  await call(`PUT groups/${AREA}`, '{"name":"AREA/52"}', 200, /"name":"AREA\/52"/);
  await call('PUT groups/AREA%2F52', 'name=AREA 51', 200, /"name":"AREA 51"/);

  // Logical numbers: JSON, and a form.
  await call('POST logical_numbers', '{"number":"1"}', 201, /^\{"logical_number":\{"id":\d+,"number":"1"/);
  await call('POST logical_numbers', 'number=112233', 201, /"number":"112233"/);
  await call('GET logical_numbers/1', '', 200, /"app_version_ids":\[\]/);
  const member = new RegExp(`"group_id":${group}`);
  await call('PUT logical_numbers/1', `{"group_id":${group}}`, 200, member);
  await call('GET logical_numbers', '', 200, /"logical_numbers":\[\{"logical_number":/);
  await call(`DELETE groups/${AREA}`, '', 409, /"code":"group_not_empty"/);

  // Devices: by id to read, by serial number to change; booleans as text.
  const device = await id('POST devices', '{"serial_number":"0000 A-1"}', 201, /"enabled":true/);
  await call(`GET devices/${device}`, '', 200, /"meta":\{\}/);
  await call('PUT devices/0000%20A-1', '{"enabled":"false"}', 200, /"enabled":false/);
  await call('PUT devices/0000%20A-1', 'enabled=Yes', 200, /"enabled":true/);
  await call('GET devices?page=1&per_page=100', '', 200, /"total_entries":1/);

  // Parameters and metacontents: the owner in the body of GET and DELETE, or in the query.
  const seconds = '"key":"timeout","value":"30","description":"seconds"';
  const ofNumber = /^\{"logical_number_parameter":/;
  const parameter = await id('POST parameters', `{"number":"1",${seconds}}`, 201, ofNumber);
  await call('POST parameters', `{"name":"AREA 51",${seconds}}`, 201, /^\{"group_parameter":/);
  await call('GET parameters', '{"number":"1"}', 200, /"parameters":\[\{"logical_number_parameter":/);
  await call('GET parameters/?name=AREA+51', '', 200, /"parameters":\[\{"group_parameter":/);
  await call(`GET parameters/${parameter}`, '{"number":"1"}', 200, /"value":"30"/);
  await call(`GET parameters/${parameter}`, '{"number":"112233"}', 404, /"code":"not_found"/);
  await call(`PUT parameters/${parameter}`, '{"number":1,"value":31}', 200, /"value":"31"/);
  await call(`DELETE parameters/${parameter}`, '{"number":"1"}', 200, /^\{\}$/);
  const menu = '{"number":"1","key":"menu","value":{"a":[1,null]}}';
  const metacontent = await id('POST metacontents', menu, 201, /"value":\{"a":\[1,null\]\}/);
  await call('GET metacontents', '{"number":"1"}', 200, /"metacontents":\[/);
  await call(`GET metacontents/${metacontent}`, '{"number":"1"}', 200, /"key":"menu"/);
  await call(`PUT metacontents/${metacontent}`, '{"number":"1","value":"text"}', 200, /"value":"text"/);
  await call(`DELETE metacontents/${metacontent}`, '{"number":"1"}', 200, /^\{\}$/);

  // Applications and versions: a suffix for the language, offsets in timestamps, bytecode and its CRC.
  const pay = '{"name":"pay","description":"Payments","kind":"Standard","communication_format":"ISO8583"}';
  const posxml = /"name":"pay\.posxml".*"updated_at":"[0-9T:-]+\+00:00".*"language":"posxml"/;
  const app = await id('POST apps', pay, 201, posxml);
  await call(`GET apps/${app}`, '', 200, /"description":"Payments"/);
  await call(`PUT apps/${app}`, '{"description":"Cards"}', 200, /"description":"Cards"/);
  await call('GET apps', '', 200, /"apps":\[\{"app":/);
  const fields = `"number":"1.0","displayable":"true","authorizer_url":"10.0.0.1","group_ids":[${group}]`;
  const sent = `{${fields},"bytecode":"${NINE.base64}"}`;
  const versions = `apps/${app}/versions`;
  const version = await id(`POST ${versions}`, sent, 201, /"crc":"31C3","size":9,/);
  const upload = fileForm('app.posxml', NINE.bytes, { number: '1.2', displayable: 'true' }, 'bytecode');
  const large = await id(`POST ${versions}`, upload, 201, /"number":"1\.2","crc":"31C3","size":9,/);
  await call(`PUT ${versions}/${large}`, `bytecode=${NINE.base64}`, 200, /"size":9,/);
  await call(`GET ${versions}`, '', 200, /"appversions":\[\{"app_version":/);
  const linked = `"bytecode":"${NINE.base64}","group_ids":\\[${group}\\]`;
  await call(`GET ${versions}/${version}`, '', 200, new RegExp(linked));
  const versionIds = `"app_version_ids":[${version}]`;
  await call('PUT logical_numbers/1', `{${versionIds}}`, 200, new RegExp(versionIds.replace('[', '\\[')));

  // Files: multipart, with any name of the part.
  const logo = (bytes: string, part?: string) => fileForm('logo.bmp', bytes, { description: 'Logo' }, part);
  const stored = /"name":"logo\.bmp".*"content":"MTIzNDU2Nzg5","size":9,"crc":"31C3"/;
  const file = await id('POST files', logo(NINE.bytes, '&asset'), 201, stored);
  await call(`GET files/${file}`, '', 200, /"content":"MTIzNDU2Nzg5"/);
  await call('GET files', '', 200, /"files":\[\{"file":/);
  await call(`PUT ${versions}/${version}`, `file_ids%5B%5D=${file}`, 200, /"number":"1\.0"/);
  await call(`PUT files/${file}`, logo('x'), 200, /"size":1,/);

  // Notifications, users, transactions.
  const numbers = '"range":"specific_logical_numbers","logical_numbers":"1,112233","kind":"show"';
  await call('POST notifications', `{"content":"Hello",${numbers}}`, 201, /^\{"message":"/);
  const notification = await id('GET notifications', '', 200, /"content":"SHOW_MESSAGE\|Hello"/);
  await call(`GET notifications/${notification}`, '', 200, /"notification":\{"id":/);
  const users = await call('GET users', '', 200, new RegExp(`"email":"${email}"`));
  const user = users.list('users').find((each) => each.email === email)?.id;
  await call(`GET users/${String(user)}`, '', 200, /"sign_in_count":1,/);
  const period = 'since=2026-01-01&until=2026-12-31';
  await call(`GET transactions?status=success&${period}`, '', 200, /"transactions":\[/);
  await call('GET transactions?since=2026-02-30', '', 400, /"message":/);

  // Deletions, from the leaves to the root.
  for (const path of [`files/${file}`, `${versions}/${version}`, `apps/${app}`, 'devices/0000%20A-1']) {
    await call(`DELETE ${path}`, '', 200, /^\{\}$/);
  }
  for (const path of ['logical_numbers/1', `groups/${AREA}`]) await call(`DELETE ${path}`, '', 200, /^\{\}$/);

  const unused = ROUTES.filter(({ method, path }) => {
    const pattern = new RegExp(`^${method} ${path.replace(/\{[^}]+\}/g, '[^/]+')}$`);
    return !office.called.some((each) => pattern.test(each));
  });
  expect(unused.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
});
