import { beforeAll, describe, expect, it } from 'vitest';

import { createSchema } from '../../src/app/graphql/schema.js';
import { mayUse, ROLES, SCOPES, type Scope } from '../../src/platform/requests.js';
import { rowsIn } from '../support/fleet.js';
import { useServer, type Member } from '../support/server.js';
import { carrying } from '../support/uploading.js';
import { callOf, rootFieldsOf, type RootField } from './root-calls.js';

/** Root fields by the scope that they need, written a second time: a field that is missing here fails. */
const FIELDS: readonly (readonly [type: 'Query' | 'Mutation', scope: Scope | null, names: string])[] = [
  ['Query', null, 'viewer'],
  [
    'Query',
    'read',
    `node nodes search tags group groups logicalNumber logicalNumbers device devices deviceSummary deviceAt fleetState fleetPlan deletedByRetention recordNames exportColumns
      unknownTerminal unknownTerminals deviceLog deviceLogs job jobs savedFilters notificationSummary responseCodes alert alerts alertRule alertRules rollout rollouts app apps appVersion appVersions file files notification
      notifications command commands transaction transactions transactionSummary parameter parameters metacontent
      metacontents`,
  ],
  ['Query', 'admin', 'user users apiToken apiTokens ledger webhook webhooks exportSchedules invitations'],
  [
    'Mutation',
    'write',
    `groupCreate groupUpdate groupDelete groupAttachAppVersions groupDetachAppVersions
      groupSetDefaultAppVersions logicalNumberCreate logicalNumberUpdate logicalNumberDelete
      logicalNumberMove logicalNumberSetAppVersions deviceCreate deviceUpdate deviceDelete deviceEnable
      deviceDisable deviceAssign deviceBulkChange logicalNumberBulkChange deviceBulkCreate deviceAdopt fleetImport fleetApply jobCancel savedFilterCreate savedFilterUpdate savedFilterDelete alertRuleCreate
      alertRuleUpdate alertRuleDelete alertAcknowledge appCreate appUpdate appDelete
      appVersionCreate appVersionUpdate appVersionDelete appVersionSetModules appVersionSetFiles
      appVersionGrant rolloutCreate rolloutPause rolloutResume rolloutUndo rolloutLeaveOut rolloutPassWave fileCreate fileUpdate fileDelete notificationSend notificationCancel commandSend commandCancel
      notificationRetry parameterCreate parameterUpdate parameterDelete parameterBulkSet metacontentCreate
      metacontentUpdate metacontentDelete revert`,
  ],
  ['Mutation', 'read', 'exportStart'],
  ['Mutation', 'ingest', 'deviceReport transactionRecord transactionBulkRecord transactionFinish'],
  [
    'Mutation',
    'admin',
    `deviceTokenIssue deviceTokenRevoke userUnlock userDisable userEnable memberAdd memberInvite
      passwordReset
      memberSetRole memberRemove invitationWithdraw companyRename companySetTimeZone companySetCurrency companySetResponseText webhookCreate webhookUpdate webhookReplay
      webhookSecretRotate webhookTest
      webhookDelete exportScheduleCreate exportScheduleDelete`,
  ],
  // The services decide: users may change what is their own.
  ['Mutation', null, 'apiTokenCreate apiTokenRenew apiTokenUpdate apiTokenRevoke userUpdate'],
  [
    'Mutation',
    null,
    'signIn signInByLink passwordSetByLink passwordRequest emailChange emailConfirm signOut sessionEnd companySwitch passwordChange preferencesSet passkeyOptions passkeyAdd passkeyRename passkeyRemove recoveryCodesRenew signInByPasskey invitationAccept invitationDecline',
  ],
];
const RIGHTS: ReadonlyMap<string, Scope | null> = new Map(
  FIELDS.flatMap(([type, scope, names]) =>
    names.split(/\s+/).map((name) => [`${type}.${name}`, scope] as const),
  ),
);

const server = useServer();
let fields: readonly RootField[];
beforeAll(async () => {
  fields = rootFieldsOf(await createSchema());
});

interface Outcome {
  readonly status: number;
  readonly codes: readonly string[];
}

/** The response to a call with placeholder arguments. */
async function call(member: Member, field: RootField): Promise<Outcome> {
  const { query, hasFile } = callOf(field);
  const file = { bytes: 'x', name: `${crypto.randomUUID()}.bin` };
  const reply = await (hasFile ? carrying(server, member, file) : member).graphql(query);
  return { status: reply.status, codes: (reply.body.errors ?? []).map((error) => error.extensions.code) };
}

const changes = ({ caller }: Member): Promise<number> =>
  rowsIn(server, 'ledger', `company_id = ${caller.companyId}`);

describe('scopes over the whole schema', () => {
  it('AT-15 the scope of each root field is listed in this test', () => {
    expect(fields.map((field) => field.name).sort()).toEqual([...RIGHTS.keys()].sort());
  });

  const scopes: readonly (readonly Scope[])[] = [SCOPES, ...SCOPES.map((scope) => [scope])];

  it.each(ROLES.flatMap((role) => scopes.map((own) => [role, own] as const)))(
    'AT-15 a %s with %j may use what both give, and what is refused changes nothing',
    async (role, own) => {
      const member = await server.member('beta', role, own);
      const before = await changes(member);
      let allowed = 0;
      for (const field of fields) {
        const right = RIGHTS.get(field.name) ?? null;
        const may = right === null || mayUse(member.caller, right);
        if (may && field.operation === 'mutation') continue;
        if (may) allowed += 1;
        const { status, codes } = await call(member, field);
        expect(codes.includes('FORBIDDEN'), `${field.name}: ${status} ${codes.join()}`).toBe(!may);
        expect(status, field.name).not.toBe(401);
        expect(codes, field.name).not.toContain('INTERNAL_SERVER_ERROR');
      }
      expect(allowed).toBeGreaterThan(0);
      expect(await changes(member)).toBe(before);
      for (const field of fields.filter(({ operation }) => operation === 'mutation')) {
        const right = RIGHTS.get(field.name) ?? null;
        if (right === null || !mayUse(member.caller, right)) continue;
        const { codes } = await call(member, field);
        expect(codes, field.name).toEqual([]);
      }
    },
  );

  it('GQ-18 no field of the schema shows a secret, but that of a new user or webhook', async () => {
    const schema = await createSchema();
    const names = Object.values(schema.getTypeMap())
      .filter((type) => !/^__|Input$/.test(type.name) && 'getFields' in type)
      .flatMap((type) => ('getFields' in type ? Object.keys(type.getFields()) : []));
    expect(new Set(names.filter((name) => /password|secret|nonce|tokenHash|hash$/i.test(name)))).toEqual(
      new Set(
        'passwordChange passwordRequest passwordReset passwordSetByLink initialPassword oldSecretUntil webhookSecretRotate secret'.split(
          ' ',
        ),
      ),
    );
  });
});
