import { changes } from './changes.js';
import type { LargeData } from './large.js';
import { reads } from './reads.js';
import { Requests, type Operation } from './requests.js';

/** The worst operations; those with sizes are allowed up to one of these. A new one belongs in `reads.ts` or `changes.ts`. */
export function operationsOf(data: LargeData): readonly Operation[] {
  const requests = new Requests(data);
  return [...reads(requests, data), ...changes(requests, data)];
}
