/** Repeats one expensive operation, in the largest size that the limits allow, in a process of its own and prints what came of it. Started by worst.ts. */
import { once } from 'node:events';
import { setPriority } from 'node:os';

import type { LargeData } from './hostile/large.js';
import { operationsOf } from './hostile/operations.js';
import { fit, repeat } from './hostile/repeat.js';

const [url = '', name = '', milliseconds = '', data = ''] = process.argv.slice(2);
const operation = operationsOf(JSON.parse(data) as LargeData).find((each) => each.name === name);
if (operation === undefined) throw new Error(`There is no operation ${name}`);
// The measuring client comes first on a machine of two cores.
setPriority(10);
const fitted = await fit(url, operation);
// To load the program takes more of the machine than some operations: the measurement begins after it.
process.stdout.write('ready\n');
await once(process.stdin, 'data');
process.stdin.destroy();
const repeated = fitted.size === 0 ? null : await repeat(url, operation, fitted.size, Number(milliseconds));
process.stdout.write(`${JSON.stringify({ fitted, repeated })}\n`);
