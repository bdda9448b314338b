import type { KeyedHash } from '../platform/hashes.js';
import type { Row } from '../schema/schema.js';
import {
  hashedValues,
  NO_LINK,
  sealedValues,
  selectEntries,
  type ChainHead,
  type ChainState,
  type Link,
} from './ledger-chain.js';
import type { Units } from './work.js';

export type ChainReport = ReturnType<Walk['report']>;

export interface VerifyOptions {
  /** First sequence to verify. The hash of the entry before it is trusted. */
  readonly from: number;
  /** True if new entries get hashes at present: then an entry without a hash at the end counts as damage. */
  readonly isOn: boolean;
  /** Hashes of entries that somebody noted earlier. */
  readonly expected: readonly Link[];
  readonly onEntry: () => void;
}

/** Verifies the chain of one company up to its last entry in `state`, a page at a time. */
export async function verifyChain(units: Units, hash: KeyedHash, state: ChainState, options: VerifyOptions) {
  const walk = new Walk(hash, state, options);
  for (let after = Math.max(0, options.from - 2); ;) {
    const range = { after, upTo: state.last };
    const rows = await units.systemRead((work) => selectEntries(work, state.companyId, range));
    for (const row of rows) walk.visit(row);
    after = rows.at(-1)?.sequence ?? after;
    if (rows.length === 0) return walk.report();
  }
}

class Walk {
  /** Each at its first damaged entry; null if the head of the chain itself is damaged. */
  readonly #damages: { readonly sequence: number | null; readonly problem: string }[] = [];
  readonly #notes: string[] = [];
  readonly #head: ChainHead | null;
  readonly #pruned: ChainState['pruned'];
  readonly #isForeign: boolean;
  #sound = 0;
  #unchained = 0;
  /** The last visited entry with a hash. */
  #link: Link | null = null;
  #lastSequence: number;
  #lastPosition = 0;
  /** First of the entries without a hash since `#link`; null if there is none. */
  #bareFrom: number | null = null;
  /** True if entries are missing, so that the link of the next one is unknown. */
  #isLinkMissing = false;
  readonly #missed: Set<Link>;

  constructor(
    private readonly hash: KeyedHash,
    state: ChainState,
    private readonly options: VerifyOptions,
  ) {
    this.#head = state.head;
    this.#pruned = state.pruned;
    this.#missed = new Set(options.expected);
    this.#lastSequence = Math.max(0, options.from - 2);
    this.#isForeign = this.#head !== null && this.#head.key_fingerprint !== hash.keyId;
    if (this.#head === null) return;
    if (this.#isForeign) {
      this.#damage(null, 'its hashes were made with another token secret: give the one of that time');
    } else if (!hash.isOf(this.#head.seal, sealedValues(this.#head))) {
      this.#damage(null, 'the head of the chain was edited');
    }
  }

  visit(row: Row<'ledger'>): void {
    if (row.sequence >= this.options.from) this.options.onEntry();
    this.#visitOrder(row);
    this.#visitExpected(row);
    if (this.#isForeign) return;
    if (row.sequence < this.options.from || row.sequence < (this.#head?.first_sequence ?? 0)) this.#pass(row);
    else this.#visitHash(row);
  }

  report() {
    this.#end();
    this.#endPruned();
    for (const { sequence } of this.#missed) {
      this.#damage(sequence, `entry ${sequence} is not the one that was noted, or is missing`);
    }
    return {
      /** Number of entries with a correct hash. */
      sound: this.#sound,
      /** Number of entries without a hash that are not damaged: before the chain, between two chains, or after it. */
      unchained: this.#unchained,
      damages: this.#damages,
      /** Sentences on where the chain begins, ends and begins again. */
      notes: this.#notes,
      head: this.#head === null ? null : { sequence: this.#head.sequence, hash: this.#head.hash },
    };
  }

  #visitExpected(row: Row<'ledger'>): void {
    for (const link of this.#missed) {
      if (link.sequence === row.sequence && link.hash === row.hash) this.#missed.delete(link);
    }
  }

  #visitOrder({ sequence, position }: Row<'ledger'>): void {
    const next = this.#lastSequence + 1;
    const missing = this.#lastPosition > 0 ? next : Math.max(next, this.#firstKept());
    if (sequence > missing) {
      this.#damage(missing, `${entries(missing, sequence - 1)} missing`);
      this.#link = null;
      this.#isLinkMissing = true;
    } else if (position <= this.#lastPosition) {
      this.#damage(sequence, `entry ${sequence} was moved among the entries of all companies`);
    }
    this.#lastSequence = sequence;
    this.#lastPosition = position;
  }

  /** First sequence that retention has not deleted; at most that of the sealed head, in case `prunings` was edited. */
  #firstKept(): number {
    const first = (this.#pruned?.upTo ?? 0) + 1;
    return this.#head === null ? first : Math.min(first, this.#head.first_sequence);
  }

  /** Visits an entry before the first one to verify. */
  #pass({ sequence, hash }: Row<'ledger'>): void {
    const head = this.#head;
    if (sequence === head?.before_sequence && hash !== head.before_hash) {
      this.#damage(sequence, `entry ${sequence} is not the one that the chain continues`);
    }
    if (sequence >= this.options.from) this.#unchained += 1;
    if (hash !== null) this.#link = { sequence, hash };
    if (sequence < (head?.first_sequence ?? 0)) this.#link = null;
  }

  #visitHash(row: Row<'ledger'>): void {
    if (row.hash === null) {
      this.#bareFrom ??= row.sequence;
      this.#unchained += 1;
      return;
    }
    const link = { sequence: row.sequence, hash: row.hash };
    const before = this.#before(row.sequence);
    if (before === null || this.hash.isOf(row.hash, hashedValues(row, before))) this.#continue(row.sequence);
    else this.#mismatch(row.sequence);
    this.#bareFrom = null;
    this.#isLinkMissing = false;
    this.#link = link;
  }

  /** The entry that an entry must be linked to; null if it is unknown, and the entry is trusted. */
  #before(sequence: number): Link | null {
    if (this.#isLinkMissing) return null;
    if (this.#link !== null) return this.#link;
    const head = this.#head;
    if (head === null || sequence < head.first_sequence) return this.options.from > 1 ? null : NO_LINK;
    if (this.options.from > head.first_sequence) return null;
    return { sequence: head.before_sequence, hash: head.before_hash };
  }

  #continue(sequence: number): void {
    this.#sound += 1;
    const bare = this.#bareFrom;
    if (this.#link !== null && bare !== null) {
      this.#notes.push(
        `the chain begins again at entry ${sequence}: ${entries(bare, sequence - 1)} not chained`,
      );
    } else if (sequence === this.#head?.first_sequence && sequence > this.#firstKept()) {
      this.#notes.push(`the chain begins at entry ${sequence}`);
    }
  }

  #mismatch(sequence: number): void {
    const bare = this.#bareFrom;
    if (bare === null) this.#damage(sequence, `entry ${sequence} was edited, inserted or moved`);
    else {
      this.#unchained -= sequence - bare;
      this.#damage(
        bare,
        `the hashes of ${entries(bare, sequence - 1, '')} were removed, or ${entries(bare, sequence, '')} edited`,
      );
    }
  }

  #end(): void {
    const head = this.#head;
    const last = this.#link?.sequence ?? 0;
    if (head === null) {
      if (last > 0) this.#damage(null, 'the head of the chain was removed');
      return;
    }
    if (this.#isForeign || this.options.from > head.sequence) return;
    if (last > head.sequence)
      this.#damage(head.sequence + 1, `${entries(head.sequence + 1, last)} after the head of the chain`);
    else if (last < head.sequence) this.#endsEarly(Math.max(last + 1, head.first_sequence), head.sequence);
    else if (this.#link?.hash !== head.hash)
      this.#damage(head.sequence, `entry ${head.sequence} is not the one of the head`);
    else if (this.#bareFrom !== null) this.#endsBare(this.#bareFrom);
  }

  /** Reports the entries that retention has deleted. Of noted ones, only the last can be compared. */
  #endPruned(): void {
    if (this.#pruned === null) return;
    const { upTo, newestAt } = this.#pruned;
    this.#notes.unshift(
      `${entries(1, upTo, upTo === 1 ? ' was' : ' were')} deleted by retention, the last one of ${newestAt.toISOString()}: ` +
        `what is verified begins at entry ${Math.max(upTo + 1, this.options.from)}`,
    );
    for (const link of this.#missed) {
      if (link.sequence > upTo) continue;
      const isLast = this.#head !== null && link.sequence === this.#head.before_sequence;
      if (isLast && link.hash !== this.#head.before_hash) continue;
      this.#missed.delete(link);
      if (!isLast) this.#notes.push(`entry ${link.sequence} cannot be compared: retention has deleted it`);
    }
  }

  #endsEarly(first: number, headSequence: number): void {
    const bare = this.#bareFrom;
    if (bare === null) this.#damage(first, `${entries(first, headSequence)} missing: the end was cut off`);
    else {
      this.#unchained -= this.#lastSequence - bare + 1;
      this.#damage(bare, `the hashes of ${entries(bare, this.#lastSequence, '')} were removed`);
    }
  }

  #endsBare(bare: number): void {
    const which = `${entries(bare, this.#lastSequence)} not chained`;
    if (!this.options.isOn) this.#notes.push(`the chain ends at entry ${bare - 1}: ${which}`);
    else this.#damage(bare, `${which}, though LEDGER_CHAIN is 1`);
  }

  #damage(sequence: number | null, problem: string): void {
    this.#damages.push({ sequence, problem });
  }
}

/** `entry 7 is`, `entries 7 to 9 are`; `verb` replaces the verb. */
function entries(first: number, last: number, verb = first === last ? ' is' : ' are'): string {
  return first === last ? `entry ${first}${verb}` : `entries ${first} to ${last}${verb}`;
}
