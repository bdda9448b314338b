import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Why a test is skipped where `olderNode` finds none. */
export const NO_OLDER_NODE = 'no Node older than 22.14 on this machine';

/** Path of a Node in PATH that is too old for the program. */
export function olderNode(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.map((folder) => join(folder, 'node')).find(isOlder);
}

function isOlder(node: string): boolean {
  try {
    accessSync(node, constants.X_OK);
    return Number(execFileSync(node, ['-p', 'process.versions.napi'])) < 10;
  } catch {
    return false;
  }
}
