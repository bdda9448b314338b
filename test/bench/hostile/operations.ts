import { changes } from './changes.js';
import type { LargeData } from './large.js';
import { reads } from './reads.js';
import { Requests, type Operation } from './requests.js';

/** The worst operations that the limits allow. */
export function operationsOf(data: LargeData): readonly Operation[] {
  const requests = new Requests(data);
  return [...reads(requests), ...changes(requests, data)];
}
