import { OperationTypeNode } from 'graphql';

import type { Condition } from '../../database/list/condition.js';
import type { NewRows } from '../../database/list/new-rows.js';
import type { ReadWork, Units, WriteWork } from '../../database/work.js';
import type { Budget } from '../../http/request.js';
import type { StoredResponses } from '../../http/send.js';
import type { Places } from '../../platform/client-limits.js';
import { yieldToEventLoop } from '../../platform/concurrency/event-loop.js';
import type { Outgoing } from '../../platform/outgoing.js';
import {
  callerWithRights,
  requireScope,
  type Authenticator,
  type Browser,
  type Caller,
  type Scope,
} from '../../platform/requests.js';
import { isHeavy, type Price } from '../limits/admission.js';
import type { Within } from '../schema/errors.js';
import { conditionOf, type FilterInput } from '../schema/filter.js';
import { payload, recordsIn, type Payload } from '../schema/payload.js';
import { OperationContents, type ReadContent } from './contents.js';
import { follow, type Events, type SubscriptionRequest } from './following/follow.js';
import type { SharedFeeds } from './following/shared-feed.js';
import { RequestLoaders } from './loaders.js';
import type { Executable } from './long-input.js';
import { RecordReads } from './reads.js';

export interface RequestFacts {
  /** The client's hourly request budget; null if requests are not limited. */
  readonly budget: Budget | null;
  readonly idempotencyKey: string | null;
  readonly subscription: SubscriptionRequest | null;
  /** The page of this server that sent the request over HTTP; null for programs, and on sockets. */
  readonly page: PageFacts | null;
  /** Makes a signal that is aborted when the client of an HTTP request leaves; null on sockets and streams. */
  readonly leavingSignal: (() => AbortSignal) | null;
  /** True if the request may change something: one of a session must name the company that its page shows. */
  readonly mayChange: boolean;
}

export interface PageFacts {
  readonly browser: Browser;
  /** Sets the cookie of the session to a text; null removes it. */
  readonly setCookie: (text: string | null) => void;
}

export const NO_FACTS: RequestFacts = {
  budget: null,
  idempotencyKey: null,
  subscription: null,
  page: null,
  leavingSignal: null,
  mayChange: true,
};

/** Arguments of a subscription: which events, and after which id. */
export interface FollowArgs {
  readonly filter?: FilterInput | null | undefined;
  readonly after?: number | null | undefined;
}

export interface OperationServices {
  readonly units: Units;
  readonly feeds: SharedFeeds;
  readonly storedResponses: StoredResponses;
  readonly readContent: ReadContent;
  /** Mutations whose response shows a secret that is not stored: they take no Idempotency-Key. */
  readonly secretMutations: readonly string[];
  /** Secret that API tokens are derived from. */
  readonly tokenSecret: string;
  /** Finds the caller of a session by the text of its cookie. */
  readonly sessions: Authenticator;
  /** Sends requests to addresses of users. */
  readonly outgoing: Outgoing;
  /** Maximum bytes of file contents in a streamed response. */
  readonly maxContentBytes: number;
  readonly places: Places;
}

export interface Execution extends Executable {
  readonly context: GraphqlContext;
}

/** The change of a field with an Idempotency-Key, see repeatable.ts. */
export interface RepeatableChange {
  run<T>(use: (work: WriteWork) => Promise<T>): Promise<T>;
  refuseRepeated(): Promise<void>;
}

/** Everything for the resolvers of one operation. Methods that take a scope reject with FORBIDDEN without it. */
export class GraphqlContext extends RecordReads {
  readonly contents: OperationContents;
  /** Set while a field of a mutation with an Idempotency-Key is executed. */
  repeatable: RepeatableChange | null = null;

  constructor(
    caller: Caller,
    readonly services: OperationServices,
    readonly request: RequestFacts = NO_FACTS,
  ) {
    const { units, places, readContent, maxContentBytes } = services;
    super(caller, new RequestLoaders(units, caller, places));
    this.contents = new OperationContents(
      () => this.caller.companyId,
      maxContentBytes,
      readContent,
      this.counters,
    );
  }

  /**
   * Call it before execution. Waits for a place if the operation is heavy, unless it searches many rows: then it reads
   * outside of the event loop.
   */
  async prepare(price: Price, kind: OperationTypeNode): Promise<void> {
    const isInTransaction = kind === OperationTypeNode.MUTATION && this.request.idempotencyKey !== null;
    if (isHeavy(price) && !isInTransaction) {
      // A change is made though its client has left.
      const signal = kind === OperationTypeNode.QUERY ? this.request.leavingSignal?.() : undefined;
      await this.loaders.takePlace(signal);
    }
    await this.loaders.classify(price.searches, isInTransaction);
  }

  /** A context for a result that all callers with the same rights share; `isPersonal` says afterwards if it is not. */
  forRights(): { readonly context: GraphqlContext; readonly isPersonal: () => boolean } {
    let isPersonal = false;
    const caller = callerWithRights(this.caller, () => (isPersonal = true));
    const context = new GraphqlContext(caller, this.services, this.request);
    return { context, isPersonal: () => isPersonal };
  }

  /** Goes on as another caller, for the payload of a mutation that signs in or changes the company. */
  become(caller: Caller): void {
    const { units, places } = this.services;
    this.loaders.finish();
    this.caller = caller;
    this.loaders = new RequestLoaders(units, caller, places);
  }

  finish(): void {
    this.loaders.finish();
  }

  read<T>(scope: Scope, use: (work: ReadWork) => Promise<T>): Promise<T> {
    requireScope(this.caller, scope);
    return this.loaders.read(use);
  }

  /** Runs a change; values read before are read again after it. `scope` is null if every valid token may make it. */
  async write<T>(scope: Scope | null, use: (work: WriteWork) => Promise<T>): Promise<T> {
    if (scope !== null) requireScope(this.caller, scope);
    const { units } = this.services;
    this.counters.hasChanged = true;
    this.loaders.forget();
    if (this.repeatable !== null) return await this.repeatable.run(use);
    try {
      return await units.write(this.caller, use);
    } finally {
      this.loaders.forget();
    }
  }

  /**
   * Runs a change and returns a payload. Errors that the caller can correct become `userErrors`, with fields at the
   * path `within` of the arguments. `prepare` runs before the unit of work begins.
   */
  change<T extends object, P = undefined>(
    use: (work: WriteWork, prepared: P) => Promise<T>,
    scope: Scope | null = 'write',
    within: Within = ['input'],
    prepare: () => Promise<P> = () => Promise.resolve(undefined as P),
  ): Promise<Payload & Partial<T>> {
    return payload(async () => {
      if (scope !== null) requireScope(this.caller, scope);
      const prepared = await prepare();
      const result = await this.write(scope, async (work) => {
        const changed = await use(work, prepared);
        return { ...changed, warnings: work.warnings };
      });
      this.counters.nodes += recordsIn(result);
      return result;
    }, within);
  }

  /**
   * Changes many records in several units, so that other changes can run in between, and returns a payload. `plan`
   * checks everything before the first part; it may examine all records of the company. An Idempotency-Key is stored
   * with the last part, so repeated parts must change nothing more.
   */
  changeInParts<P, T extends object>(
    plan: (work: ReadWork) => Promise<readonly ((work: WriteWork) => Promise<P>)[]>,
    result: (done: readonly P[]) => T,
    within: Within,
  ): Promise<Payload & Partial<T>> {
    return payload(async () => {
      requireScope(this.caller, 'write');
      const { units } = this.services;
      await this.repeatable?.refuseRepeated();
      // The reads of a field before may have the only thread that the company gets.
      this.loaders.forget();
      const parts = await units.read(this.caller, plan, { examines: true });
      const done: P[] = [];
      const warnings: string[] = [];
      const warned = async (work: WriteWork, part: (work: WriteWork) => Promise<P>): Promise<P> => {
        const changed = await part(work);
        warnings.push(...work.warnings);
        return changed;
      };
      this.counters.hasChanged = true;
      for (const part of parts.slice(0, -1)) {
        done.push(await units.write(this.caller, (work) => warned(work, part)));
        await yieldToEventLoop();
      }
      const last = parts.at(-1);
      const shown = await this.write('write', async (work) => ({
        warnings,
        ...result(last === undefined ? done : [...done, await warned(work, last)]),
      }));
      this.counters.nodes += recordsIn(shown);
      return shown;
    }, within);
  }

  /** Events of a subscription: records with an id above `after`, or recorded from now on if it is null. */
  follow<T extends { readonly id: number }>(
    newRows: NewRows<T>,
    { filter, after = null }: FollowArgs,
    scope: Scope = 'read',
    also: Condition | null = null,
  ): Promise<AsyncIterable<Events<T>>> {
    requireScope(this.caller, scope);
    const { subscription } = this.request;
    if (subscription === null) throw new Error('Only a subscription can follow records.');
    const given = conditionOf(newRows, filter);
    const condition = given === null || also === null ? (given ?? also) : { and: [given, also] };
    return follow(this.services, subscription, { newRows, condition, scope, after });
  }
}
