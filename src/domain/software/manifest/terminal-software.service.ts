import type { Search } from '../../../database/list/request-class.js';
import type { ReadWork } from '../../../database/work.js';
import { appVersions } from '../app/app-version.service.js';
import type { TerminalFilter, TerminalSoftware } from './manifest.model.js';
import { selectRunning } from './terminal-software.repository.js';

export * from './terminal-software.repository.js';

/** Search of the terminals of versions: as many as devices with their logical numbers, or fewer. */
export const TERMINALS_SEARCH: Search = { rows: 'logical_number_app_versions' };

/** Search of a page of terminals of a version; null if an index has it in its order. */
export const searchOfTerminals = ({ groupId, presence, reason }: TerminalFilter): Search | null =>
  groupId != null || presence != null || reason != null ? TERMINALS_SEARCH : null;

const keyOf = ({ deviceId, appVersionId }: Pick<TerminalSoftware, 'deviceId' | 'appVersionId'>): string =>
  `${deviceId} ${appVersionId}`;

/** Versions that terminals have of the applications of versions, by `keyOf`. Two statements. */
async function running(work: ReadWork, keys: readonly string[]) {
  const pairs = keys.map((key) => key.split(' ').map(Number) as [number, number]);
  const rows = await selectRunning(work, pairs);
  const ids = new Set(rows.flatMap(({ runningId }) => runningId ?? []));
  const versions = await appVersions.byIds(work, [...ids]);
  return new Map(
    rows.flatMap((row) => {
      const version = versions.get(row.runningId ?? 0);
      return version === undefined ? [] : [[keyOf(row), version] as const];
    }),
  );
}

/** Finds the version that a terminal has of the application of a version: by a text for both. */
export const runningVersion = { keyOf, select: running };
