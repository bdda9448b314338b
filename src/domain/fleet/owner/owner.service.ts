import type { ReadWork } from '../../../database/work.js';
import { isNameLike } from '../../../platform/encoding/text.js';
import { DomainError, invalid, notFound } from '../../../platform/errors.js';
import { parse } from '../../../platform/validate.js';
import { getGroupByName, groups } from '../group/group.service.js';
import { getLogicalNumberByNumber, logicalNumbers } from '../logical-number/logical-number.service.js';
import { OwnerSelector, type Owner, type OwnerIds } from './owner.model.js';

/** Owner that `{ number }` or `{ name }` selects. Errors: `invalid` for neither or both, `not_found`. */
export async function getOwner(work: ReadWork, selector: unknown): Promise<Owner> {
  const { number, name } = parse(OwnerSelector, selector);
  if (typeof number === 'string' && typeof name !== 'string') {
    if (!isNameLike(number)) throw notFound('logical number');
    return { logicalNumberId: (await getLogicalNumberByNumber(work, number)).id, groupId: null };
  }
  if (typeof name === 'string' && typeof number !== 'string') {
    if (!isNameLike(name)) throw notFound('group');
    return { logicalNumberId: null, groupId: (await getGroupByName(work, name)).id };
  }
  const message = 'give either the number of a logical number or the name of a group';
  throw new DomainError('invalid', 'Some fields are not valid.', {
    fields: { number: [message], name: [message] },
  });
}

/** The owner with this id. Errors: `invalid` if neither or both are given, `not_found`. */
export async function getOwnerByIds(work: ReadWork, ids: OwnerIds): Promise<Owner> {
  const [owner] = await findOwners(work, [ids]);
  if (owner === undefined || owner instanceof DomainError) throw owner ?? notFound('owner');
  return owner;
}

/** Owner of each entry, or the error that `getOwnerByIds` would throw. Two statements. */
export async function findOwners(
  work: ReadWork,
  wanted: readonly OwnerIds[],
): Promise<readonly (Owner | DomainError)[]> {
  const numbers = await logicalNumbers.byIds(work, idsIn(wanted, 'logicalNumberId'));
  const known = await groups.byIds(work, idsIn(wanted, 'groupId'));
  return wanted.map(({ logicalNumberId, groupId }) => {
    if (logicalNumberId !== null && groupId === null) {
      return numbers.has(logicalNumberId) ? { logicalNumberId, groupId } : noOwner('logical number');
    }
    if (logicalNumberId === null && groupId !== null) {
      return known.has(groupId) ? { logicalNumberId, groupId } : noOwner('group');
    }
    return invalid('owner', 'must be either a logical number or a group');
  });
}

function idsIn(wanted: readonly OwnerIds[], name: keyof OwnerIds): number[] {
  return wanted.flatMap((ids) => ids[name] ?? []);
}

function noOwner(what: string): DomainError {
  const { code, message } = notFound(what);
  return new DomainError(code, message, { fields: { owner: [message] } });
}
