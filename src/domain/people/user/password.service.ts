import { hash, verify } from '@node-rs/argon2';
import { randomBytes } from 'node:crypto';

import { Semaphore } from '../../../platform/concurrency/semaphore.js';
import { DomainError } from '../../../platform/errors.js';
import { normalized, parse } from '../../../platform/validate.js';
import { PasswordChoice } from './user.model.js';

/** True if a password matches a hash. False without a hash, after the same time. */
export type Verify = (passwordHash: string | undefined, password: string) => Promise<boolean>;

export type Passwords = ReturnType<typeof createPasswords>;

/** argon2id (the library's default) with 19 MiB of memory, 2 passes, 1 thread. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** Hashes at a time, each of which needs memory and a thread, and waiting ones: about a second in total. */
const HASHES_AT_ONCE = 4;
const WAITING = 32;
/** 120 bits, as 20 letters, digits, - and _. */
const INITIAL_PASSWORD_BYTES = 15;

/** `cost` is of new hashes; each is checked with the cost that it was made with. */
export function createPasswords(cost = COST) {
  const message = 'Too many sign-ins at the same time; try again in a second.';
  const busy = () => new DomainError('busy', message, { retryAfter: 1 });
  const semaphore = new Semaphore({ places: HASHES_AT_ONCE, maxWaiting: WAITING, busy });
  const unmatchable = hashOfNothing();
  const hashOf = async (password: unknown): Promise<string> => {
    const chosen = parse(PasswordChoice, { password });
    return await semaphore.run(null, () => hash(normalized(chosen.password), cost));
  };
  return {
    /** The hash to store. Errors: `invalid`, `busy`. */
    hash: hashOf,
    /** A random password for a new user, with its hash. Errors: `busy`. */
    initial: async () => {
      const password = randomBytes(INITIAL_PASSWORD_BYTES).toString('base64url');
      return { password, hash: await hashOf(password) };
    },
    /** Runs `use` when fewer than 4 hashes are in progress. Errors: `busy`. */
    inTurn: <T>(use: (verify: Verify) => Promise<T>): Promise<T> =>
      semaphore.run(null, () =>
        use(async (passwordHash, password) => {
          const known = passwordHash?.startsWith('$argon2id$') === true ? passwordHash : undefined;
          const matches = await verify(known ?? unmatchable, password);
          return matches && known !== undefined;
        }),
      ),
  };
}

/** A well-formed hash that no password matches. */
function hashOfNothing(): string {
  const text = (bytes: number): string => randomBytes(bytes).toString('base64').replaceAll('=', '');
  const { memoryCost, timeCost, parallelism } = COST;
  return `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${text(16)}$${text(32)}`;
}
