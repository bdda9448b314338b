import type { DomainCode } from '../../../platform/errors.js';
import type { StatementEnd } from '../../statements/statement-listener.js';

/** Callbacks for the events of a connection. */
export interface Watcher {
  /** Each statement, except those that begin and end transactions. What it returns is called when the statement has ended. */
  onStatement(sql: string): StatementEnd | undefined;
  /** After a failed fsync: acknowledged changes may be lost, so nothing more must be written. */
  onFatal(error: unknown): void;
  /** The storage failed or refused a statement. */
  onFault(code: DomainCode, error: unknown): void;
  /** The log has grown long because read transactions kept SQLite from restarting it: twice as long, if urgent. */
  onLongLog?(isUrgent: boolean): void;
  /** Whether the disk has so little room that the log must stay short: its pages need room in the file too. */
  isDiskLow?(): boolean;
}
