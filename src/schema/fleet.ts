import {
  bytes,
  companyTable,
  flag,
  instant,
  integer,
  json,
  jsonb,
  optional,
  ownedBy,
  recordTable,
  referenceTo,
  withFallback,
} from './table.js';
import { table, text, type Columns } from './table.js';

/** A table with rows of a device, which are deleted with it. */
const deviceTable = <Of extends Columns>(columns: Of, options: Partial<Parameters<typeof table>[1]> = {}) =>
  table(
    { company_id: integer, device_id: ownedBy('devices'), ...columns },
    { key: ['company_id', 'device_id'], isKeyed: true, ...options },
  );

/** Words of people on a record. `tags` is a list, which triggers copy into a table with an index. */
const described = { tags: withFallback(jsonb, '[]'), notes: optional(text) };

/** Parameters or metacontents: values of a group or of a logical number. */
const valueTable = <Of extends Columns>(value: Of) =>
  recordTable(
    {
      /** Owner: exactly one of the two is set. Two rows without a group do not conflict: NULL equals no other NULL. */
      group_id: optional(referenceTo('groups')),
      logical_number_id: optional(referenceTo('logical_numbers')),
      key: text,
      ...value,
    },
    {
      unique: [
        ['company_id', 'group_id', 'key'],
        ['company_id', 'logical_number_id', 'key'],
      ],
      check: '(group_id is null) <> (logical_number_id is null)',
      indexes: [
        ['group_id', 'id'],
        ['logical_number_id', 'id'],
        ['key', 'id'],
      ],
    },
  );

export const fleet = {
  groups: recordTable({ name: text }, { unique: [['company_id', 'name']], searched: ['name'] }),

  logical_numbers: recordTable(
    {
      number: text,
      group_id: optional(referenceTo('groups')),
      merchant_name: optional(text),
      merchant_address: optional(text),
      ...described,
    },
    {
      unique: [['company_id', 'number']],
      indexes: [
        ['group_id', 'id'],
        ['merchant_name', 'id'],
      ],
      searched: ['number', 'merchant_name'],
    },
  ),

  logical_number_tags: table(
    { company_id: integer, logical_number_id: ownedBy('logical_numbers'), tag: text },
    {
      key: ['company_id', 'logical_number_id', 'tag'],
      isKeyed: true,
      indexes: [['tag', 'logical_number_id']],
    },
  ),

  devices: recordTable(
    {
      serial_number: text,
      enabled: flag,
      logical_number_id: optional(referenceTo('logical_numbers')),
      meta: json,
      framework_version: optional(text),
      ...described,
    },
    {
      unique: [['company_id', 'serial_number']],
      searched: ['serial_number'],
      // Values of an order are never null.
      computed: { version_order: `coalesce(framework_version, '')` },
      indexes: [
        ['logical_number_id', 'id'],
        ['enabled', 'id'],
        ['framework_version', 'id'],
        ['version_order', 'id'],
        // PostgreSQL would refuse an entry of more than 2,700 bytes, and a count by model reads all devices anyway.
        { name: 'by_model', columns: ['company_id', `json_extract("meta", '$.model')`], isOnlySqlite: true },
      ],
    },
  ),

  device_tags: deviceTable(
    { tag: text },
    { key: ['company_id', 'device_id', 'tag'], indexes: [['tag', 'device_id']] },
  ),

  /** Last request of each device; a trigger inserts the row. Not part of the record, so it changes no revision. */
  device_presence: deviceTable(
    {
      /** Time of the last request of the terminal; 1970 if it never sent one. */
      last_seen_at: instant,
      /** Time at which it was last stored that the terminal is online again; null if it never was. */
      online_since: optional(instant),
    },
    {
      // PostgreSQL would write an entry of the first index with each update, and reads all rows of a company anyway.
      indexes: [
        { columns: ['company_id', 'last_seen_at', 'device_id'], isOnlySqlite: true },
        { columns: ['company_id', 'online_since', 'device_id'], isOnlySqlite: true },
      ],
      fillFactor: 50,
    },
  ),

  /** Token of a device, at most one for each, and the one before it, which may work on for a while. */
  device_tokens: deviceTable(
    {
      token_hash: text,
      last_four: text,
      /** True if the token has been used since it replaced the old one. */
      is_used: flag,
      old_hash: optional(text),
      old_last_four: optional(text),
      /** End of the old token; null if it ends when the new one is used for the first time. */
      old_until: optional(instant),
      /** Id of the user on whose behalf it acts. No reference, since the token stays when the user leaves. */
      issued_by: integer,
      issued_at: instant,
      /** The job that has issued it, whose text follows from the job and a secret outside the database. */
      job_id: optional(integer),
    },
    {
      unique: [['token_hash'], ['old_hash']],
      indexes: [
        { name: 'of_job', columns: ['company_id', 'job_id', 'device_id'], where: 'job_id is not null' },
      ],
    },
  ),

  /** Files on a terminal, and its settings file `params.dat`: the bytes that it last named, or took. */
  terminal_files: deviceTable(
    {
      /** Name of the asset. */
      name: text,
      crc: text,
      /** First request with this CRC. */
      since: instant,
    },
    { key: ['company_id', 'device_id', 'name'] },
  ),

  terminal_refusals: deviceTable({
    /** `terminal_disabled` or `terminal_unassigned`. */
    code: text,
    refused_at: instant,
  }),

  /**
   * Each app version that the logical number of a device has, and others of which its terminal has the bytes: what is
   * known of it on the terminal. Triggers add rows with grants and remove them. Without a reference to the version:
   * with it, too many rows might be deleted at once.
   */
  terminal_versions: deviceTable(
    {
      app_version_id: integer,
      /** One of `SOFTWARE_STATES`; `granted` if the terminal is not known to have the bytes. */
      state: text,
      /** Code of the failure that the terminal reported; null in other states, and if it gave none. */
      reason: optional(text),
      /** Text of that report. */
      detail: optional(text),
      /** Complete downloads of the bytes. */
      attempts: withFallback(integer, 0),
      /** Beginning of the state. */
      since: instant,
      /** Position of the last change by evidence among all of the company; triggers draw it from `counters`. */
      sequence: optional(integer),
    },
    {
      key: ['company_id', 'device_id', 'app_version_id'],
      indexes: [
        ['app_version_id', 'state', 'since', 'device_id'],
        { name: 'by_sequence', columns: ['company_id', 'sequence'], where: 'sequence is not null' },
      ],
    },
  ),

  /** Logical number that a device had before; triggers add the rows. */
  device_numbers: deviceTable(
    {
      /** End of the time in which it had this number, which began at the previous end. */
      ended_at: instant,
      /** Null if it had none. */
      number: optional(text),
    },
    { key: ['company_id', 'device_id', 'ended_at'] },
  ),

  /** Log files that terminals have sent, without their texts. */
  device_logs: companyTable(
    {
      device_id: ownedBy('devices'),
      name: text,
      /** When the log was taken, by the clock of the terminal. */
      at: instant,
      /** Number of its parts, as the terminal says, and of those that have arrived. */
      parts: integer,
      received_parts: withFallback(integer, 0),
      /** Bytes of its text in UTF-8, and its lines. */
      size: withFallback(integer, 0),
      line_count: withFallback(integer, 0),
      /** Number of the command that asked for it. No reference: the log stays without the command. */
      command_id: optional(integer),
      created_at: instant,
    },
    {
      unique: [['company_id', 'device_id', 'name', 'at']],
      indexes: [
        ['device_id', 'id'],
        ['created_at', 'id'],
      ],
      isCounted: true,
    },
  ),

  /** The text of a part of a log, in pieces that end with a line, unless a line is too long. */
  device_log_chunks: companyTable(
    {
      log_id: ownedBy('device_logs'),
      part: integer,
      sequence: integer,
      size: integer,
      line_count: integer,
      /** UTF-8, compressed with gzip. */
      bytes,
    },
    { unique: [['company_id', 'log_id', 'part', 'sequence']] },
  ),

  /** Serial number that a gateway named and no device has: the latest ones, see `MAX_UNKNOWN_TERMINALS`. */
  unknown_terminals: companyTable(
    {
      serial_number: text,
      first_seen_at: instant,
      last_seen_at: instant,
      count: integer,
    },
    { unique: [['company_id', 'serial_number']], indexes: [['last_seen_at', 'id']], isCounted: true },
  ),

  parameters: valueTable({ value: text, description: optional(text) }),

  metacontents: valueTable({ value: json }),
};
