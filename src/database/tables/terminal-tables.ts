import type { FlagColumn, InstantColumn } from '../storage.js';

/** The token of a device, at most one for each. It ends with its device. */
export interface DeviceTokensTable {
  company_id: number;
  device_id: number;
  token_hash: string;
  last_four: string;
  /** Id of the user who issued it, for whom it acts; no foreign key, since the token stays when the user leaves. */
  issued_by: number;
  issued_at: InstantColumn;
}

/** One row for each device, inserted by a trigger. No part of the record: it changes no revision. */
export interface DevicePresenceTable {
  company_id: number;
  device_id: number;
  /** When the terminal last sent a request; 1970 if it never did. */
  last_seen_at: InstantColumn;
}

/** Why and when the terminal of a device was last refused. */
export interface TerminalRefusalsTable {
  company_id: number;
  device_id: number;
  /** `terminal_disabled` or `terminal_unassigned`. */
  code: string;
  refused_at: InstantColumn;
}

/** A serial number of no device that a gateway named: the last ones of each company, see `MAX_UNKNOWN_TERMINALS`. */
export interface UnknownTerminalsTable {
  id: number;
  company_id: number;
  serial_number: string;
  first_seen_at: InstantColumn;
  last_seen_at: InstantColumn;
  /** Number of requests. */
  count: number;
}

/**
 * An app version of which the terminal of a device has, or had, the bytes. No foreign key to the version: its rows may be
 * too many to be deleted at once, and are ignored when the version is gone.
 */
export interface TerminalVersionsTable {
  company_id: number;
  device_id: number;
  app_version_id: number;
  /** The bytes: those of a version may be replaced. */
  content_id: number;
  /** Whether the terminal has downloaded these bytes. */
  is_downloaded: FlagColumn;
  /** Whether the terminal still has them, as far as is known. */
  is_current: FlagColumn;
}

/** A logical number that a device had before; triggers add the rows. */
export interface DeviceNumbersTable {
  company_id: number;
  device_id: number;
  /** Until then, and since the end before, it had this number. */
  ended_at: InstantColumn;
  /** Null if it had none. */
  number: string | null;
}
