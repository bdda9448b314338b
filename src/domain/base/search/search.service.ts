import type { ReadWork } from '../../../database/work.js';
import { folded } from '../../../platform/card-data/text-search.js';
import { mayUse } from '../../../platform/requests.js';
import { parse } from '../../../platform/validate.js';
import { type Found, SearchText, TagText } from './search.model.js';
import {
  findByBeginning,
  findByPart,
  findKeys,
  findMembers,
  findTags,
  SEARCHED_TYPES,
} from './search.repository.js';

/** The indexes find three characters or more. */
const MIN_PART = 3;

/**
 * Records whose names contain a text, case and accents aside: first those that are equal, then those that begin with
 * it, of each type in turn. Members only for administrators. At most five statements. Errors: `invalid`.
 */
export async function search(work: ReadWork, input: unknown, first: number): Promise<readonly Found[]> {
  const { text } = parse(SearchText, input);
  const isLong = Array.from(folded(text)).length >= MIN_PART;
  const spellings = spellingsOf(text, isLong);
  const beginning = await findByBeginning(work, spellings, first);
  const counts = Map.groupBy(beginning, ({ type }) => type);
  const left = SEARCHED_TYPES.filter(({ type }) => (counts.get(type)?.length ?? 0) < first);
  const containing = isLong && left.length > 0 ? await findByPart(work, left, text, first) : [];
  const keys = await findKeys(work, text, first);
  const tags = await findTags(work, text, first);
  const members = mayUse(work.caller, 'admin') ? await findMembers(work, text, first) : [];
  const records = [...beginning, ...containing, ...keys, ...members];
  const found = [...named(records, false), ...named(tags, true)];
  return ranked(found, folded(text)).slice(0, first);
}

const named = (records: readonly Omit<Found, 'isTag'>[], isTag: boolean): readonly Found[] =>
  records.map((record) => ({ ...record, isTag }));

/** Tags of the company that contain a text, in alphabetical order, at most `first`. One statement. Errors: `invalid`. */
export async function knownTags(work: ReadWork, input: unknown, first: number): Promise<readonly string[]> {
  const found = await findTags(work, parse(TagText, input).text, first);
  return [...new Set(found.map(({ name }) => name))].toSorted().slice(0, first);
}

/** A text in lower and in upper case, and a short one, which the indexes do not find, with any of its letters so. */
function spellingsOf(text: string, isLong: boolean): readonly string[] {
  const parts = isLong ? [text] : Array.from(text);
  const spelled = parts.reduce<readonly string[]>(
    (begun, part) =>
      [part, part.toLowerCase(), part.toUpperCase()].flatMap((end) => begun.map((start) => start + end)),
    [''],
  );
  return [...new Set(spelled)];
}

/** Each record once by a name, and each tag. */
function ranked(found: readonly Found[], text: string): readonly Found[] {
  const once = Map.groupBy(found, ({ type, id, name, isTag }) => `${type} ${isTag ? name : id}`);
  const places = new Map<string, number>();
  const withRank = [...once.values()].flatMap(([each]) => {
    if (each === undefined) return [];
    const name = folded(each.name);
    const group = name === text ? 0 : name.startsWith(text) ? 1 : 2;
    const place = places.get(`${group} ${each.type}`) ?? 0;
    places.set(`${group} ${each.type}`, place + 1);
    return [{ each, group, place }];
  });
  withRank.sort((one, other) => one.group - other.group || one.place - other.place);
  return withRank.map(({ each }) => each);
}
