import type { Json } from '../../../platform/encoding/json.js';
import type { Refusal } from '../../../platform/errors.js';
import type { Caller } from '../../../platform/requests.js';
import type { Audit } from '../../../platform/validate.js';
import type { RecordOf } from '../../../schema/schema.js';

export const MAX_JOB_ROWS = 100_000;

export type JobState = 'waiting' | 'running' | 'done' | 'cancelled' | 'failed';

/** A change of many records in the background, of a kind that a wing has declared in `jobKinds`. */
export type Job = RecordOf<'jobs', Audit & JobFields>;

interface JobFields {
  readonly state: JobState;
  readonly input: Json;
  readonly origin: Pick<Caller, 'scopes' | 'channel' | 'ip' | 'requestId' | 'tokenId'>;
}

/** A row that was refused, and changed nothing. */
export type JobRejection = RecordOf<'job_rejections', Refusal>;
