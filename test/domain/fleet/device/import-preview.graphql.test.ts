import { expect, it } from 'vitest';

import { answered, changed } from '../../../support/dashboard.js';
import { fleet } from '../../../support/fleet.js';
import { type Fields, useServer } from '../../../support/server.js';
import { carrying } from '../../../support/uploading.js';

const server = useServer();

const IMPORT = `mutation ($file: Upload!, $mode: FleetImportMode, $dryRun: Boolean) {
  fleetImport(input: { file: $file, mode: $mode, errorPolicy: REJECT_FAILED_ROWS }, dryRun: $dryRun) {
    count refusedCount refused { line message }
    preview { line serialNumber action createsNumber changes { field before after recordIds } } } }`;

interface Row {
  readonly line: number;
  readonly action: string;
  readonly createsNumber: boolean;
  readonly changes: readonly { readonly field: string; readonly before: unknown; readonly after: unknown }[];
}

interface Imported {
  readonly count: number;
  readonly refused: readonly { readonly line: number; readonly message: string }[];
  readonly preview: readonly Row[] | null;
}

/** Sends lines of a file, and waits until the job has ended. */
async function imported(lines: readonly string[], variables: Fields = {}): Promise<Imported> {
  const sent = carrying(server, server.acme, { name: 'fleet.csv', bytes: lines.join('\n') });
  const result = await changed<Imported>(sent, IMPORT, { mode: 'CREATE_OR_UPDATE', ...variables });
  await server.app.steps.idle();
  return result;
}

/** Each row in short: `2 UPDATE notes: "a" > null`. */
const briefly = ({ preview }: Imported): readonly string[] =>
  (preview ?? []).map(({ line, action, createsNumber, changes }) =>
    [
      `${line} ${action}${createsNumber ? ' NUMBER' : ''}`,
      ...changes.map(
        ({ field, before, after }) => `${field}: ${JSON.stringify(before)} > ${JSON.stringify(after)}`,
      ),
    ].join(' | '),
  );

const described = async (number: string): Promise<unknown> =>
  (
    await answered<{ logicalNumbers: { nodes: unknown } }>(
      server.acme,
      `query ($filter: LogicalNumberFilter) { logicalNumbers(filter: $filter) {
        nodes { tags notes merchantName merchantAddress devices { nodes { serialNumber tags notes } } } } }`,
      { filter: { number: { eq: number } } },
    )
  ).logicalNumbers.nodes;

const COLUMNS =
  'serial_number;logical_number;enabled;tags;notes;merchant_name;merchant_address;number_tags;number_notes;parameters;group';

it('a dry run says what each row changes, and changes nothing', async () => {
  await fleet.group(server.acme.client, 'South');
  const first = [
    COLUMNS,
    'A1;a 1;;x,y;Ask Ana;Padaria;Rua A;vip;Corner;"{""host"":""h""}";South',
    'A2;a 2;;;;;;;;;',
  ];
  const created = await imported(first, { dryRun: true });
  expect(briefly(created)).toEqual([
    '2 CREATE NUMBER | logicalNumber: null > "a 1" | group: null > "South" | tags: null > ["x","y"] | notes: null > "Ask Ana" | numberTags: null > ["vip"] | numberNotes: null > "Corner" | merchantName: null > "Padaria" | merchantAddress: null > "Rua A" | parameters.host: null > "h"',
    '3 CREATE NUMBER | logicalNumber: null > "a 2"',
  ]);
  expect(await described('a 1')).toEqual([]);
  expect((await imported(first)).preview).toBeNull();
  const second = [
    COLUMNS,
    'A1;a 2;no;y,x;Ask Ana;;;;;;',
    'A2;a 2;yes;;;;;;;;',
    'A3;a 1;;;;;;;;"{""host"":""h"",""port"":""1""}";South',
    'A4;a 1;;;;;;;;;Nowhere',
  ];
  const before = await described('a 1');
  const changes = await imported(second, { dryRun: true });
  expect(briefly(changes)).toEqual([
    '2 UPDATE | logicalNumber: "a 1" > "a 2" | enabled: true > false | tags: ["x","y"] > ["y","x"]',
    '3 NONE',
    '4 CREATE | logicalNumber: null > "a 1" | parameters.port: null > "1"',
  ]);
  expect(changes.refused).toEqual([{ line: 5, message: expect.stringContaining('"Nowhere"') as string }]);
  expect(await described('a 1')).toEqual(before);
});

it('a dry run shows the first 100 rows without an error', async () => {
  const rows = Array.from({ length: 120 }, (_, n) => `M${n};`);
  const { count, preview } = await imported(['serial_number;notes', 'M;', ...rows], { dryRun: true });
  expect([count, preview?.length]).toEqual([121, 100]);
});

it('a hyphen clears texts and tags of devices and of logical numbers, and an empty cell keeps them', async () => {
  const header = COLUMNS.replace(';parameters;group', '');
  const values = ';;x;n;Padaria;Rua A;vip;Corner';
  await imported([header, `C1;c 1${values}`, `C2;c 2${values}`]);
  const kept = {
    tags: ['vip'],
    notes: 'Corner',
    merchantName: 'Padaria',
    merchantAddress: 'Rua A',
    devices: { nodes: [{ serialNumber: 'C2', tags: ['x'], notes: 'n' }] },
  };
  await imported([header, 'C1;c 1;;-;-;-;-;-;-', 'C2;c 2;;;;;;;']);
  expect(await described('c 1')).toEqual([
    {
      tags: [],
      notes: null,
      merchantName: null,
      merchantAddress: null,
      devices: { nodes: [{ serialNumber: 'C1', tags: [], notes: null }] },
    },
  ]);
  expect(await described('c 2')).toEqual([kept]);
  // An export writes a text that is a hyphen with an apostrophe.
  await imported([header, "C2;c 2;;;'-;'-;;;'-"]);
  expect(await described('c 2')).toEqual([
    {
      ...kept,
      notes: '-',
      merchantName: '-',
      devices: { nodes: [{ serialNumber: 'C2', tags: ['x'], notes: '-' }] },
    },
  ]);
});

it('rows that describe a logical number differently are refused, also where one of them clears a value', async () => {
  const file = [
    'serial_number;logical_number;merchant_name;number_tags',
    'D1;d 1;-;a',
    'D2;d 1;Bar;a',
    'D3;d 1;;b',
    'D4;;;c',
  ];
  const { count, refused } = await imported(file, { dryRun: true });
  expect(count).toBe(1);
  expect(refused.map(({ line, message }) => `${line} ${message}`)).toEqual([
    expect.stringMatching(/^3 merchantName is given twice/),
    expect.stringMatching(/^4 numberTags is given twice/),
    expect.stringMatching(/^5 logicalNumber is required/),
  ]);
});
