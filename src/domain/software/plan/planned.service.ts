import type { ReadWork } from '../../../database/work.js';
import { yieldToEventLoop } from '../../../platform/clock.js';
import { DomainError, invalid, tooManyRecords } from '../../../platform/errors.js';
import { checked, type Ids, type Problem } from '../../../platform/validate.js';
import { numbersWithVersions } from '../../fleet/logical-number/version-links.service.js';
import { difference } from '../app/app-version.service.js';
import { type Fleet, loadFleet, namesOf, presentState } from './fleet-state.service.js';
import { FleetDocument, MAX_CHANGES, MAX_NAMED, type PlanChange, type VersionNames } from './plan.model.js';
import { differences, hashOf } from './plan.rules.js';

/** Changes that a document would make, and the state that it was compared with. */
export interface Planned {
  readonly fleet: Fleet;
  readonly present: FleetDocument;
  /** The document, with what follows from it: versions that logical numbers lose with their groups. */
  readonly desired: FleetDocument;
  /** Ids of app versions after the change, by group and by logical number. */
  readonly attached: Versions;
  readonly defaults: Versions;
  readonly granted: Versions;
  readonly changes: readonly PlanChange[];
  readonly hash: string;
}

export type Versions = ReadonlyMap<number, Ids>;

/** Text of the path of a problem, as the name of a field in errors. */
const fieldOf = ({ path }: Problem): string => JSON.stringify(['document', ...path]);

function refuse(problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  const byPath = Map.groupBy(problems, fieldOf);
  const fields = Array.from(byPath, ([path, own]) => [path, own.map(({ message }) => message)] as const);
  throw new DomainError('invalid', 'The document is not valid.', { fields: Object.fromEntries(fields) });
}

/** Compares a document with the present state. Errors: `invalid` with all problems of the document, `too_many_records`. */
export async function planOf(work: ReadWork, input: unknown): Promise<Planned> {
  const { data: document, problems } = checked(FleetDocument, input);
  refuse(problems);
  if (document === undefined) throw invalid('document', 'must be an object');
  const named = Object.values(document).reduce((sum, records) => sum + Object.keys(records ?? {}).length, 0);
  if (named > MAX_NAMED) {
    throw tooMany('The document', `${named} groups, logical numbers and devices`, MAX_NAMED);
  }
  await yieldToEventLoop();
  const loaded = await loadFleet(work, document);
  await yieldToEventLoop();
  const found: Problem[] = [];
  refuseUnknown(loaded, document, found);
  const versions = new VersionsAfter(loaded, document, found);
  const fleet = { ...loaded, numbers: await withLosers(work, loaded, versions.attached) };
  const granted = versions.granted(fleet);
  refuse(found);
  await yieldToEventLoop();
  const desired = versions.desired(fleet, granted);
  const present = presentState(fleet, desired);
  await yieldToEventLoop();
  const changes = differences(present, desired);
  if (changes.length > MAX_CHANGES) throw tooMany('The plan', `${changes.length} differences`, MAX_CHANGES);
  await yieldToEventLoop();
  const { attached, defaults } = versions;
  return { fleet, present, desired, attached, defaults, granted, changes, hash: hashOf(present, desired) };
}

const tooMany = (what: string, records: string, limit: number): DomainError =>
  tooManyRecords(what, records, limit, 'divide the document');

/** Adds a problem for each name that the company does not have. */
function refuseUnknown({ groups, numbers, devices }: Fleet, document: FleetDocument, found: Problem[]): void {
  const known = { groups, logicalNumbers: numbers, devices };
  const whats = { groups: 'group', logicalNumbers: 'logical number', devices: 'device' } as const;
  const check = (
    kind: keyof typeof known,
    name: string | null | undefined,
    ...path: readonly string[]
  ): void => {
    if (name == null || known[kind].has(name)) return;
    found.push({ path, message: `is no ${whats[kind]} of the company` });
  };
  for (const kind of ['groups', 'logicalNumbers', 'devices'] as const) {
    for (const name of Object.keys(document[kind] ?? {})) check(kind, name, kind, name);
  }
  for (const [name, { group }] of Object.entries(document.logicalNumbers ?? {})) {
    check('groups', group, 'logicalNumbers', name, 'group');
  }
  for (const [name, { logicalNumber }] of Object.entries(document.devices ?? {})) {
    check('logicalNumbers', logicalNumber, 'devices', name, 'logicalNumber');
  }
}

/** The versions that groups and logical numbers have after a change; adds problems to `found`. */
class VersionsAfter {
  readonly attached: Versions;
  readonly defaults: Versions;
  readonly #ids: ReadonlyMap<string, number>;

  constructor(
    private readonly fleet: Fleet,
    private readonly document: FleetDocument,
    private readonly found: Problem[],
  ) {
    const ids = Array.from(
      fleet.versions,
      ([id, { app, number }]) => [JSON.stringify([app, number]), id] as const,
    );
    this.#ids = new Map(ids);
    const states = new Map(Object.entries(document.groups ?? {}));
    const all = [...fleet.groupsById.values()].map(({ id, name }) => {
      const { appVersions, defaultAppVersions } = states.get(name) ?? {};
      const attached =
        this.#named(appVersions, 'groups', name, 'appVersions') ?? fleet.attached.get(id) ?? [];
      const path = ['groups', name, 'defaultAppVersions'];
      const defaults = this.#named(defaultAppVersions, ...path);
      if (defaults !== undefined) this.#refuseUnattached(defaults, attached, path);
      for (const [app, numbers] of Object.entries(defaultAppVersions ?? {})) {
        if (numbers.length < 2) continue;
        const values = numbers.join(' and ');
        const message = `must have at most one version of each app: ${values} are of one app`;
        found.push({ path: [...path, app], message });
      }
      const kept = (fleet.defaults.get(id) ?? []).filter((each) => attached.includes(each));
      return { id, attached, defaults: defaults ?? kept };
    });
    this.attached = new Map(all.map(({ id, attached }) => [id, attached]));
    this.defaults = new Map(all.map(({ id, defaults }) => [id, defaults]));
  }

  /** Versions of logical numbers after the change: those of the document, or those that their groups still have. */
  granted(fleet: Fleet): Versions {
    const states = new Map(Object.entries(this.document.logicalNumbers ?? {}));
    const all = Array.from(fleet.numbers.values(), ({ id, number, groupId, appVersionIds }) => {
      const { group, appVersions } = states.get(number) ?? {};
      const after = group === undefined ? groupId : (this.fleet.groups.get(group ?? '')?.id ?? null);
      const attached = this.attached.get(after ?? 0) ?? [];
      const path = ['logicalNumbers', number, 'appVersions'];
      const given = this.#named(appVersions, ...path);
      if (given === undefined) return [id, appVersionIds.filter((each) => attached.includes(each))] as const;
      this.#refuseUnattached(given, attached, path);
      return [id, given] as const;
    });
    return new Map(all);
  }

  /** The document, with the versions that groups and logical numbers lose without being named. */
  desired(fleet: Fleet, granted: Versions): FleetDocument {
    const states = new Map(Object.entries(this.document.logicalNumbers ?? {}));
    for (const { id, number, appVersionIds } of fleet.numbers.values()) {
      const after = granted.get(id) ?? [];
      const own = states.get(number);
      if (own?.appVersions !== undefined || after.length === appVersionIds.length) continue;
      states.set(number, { ...own, appVersions: namesOf(fleet, after) });
    }
    const ofGroups = Object.entries(this.document.groups ?? {}).map(([name, own]) => {
      const { id = 0 } = fleet.groups.get(name) ?? {};
      const [before, after] = [fleet.defaults.get(id) ?? [], this.defaults.get(id) ?? []];
      const isGiven = own.defaultAppVersions !== undefined || after.length === before.length;
      return [name, isGiven ? own : { ...own, defaultAppVersions: namesOf(fleet, after) }] as const;
    });
    const { devices } = this.document;
    return {
      ...(ofGroups.length > 0 && { groups: Object.fromEntries(ofGroups) }),
      ...(states.size > 0 && { logicalNumbers: Object.fromEntries(states) }),
      ...(devices && { devices }),
    };
  }

  #named(names: VersionNames | undefined, ...path: readonly string[]): Ids | undefined {
    if (names === undefined) return undefined;
    return Object.entries(names).flatMap(([app, numbers]) => {
      if (!this.fleet.apps.has(app)) {
        this.found.push({ path: [...path, app], message: 'is no app of the company' });
        return [];
      }
      const idsOf = (number: string) => this.#ids.get(JSON.stringify([app, number])) ?? [];
      const unknown = numbers.filter((number) => !this.#ids.has(JSON.stringify([app, number])));
      const message = `has no version ${unknown.join(', ')}`;
      if (unknown.length > 0) this.found.push({ path: [...path, app], message });
      return numbers.flatMap(idsOf);
    });
  }

  #refuseUnattached(ids: Ids, attached: Ids, path: readonly string[]): void {
    const refused = ids.filter((id) => !attached.includes(id));
    for (const [app, numbers] of Object.entries(namesOf(this.fleet, refused))) {
      const message = `must be app versions that are attached to the group: not ${numbers.join(', ')}`;
      this.found.push({ path: [...path, app], message });
    }
  }
}

/** The logical numbers of a fleet, and others that lose versions because their groups do. Errors: `too_many_records`. */
async function withLosers(work: ReadWork, fleet: Fleet, attached: Versions) {
  const losing = Array.from(attached, ([id, after]) => {
    return { id, lost: difference(fleet.attached.get(id) ?? [], after).removed };
  }).filter(({ lost }) => lost.length > 0);
  if (losing.length === 0) return fleet.numbers;
  const versionIds = [...new Set(losing.flatMap(({ lost }) => lost))];
  const groupIds = losing.map(({ id }) => id);
  const losers = await numbersWithVersions(work, versionIds, groupIds, MAX_CHANGES);
  if (losers === null) {
    throw tooMany('The plan', `more than ${MAX_CHANGES} versions that logical numbers lose`, MAX_CHANGES);
  }
  return new Map([...losers.map((each) => [each.number, each] as const), ...fleet.numbers]);
}
