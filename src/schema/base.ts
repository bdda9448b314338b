import { companyTable, drawnId, instant, integer, json, jsonb, optional, ownedBy } from './table.js';
import { flag, recordTable, referenceTo, table, text, withFallback } from './table.js';

export const base = {
  /** Counters of a company by table: the exact number of rows, which triggers maintain, and the last drawn id. */
  counters: table(
    {
      company_id: integer,
      name: text,
      total: integer,
      /** Last id drawn in the table of this name; for the ledger, its last sequence. */
      last_drawn: withFallback(integer, 0),
    },
    { key: ['company_id', 'name'], fillFactor: 50 },
  ),

  /** Entries can be added, and deleted only up to the one in `prunings`: triggers refuse everything else. */
  ledger: table(
    {
      /** Number of the entry among all entries of the database, in the order of their commits. */
      position: drawnId,
      company_id: optional(integer),
      /** Number of the entry in its company, or among entries without a company, from 1 without gaps. */
      sequence: integer,
      at: instant,
      user_id: optional(integer),
      token_id: optional(integer),
      /**
       * Job that made the change in the background; 0 for the changes of requests, and `OF_PAYMENTS` for payments, so that
       * an index lists each of them by itself.
       */
      job_id: withFallback(integer, 0),
      channel: text,
      action: text,
      entity_type: text,
      entity_id: optional(integer),
      before: optional(json),
      after: optional(json),
      request_id: optional(text),
      ip: optional(text),
      /** Hash that links the entry to the previous one, see `ledger-chain.ts`; null for entries without a chain. */
      hash: optional(text),
    },
    {
      key: ['position'],
      indexes: [
        { name: 'of_company', columns: ['company_id', 'sequence'], isUnique: true },
        ['at', 'sequence'],
        ['action', 'sequence'],
        ['entity_type', 'sequence'],
        ['user_id', 'sequence'],
        ['job_id', 'sequence'],
        ['entity_id', 'entity_type', 'sequence'],
        {
          name: 'of_job',
          columns: ['company_id', 'job_id', 'entity_type', 'entity_id'],
          where: 'job_id > 0',
        },
      ],
      isCounted: true,
      rights: { company: 'select, insert', system: 'select, insert, delete' },
    },
  ),

  /** Head of each company's chain of ledger entries. The company 0 stands for entries without a company. */
  ledger_chains: table(
    {
      company_id: integer,
      /** First entry that can be verified. */
      first_sequence: integer,
      /** Last chained entry before the first one; 0 and an empty hash if there is none. */
      before_sequence: integer,
      before_hash: text,
      /** Last entry of the chain. */
      sequence: integer,
      hash: text,
      key_fingerprint: text,
      /** Hash of the other columns. */
      seal: text,
    },
    { key: ['company_id'], fillFactor: 50 },
  ),

  /** Rows that retention has deleted from a table of a company; the company 0 stands for entries without one. */
  prunings: table(
    {
      company_id: integer,
      name: text,
      /** Id or sequence up to which everything is deleted; 0 for a table that is not deleted in that order. */
      up_to: integer,
      /** Number of rows deleted since the beginning. */
      total: integer,
      newest_at: instant,
      pruned_at: instant,
    },
    { key: ['company_id', 'name'], rights: { company: 'select' }, isKeyed: true },
  ),

  /** Changes of many records, made in parts in the background, the oldest job of a company first. */
  jobs: recordTable(
    {
      /** Name under which a wing has declared what to do. */
      kind: text,
      /** One of `JOB_STATES`. */
      state: text,
      /** The change of each row. */
      input: jsonb,
      /** Scopes, address and request of the person who started it. */
      origin: jsonb,
      /** Rows of all parts, those that were changed, and those that were refused. */
      total: integer,
      done: integer,
      rejected: integer,
      /** Why it has failed as a whole. */
      failure: optional(text),
      ended_at: optional(instant),
      /** Position of its last change among all changes of the company's jobs; drawn from `counters`. */
      sequence: integer,
    },
    {
      indexes: [
        ['state', 'id'],
        ['sequence'],
        { name: 'open', columns: ['company_id', 'id'], where: 'ended_at is null' },
        { name: 'ended', columns: ['company_id', 'ended_at'], where: 'ended_at is not null' },
      ],
    },
  ),

  /** Rows of a job that are not done yet, in parts, each for one unit of work. */
  job_parts: table(
    {
      company_id: integer,
      job_id: ownedBy('jobs'),
      /** Number of its first row in the job, from 0. */
      first_row: integer,
      /** Subjects of the rows, for example ids of devices. */
      rows: jsonb,
    },
    { key: ['company_id', 'job_id', 'first_row'] },
  ),

  /** Rows of a job that were refused, and changed nothing. */
  job_rejections: companyTable(
    {
      job_id: ownedBy('jobs'),
      /** Line of the row in a file, from 1; place of the row in the job, from 0, if there is no file. */
      row_number: integer,
      /** Serial number of the device, or the logical number, that the row is about. */
      name: text,
      code: text,
      message: text,
      /** Rule that the row breaks, and its parameters; null if the code says all. */
      rule: optional(text),
      params: optional(json),
    },
    { indexes: [['job_id', 'id']] },
  ),

  /** Addresses to which the entries of the company's ledger are sent, each with its position in the ledger. */
  webhooks: recordTable({
    url: text,
    /** Types of the events that are sent, for example `["device.update", "group.*"]`. */
    events: jsonb,
    enabled: flag,
    /** The random part of its secret, after the id of the key that the secret is derived with. */
    secret_nonce: text,
    /** The nonce of the secret before, with which requests are signed too until `old_secret_until`. */
    old_secret_nonce: optional(text),
    old_secret_until: optional(instant),
    /** Entries of the ledger up to this sequence were sent, or are of other types. */
    delivered_sequence: integer,
    /** Attempts since the last success. */
    failed_attempts: integer,
    failing_since: optional(instant),
    last_success_at: optional(instant),
    last_failure_at: optional(instant),
    last_failure: optional(text),
    /** Time from which the next entries may be sent. */
    due_at: instant,
    /** Until then, the node that has claimed it sends alone; null if it is not claimed. */
    lease_ends_at: optional(instant),
  }),

  /** Conditions that open alerts. */
  alert_rules: recordTable(
    {
      name: text,
      /** Name under which a wing has declared what is measured. */
      kind: text,
      /** Fields of the kind, for example `{"count": 5, "within": 3600000}`. */
      condition: jsonb,
      /** Gets the alerts of the rule besides the webhooks whose types of events name them. */
      webhook_id: optional(referenceTo('webhooks')),
      /** Ids of the members who get the alerts by e-mail. */
      recipient_ids: jsonb,
      /** Milliseconds after which an open alert is sent again. */
      repeat_after: optional(integer),
    },
    { unique: [['company_id', 'name']], indexes: [['webhook_id', 'id']] },
  ),

  /** Times at which a rule was met. A rule has one open alert at most. */
  alerts: companyTable(
    {
      /** The rule, and its name and kind when it was opened. No reference: alerts stay when their rule is deleted. */
      rule_id: integer,
      name: text,
      kind: text,
      /** Number of terminals, or of others that the kind counts, of `total` that were looked at. */
      affected: integer,
      total: optional(integer),
      /** Names of some of them. */
      examples: jsonb,
      /** Figures found of them, or of all together; empty where they are counted alone. */
      figures: withFallback(jsonb, '[]'),
      opened_at: instant,
      /** Time since which the rule is not met any more; null while it is. */
      below_since: optional(instant),
      /** When it was last sent. */
      sent_at: instant,
      /** Ids of the members and webhooks that it was sent to; no references, since they may leave. */
      recipient_ids: jsonb,
      webhook_ids: jsonb,
      closed_at: optional(instant),
      acknowledged_at: optional(instant),
      /** No reference, since the alert stays when the user leaves. */
      acknowledged_by: optional(integer),
      /** Position of its last change among all changes of the company's alerts; drawn from `counters`. */
      sequence: integer,
    },
    {
      isCounted: true,
      indexes: [
        { name: 'open', columns: ['company_id', 'rule_id'], where: 'closed_at is null', isUnique: true },
        ['rule_id', 'id'],
        ['sequence'],
        { name: 'closed', columns: ['company_id', 'closed_at'], where: 'closed_at is not null' },
      ],
    },
  ),

  /** Filters of lists that people have given a name. */
  saved_filters: recordTable(
    {
      name: text,
      /** One of `FILTER_KINDS`. */
      kind: text,
      /** As clients write it. */
      filter: json,
      /** True if all members use it; otherwise the person who created it. */
      shared: flag,
    },
    {
      indexes: [
        ['created_by', 'kind', 'name'],
        ['shared', 'id'],
      ],
    },
  ),

  idempotency_keys: table(
    {
      company_id: integer,
      /** User and operation, for example `17 POST /v1/groups`. */
      scope: text,
      key: text,
      fingerprint: text,
      status: integer,
      answer: text,
      content_id: optional(integer),
      created_at: instant,
    },
    { key: ['company_id', 'scope', 'key'], indexes: [{ name: 'age', columns: ['created_at'] }] },
  ),
};
