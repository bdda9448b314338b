import { expect } from 'vitest';

import { SECOND } from '../../src/platform/clock.js';
import { answered, changed, nodeId } from './dashboard.js';
import { audited, insertMany } from './databases/rows.js';
import { fleet } from './fleet.js';
import type { Fields, Member, TestServer } from './server.js';

export const CREATE = `mutation ($input: RolloutCreateInput!, $target: AppVersionGrantTargetInput!, $dryRun: Boolean) {
  rolloutCreate(input: $input, target: $target, dryRun: $dryRun) {
  count waves { count examples } obstacles { obstacle count examples } withoutTerminal withoutTerminalExamples
  rollout { id databaseId state total } userErrors { code path message } } }`;

const SHOWN = `query ($id: ID!) { rollout(id: $id) { state stoppedBecause total deadline window { from to zone }
  stopWhen { failedPercent failedCount silentPercent approvalDropPercent } appVersions { databaseId } replacedAppVersions { databaseId } job { kind state done rejected }
  waves { state size waiting excluded granted downloaded installed proven failed silent minProvenPercent minDuration } } }`;

export type ShownWave = Readonly<Record<string, number | string>>;

export interface ShownRollout extends Fields {
  readonly state: string;
  readonly stoppedBecause: string | null;
  readonly waves: readonly ShownWave[];
}

export const shownRollout = async (member: Member, id: string): Promise<ShownRollout> =>
  (await answered(member, SHOWN, { id })).rollout as ShownRollout;

/** The state of a rollout, and of each wave with its numbers that are not zero. */
export async function briefly(member: Member, id: string): Promise<readonly string[]> {
  const { state, waves } = await shownRollout(member, id);
  const names = ['waiting', 'excluded', 'granted', 'downloaded', 'installed', 'proven', 'failed'];
  return [
    state,
    ...waves.map((wave) =>
      [wave.state, ...names.flatMap((name) => (wave[name] === 0 ? [] : [`${wave[name]} ${name}`]))].join(' '),
    ),
  ];
}

/** A group with terminals that have the first of two versions of an app. */
export async function rolloutFleet(server: TestServer, member: Member, count: number, name = 'fleet') {
  const { client, caller } = member;
  const { companyId, userId } = caller;
  const groupId = await fleet.group(client, name);
  const [before = 0, after = 0] = await fleet.appVersions(client, 2, [groupId]);
  const record = audited(userId);
  const numberIds = await insertMany(server.place, ['logical_numbers', companyId, count], (n) => ({
    ...record,
    number: `${name} ${n}`,
    group_id: groupId,
  }));
  const at = server.clock.now();
  await insertMany(server.place, ['logical_number_app_versions', companyId, count], (n) => ({
    logical_number_id: numberIds[n - 1] ?? 0,
    app_version_id: before,
    granted_at: at,
  }));
  const deviceIds = await insertMany(server.place, ['devices', companyId, count], (n) => ({
    ...record,
    created_at: at,
    serial_number: `${name} ${n}`,
    enabled: true,
    meta: '{}',
    logical_number_id: numberIds[n - 1] ?? 0,
  }));
  return {
    groupId,
    before,
    after,
    numberIds,
    deviceIds,
    input: (more: Fields = {}): Fields => ({
      name: `rollout of ${name}`,
      appVersionIds: [nodeId('AppVersion', after)],
      target: { groupId: nodeId('Group', groupId) },
      waves: [{ percent: 10 }, {}],
      ...more,
    }),
  };
}

export interface Created extends Fields {
  readonly count: number | null;
  readonly rollout: { readonly id: string; readonly databaseId: number; readonly state: string } | null;
  readonly userErrors: readonly {
    readonly code: string;
    readonly path: readonly string[];
    readonly message: string;
  }[];
}

export const createRollout = (
  member: Member,
  { target, ...input }: Fields,
  dryRun = false,
): Promise<Created> => changed<Created>(member, CREATE, { input, target, dryRun });

/** Creates a rollout that must be accepted; resolves to its global id. */
export async function newRollout(member: Member, input: Fields): Promise<string> {
  const { rollout, userErrors } = await createRollout(member, input);
  expect(userErrors).toEqual([]);
  return rollout?.id ?? '';
}

/** Lets the server take all steps that are due now, and those due some seconds later. */
export async function lookAgain({ app, clock }: TestServer): Promise<void> {
  await app.steps.idle();
  clock.advance(6 * SECOND);
  app.steps.start();
  await app.steps.idle();
}

interface Known {
  readonly version: number;
  readonly state: string;
  /** Place of the wave, from 0. */
  readonly wave: number;
  readonly count?: number;
}

/** Sets what is known of a version on terminals of a wave, as their reports would. */
export async function reportAll(
  { place }: Pick<TestServer, 'place'>,
  { caller: { companyId } }: Member,
  { version, state, wave, count = 1_000_000 }: Known,
): Promise<void> {
  await place.sql(
    `update terminal_versions set state = $1 where company_id = $2 and app_version_id = $3 and device_id in (
      select t.device_id from rollout_terminals as t
      join terminal_versions as held on held.company_id = t.company_id and held.device_id = t.device_id
      where t.company_id = $2 and held.app_version_id = $3 and t.wave = $4 order by t.id limit $5)`,
    [state, companyId, version, wave, count],
  );
}
