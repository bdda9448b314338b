import { join } from 'node:path';
import { onTestFinished } from 'vitest';

import { Uploads, type UploadLimits } from '../../src/http/body/uploads.js';
import { localCaller } from '../../src/platform/caller.js';
import { SECOND } from '../../src/platform/clock.js';
import { SpoolFiles, type SpooledContent } from '../../src/platform/spool.js';
import { removeFolder, scratchFolder } from './scratch.js';

export const CALLER = localCaller({ companyId: 1, userId: 1, timeZone: 'UTC' });

/** Uploads without a database: they count as stored once they are in a temporary file. */
export function testUploads(limits: Partial<UploadLimits>): Uploads {
  const folder = scratchFolder();
  onTestFinished(() => removeFolder(folder));
  const files = new SpoolFiles({
    path: join(folder, 'upload-'),
    maxBytes: 1e9,
    maxBytesOfCompany: 1e9,
    demandRoom: () => undefined,
  });
  const storage = {
    spool: (companyId: number) => files.open(companyId),
    stage: (_caller: unknown, { spool: _spool, ...sums }: SpooledContent) =>
      Promise.resolve({ ...sums, stagedId: 1, stagedAt: new Date(0) }),
    discard: () => Promise.resolve(),
  };
  return new Uploads(storage, { maxFileBytes: 10_000, middleBytes: 0, bodyMs: 30 * SECOND, ...limits });
}
