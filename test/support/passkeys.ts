import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

import type { Fields } from './client.js';
import { openBrowser, signedIn, type TestBrowser } from './console.js';
import { addPerson, PASSWORD } from './people.js';
import type { TestServer } from './server.js';

const ERRORS = 'userErrors { code rule path message }';
export const OPTIONS = `mutation ($confirmation: ConfirmationInput) { passkeyOptions(confirmation: $confirmation) { options ${ERRORS} } }`;
export const ADD = `mutation ($name: String!, $passkey: JSON!) { passkeyAdd(name: $name, passkey: $passkey) {
  passkey { id name lastUsedAt } recoveryCodes ${ERRORS} } }`;
export const REMOVE = `mutation ($id: ID!, $confirmation: ConfirmationInput!) {
  passkeyRemove(id: $id, confirmation: $confirmation) { removedId ${ERRORS} } }`;
export const SIGN_IN_BY_PASSKEY = `mutation ($passkey: JSON!) { signInByPasskey(passkey: $passkey) { viewer { user { email } } ${ERRORS} } }`;
export const SIGN_IN_TWICE = `mutation ($email: String!, $password: String!, $secondFactor: SecondFactorInput) {
  signIn(email: $email, password: $password, secondFactor: $secondFactor) { viewer { user { email } } secondFactor ${ERRORS} } }`;

export interface PasskeyPayload {
  readonly options: Options;
  readonly secondFactor: Options | null;
  readonly passkey: { readonly id: string; readonly name: string; readonly lastUsedAt: string | null } | null;
  readonly recoveryCodes: readonly string[] | null;
  readonly viewer: Fields | null;
  readonly userErrors: readonly Readonly<{ code: string; rule: string; path: readonly string[] }>[];
}

export interface Options {
  readonly challenge: string;
  readonly rp: { readonly id: string };
  readonly rpId: string;
  readonly user: { readonly id: string };
  readonly allowCredentials: readonly { readonly id: string }[];
}

/** Faults of an authenticator or a browser. */
export interface Deviation {
  readonly challenge?: string;
  readonly origin?: string;
  readonly rpId?: string;
  readonly isVerified?: boolean;
  readonly counter?: number;
  readonly signature?: Buffer;
  /** Whether the page was in a frame of another site. */
  readonly crossOrigin?: boolean;
  /** Whose the passkey is, as the options of `create` said without a deviation; null if the authenticator sends nothing. */
  readonly userHandle?: string | null;
}

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();
const uint = (value: number, bytes: number): Buffer => {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntBE(value, 0, bytes);
  return buffer;
};

/** A browser with an authenticator that holds one passkey, signs with ES256, and counts its signatures. */
export class Authenticator {
  readonly id = randomBytes(16);
  counter = 0;
  #userHandle = '';
  readonly #key: KeyObject;
  readonly #publicKey: Buffer;

  constructor(readonly origin: string) {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    this.#key = privateKey;
    this.#publicKey = Buffer.concat([
      Buffer.from('a5010203262001215820', 'hex'),
      Buffer.from(x, 'base64url'),
      Buffer.from('225820', 'hex'),
      Buffer.from(y, 'base64url'),
    ]);
  }

  /** Response of `navigator.credentials.create`. */
  create(options: Options, deviation: Deviation = {}): Fields {
    this.#userHandle = options.user.id;
    const clientData = this.#clientData('webauthn.create', options.challenge, deviation);
    const data = Buffer.concat([
      this.#data(options.rp.id, 0x40, deviation),
      Buffer.alloc(16),
      uint(this.id.length, 2),
      this.id,
      this.#publicKey,
    ]);
    // CBOR of `{ "fmt": "none", "attStmt": {}, "authData": …}`.
    const start = Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746158', 'hex');
    return this.#response(clientData, {
      attestationObject: Buffer.concat([start, uint(data.length, 1), data]),
    });
  }

  /** Response of `navigator.credentials.get`. */
  get(options: Options, deviation: Deviation = {}): Fields {
    this.counter += 1;
    const clientData = this.#clientData('webauthn.get', options.challenge, deviation);
    const authenticatorData = this.#data(options.rpId, 0, deviation);
    const signed = Buffer.concat([authenticatorData, sha256(clientData)]);
    const { signature = sign('sha256', signed, this.#key), userHandle = this.#userHandle } = deviation;
    const user = userHandle === null ? {} : { userHandle: Buffer.from(userHandle, 'base64url') };
    return this.#response(clientData, { authenticatorData, signature, ...user });
  }

  #clientData(type: string, asked: string, deviation: Deviation): Buffer {
    const { challenge = asked, origin = this.origin, crossOrigin = false } = deviation;
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin }));
  }

  #data(asked: string, flags: number, { rpId = asked, isVerified = true, counter }: Deviation): Buffer {
    const all = flags | 0x01 | (isVerified ? 0x04 : 0);
    return Buffer.concat([sha256(rpId), uint(all, 1), uint(counter ?? this.counter, 4)]);
  }

  #response(clientDataJSON: Buffer, parts: Readonly<Record<string, Buffer>>): Fields {
    const id = this.id.toString('base64url');
    const encoded = Object.entries({ clientDataJSON, ...parts }).map(([name, bytes]) => [
      name,
      bytes.toString('base64url'),
    ]);
    return {
      id,
      rawId: id,
      type: 'public-key',
      response: Object.fromEntries(encoded),
      clientExtensionResults: {},
    };
  }
}

/** Runs a mutation that has a payload; resolves to it. */
export async function payloadOf(browser: TestBrowser, query: string, variables: Fields = {}) {
  const { body } = await browser.graphql<Readonly<Record<string, PasskeyPayload>>>(query, variables);
  const [payload] = Object.values(body.data);
  if (payload === undefined) throw new Error(JSON.stringify(body));
  return payload;
}

/** Options for the use of a passkey, for the session of the browser or to sign in. */
export const optionsOf = async (browser: TestBrowser): Promise<Options> =>
  (await payloadOf(browser, OPTIONS)).options;

/** Adds a passkey to the account of a person who is signed in with the password of `addPerson`. */
export async function addPasskey(
  browser: TestBrowser,
  origin: string,
  { name = 'Laptop', password = PASSWORD } = {},
) {
  const authenticator = new Authenticator(origin);
  const confirmation = { password };
  const { options } = await payloadOf(browser, OPTIONS, { confirmation });
  const payload = await payloadOf(browser, ADD, { name, passkey: authenticator.create(options) });
  if (payload.passkey === null) throw new Error(JSON.stringify(payload.userErrors));
  return { authenticator, id: payload.passkey.id, codes: payload.recoveryCodes ?? [] };
}

export const RENEW = `mutation ($confirmation: ConfirmationInput!) { recoveryCodesRenew(confirmation: $confirmation) {
  recoveryCodes ${ERRORS} } }`;
export const MINE = '{ viewer { passkeys { id name lastUsedAt } recoveryCodesLeft } }';
export const CONFIRMED = { confirmation: { password: PASSWORD } };

interface Mine {
  readonly viewer: { readonly passkeys: readonly Fields[]; readonly recoveryCodesLeft: number };
}
export const mineOf = async (browser: TestBrowser) => (await browser.graphql<Mine>(MINE)).body.data.viewer;

export const rulesOf = async (...given: Parameters<typeof payloadOf>): Promise<readonly string[]> =>
  (await payloadOf(...given)).userErrors.map(({ rule }) => rule);

/** A person with a passkey, who is signed in. */
export async function personWithPasskey(
  server: TestServer,
  roles: Parameters<typeof addPerson>[1] = { acme: 'operator' },
) {
  const person = await addPerson(server, roles);
  const browser = await signedIn(server.url, person.email);
  return { ...person, browser, ...(await addPasskey(browser, server.url)) };
}

/** Signs in by password and what else is given, in a new browser. */
export async function enter(
  { url }: TestServer,
  email: string,
  secondFactor: Fields | null,
  password = PASSWORD,
) {
  const browser = openBrowser(url);
  const payload = await payloadOf(browser, SIGN_IN_TWICE, { email, password, secondFactor });
  return { ...payload, rules: payload.userErrors.map(({ rule }) => rule), isIn: browser.cookie !== null };
}
