import { spawnSync } from 'node:child_process';

import { itUnless } from '../faults/machine.js';

/** Null if the machine has a program, which these options must not make fail; otherwise the reason to skip a test. */
export const installed = (program: string, ...options: readonly string[]): string | null =>
  spawnSync(program, options, { stdio: 'ignore' }).status === 0 ? null : `${program} is not installed`;

/** Defines a test that needs the program, and is skipped where it is missing; the reason is printed. */
export const itWith = (...program: Parameters<typeof installed>): ReturnType<typeof itUnless> =>
  itUnless(installed(...program));
