import { type DomainError, invalid } from '../../../platform/errors.js';
import { MAX_TAGS, type TagChange } from './tag.model.js';

/** The tags of a record after a change of many; its own list if that does not change it. */
export function tagsAfter(tags: string[], { addTags = [], removeTags = [] }: TagChange): string[] {
  const added = addTags.filter((tag) => !tags.includes(tag));
  if (added.length === 0 && !tags.some((tag) => removeTags.includes(tag))) return tags;
  return [...tags, ...added].filter((tag) => !removeTags.includes(tag));
}

/** The refusal of a change after which a record would have too many tags. */
export const refusalOfTags = (tags: string[], change: TagChange): DomainError | undefined =>
  tagsAfter(tags, change).length > MAX_TAGS
    ? invalid('tags', 'must have at most {maximum} entries', { maximum: MAX_TAGS })
    : undefined;
