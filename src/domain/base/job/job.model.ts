import type { Json } from '../../../platform/encoding/json.js';
import type { DomainCode } from '../../../platform/errors.js';
import type { Caller } from '../../../platform/requests.js';
import type { Audit } from '../../../platform/validate.js';

export const MAX_JOB_ROWS = 100_000;

export type JobState = 'waiting' | 'running' | 'done' | 'cancelled' | 'failed';

/** A change of many records in the background. */
export interface Job extends Audit {
  readonly id: number;
  /** Name under which a wing has declared it in `jobKinds`. */
  readonly kind: string;
  readonly state: JobState;
  readonly input: Json;
  readonly origin: Pick<Caller, 'scopes' | 'channel' | 'ip' | 'requestId' | 'tokenId'>;
  readonly total: number;
  readonly done: number;
  readonly rejected: number;
  /** Why the job has failed as a whole; null in other states. */
  readonly failure: string | null;
  readonly endedAt: Date | null;
  /** Position of its last change among all changes of the company's jobs. */
  readonly sequence: number;
}

/** A row that was refused, and changed nothing. */
export interface JobRejection {
  readonly id: number;
  readonly jobId: number;
  /** Line of the row in a file, from 1; place among the targets of a bulk change, from 0. */
  readonly rowNumber: number;
  /** Serial number of the device, or the logical number, that the row is about. */
  readonly name: string;
  readonly code: DomainCode;
  readonly message: string;
}

export interface JobChange {
  /** The sequence. */
  readonly id: number;
  readonly job: Job;
}
