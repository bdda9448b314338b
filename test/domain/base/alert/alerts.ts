import { expect } from 'vitest';

import { storeLastSeenTimes } from '../../../../src/domain/fleet/device/device.service.js';
import { storeRefusals } from '../../../../src/domain/terminals/terminal/terminal.repository.js';
import { answered, changed, nodeId, type UserErrorShape } from '../../../support/dashboard.js';
import { fleet } from '../../../support/fleet.js';
import type { Fields, Member, TestServer } from '../../../support/server.js';

const FIELDS = `id databaseId name kind affected total examples figures { name value payments from to } openedAt closedAt acknowledgedAt
  acknowledgedBy { databaseId } rule { name }`;
const RULE =
  'id databaseId name on { silent { filter count percent silentFor fromHour toHour timeZone } \
  refused { count within } unknownTerminals { count within } deliveriesFailed { count within } \
  lowBattery { filter below count percent } weakSignal { filter below count percent } \
  lowApproval { filter below minPayments within count percent } \
  noPayments { filter lasting fromHour toHour timeZone days count percent } \
  largePayments { filter above within count percent } highSales { filter above within count percent } } \
  webhookId recipientIds repeatAfter revision problems';

export interface ShownAlert {
  readonly id: string;
  readonly databaseId: number;
  readonly name: string;
  readonly kind: string;
  readonly affected: number;
  readonly total: number | null;
  readonly examples: readonly string[];
  readonly figures: readonly Fields[];
  readonly openedAt: string;
  readonly closedAt: string | null;
  readonly acknowledgedAt: string | null;
  readonly acknowledgedBy: { readonly databaseId: number } | null;
  readonly rule: { readonly name: string } | null;
}

export interface ShownRule {
  readonly id: string;
  readonly databaseId: number;
  readonly name: string;
  readonly on: Readonly<Record<string, Fields | null>>;
  readonly webhookId: string | null;
  readonly recipientIds: readonly string[];
  readonly repeatAfter: string | null;
  readonly revision: number;
  readonly problems: readonly string[];
}

interface RulePayload {
  readonly alertRule: ShownRule | null;
  readonly userErrors: readonly (UserErrorShape & { readonly rule: string | null })[];
}

/** Creates a rule, which may be refused. */
export const tryRule = (member: Pick<Member, 'graphql'>, input: Fields): Promise<RulePayload> =>
  changed<RulePayload>(
    member,
    `mutation ($input: AlertRuleCreateInput!) { alertRuleCreate(input: $input) {
      alertRule { ${RULE} } userErrors { message path code rule } } }`,
    { input },
  );

export async function createRule(member: Pick<Member, 'graphql'>, input: Fields): Promise<ShownRule> {
  const { alertRule, userErrors } = await tryRule(member, { name: 'Rule', ...input });
  expect(userErrors).toEqual([]);
  if (alertRule === null) throw new Error('No rule was created');
  return alertRule;
}

export const updateRule = (
  member: Pick<Member, 'graphql'>,
  id: string,
  input: Fields,
  ifMatch: number | null = null,
): Promise<RulePayload> =>
  changed<RulePayload>(
    member,
    `mutation ($id: ID!, $input: AlertRuleUpdateInput!, $ifMatch: Int) {
      alertRuleUpdate(id: $id, input: $input, ifMatch: $ifMatch) {
        alertRule { ${RULE} } userErrors { message path code rule } } }`,
    { id, input, ifMatch },
  );

export const deleteRule = (member: Pick<Member, 'graphql'>, id: string) =>
  changed<{ readonly deletedId: string | null; readonly userErrors: readonly UserErrorShape[] }>(
    member,
    'mutation ($id: ID!) { alertRuleDelete(id: $id) { deletedId userErrors { message path code } } }',
    { id },
  );

export const acknowledge = (member: Pick<Member, 'graphql'>, id: number) =>
  changed<{ readonly alert: ShownAlert | null; readonly userErrors: readonly UserErrorShape[] }>(
    member,
    `mutation ($id: ID!) { alertAcknowledge(id: $id) { alert { ${FIELDS} } userErrors { message path code } } }`,
    { id: nodeId('Alert', id) },
  );

/** Alerts of a member's company, newest first. */
export async function alertsOf(member: Pick<Member, 'graphql'>): Promise<readonly ShownAlert[]> {
  const { alerts } = await answered<{ alerts: { nodes: readonly ShownAlert[] } }>(
    member,
    `{ alerts { nodes { ${FIELDS} } } }`,
  );
  return alerts.nodes;
}

/** Evaluates the rules after so many milliseconds; resolves to the alerts of acme, newest first. */
export async function after(server: TestServer, ms: number): Promise<readonly ShownAlert[]> {
  server.clock.advance(ms);
  await server.app.alerts.run();
  return await alertsOf(server.acme);
}

/** Adds devices, which were not seen yet; resolves to their ids. */
export async function addDevices(member: Member, names: readonly string[]): Promise<readonly number[]> {
  const ids: number[] = [];
  for (const name of names) ids.push(await fleet.device(member.client, name));
  return ids;
}

/** Lets terminals be seen now. */
export async function see(
  server: TestServer,
  ids: readonly number[],
  { caller } = server.acme,
): Promise<void> {
  const seenAt = server.clock.now().getTime();
  await server.app.units.writeWithoutLedger(caller.companyId, (work) =>
    storeLastSeenTimes(
      work,
      ids.map((deviceId) => ({ deviceId, seenAt })),
    ),
  );
}

/** Lets terminals be refused now. */
export async function refuse(server: TestServer, deviceIds: readonly number[], { caller } = server.acme) {
  await server.app.units.writeWithoutLedger(caller.companyId, (work) =>
    storeRefusals(work, { code: 'terminal_disabled', deviceIds, unlessSince: work.now }),
  );
}

/** Actions on alerts in the ledger of acme, in order. */
export async function events(server: TestServer): Promise<readonly string[]> {
  const rows = await server.place.sql<{ action: string }>(
    `select action from ledger where entity_type = 'alert' and company_id = $1 order by sequence`,
    [server.acme.caller.companyId],
  );
  return rows.map(({ action }) => action);
}
