import { beforeAll, describe, expect, it } from 'vitest';

import { createSchema } from '../../src/app/graphql/schema.js';
import { mayUse, ROLES, SCOPES, type Scope } from '../../src/platform/caller.js';
import type { Member } from '../support/server.js';
import { useServer } from '../support/use-server.js';
import { callOf, rootFieldsOf, type RootField } from './root-calls.js';

/** The scope of each root field; fails for a field that is not listed, and for a listed one that does not exist. */
const RIGHTS: Readonly<Record<string, Scope | null>> = {
  'Query.viewer': null,
  'Query.node': 'read',
  'Query.nodes': 'read',
  'Query.group': 'read',
  'Query.groups': 'read',
  'Query.logicalNumber': 'read',
  'Query.logicalNumbers': 'read',
  'Query.device': 'read',
  'Query.devices': 'read',
  'Query.deviceSummary': 'read',
  'Query.deletedByRetention': 'read',
  'Query.unknownTerminal': 'read',
  'Query.unknownTerminals': 'read',
  'Query.app': 'read',
  'Query.apps': 'read',
  'Query.appVersion': 'read',
  'Query.appVersions': 'read',
  'Query.file': 'read',
  'Query.files': 'read',
  'Query.notification': 'read',
  'Query.notifications': 'read',
  'Query.transaction': 'read',
  'Query.transactions': 'read',
  'Query.transactionSummary': 'read',
  'Query.parameter': 'read',
  'Query.parameters': 'read',
  'Query.metacontent': 'read',
  'Query.metacontents': 'read',
  'Query.user': 'admin',
  'Query.users': 'admin',
  'Query.apiToken': 'admin',
  'Query.apiTokens': 'admin',
  'Query.ledger': 'admin',
  'Mutation.groupCreate': 'write',
  'Mutation.groupUpdate': 'write',
  'Mutation.groupDelete': 'write',
  'Mutation.groupAttachAppVersions': 'write',
  'Mutation.groupDetachAppVersions': 'write',
  'Mutation.groupSetDefaultAppVersions': 'write',
  'Mutation.logicalNumberCreate': 'write',
  'Mutation.logicalNumberUpdate': 'write',
  'Mutation.logicalNumberDelete': 'write',
  'Mutation.logicalNumberMove': 'write',
  'Mutation.logicalNumberSetAppVersions': 'write',
  'Mutation.deviceCreate': 'write',
  'Mutation.deviceUpdate': 'write',
  'Mutation.deviceDelete': 'write',
  'Mutation.deviceEnable': 'write',
  'Mutation.deviceDisable': 'write',
  'Mutation.deviceAssign': 'write',
  'Mutation.deviceBulkCreate': 'write',
  'Mutation.deviceReport': 'ingest',
  'Mutation.deviceAdopt': 'write',
  'Mutation.deviceTokenIssue': 'admin',
  'Mutation.deviceTokenRevoke': 'admin',
  'Mutation.appCreate': 'write',
  'Mutation.appUpdate': 'write',
  'Mutation.appDelete': 'write',
  'Mutation.appVersionCreate': 'write',
  'Mutation.appVersionUpdate': 'write',
  'Mutation.appVersionDelete': 'write',
  'Mutation.appVersionSetModules': 'write',
  'Mutation.appVersionSetFiles': 'write',
  'Mutation.appVersionGrant': 'write',
  'Mutation.fileCreate': 'write',
  'Mutation.fileUpdate': 'write',
  'Mutation.fileDelete': 'write',
  'Mutation.notificationSend': 'write',
  'Mutation.notificationCancel': 'write',
  'Mutation.notificationRetry': 'write',
  'Mutation.parameterCreate': 'write',
  'Mutation.parameterUpdate': 'write',
  'Mutation.parameterDelete': 'write',
  'Mutation.parameterBulkSet': 'write',
  'Mutation.metacontentCreate': 'write',
  'Mutation.metacontentUpdate': 'write',
  'Mutation.metacontentDelete': 'write',
  'Mutation.transactionRecord': 'ingest',
  'Mutation.transactionBulkRecord': 'ingest',
  'Mutation.transactionFinish': 'ingest',
  'Mutation.apiTokenCreate': 'admin',
  // The services decide: users may change what is their own.
  'Mutation.apiTokenRenew': null,
  'Mutation.apiTokenRevoke': null,
  'Mutation.userUpdate': null,
  'Mutation.userUnlock': 'admin',
  'Mutation.userDisable': 'admin',
  'Mutation.userEnable': 'admin',
  'Mutation.memberAdd': 'admin',
  'Mutation.memberSetRole': 'admin',
  'Mutation.memberRemove': 'admin',
  'Mutation.companyRename': 'admin',
  'Mutation.companySetTimeZone': 'admin',
};

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
  const reply = hasFile ? await upload(member, query) : await member.graphql(query);
  return { status: reply.status, codes: (reply.body.errors ?? []).map((error) => error.extensions.code) };
}

async function upload(member: Member, query: string) {
  const form = new FormData();
  form.set('operations', JSON.stringify({ query, variables: { file: null } }));
  form.set('map', '{"0":["variables.file"]}');
  form.set('0', new Blob(['x']), `${crypto.randomUUID()}.bin`);
  const { status, text } = await server.anonymous.post('/graphql', form, {
    headers: { authorization: `Bearer ${member.token}`, 'apollo-require-preflight': '1' },
  });
  return { status, body: JSON.parse(text) as { errors?: { extensions: { code: string } }[] } };
}

const changes = async (member: Member): Promise<number> => {
  const { total } = await server.app.database.reads
    .selectFrom('ledger')
    .select((select) => select.fn.countAll<number>().as('total'))
    .where('company_id', '=', member.caller.companyId)
    .executeTakeFirstOrThrow();
  return total;
};

describe('scopes over the whole schema', () => {
  it('AT-15 the scope of each root field is listed in this test', () => {
    expect(fields.map((field) => field.name).sort()).toEqual(Object.keys(RIGHTS).sort());
  });

  const scopes: readonly (readonly Scope[])[] = [SCOPES, ...SCOPES.map((scope) => [scope])];

  it.each(ROLES.flatMap((role) => scopes.map((own) => [role, own] as const)))(
    'AT-15 a %s with %j may use what both give, and what is refused changes nothing',
    async (role, own) => {
      const member = await server.member('beta', role, own);
      const before = await changes(member);
      let allowed = 0;
      for (const field of fields) {
        const right = RIGHTS[field.name] ?? null;
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
        const right = RIGHTS[field.name] ?? null;
        if (right === null || !mayUse(member.caller, right)) continue;
        const { codes } = await call(member, field);
        expect(codes, field.name).toEqual([]);
      }
    },
  );

  it('GQ-18 a viewer cannot read fields for administrators on any path', async () => {
    const viewer = await server.member('acme', 'viewer');
    const { body } = await viewer.graphql(`{
      viewer { role user { name email } company { name users { nodes { email } } } }
      groups { nodes { createdBy { name email } } } }`);
    expect(body.data).toMatchObject({
      viewer: { role: 'VIEWER', user: { email: expect.any(String) as string } },
    });
    expect(JSON.stringify(body.data)).not.toContain('admin');
    expect(body.errors?.map((error) => [error.extensions.code, error.path?.join('.')])).toContainEqual([
      'FORBIDDEN',
      'viewer.company.users',
    ]);
  });

  it("GQ-18 another company's things are not there, by whatever type they are asked for", async () => {
    const made = await server.acme.graphql<{ groupCreate: { group: { id: string } } }>(
      'mutation { groupCreate(input: { name: "ours" }) { group { id } } }',
    );
    const { id } = made.body.data.groupCreate.group;
    const query = 'query ($id: ID!) { node(id: $id) { id ... on Group { name } } nodes(ids: [$id]) { id } }';
    expect((await server.acme.graphql(query, { id })).body.data).toMatchObject({ node: { name: 'ours' } });
    expect((await server.beta.graphql(query, { id })).body).toMatchObject({
      data: { node: null, nodes: [null] },
      extensions: { cost: { actual: 0 } },
    });
  });

  it('GQ-18 no field of the schema shows a secret, but the first password of a new user', async () => {
    const schema = await createSchema();
    const names = Object.values(schema.getTypeMap())
      .filter((type) => !type.name.startsWith('__') && 'getFields' in type)
      .flatMap((type) => ('getFields' in type ? Object.keys(type.getFields()) : []));
    expect(names.filter((name) => /password|secret|nonce|tokenHash|hash$/i.test(name))).toEqual([
      'initialPassword',
    ]);
  });
});
