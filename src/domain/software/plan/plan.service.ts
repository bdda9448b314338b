import { createHash } from 'node:crypto';

import { firstIn } from '../../../database/list/listing.js';
import type { ReadWork } from '../../../database/work.js';
import { yieldToEventLoop } from '../../../platform/concurrency/event-loop.js';
import type { Json } from '../../../platform/encoding/json.js';
import { type DomainError, invalid, invalidFields, tooManyRecords } from '../../../platform/errors.js';
import { type BrokenRule, problemOf, rule } from '../../../platform/rules.js';
import { checked, type Ids, isObject, type PlacedProblem } from '../../../platform/validate.js';
import { ledgerEntries } from '../../base/ledger/ledger.service.js';
import { numbersWithVersions } from '../../fleet/logical-number/version-links.service.js';
import { difference } from '../app/app-version.service.js';
import { type Fleet, loadFleet, namesOf, presentState, versionKey } from './fleet-state.service.js';
import {
  FleetDocument,
  MAX_CHANGES,
  MAX_NAMED,
  type Path,
  type PlanChange,
  type VersionNames,
} from './plan.model.js';
import { countTerminals } from './plan.repository.js';

export type Planned = Awaited<ReturnType<typeof planOf>>;
export type Plan = Awaited<ReturnType<typeof plan>>;
export type Versions = ReadonlyMap<number, Ids>;

/** The path that the field of an error names: a path in a document is written as JSON. */
export const pathOfField = (field: string): readonly string[] =>
  field.startsWith('[') ? (JSON.parse(field) as readonly string[]) : [field];

/** The plan of a document, with the numbers of terminals that it affects. Errors: those of `planOf`. */
export async function plan(work: ReadWork, input: unknown) {
  const { fleet, changes, hash } = await planOf(work, input);
  const idsOf = (kind: keyof FleetDocument, isMeant = (_change: PlanChange): boolean => true): Ids => {
    const own = changes.filter((change) => change.path[0] === kind && isMeant(change));
    return [...new Set(own.flatMap(({ path }) => fleet[kind].get(path[1] ?? '')?.id ?? []))];
  };
  const isValue = ({ path }: PlanChange) => ['parameters', 'metacontents'].includes(path[2] ?? '');
  const isLoss = ({ path, before, after }: PlanChange): boolean => {
    const [had, has] = [before, after].map((names) => (names ?? []) as readonly string[]);
    return path[2] === 'appVersions' && had?.some((number) => has?.includes(number) === false) === true;
  };
  const [devices, numbers] = [idsOf('devices'), idsOf('logicalNumbers')];
  const { records } = await ledgerEntries.slice(work, NEWEST);
  return {
    id: `${records[0]?.sequence ?? 0}-${hash}`,
    /** Devices that change, and those of the groups and logical numbers whose software or values change. */
    terminals: await countTerminals(work, devices, numbers, idsOf('groups', isValue)),
    /** Devices whose logical number loses app versions. */
    losing: await countTerminals(work, [], idsOf('logicalNumbers', isLoss), []),
    changes,
  };
}

const NEWEST = firstIn('SEQUENCE', 1, { descending: true });

/** Text of the path of a problem, as the name of a field in errors. */
const fieldOf = ({ path }: PlacedProblem): string => JSON.stringify(['document', ...path]);

function refuse(problems: readonly PlacedProblem[]): void {
  if (problems.length > 0) throw invalidFields(Object.fromEntries(Map.groupBy(problems, fieldOf)));
}

/**
 * Compares a document with the present state: the changes that it would make, and the app versions of groups and logical
 * numbers afterwards. Errors: `invalid` with all problems of the document, `too_many_records`.
 */
export async function planOf(work: ReadWork, input: unknown) {
  const { data: document, problems } = checked(FleetDocument, input);
  refuse(problems);
  if (document === undefined) throw invalid('document', 'must be an object');
  const named = Object.values(document).reduce((sum, records) => sum + Object.keys(records).length, 0);
  if (named > MAX_NAMED) {
    throw tooMany('The document', `${named} groups, logical numbers and devices`, MAX_NAMED);
  }
  await yieldToEventLoop();
  const loaded = await loadFleet(work, document);
  await yieldToEventLoop();
  const found = unknownNames(loaded, document);
  const { groups, attached, defaults } = groupsAfter(loaded, document, found);
  const fleet = { ...loaded, logicalNumbers: await withLosers(work, loaded, attached) };
  const { logicalNumbers, granted } = numbersAfter(fleet, document, attached, found);
  refuse(found);
  await yieldToEventLoop();
  const desired = { ...document, groups, logicalNumbers };
  const present = presentState(fleet, desired);
  await yieldToEventLoop();
  const changes = differences(present, desired);
  if (changes.length > MAX_CHANGES) throw tooMany('The plan', `${changes.length} differences`, MAX_CHANGES);
  await yieldToEventLoop();
  return { fleet, present, attached, defaults, granted, changes, hash: hashOf(present, desired) };
}

const tooMany = (what: string, records: string, limit: number): DomainError =>
  tooManyRecords(what, records, limit, 'divide the document');

/** A problem for each name that the company does not have. */
function unknownNames(fleet: Fleet, document: FleetDocument): PlacedProblem[] {
  const whats = { groups: 'group', logicalNumbers: 'logical number', devices: 'device' } as const;
  const problemsOf = (kind: keyof typeof whats, name: string | null | undefined, path: Path) =>
    name == null || fleet[kind].has(name)
      ? []
      : [{ path, ...problemOf(rule('is no {what} of the company', { what: whats[kind] })) }];
  return [
    ...(['groups', 'logicalNumbers', 'devices'] as const).flatMap((kind) =>
      Object.keys(document[kind]).flatMap((name) => problemsOf(kind, name, [kind, name])),
    ),
    ...Object.entries(document.logicalNumbers).flatMap(([name, { group }]) =>
      problemsOf('groups', group, ['logicalNumbers', name, 'group']),
    ),
    ...Object.entries(document.devices).flatMap(([name, { logicalNumber }]) =>
      problemsOf('logicalNumbers', logicalNumber, ['devices', name, 'logicalNumber']),
    ),
  ];
}

/** App versions of a group or logical number: those that the document names, and the present ones. */
interface Section {
  readonly path: Path;
  readonly given: VersionNames | undefined;
  readonly present: Ids;
  /** Versions of its group after the change; absent for the versions of a group itself. */
  readonly attached?: Ids;
}

/** The versions of a section after a change, and their names if it is given or loses some; adds problems to `found`. */
function versionsAfter(fleet: Fleet, found: PlacedProblem[], { path, given, present, attached }: Section) {
  if (given === undefined) {
    const ids = present.filter((id) => attached?.includes(id) !== false);
    return { ids, names: ids.length === present.length ? undefined : namesOf(fleet, ids) };
  }
  const ids = Object.entries(given).flatMap(([app, numbers]) => {
    const idOf = (number: string) => fleet.versionIds.get(versionKey(app, number));
    const unknown = numbers.filter((number) => idOf(number) === undefined);
    const known = numbers.filter((number) => idOf(number) !== undefined);
    const refused = known.filter((number) => attached?.includes(idOf(number) ?? 0) === false);
    const add = (broken: BrokenRule) => found.push({ path: [...path, app], ...problemOf(broken) });
    if (!fleet.apps.has(app)) add(rule('is no {what} of the company', { what: 'app' }));
    else if (unknown.length > 0) add(rule('has no version {values}', { values: unknown.join(', ') }));
    if (refused.length > 0) {
      const values = refused.join(', ');
      add(rule('must be app versions that are attached to the group: not {values}', { values }));
    }
    return known.flatMap((number) => idOf(number) ?? []);
  });
  return { ids, names: namesOf(fleet, ids) };
}

/** The groups of a document with the default versions that they lose, and the versions of all groups afterwards. */
function groupsAfter(fleet: Fleet, document: FleetDocument, found: PlacedProblem[]) {
  const [attached, defaults] = [new Map(fleet.attached), new Map(fleet.defaults)];
  const groups = Object.entries(document.groups).map(([name, own]) => {
    const { id = 0 } = fleet.groups.get(name) ?? {};
    const pathOf = (section: string, ...more: readonly string[]): Path => ['groups', name, section, ...more];
    const [given, present] = [own.appVersions, fleet.attached.get(id) ?? []];
    const software = versionsAfter(fleet, found, { path: pathOf('appVersions'), given, present });
    const ofDefaults = versionsAfter(fleet, found, {
      path: pathOf('defaultAppVersions'),
      given: own.defaultAppVersions,
      present: fleet.defaults.get(id) ?? [],
      attached: software.ids,
    });
    for (const [app, numbers] of Object.entries(own.defaultAppVersions ?? {})) {
      if (numbers.length < 2) continue;
      const broken = rule('must have at most one version of each app: {values} are of one app', {
        values: numbers.join(' and '),
      });
      found.push({ path: pathOf('defaultAppVersions', app), ...problemOf(broken) });
    }
    attached.set(id, software.ids);
    defaults.set(id, ofDefaults.ids);
    const [appVersions, defaultAppVersions] = [software.names, ofDefaults.names];
    return [
      name,
      { ...own, ...(appVersions && { appVersions }), ...(defaultAppVersions && { defaultAppVersions }) },
    ] as const;
  });
  return { groups: Object.fromEntries(groups), attached, defaults };
}

/** The logical numbers of a document, and others that lose versions, and the versions of all afterwards. */
function numbersAfter(fleet: Fleet, document: FleetDocument, attached: Versions, found: PlacedProblem[]) {
  const states = new Map(Object.entries(document.logicalNumbers));
  const granted = new Map<number, Ids>();
  for (const { id, number, groupId, appVersionIds } of fleet.logicalNumbers.values()) {
    const own = states.get(number);
    const groupAfter = own?.group === undefined ? groupId : fleet.groups.get(own.group ?? '')?.id;
    const { ids, names } = versionsAfter(fleet, found, {
      path: ['logicalNumbers', number, 'appVersions'],
      given: own?.appVersions,
      present: appVersionIds,
      attached: attached.get(groupAfter ?? 0) ?? [],
    });
    granted.set(id, ids);
    if (names) states.set(number, { ...own, appVersions: names });
  }
  return { logicalNumbers: Object.fromEntries(states), granted };
}

/** The logical numbers of a fleet, and others that lose versions because their groups do. Errors: `too_many_records`. */
async function withLosers(work: ReadWork, fleet: Fleet, attached: Versions) {
  const losing = Array.from(attached, ([id, after]) => {
    return { id, lost: difference(fleet.attached.get(id) ?? [], after).removed };
  }).filter(({ lost }) => lost.length > 0);
  if (losing.length === 0) return fleet.logicalNumbers;
  const versionIds = [...new Set(losing.flatMap(({ lost }) => lost))];
  const groupIds = losing.map(({ id }) => id);
  const losers = await numbersWithVersions(work, versionIds, groupIds, MAX_CHANGES);
  if (losers === null) {
    throw tooMany('The plan', `more than ${MAX_CHANGES} versions that logical numbers lose`, MAX_CHANGES);
  }
  return new Map([...losers.map((each) => [each.number, each] as const), ...fleet.logicalNumbers]);
}

type Records = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** The values of a state by their paths as JSON texts; a section of values by name has several. */
function valuesIn(state: FleetDocument): ReadonlyMap<string, Json> {
  const values = new Map<string, Json>();
  const add = (path: Path, value: unknown): void => void values.set(JSON.stringify(path), value as Json);
  for (const [kind, records] of Object.entries<Records>(state)) {
    for (const [name, record] of Object.entries(records)) {
      for (const [section, value] of Object.entries(record)) {
        const path = [kind, name, section];
        if (!isObject(value)) add(path, value);
        else for (const [key, own] of Object.entries(value)) add([...path, key], own);
      }
    }
  }
  return values;
}

/** The differences that turn one state into another, in the order of the second, removals last. */
function differences(present: FleetDocument, desired: FleetDocument): readonly PlanChange[] {
  const [old, now] = [valuesIn(present), valuesIn(desired)];
  return [...new Set([...now.keys(), ...old.keys()])].flatMap((key): readonly PlanChange[] => {
    const [before, after] = [old.get(key), now.get(key)];
    if (canonical(before) === canonical(after)) return [];
    const action = before === undefined ? 'ADD' : after === undefined ? 'REMOVE' : 'CHANGE';
    return [{ path: JSON.parse(key) as Path, action, before: before ?? null, after: after ?? null }];
  });
}

/** JSON text with the names of each object in one order. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, given: unknown) =>
    isObject(given)
      ? Object.fromEntries(Object.entries(given).sort(([one], [other]) => (one < other ? -1 : 1)))
      : given,
  );

/** Hash of the present and the desired state, 64 hexadecimal digits. */
const hashOf = (present: FleetDocument, desired: FleetDocument): string =>
  createHash('sha256')
    .update(canonical([present, desired]))
    .digest('hex');
