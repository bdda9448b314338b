import { DAY } from '../platform/clock.js';
import type { Demo } from './demo.js';

/** Three curl commands that call `/v1`, to paste into a shell. */
export function demoCommands(url: string, { token, group }: Demo, now: Date): readonly string[] {
  const yesterday = new Date(now.getTime() - DAY).toISOString().slice(0, 10);
  const call = (path: string): string => `curl -s '${url}/v1/${path}access_token=${token}'`;
  return [
    call(`transactions?transaction_type=switch&status=success&since=${yesterday}&per_page=3&`),
    call('devices?per_page=3&'),
    `${call('parameters?')} -X GET -d '${JSON.stringify({ name: group })}'`,
  ];
}
