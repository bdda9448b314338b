import type { SystemWriteWork } from '../../../database/work.js';
import { DomainError } from '../../../platform/errors.js';
import {
  checkCreated,
  checkUsed,
  creationOptions,
  relyingParty,
  requestOptions,
} from '../../../platform/passkeys.js';
import { type Browser, type Caller, requireSession } from '../../../platform/requests.js';
import { type BrokenRule, type RecordMessage, rule } from '../../../platform/rules.js';
import { parse } from '../../../platform/validate.js';
import { Confirmation, PasskeyAdd, PasskeySignIn, SecondFactor } from './passkey.model.js';
import {
  addPasskey,
  findPasskey,
  newChallenge,
  newRecoveryCodes,
  removePasskeys,
  selectPasskeys,
  usePasskey,
  useRecoveryCode,
} from './passkey.service.js';
import type { SecondFactorNeeded, SignedIn } from './session.model.js';
import { type SessionParts, startSession } from './session.service.js';
import {
  attempt,
  attemptByCaller,
  attemptWithoutPassword,
  type Grant,
  pageRequest,
  replacing,
  WRONG_CREDENTIALS,
} from './sign-in.service.js';

const WRONG_PASSKEY = rule(
  'The passkey or recovery code is wrong, was used before or is older than 5 minutes, or the account is locked.',
);

/**
 * Requests of one browser about passkeys, in the JSON form of WebAuthn, or to sign in by a password that may need one
 * besides. A confirmation is the password of the caller or the response of a passkey. Errors: `invalid`, `taken`,
 * `not_found`, `forbidden` for tokens, `too_many_attempts`, `busy`.
 */
export class PasskeyUse {
  readonly #party;

  constructor(
    private readonly parts: SessionParts,
    private readonly from: Browser,
  ) {
    const { publicUrl } = parts.mail;
    this.#party = relyingParty(publicUrl === '' ? from.origin : publicUrl);
  }

  /** Options of `navigator.credentials`: of `create` with a confirmation, of `get` if it is null. */
  async options(caller: Caller, confirmation: unknown): Promise<object> {
    if (confirmation != null) {
      return await this.#confirm(caller, confirmation, async (work, account) => {
        const challenge = await newChallenge(work, account.id, 'create');
        return creationOptions(this.#party, challenge, account, await selectPasskeys(work, account.id));
      });
    }
    await this.parts.throttle.check(this.from.ip);
    const userId = caller.sessionId === undefined ? null : caller.userId;
    return await this.parts.units.systemWrite(pageRequest(this.from), (work) =>
      this.#request(work, userId, 'required'),
    );
  }

  /** The recovery codes are new with the first passkey, null otherwise. */
  async add(caller: Caller, input: unknown) {
    requireSession(caller);
    const { name, passkey } = parse(PasskeyAdd, input);
    const created = await checkCreated(passkey, this.#party);
    return await this.#grant(caller.userId, async (work, { id }) =>
      created === undefined ? undefined : await addPasskey(work, id, { ...created, name }),
    );
  }

  /** Removes the recovery codes with the last passkey. */
  async remove(caller: Caller, id: number, confirmation: unknown): Promise<unknown> {
    const { userId } = caller;
    return await this.#confirm(caller, confirmation, (work) => removePasskeys(work, userId, userId, id));
  }

  async renewRecoveryCodes(caller: Caller, confirmation: unknown): Promise<readonly string[]> {
    return await this.#confirm(caller, confirmation, (work, { id }) => newRecoveryCodes(work, id));
  }

  async signIn(given: unknown): Promise<SignedIn> {
    const { passkey } = parse(PasskeySignIn, { passkey: given });
    return await this.#grantByPasskey(passkey, null, (work, account) =>
      startSession(work, account, this.from),
    );
  }

  /** A user with passkeys is asked for one, or for a recovery code; that changes nothing. */
  async signInByPassword({ secondFactor: given, ...credentials }: { readonly secondFactor?: unknown }) {
    const second = given == null ? null : parse(SecondFactor, { secondFactor: given }).secondFactor;
    const use = second?.passkey == null ? null : await this.#check(second.passkey, false);
    let broken: BrokenRule<RecordMessage> = WRONG_CREDENTIALS;
    const grant: Grant<SignedIn | SecondFactorNeeded> = async (work, account) => {
      const { id } = account;
      if ((await selectPasskeys(work, id)).length > 0) {
        if (second === null) return { secondFactor: await this.#request(work, id, 'preferred') };
        const code = second.recoveryCode;
        if (!(await (code == null ? use?.take(work, id, id) : useRecoveryCode(work, id, code)))) {
          broken = WRONG_PASSKEY;
          return undefined;
        }
      }
      return await startSession(work, account, this.from);
    };
    return await replacing(
      () => attempt(this.parts, credentials, pageRequest(this.from), grant),
      () => new DomainError('invalid', broken),
    );
  }

  /** Changes the account of the caller, who shows the password or a passkey. */
  async #confirm<T>(caller: Caller, given: unknown, grant: Grant<T>): Promise<T> {
    requireSession(caller);
    const { password, passkey } = parse(Confirmation, { confirmation: given }).confirmation;
    return await (password == null
      ? this.#grantByPasskey(passkey ?? {}, caller.userId, grant)
      : attemptByCaller(this.parts, caller, { password, field: 'password' }, grant));
  }

  /** Grants something for a passkey that has verified its user: `userId`, or any who signs in if it is null. */
  async #grantByPasskey<T>(response: object, userId: number | null, grant: Grant<T>): Promise<T> {
    const use = await this.#check(response, true);
    return await this.#grant(userId ?? use.userId, async (work, account) =>
      (await use.take(work, account.id, userId)) ? await grant(work, account) : undefined,
    );
  }

  /** Errors: `invalid` if `grant` grants nothing, which counts as a failed sign-in; `too_many_attempts`. */
  async #grant<T>(userId: number | undefined, grant: Grant<T>): Promise<T> {
    const granted = await attemptWithoutPassword(this.parts, userId, pageRequest(this.from), grant);
    if (granted === undefined) throw new DomainError('invalid', WRONG_PASSKEY);
    return granted;
  }

  /** The user of the passkey of a response, undefined if it is not known, and whether it shows that a user is there. */
  async #check(response: object, needsVerification: boolean) {
    const { id } = response as { readonly id?: unknown };
    const passkey = await this.parts.units.systemRead((work) => findPasskey(work, String(id)));
    const signed = passkey && (await checkUsed(response, this.#party, passkey, needsVerification));
    const take = async (work: SystemWriteWork, userId: number, challengeOf: number | null) =>
      signed !== undefined &&
      passkey?.userId === userId &&
      (await usePasskey(work, passkey, signed, challengeOf));
    return { userId: passkey?.userId, take };
  }

  async #request(
    work: SystemWriteWork,
    userId: number | null,
    verification: 'required' | 'preferred',
  ): Promise<object> {
    const allowed = userId === null ? [] : await selectPasskeys(work, userId);
    return requestOptions(this.#party, await newChallenge(work, userId, 'get'), allowed, verification);
  }
}
