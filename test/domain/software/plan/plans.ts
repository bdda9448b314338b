import { expect } from 'vitest';

import { answered } from '../../../support/dashboard.js';
import type { Fields, Member } from '../../../support/server.js';

export const STATE = `query ($groupId: ID, $logicalNumbers: Boolean, $devices: Boolean) {
    fleetState(groupId: $groupId, logicalNumbers: $logicalNumbers, devices: $devices) }`;
const PLAN = `query ($document: JSON!) { fleetPlan(document: $document) {
  plan { id terminals losing changes { path action before after } } userErrors { path code message } } }`;
export const APPLY = `mutation ($document: JSON!, $planId: String!) { fleetApply(document: $document, planId: $planId) {
  count undo job { databaseId kind state total done } warnings userErrors { path code message } } }`;

export interface Plan {
  readonly id: string;
  readonly terminals: number;
  readonly losing: number;
  readonly changes: readonly Fields[];
}

interface UserError {
  readonly path: readonly string[];
  readonly code: string;
  readonly message: string;
}

interface Applied {
  readonly count: number | null;
  readonly undo: object | null;
  readonly job: { readonly databaseId: number; readonly total: number } | null;
  readonly warnings: readonly string[];
  readonly userErrors: readonly UserError[];
}

export const stateOf = async (member: Member, variables: Fields = {}): Promise<Fields> =>
  (await answered<{ fleetState: Fields }>(member, STATE, variables)).fleetState;

export const planOf = async (member: Member, document: unknown) =>
  (
    await answered<{ fleetPlan: { plan: Plan | null; userErrors: readonly UserError[] } }>(member, PLAN, {
      document,
    })
  ).fleetPlan;

/** The plan of a document that must be valid. */
export async function planned(member: Member, document: unknown): Promise<Plan> {
  const { plan, userErrors } = await planOf(member, document);
  expect(userErrors).toEqual([]);
  if (plan === null) throw new Error('There is no plan');
  return plan;
}

export const apply = async (member: Member, document: unknown, planId: string): Promise<Applied> =>
  (await answered<{ fleetApply: Applied }>(member, APPLY, { document, planId })).fleetApply;

/** A document that changes something of each kind in the fleet of `setUp`. */
export const DOCUMENT = {
  groups: {
    north: {
      appVersions: { 'sale.posxml': ['2'] },
      defaultAppVersions: { 'sale.posxml': ['2'] },
      parameters: { timeout: '60', host: { value: 'a.example', description: 'Host of the acquirer' } },
      metacontents: { menu: { entries: [1, 2] } },
    },
  },
  logicalNumbers: { 'N-2': { group: 'north', parameters: { retries: '9' } } },
  devices: { 'S-2': { enabled: false }, 'S-3': { logicalNumber: null } },
};

/** Differences of the document. */
export const CHANGES_OF_DOCUMENT = [
  ['CHANGE', 'groups.north.appVersions.sale.posxml', ['1', '2'], ['2']],
  ['ADD', 'groups.north.defaultAppVersions.sale.posxml', null, ['2']],
  ['CHANGE', 'groups.north.parameters.timeout', '0', '60'],
  [
    'CHANGE',
    'groups.north.parameters.host',
    '0',
    { value: 'a.example', description: 'Host of the acquirer' },
  ],
  ['ADD', 'groups.north.metacontents.menu', null, { entries: [1, 2] }],
  ['CHANGE', 'logicalNumbers.N-2.group', 'south', 'north'],
  ['ADD', 'logicalNumbers.N-2.parameters.retries', null, '9'],
  ['CHANGE', 'logicalNumbers.N-2.appVersions.sale.posxml', ['1', '2'], ['2']],
  ['CHANGE', 'logicalNumbers.N-1.appVersions.sale.posxml', ['1', '2'], ['2']],
  ['CHANGE', 'logicalNumbers.N-3.appVersions.sale.posxml', ['1', '2'], ['2']],
  ['CHANGE', 'devices.S-2.enabled', true, false],
  ['CHANGE', 'devices.S-3.logicalNumber', 'N-3', null],
  ['REMOVE', 'groups.north.parameters.retries', '0', null],
];

export const shown = ({ changes }: Plan) =>
  changes.map(({ action, path, before, after }) => [action, (path as string[]).join('.'), before, after]);

export const sorted = (all: readonly unknown[]): string[] => all.map((each) => JSON.stringify(each)).sort();
