/**
 * Replays mutations that an earlier version of this server stored: the records that the change returned
 * (v8-serialized), not the rendered payload. They expire after 24 hours, so this file can be deleted in the
 * release after the one that introduces rendered payloads.
 */
import { createHash } from 'node:crypto';
import { deserialize } from 'node:v8';

import type { WriteWork } from '../../database/work.js';
import type { StoredResponses } from '../../http/stored-responses.js';
import { findSentFile } from '../http/upload.js';

export interface FormerCall {
  readonly key: string;
  readonly field: string;
  readonly alias: string;
  /** Coerced, with uploads as promises. */
  readonly args: Readonly<Record<string, unknown>>;
}

/** Records of the first execution; undefined if none are stored. Errors: `idempotency_mismatch`. */
export async function findFormerResult(
  responses: StoredResponses,
  work: WriteWork,
  { key, field, alias, args }: FormerCall,
): Promise<object | undefined> {
  const request = JSON.stringify(args, (_name, value: unknown) => {
    const file = findSentFile(value);
    return file === undefined ? value : { fileName: file.fileName, sha256: file.sha256 };
  });
  const fingerprint = createHash('sha256').update(request).digest('hex');
  const stored = await responses.find(work, { key, call: `graphql ${field} ${alias}`, fingerprint });
  return stored === undefined ? undefined : (deserialize(Buffer.from(stored.answer, 'base64')) as object);
}
