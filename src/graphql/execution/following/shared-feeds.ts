import { createHash } from 'node:crypto';

import type { Units } from '../../../database/work.js';
import type { Identified, Source } from './page.js';
import { SharedFeed } from './shared-feed.js';

/** The feeds that have subscribers, one for each company, table and condition. */
export class SharedFeeds {
  readonly #feeds = new Map<string, SharedFeed<Identified>>();

  constructor(private readonly units: Units) {}

  /** A feed that the caller is to join at once: it is dropped when its last member leaves. */
  of<T extends Identified>(companyId: number, source: Source<T>): SharedFeed<T> {
    const { newRows, condition } = source;
    const hash = createHash('sha256').update(JSON.stringify(condition)).digest('base64');
    const key = `${companyId} ${newRows.name} ${hash}`;
    const known = this.#feeds.get(key) as SharedFeed<T> | undefined;
    if (known !== undefined) return known;
    const feed = new SharedFeed<T>(this.units, companyId, source, () => this.#feeds.delete(key));
    this.#feeds.set(key, feed);
    return feed;
  }
}
