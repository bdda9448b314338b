import type { FlagColumn, InstantColumn } from '../storage.js';

/** Token of a device, at most one for each. It is deleted with its device. */
export interface DeviceTokensTable {
  company_id: number;
  device_id: number;
  token_hash: string;
  last_four: string;
  /**
   * Id of the user who issued it, on whose behalf it acts. No foreign key, since the token stays when the
   * user leaves.
   */
  issued_by: number;
  issued_at: InstantColumn;
}

/**
 * Last request of each device; a trigger inserts the row. Not part of the record, so it changes no revision.
 */
export interface DevicePresenceTable {
  company_id: number;
  device_id: number;
  /** Time of the last request of the terminal; 1970 if it never sent one. */
  last_seen_at: InstantColumn;
}

/** Reason and time of the last refusal of the terminal of a device. */
export interface TerminalRefusalsTable {
  company_id: number;
  device_id: number;
  /** `terminal_disabled` or `terminal_unassigned`. */
  code: string;
  refused_at: InstantColumn;
}

/**
 * Serial number that a gateway named and no device has. Only the latest ones of each company, see
 * `MAX_UNKNOWN_TERMINALS`.
 */
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
 * App version whose bytes the terminal of a device has, or had. No foreign key to the version: its rows may
 * be too many to be deleted at once, and are ignored when the version is deleted.
 */
export interface TerminalVersionsTable {
  company_id: number;
  device_id: number;
  app_version_id: number;
  /** Content with these bytes: those of a version may be replaced. */
  content_id: number;
  /** Whether the terminal has downloaded these bytes. */
  is_downloaded: FlagColumn;
  /** Whether the terminal still has the bytes, as far as is known. */
  is_current: FlagColumn;
}

/** Logical number that a device had before; triggers add the rows. */
export interface DeviceNumbersTable {
  company_id: number;
  device_id: number;
  /** End of the time in which it had this number, which began at the previous end. */
  ended_at: InstantColumn;
  /** Null if it had none. */
  number: string | null;
}
