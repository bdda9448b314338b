import {
  companyTable,
  drawnId,
  flag,
  instant,
  integer,
  json,
  jsonb,
  optional,
  OWN_RECORD,
  OWN_ROWS,
  ownedBy,
  referenceTo,
  RIGHTS_OF_SYSTEM,
  sinceEpoch,
  table,
  text,
  withFallback,
} from './table.js';

/** Condition for accounts of members. With EXISTS, the planner may read all members of the company first. */
const MEMBER = `id = (select user_id from memberships where memberships.user_id = users.id and memberships.${OWN_ROWS})`;

export const people = {
  companies: table(
    {
      /** Drawn at random. */
      id: drawnId,
      name: text,
      /** Zone in which terminals of the company show times. */
      time_zone: withFallback(text, 'UTC'),
      /** ISO 4217 code, for example BRL. */
      currency: optional(text),
      /** JSON object of the company's own texts by response code. */
      response_texts: withFallback(text, '{}'),
      created_at: instant,
      updated_at: instant,
    },
    { key: ['id'], unique: [['name']], rights: { rows: OWN_RECORD, company: 'select, update' } },
  ),

  users: table(
    {
      /** Random, since users do not belong to a company. */
      id: drawnId,
      email: text,
      name: text,
      time_zone: text,
      password_hash: text,
      disabled_at: optional(instant),
      sign_in_count: integer,
      last_sign_in_at: optional(instant),
      last_sign_in_ip: optional(text),
      /** Wrong passwords from networks that were new to the user, since `failed_since`. */
      failed_sign_ins: integer,
      failed_since: optional(instant),
      /** End of the latest lock, for any network. */
      locked_until: optional(instant),
      /** Settings of the console for the user: an object. */
      preferences: withFallback(json, '{}'),
      revision: integer,
      created_at: instant,
      updated_at: instant,
    },
    {
      key: ['id'],
      unique: [['email']],
      rights: { rows: MEMBER, company: 'select (id, email, disabled_at, locked_until)' },
    },
  ),

  /** A network from which someone tried to sign in as a user; known to the user if `signed_in_at` is set. */
  sign_in_networks: table(
    {
      user_id: ownedBy('users'),
      network: text,
      signed_in_at: optional(instant),
      failed_sign_ins: integer,
      locked_until: optional(instant),
      updated_at: instant,
    },
    { key: ['user_id', 'network'], rights: RIGHTS_OF_SYSTEM },
  ),

  /** A user in a company, with the data that only this company has about the user (decisions.md#members). */
  memberships: table(
    {
      company_id: referenceTo('companies'),
      user_id: referenceTo('users'),
      role: text,
      name: withFallback(text, ''),
      time_zone: withFallback(text, 'UTC'),
      sign_in_count: withFallback(integer, 0),
      last_sign_in_at: optional(instant),
      last_sign_in_ip: optional(text),
      /** When a session of the user last began here, or moved here. */
      last_session_at: optional(instant),
      disabled_at: optional(instant),
      revision: withFallback(integer, 0),
      created_at: instant,
      updated_at: sinceEpoch,
    },
    {
      key: ['company_id', 'user_id'],
      indexes: [{ name: 'user', columns: ['user_id'] }, ['created_at', 'user_id'], ['name', 'user_id']],
      isCounted: true,
    },
  ),

  /** Sign-ins of people to the console. Each is in one company of its user at a time. */
  sessions: table(
    {
      /** Random, since sessions do not belong to a company for good. */
      id: integer,
      company_id: integer,
      user_id: ownedBy('users'),
      token_hash: text,
      ip: text,
      user_agent: optional(text),
      created_at: instant,
      last_used_at: instant,
    },
    {
      key: ['id'],
      unique: [['token_hash'], ['company_id', 'user_id', 'id']],
      owner: 'memberships',
      indexes: [{ name: 'of_user', columns: ['user_id', 'last_used_at'] }],
      rights: RIGHTS_OF_SYSTEM,
    },
  ),

  /** Public keys of a person's authenticators (WebAuthn). */
  passkeys: table(
    {
      /** Random, since passkeys do not belong to a company. */
      id: integer,
      user_id: ownedBy('users'),
      name: text,
      /** Id that the authenticator gave it, in base64url. */
      credential_id: text,
      /** COSE key, in base64url. */
      public_key: text,
      /** Signatures that the authenticator has counted; 0 if it counts none. */
      counter: integer,
      created_at: instant,
      last_used_at: optional(instant),
    },
    {
      key: ['id'],
      unique: [['credential_id']],
      indexes: [{ name: 'of_user', columns: ['user_id', 'created_at'] }],
      rights: RIGHTS_OF_SYSTEM,
    },
  ),

  /** Texts that count once: codes of links, recovery codes, and challenges that a passkey has yet to sign. */
  one_time_codes: table(
    {
      code_hash: text,
      /**
       * `sign_in`, `password` and `email` for links; `recovery`; `invitation` to a company; `create` for the challenge of
       * a new passkey, `get` for that of the use of one.
       */
      kind: text,
      /** Null for a sign-in by passkey alone, whose user is not known yet. */
      user_id: optional(ownedBy('users')),
      /** The address that a link confirms. */
      email: optional(text),
      /** True if a link to set a password removes the passkeys of the user too. */
      removes_passkeys: flag,
      /** The company that asks a person to become a member, and role, name and time zone there. */
      company_id: optional(referenceTo('companies')),
      membership: optional(json),
      created_at: instant,
    },
    {
      key: ['code_hash'],
      unique: [['company_id', 'code_hash']],
      indexes: [
        { name: 'of_user', columns: ['user_id', 'kind'] },
        { name: 'created', columns: ['kind', 'created_at'] },
      ],
      rights: RIGHTS_OF_SYSTEM,
    },
  ),

  access_tokens: companyTable(
    {
      user_id: ownedBy('memberships'),
      /** `derived` (what the token endpoint returns) or `named`. */
      kind: text,
      name: optional(text),
      scopes: jsonb,
      token_hash: text,
      /** The random part of a derived token; the secret part is not in the database. */
      nonce: optional(text),
      last_four: text,
      created_at: instant,
      last_used_at: optional(instant),
      expires_at: optional(instant),
      revoked_at: optional(instant),
      /** The token that was issued in place of this one, which goes on for a while: until `expires_at`. */
      replaced_by_id: optional(integer),
    },
    {
      unique: [['token_hash']],
      indexes: [
        ['user_id', 'id'],
        ['created_at', 'id'],
        { name: 'revoked', columns: ['company_id', 'revoked_at'], where: 'revoked_at is not null' },
        { name: 'expired', columns: ['company_id', 'expires_at'], where: 'expires_at is not null' },
        { name: 'replaced', columns: ['company_id', 'replaced_by_id'], where: 'replaced_by_id is not null' },
      ],
      isCounted: true,
    },
  ),
};

const { user_id: id, ...ofMembership } = people.memberships.columns;
const { email, disabled_at: disabledAt, locked_until: lockedUntil } = people.users.columns;

/** Columns of the view of members; `account_disabled_at` is set if the operator has disabled the user. */
export const members = {
  ...ofMembership,
  id,
  email,
  account_disabled_at: disabledAt,
  locked_until: lockedUntil,
};

export const MEMBERS_QUERY = `select ${Object.keys(ofMembership)
  .map((name) => `m.${name}`)
  .join(', ')}, m.user_id as id, u.email, u.disabled_at as account_disabled_at, u.locked_until
  from memberships as m join users as u on u.id = m.user_id`;
