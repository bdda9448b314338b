import * as g from '../../../graphql/index.js';
import { mayUse } from '../../../platform/requests.js';
import { type Audit, snakeCase } from '../../../platform/validate.js';
import { apiTokens } from '../../people/access-token/access-token.service.js';
import { CompanyType } from '../../people/company/company.graphql.js';
import { companies } from '../../people/company/company.service.js';
import { auditedTypes, Channel, UserList } from '../../people/user/user.graphql.js';
import {
  type ActorKind,
  actorKindOf,
  changesOf,
  entriesOf,
  type FieldChange,
  historyOf,
  ledgerEntries,
  type LedgerEntry,
  ledgerNewRows,
  nameIn,
} from './ledger.service.js';

const EntityType = g.enumeration<LedgerEntry['entityType']>(
  'EntityType',
  'Type of the record, or kind of the event, that an entry of the ledger is about.',
  {
    access_token: 'A token of the API: `ApiToken`.',
    alert: 'An alert, which a rule has opened.',
    alert_rule: 'A rule that opens alerts: `AlertRule`.',
    app: 'An app.',
    app_version: 'A version of an app.',
    command: 'A command for terminals. Its ends are events of their devices.',
    company: 'The company.',
    database: 'The database of the server, whose operator accepted that changes were lost.',
    device: 'A device.',
    device_token: 'The token of a terminal. `entityId` is that of its device.',
    export_schedule: 'An export that is made again and again: `ExportSchedule`.',
    file: 'A file.',
    group: 'A group of logical numbers.',
    invitation: 'The invitation of a user to join the company. `entityId` is that of the user.',
    job: 'A change of many records in the background.',
    logical_number: 'A logical number.',
    membership: 'A user in the company, with role and name: `Member`.',
    metacontent: 'A metacontent.',
    notification: 'A notification, with its deliveries.',
    parameter: 'A parameter.',
    passkey: 'A passkey, or the recovery codes, of a user. `entityId` is that of the user.',
    rollout: 'Versions that many terminals get in waves.',
    saved_filter: 'A filter of a list under a name: `SavedFilter`.',
    session: 'A session of a user in the console.',
    sign_in: 'An attempt to sign in. `entityId` is that of the user.',
    transaction: 'Transactions of terminals.',
    user: 'The account of a user, in all its companies.',
    webhook: 'A webhook. Its secret is in no entry.',
  },
);

const LedgerAction = g.enumeration<LedgerEntry['action']>(
  'LedgerAction',
  'What an entry of the ledger records.',
  {
    accept_loss: 'The server was started although acknowledged changes were lost.',
    acknowledged: 'A person has acknowledged an alert.',
    cancel: 'Deliveries of a notification, a command, or the rest of a job, were cancelled.',
    closed: 'An alert was closed: its rule is not met any more, or was changed or deleted.',
    command_cancelled: 'A command of a device was cancelled.',
    command_confirmed: 'The terminal of a device has confirmed a command.',
    command_done: 'The terminal of a device has done a command.',
    command_expired: 'A command of a device was not confirmed in time.',
    command_failed: 'The terminal of a device could not do a command, or never confirmed it.',
    command_replaced: 'The same command was sent to a device again before its terminal had confirmed it.',
    create: 'A record was created.',
    delete: 'A record was deleted.',
    disable: 'A user was denied access, or a webhook has failed for too long.',
    enable: 'A disabled user was allowed again.',
    end: 'A session, a job or a rollout has ended, or the old token of a terminal, or a scheduled export was made.',
    fetch: 'The tokens that a job has issued were fetched.',
    issue: 'A terminal got a token, or a webhook another secret.',
    leave_out: 'A person has left terminals out of a rollout.',
    opened: 'A rule has opened an alert.',
    pass_wave: 'A person has passed a wave of a rollout.',
    pause: 'A rollout was paused.',
    record: 'Transactions were recorded.',
    rename: 'A company got another name.',
    renew: 'A terminal renewed its token.',
    repeated: 'An alert that is open was sent again.',
    report: 'A device reported other properties than before.',
    resume: 'A rollout that was paused or had stopped goes on.',
    retry: 'Failed deliveries of a notification were queued again.',
    revoke: 'A token was revoked.',
    send_log: 'A terminal has sent a log.',
    set_password: 'A password was set.',
    set_role: 'A member got another role.',
    sign_in: 'A user signed in.',
    sign_in_failed: 'A password, an e-mail address, a passkey or a recovery code was wrong.',
    sign_in_locked: 'An account was locked after wrong passwords.',
    sign_in_refused: 'A disabled user tried to sign in.',
    sign_out: 'A user signed out.',
    start_wave: 'A wave of a rollout has begun.',
    stop: 'A rollout has stopped by itself.',
    switch_company: 'A session moved to another company.',
    undo: 'A rollout was undone.',
    unlock: 'Locks of a user were removed.',
    update: 'A record was changed.',
  },
);

const ActorKindType = g.enumeration<ActorKind>('LedgerActorKind', 'Who made a change.', {
  person: 'A person: `actor`.',
  token: 'A program with the API token `tokenName`, which acts for `actor`.',
  terminal: 'A terminal with its own token, which `actor` has issued.',
  command_line: 'An operator of the server, at its command line.',
  server: 'The server by itself.',
  unknown: 'Somebody who could not sign in.',
});

type Hidden = 'companyId' | 'userId' | 'jobId' | 'tokenId' | 'requestId';

export const LedgerEntryType = g.nodeType<LedgerEntry, Hidden>(
  'LedgerEntry',
  'A recorded change: who changed what and when, with the record before and after.',
  {
    sequence: g.int('Position among the changes in the company: 1, 2, 3 and so on, without gaps.'),
    at: g.instant('When the change was made.'),
    channel: g.choice(Channel, 'Interface through which the change was made.'),
    action: g.text('What was done: create, update, delete or another event, such as report.'),
    entityType: g.text('Type of the changed record in snake case, for example logical_number.'),
    entityId: g.int.orNull('`databaseId` of the changed record. Null if the event is not about one record.'),
    before: g.json.orNull('The record before the change. Null if it was created.'),
    after: g.json.orNull('The record after the change. Null if it was deleted.'),
  },
);

export const LedgerEntryList = g.listTypes(
  ledgerEntries,
  LedgerEntryType,
  { channel: Channel },
  { entityKind: EntityType, actionKind: LedgerAction },
  {
    routine:
      'False leaves out payments that requests record, and the changes of each job: one entry is left for a job.',
  },
);

export const FieldChangeType = g.objectType<FieldChange>(
  'FieldChange',
  'A field with another value than before.',
  {
    field: g.text('Name of the field as in `before` and `after`; meta.model for a part of an object.'),
    before: g.json.orNull('Value before the change. Null also if the field was not there.'),
    after: g.json.orNull('Value after the change. Null also if the field is gone.'),
  },
);

/** Types of the records whose numbers are in these fields, or parts of fields, of `before` and `after`. */
const REFERENCES: Readonly<Record<string, string>> = {
  appId: 'App',
  appVersionIds: 'AppVersion',
  baseVersionId: 'AppVersion',
  commandId: 'Command',
  defaultAppVersionIds: 'AppVersion',
  deviceIds: 'Device',
  fileIds: 'File',
  groupId: 'Group',
  groupIds: 'Group',
  logicalNumberId: 'LogicalNumber',
  moduleIds: 'AppVersion',
  recipientIds: 'User',
  rolloutId: 'Rollout',
  ruleId: 'AlertRule',
  userId: 'User',
  webhookIds: 'Webhook',
};

function recordIdsOf({ field, before, after }: FieldChange): readonly string[] {
  const type = REFERENCES[field.replace(/^.*\./, '')];
  const values = type === undefined ? [] : [before, after].flat();
  return values.flatMap((value) => (typeof value === 'number' ? g.globalId(type ?? '', value) : []));
}

/** The field `history` of a type with audit fields; `entityType` is that of its records in the ledger. */
export const historyField = (entityType: string): g.ResolvedField<Audit & { readonly id: number }> =>
  g.many(
    LedgerEntryList,
    historyOf(entityType),
    'Changes of the record, newest first. For all who may read the record.',
    { order: { field: 'SEQUENCE', direction: 'desc' } },
  );

/** The type of records in the ledger: `app_version` for `AppVersion`. */
export const entityTypeOf = (typeName: string): string => snakeCase(g.fieldName(typeName));

const ledgerAppended = g.subscription('ledgerAppended', {
  field: g.object(
    LedgerEntryType,
    'Each change in the company once it is committed, in order. Without the scope ADMIN, only changes of records with a `history`: none of users, tokens and sign-ins.',
  ),
  args: {
    filter: g.object.orNull(LedgerEntryList.Filter, 'Only entries for which this holds.'),
    after: g.int.orNull(
      'Resumes after the entry with this `sequence`. Without it, only changes from now on are sent.',
    ),
  },
  // A caller who loses the scope while it follows gets FORBIDDEN, and can subscribe again.
  subscribe: (ctx, args) =>
    mayUse(ctx.caller, 'admin')
      ? ctx.follow(ledgerNewRows, args, 'admin')
      : ctx.follow(ledgerNewRows, args, 'read', entriesOf([...auditedTypes.keys()].map(entityTypeOf))),
  resolve: (entry: LedgerEntry) => entry,
});

export const ledgerEntryGraphql = g.graphqlModule(
  g.nodesOf(ledgerEntries, 'admin'),
  g.listQuery(LedgerEntryList, {
    field: 'ledger',
    scope: 'admin',
    order: { field: 'SEQUENCE', direction: 'asc' },
    listDescription: 'All changes in the company, oldest first by default.',
  }),
  ledgerAppended,
  g.fields(FieldChangeType, {
    recordIds: g.derived(
      g.id.list(
        'Global ids of the records whose numbers are in `before` and then in `after`, in this order. Empty for fields that name no records.',
      ),
      recordIdsOf,
    ),
  }),
  g.fields(LedgerEntryType, {
    entityKind: g.derived(
      g.choice(EntityType, '`entityType` as an enumeration.'),
      ({ entityType }) => entityType,
    ),
    actionKind: g.derived(g.choice(LedgerAction, '`action` as an enumeration.'), ({ action }) => action),
    company: g.one({ list: companies, Record: CompanyType }, 'companyId', 'Company of the change.'),
    jobId: g.derived(
      g.id.orNull(
        'Global id of the job that made the change in the background, or that the entry is about. Null for other changes.',
      ),
      ({ jobId, entityType, entityId }) => {
        const id = entityType === 'job' ? (entityId ?? 0) : jobId;
        return id <= 0 ? null : g.globalId('Job', id);
      },
    ),
    changes: g.derived(
      g.object.list(
        FieldChangeType,
        'The fields that differ before and after, without id, revision, and times and author of the record.',
      ),
      changesOf,
    ),
    entityName: g.derived(
      g.text.orNull('Name of the changed record: of a version its number. Null if the entry has none.'),
      nameIn,
    ),
    actorKind: g.derived(g.choice(ActorKindType, 'Who made the change.'), actorKindOf),
    tokenName: g.computed(
      g.text.orNull(
        'Name of the API token with which the change was made. Null without one, if it has no name, and 90 days after its end.',
      ),
      async ({ tokenId }: LedgerEntry, ctx) => (await ctx.one(apiTokens, tokenId))?.name ?? null,
    ),
    actor: g.one(
      UserList,
      'userId',
      'User who made the change, or for whom a token or the command line did. Null for a failed sign-in, for what the server does by itself, and if that user is no longer a member.',
    ),
  }),
);
