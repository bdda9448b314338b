import { describe, expect, it } from 'vitest';

import { takeJobStep } from '../../../../src/domain/base/job/job.service.js';
import { answered, changed, listed, nodeId } from '../../../support/dashboard.js';
import { exported } from '../../../support/export.js';
import { createdId, fleet, ledgerOf, versionIdsOf } from '../../../support/fleet.js';
import { useServer, type Fields, type Member } from '../../../support/server.js';
import { newTerminal, report } from '../../../support/terminals.js';

const server = useServer({ maxFileBytes: 8 * 1024 * 1024 });

const IMPORT = `mutation ($file: Upload!, $mode: FleetImportMode, $errorPolicy: BulkErrorPolicy, $dryRun: Boolean, $issueTokens: Boolean, $force: Boolean) {
  fleetImport(input: { file: $file, mode: $mode, errorPolicy: $errorPolicy, issueTokens: $issueTokens, force: $force }, dryRun: $dryRun) {
    count refusedCount refused { line code message rule params } warnings job { id state } userErrors { code path message } } }`;

interface Imported extends Fields {
  readonly job: { readonly id: string } | null;
  readonly refused: readonly { readonly line: number; readonly message: string }[] | null;
}

/** Sends a file, and waits until the job has ended. */
async function imported(text: string | Uint8Array, variables: Fields = {}, member: Member = server.acme) {
  const form = new FormData();
  const query = { query: IMPORT, variables: { file: null, ...(variables as object) } };
  form.set('operations', JSON.stringify(query));
  form.set('map', '{"0":["variables.file"]}');
  form.append('0', new Blob([typeof text === 'string' ? text : new Uint8Array(text)]), 'fleet.csv');
  const headers = { authorization: `Bearer ${member.token}`, 'apollo-require-preflight': '1' };
  const reply = await server.anonymous.post('/graphql', form, { headers });
  expect(reply.status, reply.text).toBe(200);
  await server.app.steps.idle();
  return (reply.body as unknown as { data: { fleetImport: Imported } }).data.fleetImport;
}

const refusals = ({ refused }: Imported): readonly string[] =>
  (refused ?? []).map(({ line, message }) => `${line} ${message}`);

const jobOf = async ({ job }: Imported): Promise<Fields> =>
  (
    await answered(
      server.acme,
      'query ($id: ID!) { job(id: $id) { kind state total done rejected rejections { nodes { rowNumber message } } } }',
      { id: job?.id },
    )
  ).job as Fields;

const described = async (name: string): Promise<unknown> =>
  (
    await answered<{ devices: { nodes: unknown } }>(
      server.acme,
      `query ($filter: DeviceFilter) { devices(filter: $filter) { nodes { serialNumber tags notes
        logicalNumber { merchantName merchantAddress } } } }`,
      { filter: { serialNumber: { startsWith: name } } },
    )
  ).devices.nodes;

const devices = async (name: string): Promise<unknown> =>
  (
    await answered<{ devices: { nodes: unknown } }>(
      server.acme,
      `query ($filter: DeviceFilter) { devices(first: 100, filter: $filter) {
        nodes { serialNumber enabled logicalNumber { number group { name } parameters { nodes { key value } } } } } }`,
      { filter: { serialNumber: { startsWith: name } } },
    )
  ).devices.nodes;

describe('tags, notes and merchants in a file', () => {
  it('are imported with new devices, changed in those that exist, and kept where cells are empty', async () => {
    const columns = 'serial_number,logical_number,tags,notes,merchant_name,merchant_address';
    const first = [columns, 'ZG1,tg 1,"VIP, loja",Ask Ana,Padaria,"Rua A\n1"', 'ZG2,tg 2,"[""x"",""y""]",,,'];
    expect(refusals(await imported(first.join('\n')))).toEqual([]);
    const [padaria, bare] = [
      { merchantName: 'Padaria', merchantAddress: 'Rua A\n1' },
      { merchantName: null, merchantAddress: null },
    ];
    expect(await described('ZG')).toEqual([
      { serialNumber: 'ZG1', tags: ['vip', 'loja'], notes: 'Ask Ana', logicalNumber: padaria },
      { serialNumber: 'ZG2', tags: ['x', 'y'], notes: null, logicalNumber: bare },
    ]);
    const second = [columns, 'ZG1,tg 1,new,,,', 'ZG2,tg 2,,n,Açougue,'];
    expect(refusals(await imported(second.join('\n'), { mode: 'CREATE_OR_UPDATE' }))).toEqual([]);
    expect(await described('ZG')).toEqual([
      { serialNumber: 'ZG1', tags: ['new'], notes: 'Ask Ana', logicalNumber: padaria },
      {
        serialNumber: 'ZG2',
        tags: ['x', 'y'],
        notes: 'n',
        logicalNumber: { ...bare, merchantName: 'Açougue' },
      },
    ]);
  });

  it('are refused with the line: a merchant without a number, another one of a number, and wrong tags', async () => {
    const columns = 'serial_number,logical_number,tags,merchant_name';
    const file = [
      columns,
      'QC1,mc 1,,A',
      'QC2,mc 1,,B',
      'QC3,,,C',
      `QC4,,${'x'.repeat(41)},`,
      'QC5,tg 1,,Other',
    ];
    expect(refusals(await imported(file.join('\n')))).toEqual([
      expect.stringMatching(/^3 merchantName is given twice/),
      expect.stringMatching(/^4 logicalNumber is required/),
      expect.stringMatching(/^5 tags.* must have at most 40 characters/),
      expect.stringMatching(/^6 logicalNumber exists already, with another merchant/),
    ]);
    expect(await described('QC')).toEqual([]);
  });
});

describe('in the history', () => {
  const COUNT = 'query ($jobId: IdComparator) { ledger(filter: { jobId: $jobId }) { totalCount } }';
  const entries = async (jobId: Fields): Promise<number> =>
    (await answered<{ ledger: { totalCount: number } }>(server.acme, COUNT, { jobId })).ledger.totalCount;

  it('an import, a change of many devices and an export are one act each, with its number of records', async () => {
    const { acme } = server;
    const file = ['serial_number,logical_number', ...Array.from({ length: 250 }, (_, n) => `H${n},h ${n}`)];
    const [acts, records] = [await entries({ isNull: true }), await entries({ isNull: false })];
    const { job } = await imported(file.join('\n'));
    const filter = { serialNumber: { startsWith: 'H' } };
    const groupId = nodeId('Group', await fleet.group(acme.client, 'moved together'));
    const move = `mutation ($filter: DeviceFilter!, $groupId: ID!) {
      deviceBulkChange(target: { filter: $filter }, change: { groupId: $groupId }) { job { id } } }`;
    const start = `mutation ($filter: JSON!) {
      exportStart(input: { kind: DEVICES, filter: $filter }) { job { id } } }`;
    const moved = await changed<Pick<Imported, 'job'>>(acme, move, { filter, groupId });
    await server.app.steps.idle();
    const kept = await changed<Pick<Imported, 'job'>>(acme, start, { filter });
    for (const { id } of [job, moved.job, kept.job].flatMap((each) => each ?? [])) {
      const [, number] = Buffer.from(id, 'base64url').toString().split(':');
      const entries = await ledgerOf(server, acme, 'job', Number(number));
      expect(entries.map(({ action, after }) => [action, after?.total])).toEqual([
        ['create', 250],
        ['end', 250],
      ]);
    }
    // The other act created the group.
    expect(await entries({ isNull: true })).toBe(acts + 4);
    expect(await entries({ isNull: false })).toBe(records + 753);
    for (const [of, count] of [
      [job, 500],
      [moved.job, 250],
      [kept.job, 0],
    ] as const) {
      // The start of a job is the act; the end is one of its entries.
      expect(await entries({ eq: of?.id })).toBe(count + 1);
    }
    const query = `query ($filter: LedgerEntryFilter) { ledger(first: 1, filter: $filter) { nodes { sequence jobId } } }`;
    const { ledger } = await answered(acme, query, { filter: { jobId: { eq: moved.job?.id } } });
    expect(ledger).toMatchObject({ nodes: [{ jobId: moved.job?.id }] });
  });
});

describe('fleetImport with issueTokens', () => {
  it('issues tokens for devices that have none, in the file of the job', async () => {
    const { token: old } = await newTerminal(server.acme, 'KEYED 1');
    const text = 'serial_number,logical_number\nKEYED 1,\nKEYED 2,KEYED number\nKEYED 3,\n';
    const result = await imported(text, { mode: 'CREATE_OR_UPDATE', issueTokens: true });
    expect(await jobOf(result)).toMatchObject({ state: 'DONE', done: 3 });
    const [, number = ''] = Buffer.from(result.job?.id ?? '', 'base64url')
      .toString()
      .split(':');
    const { rows } = await exported(server.acme, `jobs/${number}/tokens`);
    expect(rows.map(([serial]) => serial)).toEqual(['serial_number', 'KEYED 2', 'KEYED 3']);
    for (const token of [old, rows[1]?.[1] ?? '']) expect((await report(server, token)).status).toBe(200);
  });

  it('is for administrators', async () => {
    const operator = await server.member('acme', 'operator');
    const form = (member: Member) => imported('OPERATOR 1\n', { issueTokens: true }, member);
    await expect(form(operator)).rejects.toThrow();
    expect(await devices('OPERATOR')).toEqual([]);
  });
});

describe('fleetImport', () => {
  it('creates devices with logical numbers, groups, states and parameters from a table', async () => {
    const { client } = server.acme;
    const group = await fleet.group(client, 'North; East');
    const [version = 0] = await fleet.appVersions(client, 1, [group]);
    const setDefaults = `mutation ($id: ID!, $ids: [ID!]!) {
      groupSetDefaultAppVersions(id: $id, appVersionIds: $ids) { userErrors { code } } }`;
    await changed(server.acme, setDefaults, {
      id: nodeId('Group', group),
      ids: [nodeId('AppVersion', version)],
    });
    const result = await imported(
      [
        'serial_number;logical_number;group;enabled;parameters',
        'T1;100;"North; East";yes;"{""host"": ""a"", ""timeout"": ""30""}"',
        'T2;;;no;',
        'T3;100;;;',
      ].join('\r\n'),
    );
    expect(result).toMatchObject({ count: 3, refusedCount: 0, refused: [], userErrors: [] });
    expect(await jobOf(result)).toMatchObject({ kind: 'fleetImport', state: 'DONE', done: 3, rejected: 0 });
    const parameters = {
      nodes: [
        { key: 'host', value: 'a' },
        { key: 'timeout', value: '30' },
      ],
    };
    const number = { number: '100', group: { name: 'North; East' }, parameters };
    expect(await devices('T')).toEqual([
      { serialNumber: 'T1', enabled: true, logicalNumber: number },
      { serialNumber: 'T2', enabled: false, logicalNumber: null },
      { serialNumber: 'T3', enabled: true, logicalNumber: number },
    ]);
    expect(await versionIdsOf(client, '100')).toEqual([version]);
  });

  it('reads NDJSON, and lists of serial numbers with and without a first line', async () => {
    await imported(
      '\n{"serial_number":"N1","parameters":{"a":"1"},"logical_number":"n 1"}\n{"serial_number":"N2"}\n',
    );
    await imported('L1\n"L2"\n\nL3');
    await imported('\uFEFFserial_number\nL4\n');
    expect(
      await listed(server.acme, 'Device', 'serialNumber', { filter: { serialNumber: { startsWith: 'N' } } }),
    ).toEqual(['N1', 'N2']);
    expect(
      await listed(server.acme, 'Device', 'serialNumber', { filter: { serialNumber: { startsWith: 'L' } } }),
    ).toEqual(['L1', 'L2', 'L3', 'L4']);
  });

  const WRONG = [
    'serial_number,logical_number,group,enabled,parameters',
    'W1,w 1,,,',
    'W1,,,,',
    ',w 2,,,',
    'W3,,no such group,,',
    'W4,w 4,no such group,,',
    'W5,,,perhaps,',
    'W6,w 6,,,{not JSON',
    'W7,w 7,,,,,more',
  ].join('\n');
  const MESSAGES = [
    '3 serialNumber is given twice',
    '4 serialNumber is required',
    '5 logicalNumber is required: the row has values of a logical number',
    '6 There is no group "no such group". Create it first, or choose another one.',
    '7 enabled must be true or false',
    expect.stringMatching(/^8 parameters must be an? /) as string,
    '9 The line has 7 values, but there are 5 headings.',
  ];

  it('imports nothing if a row has an error, or the others if that is asked for', async () => {
    const none = await imported(WRONG);
    expect(none).toMatchObject({ job: null, count: 1, refusedCount: 7, userErrors: [] });
    expect(none.refused?.[1]).toMatchObject({
      code: 'INVALID',
      rule: 'required',
      params: { in: 'serialNumber' },
    });
    expect(refusals(none)).toEqual(MESSAGES);
    expect(await devices('W')).toEqual([]);
    const others = await imported(WRONG, { errorPolicy: 'REJECT_FAILED_ROWS' });
    expect(refusals(others)).toEqual(MESSAGES);
    expect(await jobOf(others)).toMatchObject({ state: 'DONE', total: 1, done: 1 });
    expect(await devices('W')).toHaveLength(1);
  });

  it('takes a parameter of a logical number from several rows, if they agree', async () => {
    const lines = ['P1 p 1 1', 'P2 p 1 1', 'P3 p 1 2'].map((line) => {
      const [serial_number, letter, number, a] = line.split(' ');
      return JSON.stringify({ serial_number, logical_number: `${letter} ${number}`, parameters: { a } });
    });
    const result = await imported(lines.join('\n'), { errorPolicy: 'REJECT_FAILED_ROWS' });
    expect(refusals(result)).toEqual(['3 parameters is given twice']);
    expect(await jobOf(result)).toMatchObject({ state: 'DONE', done: 2 });
    const logicalNumber = { number: 'p 1', group: null, parameters: { nodes: [{ key: 'a', value: '1' }] } };
    expect(await devices('P')).toMatchObject([{ logicalNumber }, { logicalNumber }]);
  });

  it('RU-62 warns of parameters that look like card data, which are stored unchanged', async () => {
    const row = { serial_number: 'C1', logical_number: 'c 1', parameters: { a: '4111111111111111' } };
    const file = `{"serial_number":"C0"}\n${JSON.stringify(row)}`;
    expect(await imported(file, { dryRun: true })).toMatchObject({ count: 2, warnings: [] });
    const warning = expect.stringMatching(/^line 2, parameters: It looks like a card number/) as string;
    expect(await imported(file)).toMatchObject({ count: 2, warnings: [warning] });
    const parameters = { nodes: [{ key: 'a', value: '4111111111111111' }] };
    expect(await devices('C1')).toMatchObject([{ logicalNumber: { parameters } }]);
  });

  it('changes nothing with dryRun', async () => {
    const tried = await imported('serial_number\nD1\nD1', { dryRun: true });
    expect(tried).toMatchObject({ job: null, count: 1, refusedCount: 1 });
    expect(await devices('D')).toEqual([]);
  });

  it('moves a logical number whose terminals lose app versions only with force', async () => {
    const { client } = server.acme;
    const from = await fleet.group(client, 'with versions');
    await fleet.group(client, 'without versions');
    const [version = 0] = await fleet.appVersions(client, 1, [from]);
    const given = { number: 'losing', group_id: from, app_version_ids: [version] };
    const number = await createdId(client, 'logical_numbers', 'logical_number', given);
    await fleet.device(client, 'LOSING 1', { logical_number_id: number });
    const text = 'serial_number,logical_number,group\nLOSING 1,losing,without versions\n';
    const mode = 'CREATE_OR_UPDATE';
    expect(refusals(await imported(text, { mode }))).toEqual([
      '2 Its terminals would lose app versions. Send force: true to make the change anyway.',
    ]);
    expect(await versionIdsOf(client, 'losing')).toEqual([version]);
    const forced = await imported(text, { mode, force: true });
    expect(await jobOf(forced)).toMatchObject({ done: 1, rejected: 0 });
    expect(await versionIdsOf(client, 'losing')).toEqual([]);
  });

  it('changes records that exist only with CREATE_OR_UPDATE, and nothing that is absent', async () => {
    const { client } = server.acme;
    for (const name of ['old', 'new']) await fleet.group(client, name);
    const first = 'serial_number,logical_number,group,enabled\nU1,u 1,old,no\nU2,u 2,old,\n';
    expect((await imported(first)).job).not.toBeNull();
    const again = 'serial_number,logical_number,group\nU1,u 1,new\nU3,u 2,new\nU4,u 1,\n';
    expect(refusals(await imported(again))).toEqual([
      '2 serialNumber exists already',
      '3 logicalNumber exists already, in another group',
    ]);
    await imported(again, { mode: 'CREATE_OR_UPDATE' });
    const at = (number: string) => ({ number, group: { name: 'new' }, parameters: { nodes: [] } });
    expect(await devices('U')).toEqual([
      { serialNumber: 'U1', enabled: false, logicalNumber: at('u 1') },
      { serialNumber: 'U2', enabled: true, logicalNumber: at('u 2') },
      { serialNumber: 'U3', enabled: true, logicalNumber: at('u 2') },
      { serialNumber: 'U4', enabled: true, logicalNumber: at('u 1') },
    ]);
    const same = await imported(again, { mode: 'CREATE_OR_UPDATE' });
    expect(await jobOf(same)).toMatchObject({ state: 'DONE', done: 3 });
    const revisions = await listed(server.acme, 'Device', 'revision', {
      filter: { serialNumber: { startsWith: 'U' } },
    });
    expect(revisions).toEqual([1, 1, 1, 1]);
  });

  it('refuses a row whose device was created since it was checked', async () => {
    const rows = Array.from({ length: 400 }, (_, index) => `R${index}`);
    const [one, other] = await Promise.all([imported(rows.join('\n')), imported(rows.join('\n'))]);
    const jobs = await Promise.all([one, other].filter(({ job }) => job !== null).map(jobOf));
    expect(jobs.map(({ done }) => done)).toContain(400);
    expect(jobs.reduce((sum, { done }) => sum + Number(done), 0)).toBe(400);
  });

  it.each<[string, string | Uint8Array, RegExp]>([
    ['an empty file', '', /must not be empty/],
    [
      'unknown columns',
      'serial_number,Colour\nX1,red',
      /^Line 1 has unknown headings: Colour\. Expected serial_number, logical_number, group, .* or \w+\.$/,
    ],
    ['headings of which none is known', 'Serial;Number\nX1;1', /unknown headings: Serial, Number\. Expected/],
    [
      'columns without serial numbers',
      'group,enabled\nnorth,true',
      /^Line 1 lacks the heading serial_number/,
    ],
    ['a column twice', 'serial_number,serial_number\nX1,X2', /must be sent once/],
    ['a broken quote', `serial_number\n${'X1\n'.repeat(100)}"X2 \n${'X3\n'.repeat(1_000)}`, /Quote/],
    ['bytes that are no text', Uint8Array.of(0xff, 0xfe, 0x41), /UTF-8/],
    [
      'more than 100,000 rows',
      Array.from({ length: 100_001 }, (_, n) => `X${n}`).join('\n'),
      /at most 100000 entries/,
    ],
  ])('refuses %s, and imports nothing', async (_what, text, message) => {
    const { job, userErrors } = await imported(text);
    expect(job).toBeNull();
    expect(userErrors).toMatchObject([
      { code: 'INVALID', path: ['input', 'file'], message: expect.stringMatching(message) as string },
    ]);
    expect(await devices('X')).toEqual([]);
  });

  it('sees nothing of other companies: equal serial numbers and names are its own', async () => {
    await fleet.group(server.beta.client, 'of beta');
    await fleet.device(server.beta.client, 'B1');
    expect(refusals(await imported('serial_number,logical_number,group\nB1,b 1,of beta'))).toEqual([
      '2 There is no group "of beta". Create it first, or choose another one.',
    ]);
    expect((await imported('B1')).job).not.toBeNull();
  });
});

describe('a row that is refused after the file was checked', () => {
  it('has its line in the file, also behind rows that were left out, and a rule for other languages', async () => {
    await server.app.steps.stop();
    const file = 'serial_number,enabled\nG1,\n,\nG2,\n';
    const result = await imported(file, { errorPolicy: 'REJECT_FAILED_ROWS' });
    await fleet.device(server.acme.client, 'G2');
    await takeJobStep(server.app.units, 0, 'secret');
    const query = 'query ($id: ID!) { job(id: $id) { rejections { nodes { rowNumber code rule params } } } }';
    const { job } = await answered<{ job: Fields }>(server.acme, query, { id: result.job?.id });
    const nodes = [{ rowNumber: 4, code: 'TAKEN', rule: 'taken', params: { in: 'serialNumber' } }];
    expect(job).toEqual({ rejections: { nodes } });
  });
});
