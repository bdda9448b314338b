import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';

import { it } from '../support/cli-test.js';
import { createClient } from '../support/client.js';
import { created, fleet } from '../support/fleet.js';
import type { CommandLine, Outcome } from '../support/program.js';

/** A served fleet of one group, and the commands on its files. */
async function servedFleet(cli: CommandLine, token: string) {
  const { url } = await cli.serve();
  const client = createClient(url, token);
  const group_id = await fleet.group(client, 'north');
  const logical_number_id = await fleet.logicalNumber(client, '1001', { group_id });
  await fleet.device(client, 'SN-1', { logical_number_id });
  await created(client, 'parameters', 'group_parameter', { name: 'north', key: 'timeout', value: '30' });
  const file = (name: string, text?: string): string => {
    const path = join(cli.folder, name);
    if (text !== undefined) writeFileSync(path, text);
    return path;
  };
  const server = ['--url', url, '--token-file', file('token.txt', `${token}\n`)];
  return {
    client,
    file,
    state: (...more: string[]): Promise<Outcome> => cli.run(['state', ...server, ...more]),
    apply: (path: string, ...more: string[]): Promise<Outcome> =>
      cli.run(['apply', '-f', path, ...server, ...more]),
  };
}

const OF_NORTH = `groups:
  north:
    appVersions: {}
    defaultAppVersions: {}
    parameters:
      timeout: "30"
    metacontents: {}
logicalNumbers:
  "1001":
    group: north
    appVersions: {}
    parameters: {}
    metacontents: {}
`;

describe('terminal-gateway state and apply', () => {
  it('print the state of a fleet, show what a document changes, make it and undo it', async ({
    cli,
    token,
  }) => {
    const { state, apply, file } = await servedFleet(cli, token);
    const before = await state('--group', 'north', '--no-devices');
    expect([before.code, before.stdout]).toEqual([0, OF_NORTH]);
    const same = await apply(file('same.yaml', OF_NORTH));
    expect([same.code, same.lines]).toEqual([0, ['No changes: the fleet is as the document says.']]);
    const wanted = file(
      'wanted.yaml',
      OF_NORTH.replace('"30"', '"60"').replace('metacontents: {}', 'metacontents: { menu: [1] }'),
    );
    const lines = [
      '~ groups.north.parameters.timeout: "30" → "60"',
      '+ groups.north.metacontents.menu: [1]',
      expect.stringMatching(/^2 changes for 1 terminal\. Plan \d+-[0-9a-f]+$/) as string,
    ];
    const plan = await apply(wanted);
    expect([plan.code, plan.lines]).toEqual([4, lines]);
    expect(plan.stderr).toContain('Nothing was changed. Make these changes with --yes.');
    expect((await state('--group', 'north', '--no-devices')).stdout).toBe(OF_NORTH);
    const undo = file('undo.yaml');
    const applied = await apply(wanted, '--yes', '--undo-file', undo);
    expect([applied.code, applied.lines]).toEqual([0, [...lines, '2 changes made, as job 1.']]);
    expect((await apply(wanted)).code).toBe(0);
    expect(readFileSync(undo, 'utf8')).toContain('timeout: "30"');
    expect((await apply(undo, '--yes')).code).toBe(0);
    expect((await state('--group', 'north', '--no-devices')).stdout).toBe(OF_NORTH);
    const groups = await state('--group', 'north', '--no-logical-numbers', '--no-devices');
    expect(groups.stdout).toBe(OF_NORTH.slice(0, OF_NORTH.indexOf('logicalNumbers')));
    const whole = await state('--json');
    expect(whole.object()).toMatchObject({ devices: { 'SN-1': { logicalNumber: '1001', enabled: true } } });
  });

  it('change nothing for a bad document, and name each mistake', async ({ cli, token }) => {
    const { state, apply, file } = await servedFleet(cli, token);
    const undo = file('undo.yaml', 'kept');
    const refusals = [
      [
        'bad.yaml',
        'groups: { south: {}, north: { colour: red } }',
        'document.groups.north: has unknown fields: colour',
      ],
      [
        'names.yaml',
        'groups: { south: {}, west: {} }',
        'document.groups.south: is no group of the company\ndocument.groups.west',
      ],
      [
        'number.yaml',
        'groups: { north: { parameters: { timeout: 60 } } }',
        'timeout.value: must be a string',
      ],
      ['broken.yaml', 'groups:\n  north: [', '--file: '],
      ['unquoted.yaml', 'logicalNumbers: { 01001: {} }', 'document.logicalNumbers.01001: is no'],
      ['empty.yaml', '# Nothing yet.\n', '--file: The document is empty.'],
      ['itself.yaml', 'groups: &all { north: *all }', '--file: A part of the document refers to itself.'],
      ['escape.yaml', 'groups: { "\\e[31m": {} }', 'document.groups.\\u001b[31m: must not contain'],
      ['bombs.json', '{"groups": {"north": {"parameters": {"timeout": "1"}', '--file: '],
    ] as const;
    for (const [name, text, message] of refusals) {
      const { code, stderr } = await apply(file(name, text), '--yes');
      expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
    }
    const good = file('good.yaml', 'groups: { north: { parameters: { timeout: "60" } } }');
    expect(await apply(good, '--yes', '--undo-file', undo)).toMatchObject({ code: 1 });
    expect(readFileSync(undo, 'utf8')).toBe('kept');
    expect((await apply(file('none.yaml'), '--yes')).stderr).toContain('none.yaml: it does not exist');
    expect((await state('--group', 'south')).stderr).toContain('there is no group south');
    expect((await state('--group', 'north', '--no-devices')).stdout).toBe(OF_NORTH);
    expect(existsSync(file('none.yaml'))).toBe(false);
  });
});
