import { expect } from 'vitest';

import { startCommand, type Started } from './program.js';
import { waitFor } from './wait-for.js';

/** Starts the command `demo` of the built program on a free port. */
export const launchDemo = (...options: string[]): Started =>
  startCommand(['demo', '--port', '0', ...options], null);

/** Waits until the demo listens and has written everything. */
export async function demoIsReady({ output }: Started): Promise<void> {
  await waitFor(() => expect(output()).toContain('Ctrl-C stops the demo.'), { interval: 50 });
}
