import { vi } from 'vitest';

/** Longest wait for an event that must come, in milliseconds. Only a hang takes as long: it is no bound on speed. */
const HANG_MS = 100_000;

/** Repeats `check` every `interval` milliseconds until it no longer throws; `expect.poll` waits as long. */
export async function waitFor<T>(check: () => T | Promise<T>, { interval = 50 } = {}): Promise<T> {
  return await vi.waitFor(check, { timeout: HANG_MS, interval });
}
