import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';

/** Makes an empty folder; the global setup removes it after the run if the test does not. */
export function scratchFolder(): string {
  return mkdtempSync(join(inject('scratch'), 'test-'));
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
