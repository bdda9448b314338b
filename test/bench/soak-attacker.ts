/** Runs one attack of soak.ts in a process of its own, until it is killed. */
import { setPriority } from 'node:os';

import { ATTACKS } from './hostile/attacks.js';
import type { LargeData } from './hostile/large.js';

const [name = '', url = '', data = ''] = process.argv.slice(2);
const attack = ATTACKS[name];
if (attack === undefined) throw new Error(`There is no attack ${name}`);
// The clients that are measured come first on a small machine.
setPriority(10);
await attack(url, JSON.parse(data) as LargeData);
