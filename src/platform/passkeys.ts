/** Options for browsers about passkeys, and checks of what they return, in the JSON form of WebAuthn. */
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';

import { MINUTE } from './clock.js';

/** Loaded when a passkey is first added or used. */
const load = () => import('@simplewebauthn/server');

type RelyingParty = ReturnType<typeof relyingParty>;

/** The server, as authenticators know it: passkeys are for its host name, and its pages have its origin. */
export function relyingParty(url: string) {
  const { hostname, origin } = new URL(url);
  return { id: hostname, origin };
}

/** Id and COSE key are in base64url. */
export interface Credential {
  readonly credentialId: string;
  readonly publicKey: string;
  /** Signatures so far; 0 if the authenticator does not count them. */
  readonly counter: number;
}

/** Time from the options to the response of a browser. */
export const CHALLENGE_MS = 5 * MINUTE;

/** A user, as authenticators keep it beside the passkey. */
const userHandleOf = (userId: number): string => Buffer.from(String(userId)).toString('base64url');

const descriptorsOf = (credentials: readonly Credential[]) =>
  credentials.map(({ credentialId: id }) => ({ id, type: 'public-key' }));

/** Options of `navigator.credentials.create` for a user who has the passkeys `present`. */
export const creationOptions = (
  { id }: RelyingParty,
  challenge: string,
  user: { readonly id: number; readonly email: string; readonly name: string },
  present: readonly Credential[],
) => ({
  challenge,
  timeout: CHALLENGE_MS,
  rp: { id, name: 'Terminal gateway' },
  user: {
    id: userHandleOf(user.id),
    name: user.email,
    displayName: user.name,
  },
  // EdDSA, ES256 and RS256.
  pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: 'public-key', alg })),
  excludeCredentials: descriptorsOf(present),
  authenticatorSelection: {
    residentKey: 'required',
    requireResidentKey: true,
    userVerification: 'preferred',
  },
});

/** Options of `navigator.credentials.get`; for any passkey of the server if `allowed` is empty. */
export const requestOptions = (
  { id }: RelyingParty,
  challenge: string,
  allowed: readonly Credential[],
  userVerification: 'required' | 'preferred',
) => ({
  challenge,
  timeout: CHALLENGE_MS,
  rpId: id,
  allowCredentials: descriptorsOf(allowed),
  userVerification,
});

/** Challenge and counter that an authenticator has signed. */
export interface Signed {
  readonly challenge: string;
  readonly counter: number;
}

/** The challenge that a response says it is for. Errors: any, for another text, and from a frame of another site. */
function challengeIn(clientData: string): string {
  const { challenge, crossOrigin, topOrigin } = JSON.parse(
    Buffer.from(clientData, 'base64url').toString(),
  ) as Record<string, unknown>;
  if ((crossOrigin ?? false) !== false || topOrigin != null) throw new Error('in a frame of another site');
  return String(challenge);
}

/** The new passkey of a response of `navigator.credentials.create`; undefined if the response is not valid. */
export async function checkCreated(given: object, { id, origin }: RelyingParty) {
  const { verifyRegistrationResponse } = await load();
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers');
  const response = given as RegistrationResponseJSON;
  try {
    const { clientDataJSON, attestationObject } = response.response;
    const statement = decodeAttestationObject(Buffer.from(attestationObject, 'base64url'));
    // None is asked for. With a certificate, the library would send requests to addresses that it names.
    const isPlain = ['none', 'packed'].includes(statement.get('fmt'));
    if (!isPlain || statement.get('attStmt').get('x5c') !== undefined) return undefined;
    const challenge = challengeIn(clientDataJSON);
    const { registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: false,
    });
    if (registrationInfo === undefined) return undefined;
    const { id: credentialId, publicKey, counter } = registrationInfo.credential;
    return { challenge, credentialId, counter, publicKey: Buffer.from(publicKey).toString('base64url') };
  } catch {
    return undefined;
  }
}

/** Signed by a passkey in a response of `navigator.credentials.get`; undefined if the response is not valid. */
export async function checkUsed(
  given: object,
  { id, origin }: RelyingParty,
  { userId, credentialId, publicKey, counter }: Credential & { readonly userId: number },
  requireUserVerification: boolean,
): Promise<Signed | undefined> {
  const { verifyAuthenticationResponse } = await load();
  const response = given as AuthenticationResponseJSON;
  try {
    const { clientDataJSON, userHandle } = response.response;
    // Absent where the user was asked for this passkey by its id.
    if (userHandle != null && userHandle !== userHandleOf(userId)) return undefined;
    const challenge = challengeIn(clientDataJSON);
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      credential: { id: credentialId, publicKey: Buffer.from(publicKey, 'base64url'), counter },
      requireUserVerification,
    });
    return verified ? { challenge, counter: authenticationInfo.newCounter } : undefined;
  } catch {
    return undefined;
  }
}
